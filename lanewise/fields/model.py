"""The fields of Model: sizes, options, and what does not change while a world moves."""

from .table import Field, table

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
    "nsensor",
    "nsensordata",
    "npluginstate",
    "npair",
    "nhfield",
    "nhfielddata",
    "nmesh",
    "nmeshvert",
    "nmeshnormal",
    "nmeshface",
    "nmeshgraph",
    "nmeshpoly",
    "nmeshpolyvert",
    "nmeshpolymap",
    "nbvh",
    "nmat",
]

CONSTANT_SIZES = {
    "nwarning": 7,
    "ntimer": 15,
    "ngang": 8,
    "nlink": 80,
    "noccasion": 73,
}  # not sizes of an MjModel

OWN_SIZES = {
    "ntrn": "trn_colind",
    "narm": "arm_colind",
    "nleg": "leg_adr",
    "nlegdof": "leg_dof",
    "nstate": "reset_state",
    "nrun": "run_body",
    "nrow": "row_type",
    "nrowJ": "row_colind",
    "ngroup": "group_size",
    "nplace": "group_dof",
    "nloose": "loose_body",
    "nray": "ray_site",
    "nbodybox": "body_box",
    "nmeshbox": "mesh_box",
    "nhullvert": "hull_rowadr",
    "nhullrow": "hull_row",
    "nhullcell": "hull_cell_rowadr",
}  # Lanewise's own: lengths of these fields

MODEL = [
    *[Field(n, (), 1, "int64", "sizes", "", f"the size {n}") for n in SIZES],
    *[Field(n, (), 1, "int64", "sizes", "", f"the size {n}", own=True) for n in OWN_SIZES],
    *table(
        "opt",
        """
opt.timestep          checked       -      s          simulation time step
opt.gravity           checked       :3     m/s^2      gravitational acceleration, in W
opt.magnetic          checked       :3     T          magnetic flux, in W
opt.wind              checked       :3     m/s        velocity of the medium, in W
opt.density           checked       -      kg/m^3     density of the medium
opt.viscosity         checked       -      Pa*s       viscosity of the medium
opt.integrator        checked       int32 -  -        integrator (mjtIntegrator)
opt.disableflags      checked       int32 -  -        bits of mjtDisableBit: standard features switched off
opt.enableflags       checked       int32 -  -        bits of mjtEnableBit: optional features switched on
opt.disableactuator   checked       int32 -  -        bits of actuator groups that are switched off
opt.solver            checked       int32 -  -        constraint solver (mjtSolver)
opt.iterations        checked       int32 -  -        most iterations of a solver
opt.tolerance         checked       -      -          tolerance at which a solver stops
opt.cone              checked       int32 -  -        friction cone (mjtCone): 0 pyramidal, 1 elliptic
opt.jacobian          checked       int32 -  -        how efc_J is given (mjtJacobian): 0 dense, 1 sparse, 2 by size
opt.impratio          checked       -      -          ratio of frictional to normal impedance in elliptic cones
opt.ls_iterations     checked       int32 -  -        most iterations of a line search
opt.ls_tolerance      checked       -      -          tolerance at which a line search stops
opt.noslip_iterations checked       int32 -  -        most iterations of the noslip post-processing
opt.noslip_tolerance  checked       -      -          tolerance at which it stops
opt.ccd_iterations    checked       int32 -  -        most iterations of the convex collision method
opt.ccd_tolerance     checked       -      m          tolerance at which it stops
opt.o_margin          checked       -      m          margin of all contacts, where overriding is enabled
opt.o_solref          checked       :2     -          solref of all contacts, where overriding is enabled
opt.o_solimp          checked       :5     -          solimp of all contacts, where overriding is enabled
opt.o_friction        checked       :5     -          friction of all contacts, where overriding is enabled
""",
    ),
    *table(
        "flags",
        """
flg_gravcomp          made          byte -  -         whether bodies have gravity compensation, as mj_setConst found
flg_adhesion          made          byte -  -         likewise, whether geoms or pairs have adhesion
flg_surfacevel        made          byte -  -         likewise, whether geoms have a surface velocity
""",
    ),
    *table(
        "reference pose",
        """
qpos0                 const         nq          m|rad      qpos at the reference pose
qpos_spring           free          nq          m|rad      qpos at which springs rest
""",
    ),
    *table(
        "bodies",
        """
body_parentid         fixed         int32 nbody -          parent body
body_rootid           fixed         int32 nbody -          ancestor that is a child of the world
body_weldid           fixed         int32 nbody -          top ancestor without joints in between; mocap bodies are their own
body_mocapid          fixed         int32 nbody -          row in mocap_pos, or -1
body_jntnum           fixed         int32 nbody -          number of joints
body_jntadr           fixed         int32 nbody -          first joint, or -1
body_dofnum           fixed         int32 nbody -          number of degrees of freedom
body_dofadr           fixed         int32 nbody -          first degree of freedom, or -1
body_geomnum          fixed         int32 nbody -          number of geoms
body_geomadr          fixed         int32 nbody -          first geom, or -1
body_sameframe        checked+made  byte  nbody -          which frames of the body coincide (mjtSameFrame)
body_contype          made          int32 nbody -          bits of the contact types of its geoms
body_conaffinity      made          int32 nbody -          bits of the contact affinities of its geoms
body_bvhadr           fixed         int32 nbody -          first box of its tree, around all its geoms, or -1
body_pos              const         nbody,3     m          origin of B in the parent's frame
body_quat             const         nbody,4     -          orientation of B in the parent's frame, wxyz
body_ipos             const         nbody,3     m          centre of mass in B
body_iquat            const         nbody,4     -          orientation of I in B, wxyz
body_mass             const         nbody       kg         mass
body_subtreemass      made          nbody       kg         mass of the body and all below it
body_inertia          const         nbody,3     kg*m^2     principal moments of inertia, axes of I
body_gravcomp         const         nbody       -          share of the body's weight that is compensated
body_invweight0       made          nbody,2     1/kg,1/(kg*m^2) mean inverse inertia at qpos0: translation, rotation
""",
    ),
    *table(
        "joints",
        """
jnt_type              fixed         int32 njnt  -          free, ball, slide or hinge (mjtJoint)
jnt_qposadr           fixed         int32 njnt  -          first number in qpos
jnt_dofadr            fixed         int32 njnt  -          first number in qvel
jnt_bodyid            fixed         int32 njnt  -          body it moves
jnt_actuatorid        checked+made  int32 njnt  -          actuator that adds damping and armature, or -1
jnt_plasticadr        fixed         int32 njnt  -          first number in plastic, or -1
jnt_limited           free          byte  njnt  -          whether it has limits
jnt_actfrclimited     free          byte  njnt  -          whether the actuators' total force on it is limited
jnt_actgravcomp       free          byte  njnt  -          whether gravity compensation acts through actuators
jnt_pos               const         njnt,3      m          anchor in B
jnt_axis              const         njnt,3      -          axis in B
jnt_stiffness         free          njnt        N/m|Nm/rad linear stiffness
jnt_stiffnesspoly     free          njnt,2      -          coefficients of the higher powers of the spring
jnt_springyield       free          njnt        -          yield threshold of the spring
jnt_range             free          njnt,2      m|rad      limits
jnt_actfrcrange       free          njnt,2      N|Nm       range of the total actuator force
jnt_margin            free          njnt        m|rad      distance from a limit at which it starts to act
jnt_solref            free          njnt,2      -          reference of the limits
jnt_solimp            free          njnt,5      -          impedance of the limits
""",
    ),
    *table(
        "dofs",
        """
dof_bodyid            fixed         int32 nv    -          body it moves
dof_jntid             fixed         int32 nv    -          its joint
dof_parentid          fixed         int32 nv    -          previous dof towards the root, or -1
dof_treeid            fixed         int32 nv    -          its kinematic tree
dof_simplenum         fixed         int32 nv    -          number of consecutive simple dofs from here on
dof_M0                made          nv          kg|kg*m^2  diagonal of M at qpos0
dof_armature          const         nv          kg|kg*m^2  inertia added on the diagonal of M
dof_damping           free          nv          Ns/m|Nms   linear damping
dof_dampingpoly       free          nv,2        -          coefficients of the higher powers of the damper
dof_frictionloss      free          nv          N|Nm       most force of dry friction
dof_solref            free          nv,2        -          reference of dry friction
dof_solimp            free          nv,5        -          impedance of dry friction
dof_invweight0        made          nv          1/kg|1/(kg*m^2) inverse inertia at qpos0
""",
    ),
    *table(
        "trees",
        """
tree_bodyadr          fixed+made    int32 ntree -          first body of the tree
tree_bodynum          fixed+made    int32 ntree -          number of bodies
tree_dofadr           fixed+made    int32 ntree -          first dof of the tree
tree_dofnum           fixed+made    int32 ntree -          number of dofs
""",
    ),
    *table(
        "geoms",
        """
geom_type             fixed         int32 ngeom -          shape (mjtGeom)
geom_bodyid           fixed         int32 ngeom -          body it is attached to
geom_dataid           checked+const int32 ngeom -          its mesh or height field, or -1
geom_matid            checked       int32 ngeom -          its material, or -1
geom_group            free          int32 ngeom -          its group
geom_rgba             free          float32 ngeom,4 -      its colour, if it has no material
geom_sameframe        checked+made  byte  ngeom -          which frames coincide (mjtSameFrame)
geom_size             const+made    ngeom,3     m          size parameters of the shape
geom_pos              const         ngeom,3     m          origin in B
geom_quat             const         ngeom,4     -          orientation in B, wxyz
geom_fluid            const+made    ngeom,12    -          coefficients of the ellipsoid fluid model
geom_contype          const         int32 ngeom -          bits: kinds of contact that it offers
geom_conaffinity      const         int32 ngeom -          bits: kinds of contact that it accepts
geom_condim           checked       int32 ngeom -          dimension of its contacts: 1, 3, 4 or 6
geom_priority         free          int32 ngeom -          the geom of higher priority decides a contact's parameters
geom_solmix           free          ngeom       -          weight in mixing solref and solimp
geom_solref           free          ngeom,2     -          reference of its contacts
geom_solimp           free          ngeom,5     -          impedance of its contacts
geom_friction         free          ngeom,3     -          friction: sliding, spinning, rolling
geom_margin           const         ngeom       m          inflation of its surface
geom_gap              const         ngeom       m          distance beyond the margin in which contacts are reported
geom_rbound           made          ngeom       m          radius of the sphere around it; 0 where it is infinite
geom_aabb             const+made    ngeom,6     m          box around it, in its frame: centre, half sizes
geom_surfacevel       const         ngeom,6     m/s,rad/s  velocity of its surface, in its frame: linear, angular
geom_adhesion         const         ngeom       N          attraction of its contacts
""",
    ),
    *table(
        "pairs",
        """
pair_dim              checked       int32 npair -          dimension of the contacts of two geoms
pair_geom1            fixed         int32 npair -          first geom
pair_geom2            fixed         int32 npair -          second geom
pair_solref           free          npair,2     -          reference, normal direction
pair_solreffriction   free          npair,2     -          reference, frictional directions; zeros: as the normal one
pair_solimp           free          npair,5     -          impedance
pair_margin           free          npair       m          distance below which a force acts
pair_gap              free          npair       m          distance beyond that in which contacts are reported
pair_adhesion         const         npair       N          attraction
pair_friction         free          npair,5     -          friction: two tangents, spin, two of rolling
""",
    ),
    *table(
        "collision structure",
        """
run_body              int32 nrun  -          lower of two bodies that may touch
run_first             int32 nrun  -          first of the consecutive bodies that may touch it
run_last              int32 nrun  -          the one after the last of them
run_parent            int32 nrun  -          1: they are parent and child, a pair that can be filtered
run_pair              int32 nrun  -          first of the explicit pairs of geoms that precede the run
run_pairend           int32 nrun  -          the one after the last of these
geom_leaf             byte ngeom  -          1: it is in the tree of boxes of its body
""",
        own=True,
    ),
    *table(
        "meshes",
        """
mesh_pos              free          nmesh,3     m          origin of the axes of its vertices, in those of the file
mesh_quat             free          nmesh,4     -          orientation of those axes, wxyz
mesh_vertadr          fixed         int32 nmesh -          first vertex
mesh_vertnum          fixed         int32 nmesh -          how many
mesh_vert             checked       float32 nmeshvert,3 m  vertices, in the axes of the geom
mesh_faceadr          fixed         int32 nmesh -          first face
mesh_normaladr        fixed         int32 nmesh -          first normal
mesh_normalnum        fixed         int32 nmesh -          how many
mesh_normal           free          float32 nmeshnormal,3 - normals; of skins, three for each vertex: normal, two tangents
mesh_face             fixed         int32 nmeshface,3 -    vertices of a face, counted in the mesh
mesh_bvhadr           fixed         int32 nmesh -          first node of its tree of boxes
mesh_graphadr         fixed         int32 nmesh -          start of the convex hull's graph, or -1
mesh_graph            fixed         int32 nmeshgraph -     graphs: sizes, where edges start, vertices, edges, faces
mesh_extrema          fixed         int32 nmesh,27 -       hull vertex that is farthest along each of 27 directions
mesh_polynum          fixed         int32 nmesh -          how many polygons the hull's surface has
mesh_polyadr          fixed         int32 nmesh -          the first of them
mesh_polynormal       free          nmeshpoly,3 -          their outward normals
mesh_polyvertadr      fixed         int32 nmeshpoly -      first entry in mesh_polyvert
mesh_polyvertnum      fixed         int32 nmeshpoly -      how many corners
mesh_polyvert         fixed         int32 nmeshpolyvert -  corners, by vertex of the mesh, anticlockwise from outside
mesh_polymapadr       fixed         int32 nmeshvert -      first entry in mesh_polymap
mesh_polymapnum       fixed         int32 nmeshvert -      how many polygons have this corner
mesh_polymap          fixed         int32 nmeshpolymap -   which they are, counted in the mesh
""",
    ),
    *table(
        "hulls by eights",
        """
hull_adr              int32 nmesh -          its entry for vertex 0 of the hull in hull_rowadr, or -1
hull_rowadr           int32 nhullvert -      first row with neighbours of a vertex of a hull; the last are those before the next
mesh_rowadr           int32 nmesh -          first row with all vertices: of the hull, or of a small mesh itself; or -1
mesh_steep            float32 nmesh -        a slope that is clear, on the hull: none of its hollow edges could hold up a climb
mesh_cells            int32 nmesh -          directions are divided into the square of so many cells; 0 if there are none
mesh_celladr          int32 nmesh -          its first cell
hull_cell_rowadr      int32 nhullcell -      first row with the vertices of a hull that can be farthest in the directions of a cell
hull_cell_num         int32 nhullcell -      how many there are
hull_cell_gap         float32 nhullcell m    how much farther than the others one of them must be, to be the farthest for sure
hull_row              row nhullrow,3 m       vertices, eight by eight: their x, y and z
hull_number           int32 nhullrow,8 -     which vertices these are, counted in the hull or small mesh
hull_vertex           int32 nhullrow,8 -     the same, by row of mesh_vert
""",
        own=True,
    ),
    *table(
        "trees of boxes",
        """
bvh_child             fixed         int32 nbvh,2 -         two nodes below, counted in the tree, or -1
bvh_nodeid            fixed         int32 nbvh  -          face of a mesh, or geom, in a node without children; else -1
""",
    ),
    *table(
        "rays",
        """
body_box              nbodybox,6  m          the first of bvh_aabb, those of bodies: centre, half sizes in the axes of I
mesh_box              plain nmeshbox,6 m     the rest of bvh_aabb, those of meshes, in the axes of the geom
ray_site              int32 nray  -          sites from which rangefinders look
""",
        own=True,
    ),
    *table(
        "materials",
        """
mat_rgba              free          float32 nmat,4 -       colour
""",
    ),
    *table(
        "height fields",
        """
hfield_size           const         nhfield,4   m          half extents in x and y, elevation of the top, depth of the bottom
hfield_nrow           fixed         int32 nhfield -        rows of the grid, along y
hfield_ncol           fixed         int32 nhfield -        columns of the grid, along x
hfield_adr            fixed         int32 nhfield -        first number in hfield_data
hfield_data           free          float32 nhfielddata -  elevations, 0 to 1, row by row
""",
    ),
    *table(
        "sites",
        """
site_bodyid           fixed         int32 nsite -          body it is attached to
site_sameframe        checked+made  byte  nsite -          which frames coincide (mjtSameFrame)
site_pos              const         nsite,3     m          origin in B
site_quat             const         nsite,4     -          orientation in B, wxyz
site_type             fixed         int32 nsite -          shape (mjtGeom)
site_dataid           fixed         int32 nsite -          its mesh, or -1
site_size             free          nsite,3     m          size parameters of the shape
""",
    ),
    *table(
        "cameras",
        """
cam_mode              checked       int32 ncam  -          how it follows (mjtCamLight)
cam_bodyid            checked+const int32 ncam  -          body it is attached to
cam_targetbodyid      checked+const int32 ncam  -          body it looks at, or -1
cam_pos               const         ncam,3      m          origin in B
cam_quat              const         ncam,4      -          orientation in B, wxyz
cam_poscom0           made          ncam,3      m          position from the subtree's centre of mass at qpos0, in W
cam_pos0              made          ncam,3      m          position from the body at qpos0, in W
cam_mat0              made          ncam,9      -          orientation at qpos0, in W
cam_projection        fixed         int32 ncam  -          0 perspective, 1 orthographic (mjtProjection)
cam_fovy              free          ncam        deg|m      vertical field of view; orthographic: its height
cam_resolution        fixed         int32 ncam,2 -         pixels, width and height
cam_sensorsize        free          float32 ncam,2 m       size of the image sensor, or zeros
cam_intrinsic         free          float32 ncam,4 m       focal lengths and principal point
""",
    ),
    *table(
        "lights",
        """
light_mode            checked       int32 nlight -         how it follows (mjtCamLight)
light_bodyid          checked+const int32 nlight -         body it is attached to
light_targetbodyid    checked+const int32 nlight -         body it points at, or -1
light_pos             const         nlight,3    m          position in B
light_dir             const         nlight,3    -          direction in B
light_poscom0         made          nlight,3    m          position from the subtree's centre of mass at qpos0, in W
light_pos0            made          nlight,3    m          position from the body at qpos0, in W
light_dir0            made          nlight,3    -          direction at qpos0, in W
""",
    ),
    *table(
        "tendons",
        """
tendon_type           fixed         int32 ntendon -        fixed or spatial (mjtTendon)
tendon_adr            fixed         int32 ntendon -        first object of its path
tendon_num            fixed         int32 ntendon -        number of objects in its path
tendon_actuatorid     checked+made  int32 ntendon -        actuator that adds damping and armature, or -1
tendon_plasticadr     fixed         int32 ntendon -        first number in plastic, or -1
tendon_actfrclimited  free          byte  ntendon -        whether the actuators' total force on it is limited
tendon_actfrcrange    free          ntendon,2   N          range of the total actuator force
tendon_stiffness      free          ntendon     N/m        linear stiffness
tendon_stiffnesspoly  free          ntendon,2   -          coefficients of the higher powers of the spring
tendon_damping        free          ntendon     Ns/m       linear damping
tendon_dampingpoly    free          ntendon,2   -          coefficients of the higher powers of the damper
tendon_armature       checked+const ntendon     kg         inertia of its change of length
tendon_lengthspring   free          ntendon,2   m          range of lengths at which its spring rests
tendon_springyield    free          ntendon     -          yield threshold of the spring
tendon_length0        made          ntendon     m          length at qpos0
tendon_limited        free          byte ntendon -         whether its length is limited
tendon_range          free          ntendon,2   m          limits of its length
tendon_margin         free          ntendon     m          distance from a limit at which it starts to act
tendon_solref_lim     free          ntendon,2   -          reference of the limits
tendon_solimp_lim     free          ntendon,5   -          impedance of the limits
tendon_frictionloss   free          ntendon     N          most force of dry friction
tendon_solref_fri     free          ntendon,2   -          reference of dry friction
tendon_solimp_fri     free          ntendon,5   -          impedance of dry friction
tendon_invweight0     made          ntendon     1/kg       inverse inertia at qpos0
ten_J_rownnz          fixed+made    int32 ntendon -        non-zeros in a row of ten_J
ten_J_rowadr          fixed+made    int32 ntendon -        first number of a row of ten_J
ten_J_colind          fixed+made    int32 nJten -          dof of a number of ten_J
wrap_type             fixed         int32 nwrap -          kind of path object (mjtWrap)
wrap_objid            fixed         int32 nwrap -          geom, site or joint of a path object
wrap_prm              checked+const nwrap       -          divisor, joint coefficient, or side site of a path object
""",
    ),
    *table(
        "actuators",
        """
actuator_trntype      fixed         int32 nactuator -      transmission (mjtTrn)
actuator_dyntype      checked       int32 nactuator -      activation dynamics (mjtDyn)
actuator_gaintype     checked       int32 nactuator -      gain (mjtGain)
actuator_biastype     checked       int32 nactuator -      bias (mjtBias)
actuator_ctrladr      fixed         int32 nactuator -      first control
actuator_ctrlnum      fixed         int32 nactuator -      number of controls
actuator_ctrlspec     fixed         int32 nactuator -      what its inputs are, by gain type
actuator_outadr       fixed         int32 nactuator -      first force output
actuator_outnum       fixed         int32 nactuator -      number of force outputs
actuator_actadr       fixed         int32 nactuator -      first activation, or -1
actuator_actnum       fixed         int32 nactuator -      number of activations
actuator_trnid        fixed         int32 nactuator,2 -    ids of the transmission's target
actuator_group        free          int32 nactuator -      group, for switching off
actuator_history      fixed         int32 nactuator,2 -    samples kept and how they are interpolated
actuator_historyadr   fixed         int32 nactuator -      first number in history, or -1
actuator_actlimited   free          byte  nactuator -      whether activation is limited
actuator_actearly     free          byte  nactuator -      whether the force uses the next activation
actuator_forcelimited free          byte  nactuator -      whether force is limited
actuator_ctrllimited  free          byte  nu     -         whether a control is limited
actuator_cranklength  const         nactuator   m          crank length of a slider-crank
actuator_dynprm       free          nactuator,10 -         parameters of the dynamics
actuator_gainprm      free          nactuator,10 -         parameters of the gain
actuator_biasprm      free          nactuator,10 -         parameters of the bias
actuator_actrange     free          nactuator,2 -          range of activation
actuator_delay        free          nactuator   s          delay of the controls
actuator_damping      const         nactuator   -          damping added to the joint or tendon
actuator_dampingpoly  const         nactuator,2 -          coefficients of the higher powers of that damper
actuator_armature     const         nactuator   -          armature added to the joint or tendon
actuator_forcerange   free          nactuator,2 N|Nm       range of force
actuator_ctrlrange    free          nu,2        -          range of a control
actuator_gear         const         nout,6      -          scale of length and force
actuator_acc0         made          nout        -          acceleration by a unit force at qpos0
actuator_length0      made          nout        -          length at qpos0
actuator_lengthrange  free          nout,2      -          range of length
""",
    ),
    *table(
        "equalities",
        """
eq_type               fixed         int32 neq   -          kind (mjtEq): connect, weld, joint, tendon
eq_objtype            fixed         int32 neq   -          what connect and weld join (mjtObj): bodies or sites
eq_obj1id             fixed         int32 neq   -          first object
eq_obj2id             fixed         int32 neq   -          second object, or -1
eq_data               const+made    neq,12      -          anchors, relative pose, scale of torque; or polynomial
eq_solref             free          neq,2       -          reference
eq_solimp             free          neq,5       -          impedance
""",
    ),
    *table(
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
    *table(
        "reset",
        """
reset_state           nstate      -          state vector of a world that was reset
""",
        own=True,
    ),
    *table(
        "sensors",
        """
sensor_type           fixed         int32 nsensor -        what it measures (mjtSensor)
sensor_datatype       fixed         int32 nsensor -        kind of numbers (mjtDataType)
sensor_needstage      fixed         int32 nsensor -        stage after which it is computed (mjtStage)
sensor_objtype        fixed         int32 nsensor -        kind of the object that it measures (mjtObj)
sensor_objid          fixed         int32 nsensor -        that object
sensor_reftype        fixed         int32 nsensor -        kind of the reference frame, or of a second object (mjtObj)
sensor_refid          fixed         int32 nsensor -        that object, or -1
sensor_intprm         fixed         int32 nsensor,3 -      contacts: data bits, reduction, slots; rangefinders: data bits
sensor_dim            fixed         int32 nsensor -        numbers of its reading
sensor_adr            fixed         int32 nsensor -        first of them in sensordata
sensor_cutoff         free          nsensor     -          bound of a reading; 0: none
sensor_history        fixed         int32 nsensor,2 -      samples kept, how they are interpolated (mjtInterp)
sensor_historyadr     fixed         int32 nsensor -        first number in history, or -1
sensor_delay          free          nsensor     s          age of a reading
sensor_interval       free          nsensor,2   s          period and phase of readings
""",
    ),
    *table(
        "rangefinders",
        """
sensor_ray            int32 nsensor -        the ray of a rangefinder at a site, else -1
""",
        own=True,
    ),
    *table(
        "needs",
        """
needs_geoms           int32 - -              whether forces besides contacts and a medium's need the geoms' frames
needs_touch           int32 - -              whether there may be contacts
needs_convex          int32 - -              whether some of them take the convex method
needs_sites           int32 - -              whether forces besides those of tendons depend on the sites' frames
sensor_sites          int32 - -              whether sensors need the sites' frames
sensor_geoms          int32 - -              whether sensors need the geoms' frames
sensor_cameras        int32 - -              whether sensors need the cameras' frames
sensor_momentum       int32 - -              whether sensors need the momentum of subtrees
sensor_accelerations  int32 - -              whether sensors need accelerations of bodies
sensor_forces         int32 - -              whether sensors need forces between bodies
sensor_energy         int32 - -              bits: sensors need the potential (1), the kinetic energy (2)
sensor_kept           int32 - -              whether readings are kept in history
""",
        own=True,
    ),
    *table(
        "tree structure",
        """
body_last             int32 nbody -          last body of the subtree; those in between belong to it
body_leaf             byte nbody -           1 where a body has no children
body_lastdof          int32 nbody -          last dof that moves a body, or -1; the others follow by dof_parentid
body_lastchild        byte nbody -           1 where a body is the last child of its parent
""",
        own=True,
    ),
    *table(
        "dof structure",
        """
dof_descendants       int32 nv    -          number of dofs below, which follow it and couple with it in M
dof_drift             int32 nv    -          3 where the first columns of its row of M are a free joint's translation, else 0
""",
        own=True,
    ),
    *table(
        "tendon structure",
        """
arm_rownnz            int32 ntendon -        dofs that can change a tendon's length
arm_rowadr            int32 ntendon -        first of them in arm_colind
arm_colind            int32 narm  -          those dofs, rows by tendon
arm_place             int32 narm  -          where a number of ten_arm stands in ten_J
wrap_leg              int32 nwrap -          first leg of the segment that begins at a path object, or -1
leg_adr               int32 nleg,3 -         dofs of a leg: first that moves its beginning, first that moves its end, end
leg_dof               int32 nlegdof -        those dofs
leg_arm               int32 nlegdof -        their places in ten_arm
""",
        own=True,
    ),
    *table(
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
    *table(
        "sparse structure",
        """
M_rownnz              fixed         int32 nv    -          non-zeros in a row of M, the diagonal last
M_rowadr              fixed         int32 nv    -          first number of a row of M
M_colind              fixed         int32 nC    -          column of a number of M
D_rownnz              fixed         int32 nv    -          non-zeros in a row of qDeriv
D_rowadr              fixed         int32 nv    -          first number of a row of qDeriv
D_diag                fixed         int32 nv    -          place of the diagonal within a row of qDeriv
D_colind              fixed         int32 nD    -          column of a number of qDeriv
mapM2D                fixed         int32 nD    -          place in M of each number of qDeriv
mapD2M                fixed         int32 nC    -          place in qDeriv of each number of M
""",
    ),
    *table(
        "hooks",
        """
hook_places           int64 7     -          where MuJoCo's pointers to callbacks are, see hooks.py
""",
        own=True,
    ),
]
