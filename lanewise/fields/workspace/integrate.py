"""Workspace of the integrators and of inverse dynamics."""

from ..table import table

FIELDS = [
    *table(
        "inverse",
        """
qacc_given            nv          m/s^2|rad/s^2 qacc, while inverse dynamics converts it
qfrc_found            nv          N|Nm       qfrc_constraint of forward dynamics, while it is compared
qfrc_asked            nv          N|Nm       qfrc_inverse of the last inverse dynamics, meanwhile
con_found             nconmax,12  -          con_jar and con_force of forward dynamics, meanwhile
row_found             nrow,3      -          row_jar, row_force and row_state of it
""",
        own=True,
    ),
    *table(
        "integrate",
        """
H_factor              nC          -          D*L of the modified inertia
""",
        own=True,
    ),
    *table(
        "scratch",
        """
modified_M            nC          -          M with what an integrator adds to it, before factorization
body_rate             nbody,12    -          d(bias)/d(qvel): rate of inertia, angular and linear momentum, about C
body_mat              nbody,36    -          d(fluid force)/d(velocity) about C; row 0: any 6x6 matrix
dof_rate              nv,6        -          d(bias)/d(qvel): sum of an axis's rates before and after its joint
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
rk_arm                narm        -          Runge-Kutta: arms of tendons of the step's start
metric_tendon         ntendon     -          discrete: h*D + h^2*K of tendons
metric_actuator       nactuator   -          discrete: h*D + h^2*K of actuators
cg_r                  nv          -          discrete: residual
cg_z                  nv          -          discrete: preconditioned residual
cg_p                  nv          -          discrete: search direction
cg_q                  nv          -          discrete: metric times search direction
""",
        own=True,
    ),
]
