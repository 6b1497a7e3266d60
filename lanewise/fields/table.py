"""What a line of the tables of fields is.

A line is

    name  [edit]  dims  unit  meaning

with dims as MuJoCo writes them: `nbody,3` is an array of shape (nbody, 3), `-` a single value, `:3`
a vector without a leading size. A dtype other than float stands before the dims (`int32 nbody`). In
Data, every number is a Lane, whatever its dtype, except `plain` (a float64) and `index` (an int64),
which a gang has only once, and `row`, eight float64 of one world.

Fields of an MjModel say what an edit of a loaded model does, in one or two words:

    free      any value has a meaning, and acts from the next step on
    checked   likewise, within limits: a value outside of them is an error
    fixed     structure. Arrays and tables were made for it, so it can only be read
    const     mj_setConst reads it: what follows from it is right after set_const
    made      mj_setConst computes it: what is written there lasts until then

`const` and `made` alone are free, too: `checked+const` is not. docs/edits.md shows them all.
"""

import re
from dataclasses import dataclass

# How much a Data has room for: contacts of a world, its constraint rows, numbers of its dense Jacobian
# and of efc_AR, of the Hessian with its fill, of Hessians that are kept, iterations of a solver, orders
# of blocks, and contacts of an island by eights. Such fields come last in memory, which the operating
# system provides as it is used.
CAPACITIES = (
    "nconmax", "njmax", "nJmax", "nAmax", "nHmax", "nkeptmax", "nBmax", "nYmax", "nhitmax",
    "nlogmax", "nordermax", "nlinemax", "nmatrixmax", "nbunchmax",
)  # fmt: skip


@dataclass(frozen=True)
class Field:
    """One line of the table."""

    name: str
    dims: tuple  # of size names and ints; () for a single value
    width: int  # numbers in one row, as kernels load them
    dtype: str  # float, float32, int32, int64, byte, or in Data: plain, index, row
    stage: str  # Data: the stage that writes it; Model: the section
    unit: str
    doc: str
    own: bool = False  # not a field of MuJoCo's
    vector: bool = False  # without a leading size
    want: str = ""  # Data: written only if somebody reads it, which the field want_... says
    edit: frozenset = frozenset()  # Model: what an edit does, in the words above; own fields: none

    @property
    def no_dims(self):
        """Whether a kernel sees the value itself, not an array."""
        return not self.dims or self.vector

    @property
    def capacity(self):
        """The capacity that bounds its length, or None: see CAPACITIES."""
        return self.dims[0] if self.dims and self.dims[0] in CAPACITIES else None

    @property
    def by_gang(self):
        """Whether the eight worlds of a gang have it once, not one each."""
        return self.dtype in ("plain", "index", "row")

    def numbers(self, width):
        """How many float64 (or int64) stand in memory for one of it, in a gang of a width."""
        return {"plain": 1, "index": 1, "row": 8}.get(self.dtype, width)

    @property
    def said(self):
        """Its shape as Python writes it, in the sizes of the model, and its unit: (nbody, 3) [m]"""
        shape = "(" + ", ".join(map(str, self.dims)) + ("," if len(self.dims) == 1 else "") + ")"
        return (shape if self.dims else "scalar") + (f" [{self.unit}]" if self.unit else "")

    def shape(self, sizes):
        """The dims as numbers."""
        return tuple(d if isinstance(d, int) else int(sizes[d]) for d in self.dims)


def table(stage, text, own=False, want=""):
    """The fields of a section, or a part of them.

    own: what MuJoCo does not have; want: what its stage writes only for a reader, see `Field`.
    """
    return [_field(stage, line, own, want) for line in text.strip().splitlines() if line.strip()]


_LINE = re.compile(
    r"(\S+)\s+(?:((?:\b(?:free|checked|fixed|const|made)\+?)+)\s+)?"
    r"(?:(float32|int32|int64|byte|plain|index|row)\s+)?(\S+)\s+(\S+)\s+(.+)"
)


def _field(stage, line, own, want):
    match = _LINE.fullmatch(line.strip())
    assert match, f"not a line of the table: {line!r}"
    name, edit, dtype, shape, unit, doc = match.groups()
    sizes = () if shape == "-" else shape.lstrip(":").split(",")
    dims = tuple(int(x) if x.isdigit() else x for x in sizes)
    unit, vector = "" if unit == "-" else unit, shape.startswith(":")
    rows = vector or len(dims) > 1
    width = dims[-1] if rows and isinstance(dims[-1], int) else 1
    words = frozenset(edit.split("+")) if edit else frozenset()
    return Field(name, dims, width, dtype or "float", stage, unit, doc, own, vector, want, words)
