"""The limits of integer fields, of what a Model reads of an MjModel.

A line of RANGES is `field low high`: values from low on, below high, which is a number or a size of
the model. A line of SPANS is `first count size`: from `first` on, `count` elements lie within
`size`; where the count is zero, the first means nothing.
"""

from ..fields import EDITS

_RANGES = """
body_parentid 0 nbody
body_rootid 0 nbody
body_weldid 0 nbody
body_mocapid -1 nmocap
body_treeid -1 ntree
body_simple 0 3
body_sameframe 0 5
body_jntadr -1 njnt
body_dofadr -1 nv
body_geomadr -1 ngeom
body_bvhadr -1 nbvh
bvh_child -1 nbvh
jnt_type 0 4
jnt_qposadr 0 nq
jnt_dofadr 0 nv
jnt_bodyid 0 nbody
jnt_actuatorid -2 nactuator
jnt_plasticadr -1 nplastic
dof_bodyid 0 nbody
dof_jntid 0 njnt
dof_parentid -1 nv
dof_treeid 0 ntree
dof_Madr 0 nM
dof_simplenum 0 nv+1
tree_bodyadr 0 nbody
tree_dofadr -1 nv
geom_type 0 9
geom_bodyid 0 nbody
geom_sameframe 0 5
pair_geom1 0 ngeom
pair_geom2 0 ngeom
mesh_polymap 0 nmeshpoly
mesh_polyvert 0 nmeshvert
mesh_extrema 0 nmeshvert
mesh_graphadr -1 nmeshgraph
hfield_nrow 2 nhfielddata+1
hfield_ncol 2 nhfielddata+1
site_bodyid 0 nbody
site_type 0 9
site_dataid -1 nmesh
site_sameframe 0 5
cam_mode 0 5
cam_projection 0 2
geom_matid -1 nmat
sensor_datatype 0 4
sensor_needstage 0 4
cam_bodyid 0 nbody
cam_targetbodyid -1 nbody
light_mode 0 5
light_bodyid 0 nbody
light_targetbodyid -1 nbody
tendon_type 0 2
tendon_actuatorid -2 nactuator
tendon_plasticadr -1 nplastic
ten_J_colind 0 nv
wrap_type 1 6
actuator_trntype 0 7
actuator_dyntype 0 8
actuator_gaintype 0 7
actuator_biastype 0 6
actuator_actadr -1 na
actuator_historyadr -1 nhistory
sensor_historyadr -1 nhistory
eq_type 0 4
eq_objtype 0 7
M_colind 0 nv
D_colind 0 nv
B_colind 0 nv
mapM2D -1 nC
mapD2M 0 nD
names_map -1 nnames
"""

_SPANS = """
body_jntadr body_jntnum njnt
body_dofadr body_dofnum nv
body_geomadr body_geomnum ngeom
body_bvhadr body_bvhnum nbvh
tree_bodyadr tree_bodynum nbody
tree_dofadr tree_dofnum nv
M_rowadr M_rownnz nC
D_rowadr D_rownnz nD
B_rowadr B_rownnz nB
ten_J_rowadr ten_J_rownnz nJten
tendon_adr tendon_num nwrap
mesh_vertadr mesh_vertnum nmeshvert
mesh_normaladr mesh_normalnum nmeshnormal
mesh_faceadr mesh_facenum nmeshface
mesh_bvhadr mesh_bvhnum nbvh
mesh_polyadr mesh_polynum nmeshpoly
mesh_polyvertadr mesh_polyvertnum nmeshpolyvert
mesh_polymapadr mesh_polymapnum nmeshpolymap
actuator_ctrladr actuator_ctrlnum nu
actuator_outadr actuator_outnum nout
actuator_actadr actuator_actnum na
"""

_NAMED = (
    "actuator body cam eq exclude flex geom hfield jnt key light mat mesh numeric pair plugin"
    " sensor site skin tendon tex text tuple"
)

RANGES = {name: (int(low), high) for name, low, high in map(str.split, _RANGES.split("\n")[1:-1])}
RANGES |= {f"name_{kind}adr": (0, "nnames") for kind in _NAMED.split()}
SPANS = [tuple(line.split()) for line in _SPANS.split("\n")[1:-1]]

# integers of which only some have a meaning
ALLOWED = {"geom_condim": (1, 3, 4, 6), "pair_dim": (1, 3, 4, 6)}

# The kinds of an actuator may change within such a family, whose members have the same inputs,
# outputs and activations.
FAMILIES = {
    "actuator_dyntype": (1, 2, 3, 4),  # integrator, filter, filterexact, muscle
    "actuator_gaintype": (0, 1, 2),  # fixed, affine, muscle
    "actuator_biastype": (0, 1, 2),  # none, affine, muscle
}

# what may change within limits, and what may not change at all
CHECKED = frozenset(n for n, words in EDITS.items() if "checked" in words and "." not in n)
FIXED = frozenset(n for n, words in EDITS.items() if "fixed" in words)
