"""Workspace of the constraint rows."""

from ..table import table

FIELDS = [
    *table(
        "make_constraint",
        """
active_row            index nrow  -          which they are, rising
row_J                 nrowJ       -          Jacobian of static rows, in the structure of row_colind
row_on                nrow        -          1 where a world has the row, else 0
row_pos               nrow        m|rad      residual, or distance from a limit
row_margin            nrow        m|rad      distance at which a limit starts to act
row_frictionloss      nrow        N|Nm       most force of a friction row
row_KBI               nrow,3      -          stiffness, damping, impedance
row_R                 nrow        -          regularization
row_D                 nrow        -          1/R; 0 where a world does not have the row
con_agreed1           index nconmax -        the first body of a contact if all worlds that have it agree, else -1
con_agreed2           index nconmax -        its second body, likewise
con_KBI               nconmax,3   -          of a contact's normal: as row_KBI
con_Bfriction         nconmax     1/s        damping of its frictional rows (elliptic)
con_R                 nconmax,6   -          regularization by direction; pyramids: of all edges, in [0]
con_D                 nconmax,6   -          1/R, 0 where there is no such row
""",
        own=True,
    ),
    *table(
        "reference_constraint",
        """
row_vel               nrow        m/s|rad/s  velocity of a static row, J qvel
row_aref              nrow        m/s^2|rad/s^2 reference acceleration
con_vel               nconmax,6   m/s,rad/s  velocity in a contact: normal, two tangents, spin, two of rolling
con_aref              nconmax,6   -          reference acceleration in the same directions
""",
        own=True,
    ),
]
