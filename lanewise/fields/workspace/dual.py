"""Workspace of the dual solvers, PGS and noslip."""

from ..table import table

FIELDS = [
    *table(
        "dual",
        """
dual_Y                row nYmax   -          Jacobian times inverse(sqrt(M)): eight dofs of a world's row in each Row
dual_column           index nYmax -          which eight dofs they are
dual_adr              index njmax,8 -        first of a row's Rows of Y, by world
dual_num              index njmax,8 -        how many of them it has, by world
dual_jar              njmax       m/s^2|rad/s^2 J a - aref at the acceleration to start from
dual_z                row nv      -          Y' force of one world, eight dofs in each Row
dual_force            plain njmax -          forces of one world
dual_last             plain njmax -          forces one iteration before
dual_ahead            plain njmax -          forces after extrapolation
dual_b                plain njmax -          efc_b of that world
dual_R                plain njmax -          efc_R
dual_diag             plain njmax -          diagonal of J inv(M) J' + R
dual_loss             plain njmax -          efc_frictionloss
dual_kind             index njmax -          efc_type
dual_id               index njmax -          efc_id
dual_state            index njmax -          efc_state
dual_island           index njmax -          island of a row, as its first tree
dual_row              index njmax -          rows in the order of islands
dual_block            index njmax -          rows or contacts in the order they are visited
dual_A                plain nconmax,36 -     block of J inv(M) J' + R of a contact
dual_tree             index nv    -          union of trees that constraints couple: another tree of it, or itself
dual_count            index nv    -          rows of an island, then where its next row goes
random_high           index -     -          state of the random numbers: the high 32 of 64 bits
random_low            index -     -          the low 32 bits
world_Y_next          index ngang -          for each world, place of its next Row in dual_Y
world_Y_rows          index ngang -          for each world, how many of its rows fit in there
dual_turn             row 8       -          eight dofs of each world
block_old             plain 6     -          forces of a contact before its update
block_residual        plain 6     -          gradient of the cost by them
block_A               plain 36    -          second derivatives by them
qcqp_A                plain 25    -          matrix of a small problem
qcqp_L                plain 25    -          its factors
qcqp_b                plain 5     -          vector
qcqp_mu               plain 5     -          half axes of the ellipsoid
qcqp_x                plain 5     -          solution
qcqp_y                plain 5     -          another vector
""",
        own=True,
    ),
]
