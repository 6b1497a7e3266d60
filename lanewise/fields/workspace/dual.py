"""Workspace of the dual solvers, PGS and noslip."""

from ..table import table

FIELDS = [
    *table(
        "dual",
        """
chain                 index nv    -          of a constraint: the dofs that can move it, falling
chain_side            index nv    -          of a contact: 1 those of its first body, -1 of its second, 0 of both
chain_mark            index nv    -          1: such a dof, which is not listed yet
nchain                index -     -          how many are listed
chain_dof             index -     -          the dof whose unit vector chain_y has, or -1
chain_y               nv          -          by dof, Jacobian times inverse(V) in one direction
chain_x               nv,3        -          in three: normal and tangents
chain_w               nv,3        -          in three: rotations about them
direction_b           1,6         -          of a contact: J qacc_smooth - aref in six directions
direction_jar         1,6         -          J a - aref at the acceleration to start from
direction_f           1,6         -          forces to start from
direction_scale       1,6         -          what makes scaled directions those of an elliptic contact
contact_A             nconmax,21  -          of an elliptic contact: J inv(M) J', the lower triangle by rows
nrec                  index -     -          constraints that some world has
rec_rows              index njmax,8,1 -      rows of such a constraint, the most that a world has
rec_at                njmax,8,1   -          its first row
rec_number            njmax,8,1   -          how many rows
rec_force             10          -          forces of a constraint
rec_contact           njmax,8,1   -          its contact, or -1
rec_chain             index njmax,8,1 -      first of its dofs in dual_chain
rec_nchain            index njmax,8,1 -      how many dofs
rec_Y                 index njmax,8,1 -      first of its numbers in dual_Y
dual_chain            index nYmax -          dofs of constraints
dual_Y                nYmax       -          Jacobian times inverse(V): of a constraint, by dofs, then rows
dual_V                nC          -          V of the inertia V'V, in the structure of M_colind
dual_Vinv             nv          -          1 / its diagonal
dual_dof              nv          -          Y' force
dual_turn             row 8       -          a line of each world
dual_nrow             -           -          rows that are solved
dual_line             row njmax,8,1 -        of each row of each world: see solver/dual/lines.py
dual_rec              index njmax,8,1 -      its constraint
dual_edge             index njmax,8,1 -      which row of the constraint it is
dual_island           index njmax,8,1 -      a tree that it moves, then the first tree of its island
dual_row              index njmax,8,1 -      the rows of each world in the order of islands
dual_tree             index ntree,8,1 -      union of trees that constraints couple: another tree of it, or itself
dual_count            index ntree -          rows of an island, then where its next row goes
dual_trace            plain ntree kg|kg*m^2  trace of the inertia of an island
dual_first            index ntree,8,1 -      of the islands of each world: first place in dual_row
dual_size             index ntree,8,1 -      how many rows
dual_scale            nv          -          of the islands of each world: what makes a gain relative, 1 / trace of M
sweep_line            row nlinemax -         dual_line, by the rows of that island; then a line of zeros
sweep_rec             index njmax,8,1 -      dual_rec of them
sweep_edge            index njmax,8,1 -      dual_edge of them
sweep_Y               row nv,8,1  -          Y of one world, by dofs: eight rows in each Row
sweep_A               row nmatrixmax -       J inv(M) J' + R of each world, eight numbers of a row in each Row
sweep_row             index njmax,8,1 -      which rows of the world they are
sweep_block           index nlinemax -       first rows of blocks: rows or contacts; then the end
sweep_size            index nlinemax -       how many rows they have; 0
sweep_below           index nlinemax -       of a block that is one row: how far it is from the end of the rows, less than 0; of others 0
sweep_state           index njmax,8,1 -      efc_state
sweep_force           row njmax,8,1 -        forces: eight rows of a world in each Row
sweep_last            row njmax,8,1 -        forces one sweep before
sweep_ahead           row njmax,8,1 -        forces after extrapolation
sweep_target          row njmax,8,1 -        best forces when rows were visited, were it not for the bounds, or when contacts of three rows were
sweep_half            row njmax,8,1 -        half the curvature of the cost; 0 for rows of elliptic contacts
sweep_low             row njmax,8,1 -        least force
sweep_high            row njmax,8,1 -        greatest force
world_Y               index ngang -          for each world, how many numbers of dual_Y are its own
world_nisland         index ngang -          for each world, how many islands it has
world_island          index ngang -          for each world, the island that is solved
world_scale           plain ngang -          for each world, dual_scale of that island
world_rows            index ngang -          for each world, its rows
world_first           index ngang -          for each world, place of its first row in sweep_force
world_A               index ngang -          for each world, first Row of its matrix in sweep_A
world_dense           index ngang -          for each world, Rows of a row of its matrix, or 0 if it has none
world_phase           index ngang -          for each world, what is done: see solver/dual/turns.py
world_sweep           index ngang -          for each world, the next sweep
world_nblock          index ngang -          for each world, blocks of a sweep
world_cones           index ngang -          for each world, the first of them that is an elliptic contact
world_dry             index ngang -          for each world, blocks of dry friction, which are the first in noslip
world_at              index ngang -          for each world, the next block
world_pushes          index ngang -          for each world, 1 if all rows of its island only push
world_order           index ngang -          for each world, where in `order` its blocks are
world_gain            1           -          by how much the cost has fallen in the sweep
world_age             plain ngang -          for each world, sweeps since extrapolation started anew
world_cone            index ngang -          for each world, first row of the contact that is updated
turn_world            index ngang -          worlds that take turns
here_world            index ngang -          worlds that have the constraint that is made
here_row              index ngang -          of each of them, its first row
here_number           index ngang -          of each of them, how many rows
nhere                 index -     -          how many worlds have it
order                 index nordermax -      random orders of blocks: see solver/dual/visiting.py
order_made            index 65    -          for each number of blocks, the sweeps for which they are there
random_high           index 73    -          states of random numbers: the high 32 of 64 bits
random_low            index 73    -          the low 32 bits
sweep_cone            row njmax,8,1 -        of a contact of three rows, at its first: curvature and friction
cone_contact          1           -          the contact that is updated
cone_size             1           -          how many rows it has
cone_place            index ngang -          for each world, place of its first row in sweep_force
cone_line             index ngang -          for each world, number of its first line in sweep_line; of sweep_cone, too
cone_old              6           -          its forces before
cone_new              6           -          forces that are tried
cone_best             6           -          its forces after
cone_R                6           -          efc_R of its rows
cone_residual         6           -          gradient of the cost by its forces
cone_A                36          -          second derivatives by them
qcqp_A                25          -          matrix of a small problem
qcqp_L                25          -          its factors
qcqp_b                5           -          vector
qcqp_mu               5           -          half axes of the ellipsoid
qcqp_x                5           -          solution
qcqp_y                5           -          another vector
""",
        own=True,
    ),
]
