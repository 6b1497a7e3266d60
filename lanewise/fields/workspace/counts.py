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
nkeptmax              index -     -          room: numbers of Hessians that are kept
nYmax                 index -     -          room: numbers of the dual solvers' Y
nmatrixmax            index -     -          room: Rows of the matrices of PGS
nbunchmax             index -     -          room: contacts of an island of a heap, by eights
nlinemax              index -     -          room: lines of the dual solvers' rows
nordermax             index -     -          room: orders in which PGS visits blocks
nlogmax               index -     -          room: iterations of islands, as in MuJoCo 200 of each
nhitmax               index -     -          room: contacts of all worlds together, before they are listed
grows                 index -     -          room that the host makes when it is lacking, bits of ROOM_*
no_room               index -     -          room that is lacking now and that the host will make, bits of ROOM_*
lacked                index -     -          the same, of gangs before this one
notice                index -     -          1: the host has something to look at: no_room, or a warning
told                  index -     -          warnings that users know of, a bit for each of mjtWarning
noted                 index -     -          warnings of which there is a note: a bit for each
note_world            index nwarning -       the world in which such a warning was raised first
note_info             plain nwarning -       what it was about
note_time             plain nwarning s       and when
ncon_most             index -     -          the most contacts of a world
nactive               index -     -          how many static rows some world has
rows_made             index -     -          1: efc_* are made of the constraints
dual_made             index -     -          1: a dual solver made efc_force
AR_made               index -     -          1: efc_AR is made
""",
    own=True,
)
