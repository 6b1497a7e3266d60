"""What the fields of a Model may be, and which of them may change once it is loaded.

Kernels go where a model's integers send them, so these are looked at before: all of them when a
model is loaded (`soundness.py`, by the table in `ranges.py`), and one that may change when it is
written (`guarded.py`). Options are looked at likewise (`choices.py`). Which fields are fixed, which
are checked and which are free is said in the table of fields.
"""

from .bounds import outgrown
from .choices import OPTIONS, Watch, choose, not_built, option_problem, option_problems
from .guarded import Guard, Named, checked_problem
from .ranges import CHECKED, FIXED
from .soundness import problems, wraps

__all__ = [
    "CHECKED",
    "FIXED",
    "OPTIONS",
    "Guard",
    "Named",
    "Watch",
    "checked_problem",
    "choose",
    "not_built",
    "option_problem",
    "option_problems",
    "outgrown",
    "problems",
    "wraps",
]
