"""Workspace of the smooth dynamics: factors, moment arms, and scratch vectors."""

from ..table import table

FIELDS = [
    *table(
        "factor_m",
        """
M_factor              nC          -          D*L of M, in the structure of M_colind
""",
        own=True,
    ),
    *table(
        "tendon",
        """
ten_arm               narm        -          ten_J without what is always zero, in the structure of arm_colind
""",
        own=True,
    ),
    *table(
        "transmission",
        """
trn_J                 ntrn        -          moment arms in the structure of trn_colind
""",
        own=True,
    ),
    *table(
        "scratch",
        """
body_force            nbody,6     -          cacc, then forces, of the recursive Newton-Euler pass
body_acc              nbody,6     -          accelerations of that pass
vector                nv          -          a vector over dofs from a caller
M_ratio               nv,3        -          factorization of M: multiples of a row for three rows before it
dof_work              nv          -          a vector over dofs
no_shift              nv          -          zeros, for a matrix that is factorized as it is
dof_work2             nv          -          another one
ctrl_read             nu          -          controls after delay and clamping, bad ones too
ctrl_used             nu          -          controls that act: zero if one is bad, and after rate limits
sensor_now            nsensordata -          present readings of sensors with a history
""",
        own=True,
    ),
]
