"""Every field of Model and Data, once.

A line of a table is

    name  dims  unit  meaning

with dims as MuJoCo writes them: `nbody,3` is an array of shape (nbody, 3), `-` a single value, `:3` a
vector without a leading size. A dtype other than float stands before the dims (`int32 nbody`). Allocation,
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
    dtype: str  # float, int32, int64 or byte
    stage: str  # Data: the stage that writes it; Model: the section
    unit: str
    doc: str
    own: bool = False  # not a field of MuJoCo's

    @property
    def no_dims(self):
        """Whether a kernel sees the value itself, not an array."""
        return not self.dims or not isinstance(self.dims[0], str)

    def shape(self, sizes):
        """The dims as numbers."""
        return tuple(d if isinstance(d, int) else int(sizes[d]) for d in self.dims)


def _table(stage, text, own=False):
    return [_field(stage, line, own) for line in text.strip().splitlines() if line.strip()]


_LINE = re.compile(r"(\S+)\s+(?:(int32|int64|byte)\s+)?(\S+)\s+(\S+)\s+(.+)")


def _field(stage, line, own):
    match = _LINE.fullmatch(line.strip())
    assert match, f"not a line of the table: {line!r}"
    name, dtype, dims, unit, doc = match.groups()
    sizes = () if dims == "-" else dims.lstrip(":").split(",")
    dims = tuple(int(x) if x.isdigit() else x for x in sizes)
    width = dims[-1] if dims and isinstance(dims[-1], int) else 1
    return Field(name, dims, width, dtype or "float", stage, "" if unit == "-" else unit, doc, own)


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
]

CONSTANT_SIZES = {"nwarning": 7}  # not sizes of an MjModel
OWN_SIZES = {
    "ntrn": "trn_colind",
    "nstate": "reset_state",
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
body_pos              nbody,3     m          origin of B in the parent's frame
body_quat             nbody,4     -          orientation of B in the parent's frame, wxyz
body_ipos             nbody,3     m          centre of mass in B
body_iquat            nbody,4     -          orientation of I in B, wxyz
body_mass             nbody       kg         mass
body_subtreemass      nbody       kg         mass of the body and all below it
body_inertia          nbody,3     kg*m^2     principal moments of inertia, axes of I
body_gravcomp         nbody       -          share of the body's weight that is compensated
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
geom_sameframe        byte  ngeom -          which frames coincide (mjtSameFrame)
geom_size             ngeom,3     m          size parameters of the shape
geom_pos              ngeom,3     m          origin in B
geom_quat             ngeom,4     -          orientation in B, wxyz
geom_fluid            ngeom,12    -          coefficients of the ellipsoid fluid model
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
        "reset",
        """
reset_state           nstate      -          state vector of a world that was reset
""",
        own=True,
    ),
    *_table(
        "needs",
        """
needs_geoms           int32 - -              whether forces depend on the geoms' frames
needs_sites           int32 - -              whether forces depend on the sites' frames
""",
        own=True,
    ),
    *_table(
        "tree structure",
        """
body_leaf             byte nbody -           1 where a body has no children
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
""",
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
wanted                :3          -          1 where somebody reads: frames of geoms; of sites, cameras, lights; moments and factors
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
    "contact",
    "ncon",
    "ne",
    "nf",
    "nl",
    "nefc",
    "nJ",
    "nA",
    "nisland",
    "nidof",
    "qfrc_inverse",
    "cacc",
    "cfrc_int",
    "cfrc_ext",
    "solver",
    "solver_niter",
    "solver_nnz",
    "solver_fwdinv",
    "timer",
    "bvh_active",
    "tree_asleep",
]

MODEL_FIELDS = {f.name: f for f in MODEL}
DATA_FIELDS = {f.name: f for f in DATA}
STATE_FIELDS = {f.name: f for f in STATE}
