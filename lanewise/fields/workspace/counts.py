"""What a gang has room for, and what its stages tell each other once for all worlds."""

from ..table import table

FIELDS = table(
    "gang",
    """
nworld                index -     -          worlds in use
nconmax               index -     -          room: contacts of a world
njmax                 index -     -          room: constraint rows of a world
nJmax                 index -     -          room: numbers of efc_J
nAmax                 index -     -          room: numbers of efc_AR
nHmax                 index -     -          room: numbers of the Hessian with its fill
nBmax                 index -     -          room: Rows of the blocks of heaps
nYmax                 index -     -          room: Rows of the dual solvers' Y
nhitmax               index -     -          room: contacts of all worlds together, before they are listed
no_room               index -     -          1: something had no room since the host last looked
ncon_most             index -     -          the most contacts of a world
nactive               index -     -          how many static rows some world has
rows_made             index -     -          1: efc_* are made of the constraints
dual_made             index -     -          1: a dual solver made efc_force
AR_made               index -     -          1: efc_AR is made
""",
    own=True,
)
