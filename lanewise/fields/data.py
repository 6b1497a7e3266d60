"""The fields of Data that a user reads: the state, and what follows from it.

A field that MuJoCo has keeps MuJoCo's name, shape, order and meaning. Frames are named as in
docs/notation.md: W world, B body, I inertial frame at the centre of mass, C the com-based frame
(axes of the world, origin at the centre of mass of the kinematic tree).
"""

from .table import table

# the components of a state row, in the order of mjtState's bits
STATE = table(
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

# the state as a whole: the same memory
ALIAS = [
    *table(
        "alias",
        """
state                 nstate      -          the whole state vector: the fields above, in their order
""",
        own=True,
    ),
]

RESULTS = [
    *table(
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
""",
    ),
    *table(
        "kinematics",
        """
geom_xpos             ngeom,3     m          p_WG_W
geom_xquat            ngeom,4     -          q_WG, wxyz
geom_xmat             ngeom,9     -          R_WG, row-major
""",
        want="geoms",
    ),
    *table(
        "kinematics",
        """
site_xpos             nsite,3     m          p_WS_W
site_xquat            nsite,4     -          q_WS, wxyz
site_xmat             nsite,9     -          R_WS, row-major
""",
        want="sites",
    ),
    *table(
        "com_pos",
        """
subtree_com           nbody,3     m          centre of mass of a body and all below it, in W
cdof                  nv,6        -          motion axis of a dof in C, rotation before translation
cinert                nbody,10    kg*m^2,kg*m,kg inertia of a body about C: xx yy zz xy xz yz, m*r, m
""",
    ),
    *table(
        "camlight",
        """
cam_xpos              ncam,3      m          camera position, in W
cam_xmat              ncam,9      -          camera orientation, row-major
light_xpos            nlight,3    m          light position, in W
light_xdir            nlight,3    -          light direction, in W
""",
        want="camlight",
    ),
    *table(
        "tendon",
        """
ten_length            ntendon     m          tendon length
""",
    ),
    *table(
        "tendon",
        """
ten_J                 nJten       -          Jacobian of tendon lengths, in the structure of ten_J_colind
""",
        want="tendon_rows",
    ),
    *table(
        "tendon",
        """
ten_wrapadr           int32 ntendon -        first point of a tendon's path in wrap_xpos
ten_wrapnum           int32 ntendon -        number of points in a tendon's path
wrap_obj              int32 nwrap,2 -        geom of a path point; -1 site, -2 pulley
wrap_xpos             nwrap,6     m          path points, two in a row, in W
""",
        want="paths",
    ),
    *table(
        "crb",
        """
crb                   nbody,10    kg*m^2,kg*m,kg inertia of a body and all below it, about C
M                     nC          kg|kg*m^2  joint-space inertia, lower triangle, in the structure of M_colind
""",
    ),
    *table(
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
    *table(
        "make_constraint",
        """
ne                    int32 -     -          number of equality rows
nf                    int32 -     -          number of friction rows
nl                    int32 -     -          number of limit rows
nefc                  int32 -     -          number of constraint rows
""",
    ),
    *table(
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
        want="efc",
    ),
    *table(
        "factor_m",
        """
qLD                   nC          -          L'*D*L factors of M, in the structure of M_colind
qLDiagInv             nv          -          1/diag(D)
""",
        want="factors",
    ),
    *table(
        "transmission",
        """
actuator_length       nout        m|rad      length of an actuator's transmission
""",
    ),
    *table(
        "transmission",
        """
moment_rownnz         int32 nout  -          non-zeros in a row of actuator_moment
moment_rowadr         int32 nout  -          first number of a row of actuator_moment
moment_colind         int32 nJmom -          dof of a number of actuator_moment
actuator_moment       nJmom       -          moment arms, rows by force output
""",
        want="moments",
    ),
    *table(
        "fwd_velocity",
        """
ten_velocity          ntendon     m/s        rate of tendon length
actuator_velocity     nout        m/s|rad/s  rate of actuator length
""",
    ),
    *table(
        "com_vel",
        """
cvel                  nbody,6     rad/s,m/s  velocity of a body in C, rotation before translation
cdof_dot              nv,6        -          rate of cdof
""",
    ),
    *table(
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
    *table(
        "rne",
        """
qfrc_bias             nv          N|Nm       Coriolis, centrifugal and gravitational force
""",
    ),
    *table(
        "fwd_actuation",
        """
act_dot               na          1/s        rate of activation
actuator_force        nout        N|Nm       force of actuators
qfrc_actuator         nv          N|Nm       force of actuators on the dofs
""",
    ),
    *table(
        "fwd_acceleration",
        """
qfrc_smooth           nv          N|Nm       all forces but those of constraints
qacc_smooth           nv          m/s^2|rad/s^2 acceleration without constraints
""",
    ),
    *table(
        "fwd_constraint",
        """
qfrc_constraint       nv          N|Nm       forces of constraints
qacc                  nv          m/s^2|rad/s^2 acceleration
solver_niter          int32 20    -          iterations of the solver, of the first 20 islands
solver_nnz            int32 20    -          numbers in a dual solver's matrices, by island; Newton and CG leave it zero
""",
    ),
    *table(
        "fwd_constraint",
        """
nisland               int32 -     -          number of islands; 0 if the model disables them
solver.improvement    nlogmax     -          of an iteration: reduction of the cost, scaled
solver.gradient       nlogmax     -          of an iteration: norm of the gradient, scaled; 0 of dual solvers
solver.lineslope      nlogmax     -          of an iteration: slope where the line search ended, scaled; 0 of dual solvers
solver.nactive        int32 nlogmax -        of an iteration: active rows
solver.nchange        int32 nlogmax -        of an iteration: rows that changed their state
solver.neval          int32 nlogmax -        of an iteration: evaluations in the line search
solver.nupdate        int32 nlogmax -        of an iteration: rows whose part of Newton's Hessian changed
""",
        own=True,
        want="solver",
    ),
    *table(
        "inverse",
        """
qfrc_inverse          nv          N|Nm       force that would give qacc, constraints included
""",
    ),
    *table(
        "compare_fwdinv",
        """
solver_fwdinv         2           -          difference of forward and inverse dynamics: constraint, applied force
""",
        want="fwdinv",
    ),
    *table(
        "rne_post_constraint",
        """
cacc                  nbody,6     rad/s^2,m/s^2 acceleration of a body in C, less gravity
cfrc_int              nbody,6     Nm,N       torque and force of the parent on a body, in C
cfrc_ext              nbody,6     Nm,N       torque and force on a body of all but its joints, in C
""",
        want="rne_post_constraint",
    ),
    *table(
        "contact_force",
        """
contact_force         nconmax,6   N,Nm       force and torque on the second geom, in the contact's frame
body_contact          nbody,6     N,Nm       sum of them on a body, at its centre of mass, in W
""",
        own=True,
        want="contact_force",
    ),
    *table(
        "sensor",
        """
sensordata            nsensordata -          readings of all sensors, one after another
""",
        want="sensor",
    ),
    *table(
        "power",
        """
actuator_power        nout        W          power of an actuator: force times velocity
joint_power           nv          W          power of all forces on a dof but gravity and inertia
""",
        own=True,
        want="power",
    ),
    *table(
        "integrate",
        """
qH                    nC          -          L'*D*L factors of the modified inertia
qHDiagInv             nv          -          1/diag(D) of the modified inertia
""",
        want="factors",
    ),
    *table(
        "integrate",
        """
qDeriv                nD          -          derivative of (passive + actuator - bias) force by qvel
qLU                   nD          -          LU factors of M - h*qDeriv
""",
    ),
    # MuJoCo has these only if the integrator is the discrete one
    *table(
        "integrate",
        """
efm_c                 nv          -          force of springs by the step's motion, -h*K*qvel
efm_ca                nv          -          the same of actuators
efm_ck                nv          -          h*K of joints' springs
efm_diag              nv          -          h*D + h^2*K of joints
efm_sdiag             nv          -          what the metric adds to the diagonal of M
efm_fluid             nC          -          h*D of the fluid, in the structure of M
""",
        own=True,
    ),
    *table(
        "energy",
        """
energy                :2          J          potential and kinetic energy
""",
    ),
    *table(
        "subtree_vel",
        """
subtree_linvel        nbody,3     m/s        velocity of the subtree's centre of mass, in W
subtree_angmom        nbody,3     Nms        angular momentum about the subtree's centre of mass, in W
""",
        want="subtree_vel",
    ),
    *table(
        "observe",
        """
observed              nobserved   -          what the user's kernel `observe` leaves, output by output
""",
        own=True,
    ),
    *table(
        "diagnostics",
        """
warning.number        int32 nwarning -       how often each warning of mjtWarning was raised
warning.lastinfo      int32 nwarning -       index that the last warning of each kind was about
resets                int32 -     -          how often the world was reset because of bad numbers
maxuse_con            int32 -     -          the most contacts since the last reset
maxuse_efc            int32 -     -          the most constraint rows since the last reset
""",
        own=True,
    ),
]

# fields of MjData that Lanewise does not compute yet
MISSING = [
    "nJ",
    "nA",
    "nidof",
    "bvh_active",
    "tree_asleep",
]
