"""Every field of Model and Data, once.

`model.py` and `data.py` have what users read, under MuJoCo's names, and `workspace/` what kernels
keep for themselves. Allocation, kernel types, NumPy views, batch outputs, transfer to and from
MuJoCo and docs/fields.md are derived from these tables. `others.py` has what is left of an MjModel.
"""

from .data import ALIAS, MISSING, RESULTS, STATE
from .model import CONSTANT_SIZES, MODEL, OWN_SIZES, SIZES
from .others import OTHERS
from .table import CAPACITIES, Field
from .workspace import WORKSPACE

READ = [*STATE, *ALIAS, *RESULTS]  # what users read of Data
DATA = [*READ, *WORKSPACE]

MODEL_FIELDS = {f.name: f for f in MODEL}
DATA_FIELDS = {f.name: f for f in DATA}
READ_FIELDS = {f.name: f for f in READ}
STATE_FIELDS = {f.name: f for f in STATE}

# what an edit of each field of an MjModel does, in the words of table.py
EDITS = {f.name: f.edit for f in MODEL if f.edit}
EDITS |= {name: words for words, _, names in OTHERS for name in names}
