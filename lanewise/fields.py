"""Every field of Model and Data, once.

A line of a table is

    name  dims  unit  meaning

with dims as MuJoCo writes them: `nbody,3` is an array of shape (nbody, 3), `-` a single value, `:3` a
vector without a leading size. A dtype other than float stands before the dims (`int32 nbody`). In Data,
every number is a Lane, whatever its dtype, except `plain` (a float64) and `index` (an int64), which a gang
has only once. Allocation,
kernel types, NumPy views, batch outputs, transfer to and from MuJoCo and docs/fields.md are derived from
here. A field that MuJoCo has keeps MuJoCo's name, shape, order and meaning; what is Lanewise's own stands
in tables marked `own`.

Frames are named as in docs/notation.md: W world, B body, I inertial frame at the centre of mass, C the
com-based frame (axes of the world, origin at the centre of mass of the kinematic tree).
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """One line of the table."""

    name: str
    dims: tuple  # of size names and ints; () for a single value
    width: int  # numbers in one row, as kernels load them
    dtype: str  # float, float32, int32, int64, byte, or in Data: plain, index
    stage: str  # Data: the stage that writes it; Model: the section
    unit: str
    doc: str
    own: bool = False  # not a field of MuJoCo's
    vector: bool = False  # without a leading size

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
        return self.dtype in ("plain", "index")

    def shape(self, sizes):
        """The dims as numbers."""
        return tuple(d if isinstance(d, int) else int(sizes[d]) for d in self.dims)


def _table(stage, text, own=False):
    return [_field(stage, line, own) for line in text.strip().splitlines() if line.strip()]


_LINE = re.compile(r"(\S+)\s+(?:(float32|int32|int64|byte|plain|index)\s+)?(\S+)\s+(\S+)\s+(.+)")


def _field(stage, line, own):
    match = _LINE.fullmatch(line.strip())
    assert match, f"not a line of the table: {line!r}"
    name, dtype, dims, unit, doc = match.groups()
    sizes = () if dims == "-" else dims.lstrip(":").split(",")
    dims = tuple(int(x) if x.isdigit() else x for x in sizes)
    unit, vector = "" if unit == "-" else unit, line.split()[1].startswith(":")
    rows = vector or len(dims) > 1
    width = dims[-1] if rows and isinstance(dims[-1], int) else 1
    return Field(name, dims, width, dtype or "float", stage, unit, doc, own, vector)


# =========================================================================================== Model

SIZES = [
    "nq",
    "nv",
    "nu",
    "na",
    "nactuator",
    "nout",
    "nbody",
    "njnt",
    "ntree",
    "nM",
    "nB",
    "nC",
    "nD",
    "ngeom",
    "nsite",
    "ncam",
    "nlight",
    "nmocap",
    "nuserdata",
    "ntendon",
    "nJten",
    "nwrap",
    "nJmom",
    "nhistory",
    "nplastic",
    "neq",
    "nkey",
    "nsensordata",
    "npluginstate",
    "ngravcomp",
    "npair",
    "flg_surfacevel",
    "nhfield",
    "nhfielddata",
    "nmesh",
    "nmeshvert",
    "nmeshgraph",
    "nmeshpoly",
    "nmeshpolyvert",
    "nmeshpolymap",
]

CONSTANT_SIZES = {"nwarning": 7, "ngang": 8}  # not sizes of an MjModel

# How much a Data has room for: contacts of a world, its constraint rows, numbers of its dense Jacobian
# and of efc_AR, and of the Hessian with its fill. Such fields come last in memory, which the operating
# system provides as it is used.
CAPACITIES = ("nconmax", "njmax", "nJmax", "nAmax", "nHmax", "nYmax", "nhitmax")

OWN_SIZES = {
    "ntrn": "trn_colind",
    "nstate": "reset_state",
    "nrun": "run_body",
    "noccasion": "user_code",
    "nrow": "row_type",
    "nrowJ": "row_colind",
    "ngroup": "group_size",
    "nplace": "group_dof",
    "nloose": "loose_body",
}  # Lanewise's own: lengths of these fields

MODEL = [
    *[Field(n, (), 1, "int64", "sizes", "", f"the size {n}") for n in SIZES],
    *[Field(n, (), 1, "int64", "sizes", "", f"the size {n}", own=True) for n in OWN_SIZES],
    *_table(
        "opt",
        """
opt.timestep          -      s          simulation time step
opt.gravity           :3     m/s^2      gravitational acceleration, in W
opt.wind              :3     m/s        velocity of the medium, in W
opt.density           -      kg/m^3     density of the medium
opt.viscosity         -      Pa*s       viscosity of the medium
opt.integrator        int32 -  -        integrator (mjtIntegrator)
opt.disableflags      int32 -  -        bits of mjtDisableBit: standard features switched off
opt.enableflags       int32 -  -        bits of mjtEnableBit: optional features switched on
opt.disableactuator   int32 -  -        bits of actuator groups that are switched off
opt.solver            int32 -  -        constraint solver (mjtSolver)
opt.iterations        int32 -  -        most iterations of a solver
opt.tolerance         -      -          tolerance at which a solver stops
opt.cone              int32 -  -        friction cone (mjtCone): 0 pyramidal, 1 elliptic
opt.jacobian          int32 -  -        how efc_J is given (mjtJacobian): 0 dense, 1 sparse, 2 by size
opt.impratio          -      -          ratio of frictional to normal impedance in elliptic cones
opt.ls_iterations     int32 -  -        most iterations of a line search
opt.ls_tolerance      -      -          tolerance at which a line search stops
opt.noslip_iterations int32 -  -        most iterations of the noslip post-processing
opt.noslip_tolerance  -      -          tolerance at which it stops
opt.ccd_iterations    int32 -  -        most iterations of the convex collision method
opt.ccd_tolerance     -      m          tolerance at which it stops
opt.o_margin          -      m          margin of all contacts, where overriding is enabled
opt.o_solref          :2     -          solref of all contacts, where overriding is enabled
opt.o_solimp          :5     -          solimp of all contacts, where overriding is enabled
opt.o_friction        :5     -          friction of all contacts, where overriding is enabled
""",
    ),
    *_table(
        "reference pose",
        """
qpos0                 nq          m|rad      qpos at the reference pose
qpos_spring           nq          m|rad      qpos at which springs rest
""",
    ),
    *_table(
        "bodies",
        """
body_parentid         int32 nbody -          parent body
body_rootid           int32 nbody -          ancestor that is a child of the world
body_weldid           int32 nbody -          top ancestor without joints in between; mocap bodies are their own
body_mocapid          int32 nbody -          row in mocap_pos, or -1
body_jntnum           int32 nbody -          number of joints
body_jntadr           int32 nbody -          first joint, or -1
body_dofnum           int32 nbody -          number of degrees of freedom
body_dofadr           int32 nbody -          first degree of freedom, or -1
body_geomnum          int32 nbody -          number of geoms
body_geomadr          int32 nbody -          first geom, or -1
body_simple           byte  nbody -          1: its part of M is diagonal; 2: and it only slides
body_sameframe        byte  nbody -          which frames of the body coincide (mjtSameFrame)
body_contype          int32 nbody -          bits of the contact types of its geoms
body_conaffinity      int32 nbody -          bits of the contact affinities of its geoms
body_pos              nbody,3     m          origin of B in the parent's frame
body_quat             nbody,4     -          orientation of B in the parent's frame, wxyz
body_ipos             nbody,3     m          centre of mass in B
body_iquat            nbody,4     -          orientation of I in B, wxyz
body_mass             nbody       kg         mass
body_subtreemass      nbody       kg         mass of the body and all below it
body_inertia          nbody,3     kg*m^2     principal moments of inertia, axes of I
body_gravcomp         nbody       -          share of the body's weight that is compensated
body_invweight0       nbody,2     1/kg,1/(kg*m^2) mean inverse inertia at qpos0: translation, rotation
""",
    ),
    *_table(
        "joints",
        """
jnt_type              int32 njnt  -          free, ball, slide or hinge (mjtJoint)
jnt_qposadr           int32 njnt  -          first number in qpos
jnt_dofadr            int32 njnt  -          first number in qvel
jnt_bodyid            int32 njnt  -          body it moves
jnt_actuatorid        int32 njnt  -          actuator that adds damping and armature, or -1
jnt_plasticadr        int32 njnt  -          first number in plastic, or -1
jnt_limited           byte  njnt  -          whether it has limits
jnt_actfrclimited     byte  njnt  -          whether the actuators' total force on it is limited
jnt_actgravcomp       byte  njnt  -          whether gravity compensation acts through actuators
jnt_pos               njnt,3      m          anchor in B
jnt_axis              njnt,3      -          axis in B
jnt_stiffness         njnt        N/m|Nm/rad linear stiffness
jnt_stiffnesspoly     njnt,2      -          coefficients of the higher powers of the spring
jnt_springyield       njnt        -          yield threshold of the spring
jnt_range             njnt,2      m|rad      limits
jnt_actfrcrange       njnt,2      N|Nm       range of the total actuator force
jnt_margin            njnt        m|rad      distance from a limit at which it starts to act
jnt_solref            njnt,2      -          reference of the limits
jnt_solimp            njnt,5      -          impedance of the limits
""",
    ),
    *_table(
        "dofs",
        """
dof_bodyid            int32 nv    -          body it moves
dof_jntid             int32 nv    -          its joint
dof_parentid          int32 nv    -          previous dof towards the root, or -1
dof_treeid            int32 nv    -          its kinematic tree
dof_simplenum         int32 nv    -          number of consecutive simple dofs from here on
dof_M0                nv          kg|kg*m^2  diagonal of M at qpos0
dof_armature          nv          kg|kg*m^2  inertia added on the diagonal of M
dof_damping           nv          Ns/m|Nms   linear damping
dof_dampingpoly       nv,2        -          coefficients of the higher powers of the damper
dof_frictionloss      nv          N|Nm       most force of dry friction
dof_solref            nv,2        -          reference of dry friction
dof_solimp            nv,5        -          impedance of dry friction
dof_invweight0        nv          1/kg|1/(kg*m^2) inverse inertia at qpos0
""",
    ),
    *_table(
        "trees",
        """
tree_bodyadr          int32 ntree -          first body of the tree
tree_bodynum          int32 ntree -          number of bodies
tree_dofadr           int32 ntree -          first dof of the tree
tree_dofnum           int32 ntree -          number of dofs
""",
    ),
    *_table(
        "geoms",
        """
geom_type             int32 ngeom -          shape (mjtGeom)
geom_bodyid           int32 ngeom -          body it is attached to
geom_dataid           int32 ngeom -          its mesh or height field, or -1
geom_sameframe        byte  ngeom -          which frames coincide (mjtSameFrame)
geom_size             ngeom,3     m          size parameters of the shape
geom_pos              ngeom,3     m          origin in B
geom_quat             ngeom,4     -          orientation in B, wxyz
geom_fluid            ngeom,12    -          coefficients of the ellipsoid fluid model
geom_contype          int32 ngeom -          bits: kinds of contact that it offers
geom_conaffinity      int32 ngeom -          bits: kinds of contact that it accepts
geom_condim           int32 ngeom -          dimension of its contacts: 1, 3, 4 or 6
geom_priority         int32 ngeom -          the geom of higher priority decides a contact's parameters
geom_solmix           ngeom       -          weight in mixing solref and solimp
geom_solref           ngeom,2     -          reference of its contacts
geom_solimp           ngeom,5     -          impedance of its contacts
geom_friction         ngeom,3     -          friction: sliding, spinning, rolling
geom_margin           ngeom       m          inflation of its surface
geom_gap              ngeom       m          distance beyond the margin in which contacts are reported
geom_rbound           ngeom       m          radius of the sphere around it; 0 where it is infinite
geom_aabb             ngeom,6     m          box around it, in its frame: centre, half sizes
geom_surfacevel       ngeom,6     m/s,rad/s  velocity of its surface, in its frame: linear, angular
geom_adhesion         ngeom       N          attraction of its contacts
""",
    ),
    *_table(
        "pairs",
        """
pair_dim              int32 npair -          dimension of the contacts of two geoms
pair_geom1            int32 npair -          first geom
pair_geom2            int32 npair -          second geom
pair_solref           npair,2     -          reference, normal direction
pair_solreffriction   npair,2     -          reference, frictional directions; zeros: as the normal one
pair_solimp           npair,5     -          impedance
pair_margin           npair       m          distance below which a force acts
pair_gap              npair       m          distance beyond that in which contacts are reported
pair_adhesion         npair       N          attraction
pair_friction         npair,5     -          friction: two tangents, spin, two of rolling
""",
    ),
    *_table(
        "collision structure",
        """
run_body              int32 nrun  -          lower of two bodies that may touch
run_first             int32 nrun  -          first of the consecutive bodies that may touch it
run_last              int32 nrun  -          the one after the last of them
run_parent            int32 nrun  -          1: they are parent and child, a pair that can be filtered
run_pair              int32 nrun  -          first of the explicit pairs of geoms that precede the run
run_pairend           int32 nrun  -          the one after the last of these
user_code             int64 noccasion -      addresses of the user's code, by occasion; 0: none
""",
        own=True,
    ),
    *_table(
        "meshes",
        """
mesh_vertadr          int32 nmesh -          first vertex
mesh_vertnum          int32 nmesh -          how many
mesh_vert             float32 nmeshvert,3 m  vertices, in the axes of the geom
mesh_graphadr         int32 nmesh -          start of the convex hull's graph, or -1
mesh_graph            int32 nmeshgraph -     graphs: sizes, where edges start, vertices, edges, faces
mesh_extrema          int32 nmesh,27 -       hull vertex that is farthest along each of 27 directions
mesh_polynum          int32 nmesh -          how many polygons the hull's surface has
mesh_polyadr          int32 nmesh -          the first of them
mesh_polynormal       nmeshpoly,3 -          their outward normals
mesh_polyvertadr      int32 nmeshpoly -      first entry in mesh_polyvert
mesh_polyvertnum      int32 nmeshpoly -      how many corners
mesh_polyvert         int32 nmeshpolyvert -  corners, by vertex of the mesh, anticlockwise from outside
mesh_polymapadr       int32 nmeshvert -      first entry in mesh_polymap
mesh_polymapnum       int32 nmeshvert -      how many polygons have this corner
mesh_polymap          int32 nmeshpolymap -   which they are, counted in the mesh
""",
    ),
    *_table(
        "height fields",
        """
hfield_size           nhfield,4   m          half extents in x and y, elevation of the top, depth of the bottom
hfield_nrow           int32 nhfield -        rows of the grid, along y
hfield_ncol           int32 nhfield -        columns of the grid, along x
hfield_adr            int32 nhfield -        first number in hfield_data
hfield_data           float32 nhfielddata -  elevations, 0 to 1, row by row
""",
    ),
    *_table(
        "sites",
        """
site_bodyid           int32 nsite -          body it is attached to
site_sameframe        byte  nsite -          which frames coincide (mjtSameFrame)
site_pos              nsite,3     m          origin in B
site_quat             nsite,4     -          orientation in B, wxyz
""",
    ),
    *_table(
        "cameras",
        """
cam_mode              int32 ncam  -          how it follows (mjtCamLight)
cam_bodyid            int32 ncam  -          body it is attached to
cam_targetbodyid      int32 ncam  -          body it looks at, or -1
cam_pos               ncam,3      m          origin in B
cam_quat              ncam,4      -          orientation in B, wxyz
cam_poscom0           ncam,3      m          position from the subtree's centre of mass at qpos0, in W
cam_pos0              ncam,3      m          position from the body at qpos0, in W
cam_mat0              ncam,9      -          orientation at qpos0, in W
""",
    ),
    *_table(
        "lights",
        """
light_mode            int32 nlight -         how it follows (mjtCamLight)
light_bodyid          int32 nlight -         body it is attached to
light_targetbodyid    int32 nlight -         body it points at, or -1
light_pos             nlight,3    m          position in B
light_dir             nlight,3    -          direction in B
light_poscom0         nlight,3    m          position from the subtree's centre of mass at qpos0, in W
light_pos0            nlight,3    m          position from the body at qpos0, in W
light_dir0            nlight,3    -          direction at qpos0, in W
""",
    ),
    *_table(
        "tendons",
        """
tendon_type           int32 ntendon -        fixed or spatial (mjtTendon)
tendon_adr            int32 ntendon -        first object of its path
tendon_num            int32 ntendon -        number of objects in its path
tendon_actuatorid     int32 ntendon -        actuator that adds damping and armature, or -1
tendon_plasticadr     int32 ntendon -        first number in plastic, or -1
tendon_actfrclimited  byte  ntendon -        whether the actuators' total force on it is limited
tendon_actfrcrange    ntendon,2   N          range of the total actuator force
tendon_stiffness      ntendon     N/m        linear stiffness
tendon_stiffnesspoly  ntendon,2   -          coefficients of the higher powers of the spring
tendon_damping        ntendon     Ns/m       linear damping
tendon_dampingpoly    ntendon,2   -          coefficients of the higher powers of the damper
tendon_armature       ntendon     kg         inertia of its change of length
tendon_lengthspring   ntendon,2   m          range of lengths at which its spring rests
tendon_springyield    ntendon     -          yield threshold of the spring
tendon_length0        ntendon     m          length at qpos0
tendon_limited        byte ntendon -         whether its length is limited
tendon_range          ntendon,2   m          limits of its length
tendon_margin         ntendon     m          distance from a limit at which it starts to act
tendon_solref_lim     ntendon,2   -          reference of the limits
tendon_solimp_lim     ntendon,5   -          impedance of the limits
tendon_frictionloss   ntendon     N          most force of dry friction
tendon_solref_fri     ntendon,2   -          reference of dry friction
tendon_solimp_fri     ntendon,5   -          impedance of dry friction
tendon_invweight0     ntendon     1/kg       inverse inertia at qpos0
ten_J_rownnz          int32 ntendon -        non-zeros in a row of ten_J
ten_J_rowadr          int32 ntendon -        first number of a row of ten_J
ten_J_colind          int32 nJten -          dof of a number of ten_J
wrap_type             int32 nwrap -          kind of path object (mjtWrap)
wrap_objid            int32 nwrap -          geom, site or joint of a path object
wrap_prm              nwrap       -          divisor, joint coefficient, or side site of a path object
""",
    ),
    *_table(
        "actuators",
        """
actuator_trntype      int32 nactuator -      transmission (mjtTrn)
actuator_dyntype      int32 nactuator -      activation dynamics (mjtDyn)
actuator_gaintype     int32 nactuator -      gain (mjtGain)
actuator_biastype     int32 nactuator -      bias (mjtBias)
actuator_ctrladr      int32 nactuator -      first control
actuator_ctrlnum      int32 nactuator -      number of controls
actuator_ctrlspec     int32 nactuator -      what its inputs are, by gain type
actuator_outadr       int32 nactuator -      first force output
actuator_outnum       int32 nactuator -      number of force outputs
actuator_actadr       int32 nactuator -      first activation, or -1
actuator_actnum       int32 nactuator -      number of activations
actuator_trnid        int32 nactuator,2 -    ids of the transmission's target
actuator_group        int32 nactuator -      group, for switching off
actuator_history      int32 nactuator,2 -    samples kept and how they are interpolated
actuator_historyadr   int32 nactuator -      first number in history, or -1
actuator_actlimited   byte  nactuator -      whether activation is limited
actuator_actearly     byte  nactuator -      whether the force uses the next activation
actuator_forcelimited byte  nactuator -      whether force is limited
actuator_ctrllimited  byte  nu     -         whether a control is limited
actuator_cranklength  nactuator   m          crank length of a slider-crank
actuator_dynprm       nactuator,10 -         parameters of the dynamics
actuator_gainprm      nactuator,10 -         parameters of the gain
actuator_biasprm      nactuator,10 -         parameters of the bias
actuator_actrange     nactuator,2 -          range of activation
actuator_delay        nactuator   s          delay of the controls
actuator_damping      nactuator   -          damping added to the joint or tendon
actuator_dampingpoly  nactuator,2 -          coefficients of the higher powers of that damper
actuator_armature     nactuator   -          armature added to the joint or tendon
actuator_forcerange   nactuator,2 N|Nm       range of force
actuator_ctrlrange    nu,2        -          range of a control
actuator_gear         nout,6      -          scale of length and force
actuator_acc0         nout        -          acceleration by a unit force at qpos0
actuator_length0      nout        -          length at qpos0
actuator_lengthrange  nout,2      -          range of length
""",
    ),
    *_table(
        "equalities",
        """
eq_type               int32 neq   -          kind (mjtEq): connect, weld, joint, tendon
eq_objtype            int32 neq   -          what connect and weld join (mjtObj): bodies or sites
eq_obj1id             int32 neq   -          first object
eq_obj2id             int32 neq   -          second object, or -1
eq_data               neq,12      -          anchors, relative pose, scale of torque; or polynomial
eq_solref             neq,2       -          reference
eq_solimp             neq,5       -          impedance
""",
    ),
    *_table(
        "row structure",
        """
dof_group             int32 nv    -          group of a dof in the Hessian
dof_inner             int32 nv    -          its place in the group: 0, 1 or 2
group_size            int32 ngroup -         number of dofs of a group
group_dof             int32 nplace -         dof at each of a group's three places, or -1
loose_body            int32 nloose -         the body that moves in each tree, if the model is a heap of such bodies
row_type              int32 nrow  -          kind of a static constraint row (mjtConstraint)
row_id                int32 nrow  -          its equality, dof, joint or tendon
row_sub               int32 nrow  -          which of that element's rows; of limits: 0 lower, 1 upper
row_rownnz            int32 nrow  -          dofs of a row
row_rowadr            int32 nrow  -          first of them in row_colind
row_colind            int32 nrowJ -          those dofs, rising
row_side              int32 nrowJ -          bits: 1 the first object of an equality has the dof, 2 the second
eq_rowadr             int32 neq   -          first row of an equality
dof_rowadr            int32 nv    -          row of a dof's friction
jnt_rowadr            int32 njnt  -          first row of a joint's limits
tendon_rowadr         int32 ntendon,2 -      row of a tendon's friction, first row of its limits
""",
        own=True,
    ),
    *_table(
        "reset",
        """
reset_state           nstate      -          state vector of a world that was reset
""",
        own=True,
    ),
    *_table(
        "needs",
        """
needs_geoms           int32 - -              whether forces besides contacts need the geoms' frames
needs_touch           int32 - -              whether there may be contacts
needs_sites           int32 - -              whether forces depend on the sites' frames
""",
        own=True,
    ),
    *_table(
        "tree structure",
        """
body_leaf             byte nbody -           1 where a body has no children
body_lastdof          int32 nbody -          last dof that moves a body, or -1; the others follow by dof_parentid
body_lastchild        byte nbody -           1 where a body is the last child of its parent
""",
        own=True,
    ),
    *_table(
        "dof structure",
        """
dof_descendants       int32 nv    -          number of dofs below, which follow it and couple with it in M
""",
        own=True,
    ),
    *_table(
        "transmission structure",
        """
trn_rownnz            int32 nout  -          dofs that an actuator's length can depend on
trn_rowadr            int32 nout  -          first of them in trn_colind
trn_colind            int32 ntrn  -          those dofs, rows by force output
trn_side              int32 ntrn  -          end that a dof moves: 1 the site, 2 the reference
trn_packed            int32 nout  -          1 where MuJoCo leaves the zeros of a row out
""",
        own=True,
    ),
    *_table(
        "sparse structure",
        """
B_rownnz              int32 nbody -          dofs that move a body or are carried by it
B_rowadr              int32 nbody -          first of them in B_colind
B_colind              int32 nB    -          dofs that move a body or are carried by it
M_rownnz              int32 nv    -          non-zeros in a row of M, the diagonal last
M_rowadr              int32 nv    -          first number of a row of M
M_colind              int32 nC    -          column of a number of M
D_rownnz              int32 nv    -          non-zeros in a row of qDeriv
D_rowadr              int32 nv    -          first number of a row of qDeriv
D_diag                int32 nv    -          place of the diagonal within a row of qDeriv
D_colind              int32 nD    -          column of a number of qDeriv
mapM2D                int32 nD    -          place in M of each number of qDeriv
mapD2M                int32 nC    -          place in qDeriv of each number of M
""",
    ),
]

# ============================================================================================ Data

# the components of a state row, in the order of mjtState's bits
STATE = _table(
    "state",
    """
time                  -           s          simulation time
qpos                  nq          m|rad      generalized position; a free joint: p_WBo_W, q_WB (wxyz)
qvel                  nv          m/s|rad/s  generalized velocity; a free joint: v_WBo_W, w_WB_B
act                   na          -          activation of actuators
history               nhistory    -          past controls of actuators with a delay
qacc_warmstart        nv          m/s^2|rad/s^2 acceleration that starts the solver
ctrl                  nu          -          controls
qfrc_applied          nv          N|Nm       generalized force applied by the user
xfrc_applied          nbody,6     N,Nm       force and torque applied by the user, at the centre of mass, in W
eq_active             neq         -          1 where an equality constraint is on
mocap_pos             nmocap,3    m          position of mocap bodies, in W
mocap_quat            nmocap,4    -          orientation of mocap bodies, wxyz
userdata              nuserdata   -          numbers for the user, not touched
plugin_state          npluginstate -         state of plugins
plastic               nplastic    -          plastic deformation of springs
""",
)

DATA = [
    *STATE,
    *_table(
        "alias",
        """
state                 nstate      -          the whole state vector: the fields above, in their order
""",
        own=True,
    ),
    *_table(
        "kinematics",
        """
xpos                  nbody,3     m          p_WBo_W
xquat                 nbody,4     -          q_WB, wxyz
xmat                  nbody,9     -          R_WB, row-major
xipos                 nbody,3     m          p_WBcm_W
xiquat                nbody,4     -          q_WI, wxyz
ximat                 nbody,9     -          R_WI, row-major
xanchor               njnt,3      m          joint anchor, in W
xaxis                 njnt,3      -          joint axis, in W
geom_xpos             ngeom,3     m          p_WG_W
geom_xquat            ngeom,4     -          q_WG, wxyz
geom_xmat             ngeom,9     -          R_WG, row-major
site_xpos             nsite,3     m          p_WS_W
site_xquat            nsite,4     -          q_WS, wxyz
site_xmat             nsite,9     -          R_WS, row-major
""",
    ),
    *_table(
        "com_pos",
        """
subtree_com           nbody,3     m          centre of mass of a body and all below it, in W
cdof                  nv,6        -          motion axis of a dof in C, rotation before translation
cinert                nbody,10    kg*m^2,kg*m,kg inertia of a body about C: xx yy zz xy xz yz, m*r, m
""",
    ),
    *_table(
        "camlight",
        """
cam_xpos              ncam,3      m          camera position, in W
cam_xmat              ncam,9      -          camera orientation, row-major
light_xpos            nlight,3    m          light position, in W
light_xdir            nlight,3    -          light direction, in W
""",
    ),
    *_table(
        "tendon",
        """
ten_wrapadr           int32 ntendon -        first point of a tendon's path in wrap_xpos
ten_wrapnum           int32 ntendon -        number of points in a tendon's path
ten_J                 nJten       -          Jacobian of tendon lengths, in the structure of ten_J_colind
ten_length            ntendon     m          tendon length
wrap_obj              int32 nwrap,2 -        geom of a path point; -1 site, -2 pulley
wrap_xpos             nwrap,6     m          path points, two in a row, in W
""",
    ),
    *_table(
        "crb",
        """
crb                   nbody,10    kg*m^2,kg*m,kg inertia of a body and all below it, about C
M                     nC          kg|kg*m^2  joint-space inertia, lower triangle, in the structure of M_colind
""",
    ),
    *_table(
        "collision",
        """
ncon                  int32 -     -          number of contacts
contact.dist          nconmax     m          distance between the geoms' nearest points; negative: penetration
contact.pos           nconmax,3   m          midpoint between those points, in W
contact.frame         nconmax,9   -          rows: normal from geom1 to geom2, then two tangents, in W
contact.includemargin nconmax     m          a force acts where dist is less
contact.friction      nconmax,5   -          coefficients: two tangents, spin, two of rolling
contact.solref        nconmax,2   -          reference of the constraint, normal direction
contact.solreffriction nconmax,2  -          reference of the constraint, frictional directions
contact.solimp        nconmax,5   -          impedance of the constraint
contact.adhesion      nconmax     N          constant attraction
contact.surfacevel    nconmax,3   m/s        velocity of the surface: two tangents, spin
contact.mu            nconmax     -          friction of the regularized cone
contact.H             nconmax,36  -          Hessian of an elliptic cone
contact.dim           int32 nconmax -        dimension of the contact space: 1, 3, 4 or 6
contact.geom          int32 nconmax,2 -      both geoms
contact.exclude       int32 nconmax -        why it makes no constraint: 0 it does, 1 in the gap, 3 no dofs
contact.efc_address   int32 nconmax -        first row among the constraints, or -1
""",
    ),
    *_table(
        "collision",
        """
con_body1             int32 nconmax -        body of the first geom
con_body2             int32 nconmax -        body of the second geom
con_on                nconmax     -          1 where the contact is a constraint
capacity              index ngang -          room for: contacts, rows, numbers of efc_J, of efc_AR, of the Hessian, of Y; [7] worlds in use
gang                  index ngang -          of the gang: [0] the most contacts of a world; 1 where: [1] efc_* are made, [2] a dual solver made efc_force, [3] efc_AR is made, [7] there was no room
user_reach            1           m          distance within which a function of the user's finds contacts
user_call             index ngang -          arguments and answers of user code: [0] lanes asked about, [1] the answer
near_body             index nbody -          bodies that can collide, ascending
near_rank             index nbody -          how many of them are below a body
near_low              plain nbody m          grid: where the interval of a body begins
near_high             plain nbody m          grid: where it ends
near_range            plain ngang m          grid: [0] where cells begin, [1] cells per metre, [2] the longest interval
near_size             index ngang -          grid: [0] number of cells, [1] of bodies kept apart
near_first            index nbody -          grid: first body of a cell in near_order
near_order            index nbody -          grid: bodies by cells
near_apart            index nbody -          grid: bodies kept apart
near_list             index nbody -          grid: bodies near a body
near_geom             ngeom,4     m          sphere around a geom, inflated by its share of margin and gap: centre, radius
near_sphere           nbody,4     m          sphere around their geoms, inflated by margin and gap: centre, radius
found_dist            50          m          narrow phase: distances of a pair's candidates
found_pos             50,3        m          narrow phase: their positions
found_frame           50,6        -          narrow phase: their normals and first tangents; zeros: any tangent
con_hit               nconmax     -          row of a contact in hit_geometry
hits                  index ngang -          rows in use: [0] of hit_parameters, [1] of hit_geometry
hit_geometry          nhitmax,11  -          of what some world has: distance, position, normal, tangent, row of its parameters
hit_parameters        nhitmax,19  -          of a pair: solref, solreffriction, solimp, friction, adhesion, margin, dim, geoms
clip_vertex           24,3        m          box-box: corners of a face before and after clipping
clip_kept             12          -          box-box: 1 where a corner makes a contact
""",
        own=True,
    ),
    *_table(
        "convex collision",
        """
ccd_type              index 2     -          of two shapes: what geom each is (mjtGeom)
ccd_kind              index 2     -          how its farthest points are found
ccd_mesh              index 2     -          its mesh, or -1
ccd_pos               plain 2,3   m          its origin
ccd_mat               plain 2,9   -          its orientation
ccd_size              plain 2,3   m          its sizes
ccd_margin            plain 2     m          how much it is grown
ccd_hint              index 2,2   -          vertex and hull vertex that was farthest last
ccd_prism             plain 6,3   m          vertices of the prism under a height field, bottom first
ccd_option            plain 2     m          [0] tolerance
ccd_count             index 16    -          counters: see collision/support.py
ccd_vert              plain 210,3 m          points of the first shape minus points of the second: simplex, polytope
ccd_vert1             plain 210,3 m          these points of the first shape
ccd_vert2             plain 210,3 m          these points of the second shape
ccd_vertid            index 210,2 -          which vertices of the shapes they are
ccd_weight            plain 4     -          weights of the simplex's points in the one nearest to the origin
ccd_center            plain 1,3   m          a point inside the polytope
ccd_face              index 1200,8 -         polytope: three points, three neighbours, place in ccd_near
ccd_plane             plain 1200,4 m         foot of the origin on each face's plane, its distance squared
ccd_near              index 1200  -          faces that may be the nearest
ccd_nearness          plain 1200  m^2        their squared distances from the origin
ccd_stack             index 1200  -          faces seen from a new point, on the way to the horizon
ccd_rim               index 200,2 -          horizon: face beyond it, and which edge of that
ccd_dist              plain 50    m          result: signed distances
ccd_x1                plain 50,3  m          result: points on the first shape
ccd_x2                plain 50,3  m          result: points on the second shape
ccd_cpos              plain 50,3  m          contacts: midpoints
ccd_normal            plain 50,3  -          contacts: normals
ccd_way               plain 512,3 -          normals of faces at a contact: of the first shape, from 256 on of the second
ccd_wayid             index 512   -          these faces
ccd_edge              plain 256,3 -          directions of the edges at a contact
ccd_end               plain 256,3 m          where these edges end
ccd_polygon           plain 1024,3 m         corners while a polygon is clipped: from, and from 512 on to
""",
        own=True,
    ),
    *_table(
        "make_constraint",
        """
ne                    int32 -     -          number of equality rows
nf                    int32 -     -          number of friction rows
nl                    int32 -     -          number of limit rows
nefc                  int32 -     -          number of constraint rows
""",
    ),
    *_table(
        "make_constraint",
        """
nactive               index ngang -          [0] how many static rows some world has
active_row            index nrow  -          which they are, rising
row_J                 nrowJ       -          Jacobian of static rows, in the structure of row_colind
row_on                nrow        -          1 where a world has the row, else 0
row_pos               nrow        m|rad      residual, or distance from a limit
row_margin            nrow        m|rad      distance at which a limit starts to act
row_frictionloss      nrow        N|Nm       most force of a friction row
row_KBIP              nrow,4      -          stiffness, damping, impedance, derivative of the impedance
row_R                 nrow        -          regularization
row_D                 nrow        -          1/R; 0 where a world does not have the row
con_KBIP              nconmax,4   -          of a contact's normal: as row_KBIP
con_Bfriction         nconmax     1/s        damping of its frictional rows (elliptic)
con_R                 nconmax,6   -          regularization by direction; pyramids: of all edges, in [0]
con_D                 nconmax,6   -          1/R, 0 where there is no such row
""",
        own=True,
    ),
    *_table(
        "reference_constraint",
        """
row_vel               nrow        m/s|rad/s  velocity of a static row, J qvel
row_aref              nrow        m/s^2|rad/s^2 reference acceleration
con_vel               nconmax,6   m/s,rad/s  velocity in a contact: normal, two tangents, spin, two of rolling
con_aref              nconmax,6   -          reference acceleration in the same directions
""",
        own=True,
    ),
    *_table(
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
    *_table(
        "solver",
        """
con_key               nconmax     -          a contact's bodies, and whether it has friction of spin, as one number
con_flip              nconmax     -          -1 where the second geom is on the lower of these bodies, else 1
slot_con              nconmax,8,1 -          which contact of a world stands in a slot, or -1
slot_frame            nconmax,8,9 -          rows of its frame, times what makes its cone circular
slot_r                nconmax,8,3 m          its point, from the centre of the tree of body slot_hi
slot_D                nconmax,8,3 -          its stiffness: of sliding, spin and rolling; 0 where there is no contact
slot_mu               nconmax,8,1 -          friction of the circular cone
slot_turn             nconmax,8,3 -          what makes spin and rolling, in the scaled frame, circular
slot_aref             nconmax,8,6 -          reference acceleration in the scaled frame
slot_u                nconmax,8,3 -          J qacc - aref in the scaled frame: normal and tangents
slot_w                nconmax,8,3 -          the same of spin and rolling
slot_du               nconmax,8,3 -          J search: normal and tangents
slot_dw               nconmax,8,3 -          J search: spin and rolling
slot_E                nconmax,8,1 -          twice its cost
slot_W                nconmax,8,6 -          stiffness of its point, as H_sum has it: xx xy xz yy yz zz
slot_S                nconmax,8,21 -         the same with spin and rolling, of the body
slot_hi               index nconmax,8,1 -    body on which the force of a slot acts
slot_lo               index nconmax,8,1 -    body on which the opposite force acts; 0: nothing that moves
slot_turns            index nconmax,8,1 -    1 where some world has spin or rolling friction
slot_pair             index nconmax,8,1 -    the pair of moving bodies of a slot, or -1
run_slot              index nconmax,8,1 -    slots that matter to worlds which are not done
run_row               index nrow  -          static rows that do
run_n                 index ngang -          how many: slots, rows; [2] 1: con_jar and con_force are still to be made of slots; [3] 1: H_sum has no constraints yet
pair_hi               index nconmax,8,1 -    first body of a pair of moving bodies that touch
pair_lo               index nconmax,8,1 -    second body
pair_key              index nconmax,8,1 -    both as one number, as in con_key
pair_rank             index nconmax,8,1 -    the pairs by rising key
pair_on               index nconmax,8,1 -    1 where pair_S has been written
pair_S                nconmax,8,21 -         stiffness between them, about the centre of the first one's tree
pair_old              index nconmax,8,2 -    the pairs for which the structure of H was made
row_old               index nrow  -          the rows for which the structure of H was made
row_K                 nrow        -          stiffness of a static row, as H_sum has it
row_dir               nrow        -          J search of a static row
solver_n              index ngang -          numbers of slots, pairs, live bodies, pair_old, row_old; 1: H fits; 1: it has a structure; numbers of H
live_body             index nbody -          bodies with contacts on them or below them, rising
body_live             index nbody -          1 for these
body_V                nbody,6     -          motion of bodies about C by a vector over dofs; forces on the way back
body_V2               nbody,6     -          motion by another vector
body_S                nbody,21    -          stiffness of contacts with what does not move, about C
body_S_on             index nbody -          1 where body_S has been written
island_first          ntree       -          first tree of a tree's island
tree_on               ntree       -          1 where some constraint acts on a tree
tree_trace            ntree       -          trace of M of the island that starts with a tree
sol_force             nv          -          M qacc_smooth, which the constraints act against
alone_qacc            nv          -          qacc of the worlds that are solved already, one by one
alone_force           nv          -          and qfrc_constraint
heap                  index ngang -          1: the slots are those of a heap; the most pairs of a world
heap_fits             -           -          heap: 1 where Newton's factor has room
heap_hi               nconmax     -          heap: body on which the force of a slot acts, in each world
heap_lo               nconmax     -          heap: body on which the opposite force acts; 0: nothing that moves
heap_shift            nconmax,3   m          heap: from the centre of heap_lo's tree to that of heap_hi's
heap_pair             nconmax     -          heap: the pair of moving bodies of a slot, or -1
heap_nodes            index ngang -          heap: number of trees of a world with constraints on them
heap_block            48          -          heap: a block of H of eight worlds, by columns of eight rows
heap_changes          1,21        -          heap: change of the stiffness of a contact, as in slot_W or slot_S
heap_axes             ntree,48,1  -          heap: for each world, the six rows of cdof' of a tree: rotation, translation
heap_P                12          -          heap: motion of a contact by the dofs of its trees, in one world
heap_WP               12          -          heap: the same times stiffness
heap_ratio            6           -          heap: multiples of an earlier column, in one world
heap_x                ntree,8,1   -          heap: a vector over the dofs of a tree in one world, to solve with H
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
node_dirty            index ntree -          heap: bits: worlds in which the column of a tree is to be made anew
node_place            index ntree -          heap: where the block of a row is in H, while a column is made
node_order            index ntree,8,1 -      heap: for each world, its trees in the order of elimination
node_rank             index ntree,8,1 -      heap: for each world, a tree's place in this order
node_links            index ntree,8,1 -      heap: for each world, first link of a tree's column
node_linkend          index ntree,8,1 -      heap: for each world, the one after its last link
node_row              index ntree,8,1 -      heap: for each world, first link of a tree's row, or -1
link_row              index nHmax -          heap: row of a block of the factor: a tree
link_column           index nHmax -          heap: its column
link_pair             index nHmax -          heap: the pair of row and column, or -1 where the block is fill
link_next             index nHmax -          heap: the next link of the row
sol_Ma                nv          -          M qacc
sol_Mv                nv          -          M search
sol_grad              nv          -          gradient of the cost
sol_Mgrad             nv          -          preconditioned gradient
sol_old               nv          -          preconditioned gradient of the last iteration
sol_oldgrad           nv          -          gradient of the last iteration
sol_search            nv          -          search direction
sol_x                 nplace      -          a vector in groups, to solve with H
sol_inverse           nplace      -          1/D of its factor L' D L
sol_ratio             nplace,3    -          factorization: multiples of later rows for the three rows of a group
H_sum                 nHmax       -          Hessian, its lower triangle: by rows of 3x3 blocks, each by columns
H                     nHmax       -          its factor D L, in the same places
H_chain               index nHmax -          for each group, bits: groups of dofs that it moves with
H_joined              index ngroup -         bits: groups that a constraint couples
H_bits                index nHmax -          for each group, bits: earlier groups that it has a block for
H_block               index nHmax -          where the block of two groups starts, or -1
H_now                 index nHmax -          the same, of blocks that are not zero in all worlds
H_use                 index ngroup -         later groups that a group has such blocks with, falling
H_col                 index nHmax -          groups of a row's blocks, before its own
H_below               index nHmax -          later groups that have a block in a column, falling
H_belowplace          index nHmax -          and where these blocks start
H_rowadr              index ngroup -         where the blocks of a row start
H_coladr              index ngroup -         first group of a row in H_col
H_colnum              index ngroup -         their number
H_belowadr            index ngroup -         first group of a column in H_below
H_belownum            index ngroup -         their number
rel_axis              nv,6        -          axes of the dofs that move a pair of bodies apart, in one frame
rel_arm               nv,3        -          the same at a contact point: its translation
rel_dof               index nv    -          these dofs, falling
stat_improvement      200         -          of an iteration: reduction of the cost, scaled
stat_gradient         200         -          of an iteration: norm of the gradient, scaled
stat_lineslope        200         -          of an iteration: slope at the end of the line search, scaled
stat_nactive          200         -          of an iteration: active rows
stat_nchange          200         -          of an iteration: rows that changed their state
stat_neval            200         -          of an iteration: evaluations in the line search
stat_nupdate          200         -          of an iteration: rows that the Hessian was made of
""",
        own=True,
    ),
    *_table(
        "efc",
        """
efc_type              int32 njmax -          kind of a constraint row (mjtConstraint)
efc_id                int32 njmax -          its equality, dof, joint, tendon or contact
efc_J                 nJmax       -          Jacobian, dense by rows: nv numbers for each row
efc_pos               njmax       m|rad      residual, or distance of a limit or contact
efc_margin            njmax       m|rad      distance at which it starts to act
efc_frictionloss      njmax       N|Nm       most force of dry friction
efc_diagA             njmax       -          diagonal of J inv(M) J', exact or approximate
efc_KBIP              njmax,4     -          stiffness, damping, impedance, derivative of the impedance
efc_D                 njmax       -          1/R
efc_R                 njmax       -          regularization
efc_vel               njmax       m/s|rad/s  velocity
efc_aref              njmax       m/s^2|rad/s^2 reference acceleration
efc_b                 njmax       m/s^2|rad/s^2 J qacc_smooth - aref
efc_force             njmax       N|Nm       force
efc_state             int32 njmax -          state (mjtConstraintState)
efc_AR                nAmax       -          J inv(M) J' + R, dense: nefc numbers for each row
""",
    ),
    *_table(
        "factor_m",
        """
qLD                   nC          -          L'*D*L factors of M, in the structure of M_colind
qLDiagInv             nv          -          1/diag(D)
""",
    ),
    *_table(
        "factor_m",
        """
M_factor              nC          -          D*L of M, in the structure of M_colind
""",
        own=True,
    ),
    *_table(
        "transmission",
        """
actuator_length       nout        m|rad      length of an actuator's transmission
moment_rownnz         int32 nout  -          non-zeros in a row of actuator_moment
moment_rowadr         int32 nout  -          first number of a row of actuator_moment
moment_colind         int32 nJmom -          dof of a number of actuator_moment
actuator_moment       nJmom       -          moment arms, rows by force output
""",
    ),
    *_table(
        "transmission",
        """
trn_J                 ntrn        -          moment arms in the structure of trn_colind, zeros included
""",
        own=True,
    ),
    *_table(
        "fwd_velocity",
        """
ten_velocity          ntendon     m/s        rate of tendon length
actuator_velocity     nout        m/s|rad/s  rate of actuator length
""",
    ),
    *_table(
        "com_vel",
        """
cvel                  nbody,6     rad/s,m/s  velocity of a body in C, rotation before translation
cdof_dot              nv,6        -          rate of cdof
""",
    ),
    *_table(
        "passive",
        """
qfrc_spring           nv          N|Nm       springs
qfrc_damper           nv          N|Nm       dampers
qfrc_gravcomp         nv          N|Nm       gravity compensation
qfrc_fluid            nv          N|Nm       fluid forces
qfrc_adhesion         nv          N|Nm       adhesion of contacts
qfrc_passive          nv          N|Nm       sum of the passive forces
""",
    ),
    *_table(
        "rne",
        """
qfrc_bias             nv          N|Nm       Coriolis, centrifugal and gravitational force
""",
    ),
    *_table(
        "fwd_actuation",
        """
act_dot               na          1/s        rate of activation
actuator_force        nout        N|Nm       force of actuators
qfrc_actuator         nv          N|Nm       force of actuators on the dofs
""",
    ),
    *_table(
        "fwd_acceleration",
        """
qfrc_smooth           nv          N|Nm       all forces but those of constraints
qacc_smooth           nv          m/s^2|rad/s^2 acceleration without constraints
""",
    ),
    *_table(
        "fwd_constraint",
        """
qfrc_constraint       nv          N|Nm       forces of constraints
qacc                  nv          m/s^2|rad/s^2 acceleration
solver_niter          int32 20    -          iterations of the solver; Newton and CG take all islands at once: the first entry
solver_nnz            int32 20    -          numbers in the solver's matrices; the first entry
""",
    ),
    *_table(
        "inverse",
        """
qfrc_inverse          nv          N|Nm       force that would give qacc, constraints included
solver_fwdinv         2           -          difference of forward and inverse dynamics: constraint, applied force
""",
    ),
    *_table(
        "rne_post_constraint",
        """
cacc                  nbody,6     rad/s^2,m/s^2 acceleration of a body in C, less gravity
cfrc_int              nbody,6     Nm,N       torque and force of the parent on a body, in C
cfrc_ext              nbody,6     Nm,N       torque and force on a body of all but its joints, in C
""",
    ),
    *_table(
        "inverse",
        """
qacc_given            nv          m/s^2|rad/s^2 qacc, while inverse dynamics converts it
qfrc_found            nv          N|Nm       qfrc_constraint of forward dynamics, while it is compared
""",
        own=True,
    ),
    *_table(
        "contact_force",
        """
contact_force         nconmax,6   N,Nm       force and torque on the second geom, in the contact's frame
body_contact          nbody,6     N,Nm       sum of them on a body, at its centre of mass, in W
""",
        own=True,
    ),
    *_table(
        "dual",
        """
dual_Y                nYmax       -          Jacobian times inverse(sqrt(M)): eight dofs of a world's row in each Lane
dual_column           index nYmax -          which eight dofs they are
dual_adr              index njmax,8 -        first of a row's Lanes, by world
dual_num              index njmax,8 -        how many Lanes a row has, by world
dual_jar              njmax       m/s^2|rad/s^2 J a - aref at the acceleration to start from
dual_w                nv          -          Y' force of one world, eight dofs in each Lane
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
dual_random           index ngang -          state of the random numbers, high and low half
dual_next             index ngang -          place of the next Lane of dual_Y, by world
dual_fit              index ngang -          rows that fit in there, by world
dual_turn             8           -          eight numbers of eight worlds, turned
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
    *_table(
        "integrate",
        """
qH                    nC          -          L'*D*L factors of the modified inertia
qHDiagInv             nv          -          1/diag(D) of the modified inertia
qDeriv                nD          -          derivative of (passive + actuator - bias) force by qvel
qLU                   nD          -          LU factors of M - h*qDeriv
""",
    ),
    *_table(
        "integrate",
        """
H_factor              nC          -          D*L of the modified inertia
""",
        own=True,
    ),
    *_table(
        "energy",
        """
energy                :2          J          potential and kinetic energy
""",
    ),
    *_table(
        "subtree_vel",
        """
subtree_linvel        nbody,3     m/s        velocity of the subtree's centre of mass, in W
subtree_angmom        nbody,3     Nms        angular momentum about the subtree's centre of mass, in W
""",
    ),
    *_table(
        "wanted",
        """
wanted                :4          -          1 where somebody reads: frames of geoms; of sites, cameras, lights; moments and factors; forces of constraints
""",
        own=True,
    ),
    *_table(
        "diagnostics",
        """
warning               nwarning        -          how often each warning of mjtWarning was raised
warning_info          nwarning        -          index that the last warning of each kind was about
warning_saved         nwarning        -          counters of worlds that a repeated forward must not touch
""",
        own=True,
    ),
    *_table(
        "scratch",
        """
body_force            nbody,6     -          cacc, then forces, of the recursive Newton-Euler pass
body_acc              nbody,6     -          accelerations of that pass
vector                nv          -          a vector over dofs from a caller
dof_work              nv          -          a vector over dofs
no_shift              nv          -          zeros, for a matrix that is factorized as it is
modified_M            nC          -          M with what an integrator adds to it, before factorization
dof_work2             nv          -          another one
body_rate             nbody,12    -          d(bias)/d(qvel): rate of inertia, angular and linear momentum, about C
body_mat              nbody,36    -          d(fluid force)/d(velocity) about C; row 0: any 6x6 matrix
dof_rate              nv,6        -          d(bias)/d(qvel): sum of an axis's rates before and after its joint
bias_work             nD          -          d(bias)/d(qvel) of free bodies, in the structure of qDeriv
rk_time               -           s          Runge-Kutta: time of the step's start
rk_qpos               nq          -          Runge-Kutta: positions of the step's start
rk_qvel               nv          -          Runge-Kutta: velocities of the step's start
rk_act                na          -          Runge-Kutta: activations of the step's start
rk_rate               nv          -          Runge-Kutta: rate of positions of the last stage
rk_dqpos              nv          -          Runge-Kutta: mean rate of positions
rk_dqvel              nv          -          Runge-Kutta: mean acceleration
rk_dact               na          -          Runge-Kutta: mean rate of activations
rk_velocity           nout        -          Runge-Kutta: actuator velocities of the step's start
rk_actuator           nout        -          Runge-Kutta: actuator lengths of the step's start
rk_length             ntendon     -          Runge-Kutta: tendon lengths of the step's start
rk_J                  nJten       -          Runge-Kutta: tendon Jacobian of the step's start
efm_c                 nv          -          discrete: force of springs by the step's motion, -h*K*qvel
efm_ca                nv          -          discrete: the same of actuators
efm_ck                nv          -          discrete: h*K of joints' springs
efm_diag              nv          -          discrete: h*D + h^2*K of joints
efm_sdiag             nv          -          discrete: what the metric adds to the diagonal of M
efm_fluid             nC          -          discrete: h*D of the fluid, in the structure of M
metric_tendon         ntendon     -          discrete: h*D + h^2*K of tendons
metric_actuator       nactuator   -          discrete: h*D + h^2*K of actuators
cg_r                  nv          -          discrete: residual
cg_z                  nv          -          discrete: preconditioned residual
cg_p                  nv          -          discrete: search direction
cg_q                  nv          -          discrete: metric times search direction
ctrl_used             nu          -          controls after delay, clamping and rate limits
""",
        own=True,
    ),
]

# fields of MjData that Lanewise does not compute yet
MISSING = [
    "sensordata",
    "nJ",
    "nA",
    "nisland",
    "nidof",
    "solver",
    "timer",
    "bvh_active",
    "tree_asleep",
]

MODEL_FIELDS = {f.name: f for f in MODEL}
DATA_FIELDS = {f.name: f for f in DATA}
STATE_FIELDS = {f.name: f for f in STATE}
