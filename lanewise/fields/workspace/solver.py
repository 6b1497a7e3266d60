"""Workspace of the primal solvers: slots of contacts, the Hessian, the line search."""

from ..table import table

FIELDS = [
    *table(
        "fwd_constraint",
        """
row_jar               nrow        m/s^2|rad/s^2 J qacc - aref of a static row
row_force             nrow        N|Nm       its force
row_state             nrow        -          its state (mjtConstraintState)
con_jar               nconmax,6   -          J qacc - aref in the directions of a contact
con_force             nconmax,6   N,Nm       force in the same directions
""",
        own=True,
    ),
    *table(
        "solver",
        """
con_key               nconmax     -          a contact's bodies, and whether it has friction of spin, as one number
con_flip              nconmax     -          -1 where the second geom is on the lower of these bodies, else 1
slot_con              nconmax,8,1 -          which contact of a world stands in a slot, or -1
slot_frame            nconmax,8,9 -          rows of its frame, times what makes its cone circular
slot_r                nconmax,8,3 m          its point, from the centre of the tree of body slot_hi
slot_D                nconmax,8,3 -          its stiffness: of sliding, spin and rolling; 0 where there is no contact
slot_mu               nconmax,8,1 -          friction of the circular cone
slot_stiff            nconmax,8,1 -          1 where it is stiffer than anything that moves
slot_turnscale        nconmax,8,3 -          what makes spin and rolling, in the scaled frame, circular
slot_aref             nconmax,8,6 -          reference acceleration in the scaled frame
slot_u                nconmax,8,3 -          J qacc - aref in the scaled frame: normal and tangents
slot_w                nconmax,8,3 -          the same of spin and rolling
slot_du               nconmax,8,3 -          J search: normal and tangents
slot_dw               nconmax,8,3 -          J search: spin and rolling
slot_edge             nconmax,8,10 -         stiff pyramids: J qacc - aref of its edges
slot_dedge            nconmax,8,10 -         stiff pyramids: J search of its edges
slot_E                nconmax,8,1 -          twice its cost
slot_W                nconmax,8,6 -          stiffness of its point, as H_sum has it: xx xy xz yy yz zz
slot_S                nconmax,8,21 -         the same with spin and rolling, of the body
slot_hi               index nconmax,8,1 -    body on which the force of a slot acts
slot_lo               index nconmax,8,1 -    body on which the opposite force acts; 0: nothing that moves
slot_turns            index nconmax,8,1 -    1 where some world has spin or rolling friction
slot_edged            index nconmax,8,1 -    where some slot is stiff: 2 for a pyramid that is in all worlds that have it, 1 in some
slot_pair             index nconmax,8,1 -    the pair of moving bodies of a slot, or -1
nslot                 index -     -          how many slots there are
run_slot              index nconmax,8,1 -    slots that matter to worlds which are not done
run_row               index nrow  -          static rows that do
nrun_slot             index -     -          how many slots are in run_slot
nrun_row              index -     -          how many rows are in run_row
is_packed             index -     -          1: contacts and limits stand without gaps in pack_*, for a line search
npack_slot            index -     -          places of contacts there
npack_row             index -     -          places of limits there
nfirm                 index -     -          how many rows of run_row are no limits: the first ones
pack_slot             nconmax     -          the slot of each world's contact at a place
pack_D                nconmax,3   -          slot_D; 0 where there is none
pack_mu               nconmax     -          slot_mu
pack_u                nconmax,3   -          slot_u
pack_du               nconmax,3   -          slot_du
pack_row              nrow        -          the row of each world's limit at a place
pack_rowD             nrow        -          row_D; 0 where there is none
pack_jar              nrow        -          row_jar
pack_dir              nrow        -          row_dir
some_stiff            index -     -          1: some world has a contact that is
world_stiff           -           -          1 where a world has
slots_unpublished     index -     -          1: con_jar and con_force are still to be made of slots
pair_hi               index nconmax,8,1 -    first body of a pair of moving bodies that touch
pair_lo               index nconmax,8,1 -    second body
pair_key              index nconmax,8,1 -    both as one number, as in con_key
pair_rank             index nconmax,8,1 -    the pairs by rising key
pair_on               index nconmax,8,1 -    1 where pair_S has been written
pair_S                nconmax,8,21 -         stiffness between them, about the centre of the first one's tree
nbodypair             index -     -          how many pairs of moving bodies touch
pair_old              index nconmax,8,2 -    the pairs for which the structure of H was made
row_old               index nrow  -          the rows for which the structure of H was made
nbodypair_old         index -     -          how many pairs are in pair_old
nrow_old              index -     -          how many rows are in row_old
row_K                 nrow        -          stiffness of a static row, as H_sum has it
row_dir               nrow        -          J search of a static row
live_body             index nbody -          bodies with contacts on them or below them, rising
body_live             index nbody -          1 for these
nlive                 index -     -          how many bodies are in live_body
body_V                nbody,6     -          motion of bodies about C by a vector over dofs; forces on the way back
body_V2               nbody,6     -          motion by another vector
body_S                nbody,21    -          stiffness of contacts with what does not move, about C
body_S_on             index nbody -          1 where body_S has been written
island_first          ntree       -          first tree of a tree's island
tree_on               ntree       -          1 where some constraint acts on a tree
tree_common           index ntree -          first tree of a tree's island where all worlds agree, else -1
slot_island           index nconmax,8,1 -    the same of a slot
row_island            index nrow  -          the same of a static row
slot_islands          nconmax,8,1 -          the same of a slot, in each world
row_islands           nrow        -          the same of a static row
island_sum            ntree,2     -          sums over the constraints of an island, which has the place of its first tree
run_island            index ntree -          islands that some world has, rising
nrun_island           index -     -          how many islands are in run_island
island_rank           ntree       -          how many islands of a world come before an island
island_run            ntree       -          1 where an island is not done
island_scale          ntree       -          1 / trace of M of an island, by which tolerances are scaled
island_niter          ntree       -          iterations that it has taken
island_square         ntree       -          square of its gradient; of its search direction in the line search
island_length         ntree       -          length of its search direction
island_product        ntree       -          gradient times preconditioned gradient
island_flat           ntree       -          1 where it starts with a small gradient
island_conjugate      ntree,6     -          sums for beta of conjugate gradients
island_beta           ntree       -          beta of conjugate gradients
island_alpha          ntree       -          where on its line an island is looked at; in the end, by how much it moves
island_q              ntree,2     -          line search: slope and curvature of the quadratic part of the cost
island_bound          ntree       -          line search: slope that is flat enough
island_size           ntree       -          line search: twice the cost of contacts at 0, beside stiff ones
island_active         ntree       -          line search: 1 where the minimum is still looked for
island_go1            ntree       -          line search: 1 where a new point is to be looked at, from the one
island_go2            ntree       -          line search: the same from the other
island_left           ntree       -          line search: evaluations that are left
island_count          ntree       -          line search: evaluations
island_side           ntree       -          line search: 1 where the minimum is beyond the first trial, -1 where it is before
island_result         ntree,2     -          line search: the best alpha, and the slope there
island_p1             ntree,3     -          line search: alpha, slope and curvature at the last point on one side
island_p2             ntree,3     -          line search: the same at the last point on the other side
island_next1          ntree,3     -          line search: the same at Newton's step from the one
island_next2          ntree,3     -          line search: the same at Newton's step from the other
island_gain           ntree       -          by how much the cost has fallen
island_noise          ntree       -          round-off of that
island_blur           ntree       -          round-off of the cost where it is now
island_whole          ntree       -          1 where Newton's step is taken without a line search
island_small          ntree       -          1 where that is little beside the cost
island_rows           ntree,3     -          rows that are active, that changed, and whose part of the Hessian did
sol_force             nv          -          M qacc_smooth, which the constraints act against
alone_qacc            nv          -          qacc of the worlds that are solved already, one by one
alone_niter           20          -          and solver_niter
alone_force           nv          -          and qfrc_constraint
is_heap               index -     -          1: the slots are those of a heap
heap_npair            index -     -          heap: the most pairs that a world has
heap_fits             -           -          heap: 1 where Newton's factor has room
heap_hi               nconmax     -          heap: body on which the force of a slot acts, in each world
heap_lo               nconmax     -          heap: body on which the opposite force acts; 0: nothing that moves
graph_made_for        index -     -          heap: options that the graph was made for, as one number; 0: there is none
graph_nslot           index -     -          heap: slots that the graph was made of
graph_hi              nconmax     -          heap: heap_hi of these
graph_lo              nconmax     -          heap: heap_lo of these
world_npair           index ngang -          heap: for each world, number of pairs of trees; -1: no room
heap_shift            nconmax,3   m          heap: from the centre of heap_lo's tree to that of heap_hi's
heap_tree             index nconmax,16,1 -   heap: for each world, the trees of the contact in a slot; -1: nothing that moves
heap_pair             index nconmax,8,1 -    heap: for each world, the pair of these trees, or -1
heap_record           row nconmax,24,1 -     heap: for each world, what a slot has of its contact, three Rows: see bunches.py
heap_turning          row nconmax,8,1 -      heap: the same of spin and rolling
world_nnode           index ngang -          heap: for each world, number of its trees with constraints on them
island_node           index ntree,8,1 -      heap: for each world, the tree of an island that is eliminated first, or -1
node_next             index ntree,8,1 -      heap: for each world, the tree of the same island that is eliminated next, or -1
contact_first         index ntree,8,1 -      heap: for each world, the first slot of an island, or -1
contact_next          index nconmax,8,1 -    heap: for each world, the next slot of the same island, or -1
heap_block            48          -          heap: a block of H of eight worlds, by columns of eight rows
heap_axes             row ntree,48,1 -       heap: for each world, the six rows of cdof' of a tree: rotation, translation
heap_cdof             row ntree,48,1 -       heap: for each world, cdof of up to six dofs of a tree
heap_M                row ntree,48,1 -       heap: for each world, M of a tree, by columns
heap_qacc             row ntree,8,1 -        heap: for each world, qacc of a tree
heap_rest             row ntree,8,1 -        heap: for each world, M qacc less the forces without constraints, of a tree
heap_grad             row ntree,8,1 -        heap: for each world, the gradient of a tree
heap_force            row ntree,8,1 -        heap: for each world, qfrc_constraint of a tree
heap_WP               row 12      -          heap: motion of a contact by the dofs of its trees, times stiffness, in one world
heap_ratio            row 6       -          heap: multiples of an earlier column, in one world
heap_total            row 1       -          heap: a sum over the rows of a column, in one world
heap_sum              row nBmax   -          heap: Hessian, in blocks of six columns of one world each
heap_H                row nBmax   -          heap: its factor, in blocks as well
heap_x                row ntree   -          heap, one island: a vector over the dofs of a tree, to solve with H
heap_search           row ntree   -          heap, one island: search direction of a tree
heap_Mv               row ntree   -          heap, one island: M search
heap_V                row ntree   -          heap, one island: motion of a tree by the search direction
heap_F                row ntree   -          heap, one island: wrench of the contacts on a tree
isle_node             index ntree -          heap, one island: its trees in the order of elimination
nisle                 index -     -          heap, one island: how many they are
isle_row              index nrow  -          heap, one island: its static rows
nisle_row             index -     -          heap, one island: how many they are
nbunch                index -     -          heap, one island: its contacts by eights, how many bunches
bunch_size            index nbunchmax -      heap, one island: contacts of a bunch
bunch_turns           index nbunchmax -      heap, one island: 1 where some of them have spin or rolling friction
bunch_two             index nbunchmax -      heap, one island: bits: those of two trees
bunch_tree            index nbunchmax -      heap, one island: the tree that all of them are on, or -1
bunch_edges           index nbunchmax -      heap, one island: bits: edges of pyramids that push, as in bunch_S
bunch_slot            index nbunchmax,8,1 -  heap, one island: their slots
bunch_hi              index nbunchmax,8,1 -  heap, one island: their first trees
bunch_lo              index nbunchmax,8,1 -  heap, one island: their second trees
bunch_pair            index nbunchmax,8,1 -  heap, one island: the pairs of both, or -1
bunch_frame           row nbunchmax,9 -      heap, one island: slot_frame of a bunch
bunch_r               row nbunchmax,3 m      heap, one island: slot_r
bunch_shift           row nbunchmax,3 m      heap, one island: heap_shift
bunch_D               row nbunchmax,3 -      heap, one island: slot_D
bunch_mu              row nbunchmax -        heap, one island: slot_mu
bunch_turnscale       row nbunchmax,3 -      heap, one island: slot_turnscale
bunch_u               row nbunchmax,3 -      heap, one island: slot_u
bunch_w               row nbunchmax,3 -      heap, one island: slot_w
bunch_du              row nbunchmax,3 -      heap, one island: slot_du
bunch_dw              row nbunchmax,3 -      heap, one island: slot_dw
bunch_E               row nbunchmax -        heap, one island: slot_E
bunch_S               row nbunchmax,21 -     heap, one island: stiffness as heap_sum has it; of six numbers without spin
bunch_dim             row 1       -          heap, one island: dimensions of the contacts of a bunch, for who looks at iterations
bunch_change          row 1,21    -          heap, one island: what is new of it
node_on               index ntree -          heap, one world: 1 where a constraint acts on a tree; 2 where its column lies within another
node_root             index ntree -          heap, one world: a tree of the same island, before it or itself
node_edge             index ntree -          heap, one world: its last edge, or -1
node_degree           index ntree -          heap, one world: number of its neighbours
node_mark             index ntree -          heap, one world: when it was counted last
node_column           index ntree -          heap, one world: its last link in a column that is not within another, or -1
node_before           index ntree -          heap, one world: the one before it, of those with as many neighbours
node_after            index ntree -          heap, one world: the one after it
degree_first          index ntree -          heap, one world: the first tree with so many neighbours
edge_node             index nconmax,16,1 -   heap, one world: the tree that an edge leads to
edge_next             index nconmax,16,1 -   heap, one world: the next edge from the same tree
node_dirty            index ntree -          heap, one island: 1 where the column of a tree is to be made anew
node_place            index ntree -          heap: where the block of a row is in H, while a column is made
node_order            index ntree,8,1 -      heap: for each world, its trees in the order of elimination
node_rank             index ntree,8,1 -      heap: for each world, a tree's place in this order
node_links            index ntree,8,1 -      heap: for each world, first link of a tree's column
node_linkend          index ntree,8,1 -      heap: for each world, the one after its last link
node_row              index ntree,8,1 -      heap: for each world, first link of a tree's row, or -1
link_row              index nBmax -          heap: row of a block of the factor: a tree
link_column           index nBmax -          heap: its column
link_pair             index nBmax -          heap: the pair of row and column, or -1 where the block is fill
link_next             index nBmax -          heap: the next link of the row
sol_Ma                nv          -          M qacc
sol_Mv                nv          -          M search
sol_grad              nv          -          gradient of the cost
sol_Mgrad             nv          -          preconditioned gradient
sol_oldMgrad          nv          -          preconditioned gradient of the last iteration
sol_oldgrad           nv          -          gradient of the last iteration
sol_push              nv          -          what stiff contacts do to dofs
sol_search            nv          -          search direction
sol_x                 nplace      -          a vector in groups, to solve with H
sol_inverse           nplace      -          1/D of its factor L' D L
sol_most              nplace      -          what 1/D is at most
sol_ratio             nplace,3    -          factorization: multiples of later rows for the three rows of a group
nH                    index -     -          how many numbers of H are in use
H_fits                index -     -          1: there is room for them
H_made_for            index -     -          0: H has no structure yet; else 1 + the integrator that it was made for
H_bare                index -     -          1: H_sum has no constraints yet
H_sum                 nHmax       -          Hessian, its lower triangle: by rows of 3x3 blocks, each by columns
H                     nHmax       -          its factor D L, in the same places
H_chain               index nHmax -          for each group, bits: groups of dofs that it moves with
H_joined              index ngroup -         bits: groups that a constraint couples
H_bits                index nHmax -          for each group, bits: earlier groups that it has a block for
H_other               index nHmax -          where the blocks start that M does not fill
nH_other              index -     -          how many they are
M_place               index nC    -          where H_sum has a number of M
H_block               index nHmax -          where the block of two groups starts, or -1
H_now                 index nHmax -          the same, of blocks that are not zero in all worlds
H_dirty               index ngroup -         1 where H_sum has changed in a group's row since it was factorized
H_use                 index nplace,3 -       later rows that a group has such blocks with, falling: where H_now has theirs, which of its three, place in the group's own block
H_col                 index nHmax -          groups of a row's blocks, before its own
H_below               index nHmax -          later groups that have a block in a column, falling
H_belowplace          index nHmax -          and where these blocks start
H_rowadr              index ngroup -         where the blocks of a row start
H_coladr              index ngroup -         first group of a row in H_col
H_colnum              index ngroup -         their number
H_belowadr            index ngroup -         first group of a column in H_below
H_belownum            index ngroup -         their number
H_made                index -     -          how many Hessians of a search H_sum has been through
H_kept                index -     -          the kept factor that is in use, or -1: H
kept_path             index -     -          1: all Hessians of the search so far are kept ones
nkept                 index -     -          how many Hessians are kept
kept_run              index 8     -          bits: worlds that a kept Hessian was made for
kept_u                nkeptmax,3  -          slot_u where it was made, eight points one after the other
kept_w                nkeptmax,3  -          slot_w, likewise
kept_jar              nkeptmax    -          row_jar, likewise
kept_H                nkeptmax    -          its factor, likewise
kept_inverse          nkeptmax    -          1/D of its factor, likewise
rel_axis              nv,6        -          axes of the dofs that move a pair of bodies apart, in one frame
rel_arm               nv,3        -          the same at a contact point: its translation
rel_edge              nv,10       -          the same at a contact point: the edges of a pyramid
rel_dof               index nv    -          these dofs, falling
""",
        own=True,
    ),
]
