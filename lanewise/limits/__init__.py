"""What the fields of a Model may be, and which of them may change once it is loaded.

Kernels go where a model's integers send them, so these are looked at before: all of them when a
model is loaded (`soundness.py`, by the table in `ranges.py`), and one that may change when it is
written (`guarded.py`). Options are looked at likewise (`choices.py`). Every field is

    fixed     structure. Arrays and tables were made for it, so it can only be read
    checked   may be written within its limits; a value outside of them is an error
    free      any value has a meaning
"""

from .bounds import outgrown
from .choices import OPTIONS, choose, not_built, option_problem, option_problems
from .guarded import Guard, Named, checked_problem
from .ranges import CHECKED, FIXED, change
from .soundness import problems

__all__ = [
    "CHECKED",
    "FIXED",
    "OPTIONS",
    "Guard",
    "Named",
    "change",
    "checked_problem",
    "choose",
    "not_built",
    "option_problem",
    "option_problems",
    "outgrown",
    "problems",
]
