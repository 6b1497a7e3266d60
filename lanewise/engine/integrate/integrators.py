"""From accelerations to the next state: five integrators.

    euler         v+ = v + h inverse(M + h D) M qacc, D the slopes of the joints' dampers
    implicit      the same with D = -qDeriv, the derivatives of all smooth forces
    implicitfast  the same without those of Coriolis forces, so that the matrix is symmetric; a free
                  body has them put back by a 6x6 solution of its own
    discrete      qacc is (v+ - v)/h already: the solver's metric is M + h D + h^2 K (discrete.py)
    rungekutta4   four evaluations of the forward dynamics

M qacc is the total force F = qfrc_smooth + qfrc_constraint. The implicit methods take forces at the
end of the step, to first order in the change of velocity, F + dF/dv (v+ - v) with D = -dF/dv:

    (1)  M (v+ - v) / h = F - D (v+ - v),   or   (M + h D) (v+ - v) / h = F.

All end in `advance`, where positions follow the new velocity: the state's old values are last used
by the history of controls and the activations.

Runge-Kutta combines the rates k_1 to k_4 of the state, of which each stage stands where the rate
before it leads from the start x:

    (2)  k_1 at x,   k_2 at x + h/2 k_1,   k_3 at x + h/2 k_2,   k_4 at x + h k_3
    (3)  x+ = x + h (k_1 + 2 k_2 + 2 k_3 + k_4) / 6

Orientations are no vectors but a group (Munthe-Kaas): a stage stands at q exp(u), with u = h k or
h/2 k a rotation vector. Its angular velocity w, in the axes of the body, is pulled back to the
start as the rate of u, before stages are combined. With x = |u|/2,

    (4)  du/dt = dexpinv(u) w = w + 1/2 u x w + c u x (u x w),   c = (1 - x cot x) / |u|^2.
"""

from ...lanes import (  # fmt: skip
    all_lanes,
    any_lane,
    concat,
    kernel,
    load3,
    load4,
    maximum,
    rint,
    sincos,
    splat,
    sqrt,
    store3,
    store4,
    vec,
    where,
)
from ...mjconst import (
    DSBL_DAMPER,
    DSBL_EULERDAMP,
    DYN_DCMOTOR,
    DYN_FILTEREXACT,
    DYN_INTEGRATOR,
    JNT_BALL,
    JNT_FREE,
    MINVAL,
    TIMER_ADVANCE,
)  # fmt: skip
from ..forces.actuation import advance_activation, setpoint_period
from ..forces.history import record_history
from ..forces.passive import advance_plastic
from ..smooth.inertia import expose_factors, factor, solve
from ..smooth.reflected import NO_ACTUATOR
from ..smooth.tendon import show_arms
from ..spatial import TURN, cross, dot3, mul_quat, norm3, normalize4, sub_quat
from ..timing import lap, start
from .derivative import (
    WITH_BIAS,
    WITHOUT_BIAS,
    add_inertia,
    free_bias,
    is_free_body,
    smooth_vel,
)  # fmt: skip
from .lu import factor_lu, solve6, solve_lu
from .slopes import dof_damping_slope

LAST_STAGE = 3  # of Runge-Kutta, counted from 0; it is a whole step away from the start


@kernel
def euler(m, d):
    """(qacc, forces) => next state; with dampers: (qH, qHDiagInv) too"""
    begin = start(d)
    damped = has_damping(m)
    if any_lane(damped):
        # (1) with a diagonal D
        for i in range(m.nv):
            d.dof_work2[i] = m.opt.timestep * dof_damping_slope(m, d, i)
            d.dof_work[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i]
        factor_modified(m, d, d.M, d.dof_work2)
        solve(m, d.H_factor, d.qHDiagInv, d.dof_work)
        if not all_lanes(damped):
            for i in range(m.nv):
                d.dof_work[i] = where(damped, d.dof_work[i], d.qacc[i])
        advance(m, d, d.act_dot, d.dof_work, d.qvel)
    else:
        advance(m, d, d.act_dot, d.qacc, d.qvel)
    lap(d, TIMER_ADVANCE, begin)


@kernel
def factor_modified(m, d, A, shift):
    """H_factor, qHDiagInv <= of A + diag(shift); those of the last step, if it had the same"""
    if d.keep_factors == 1 and is_last_modified(m, d, A, shift):
        return
    factor(m, d, A, shift, d.H_factor, d.qHDiagInv)
    expose_factors(m, d, d.H_factor, d.qHDiagInv, d.qH)
    if d.keep_factors == 1:
        copy_into(m.nC, d.kept_M, A)
        copy_into(m.nv, d.kept_shift, shift)
        d.modified_kept = 1


@kernel
def is_last_modified(m, d, A, shift):
    """Whether kept_M and kept_shift are these, in all worlds"""
    other = splat(0.0 if d.modified_kept == 1 else 1.0)
    for k in range(m.nC):
        other = where(d.kept_M[k] == A[k], other, 1.0)
    for i in range(m.nv):
        other = where(d.kept_shift[i] == shift[i], other, 1.0)
    return all_lanes(other == 0.0)


@kernel
def has_damping(m):
    """Mask: worlds in which some joint has a damper to be integrated implicitly."""
    found = splat(0.0)
    if not m.opt.disableflags & (DSBL_EULERDAMP | DSBL_DAMPER):
        for i in range(m.nv):
            own = (m.dof_damping[i] > 0.0) | (m.dof_dampingpoly[i, 0] != 0.0)
            driven = m.jnt_actuatorid[m.dof_jntid[i]] != NO_ACTUATOR
            own = own | (m.dof_dampingpoly[i, 1] != 0.0) | driven
            found = where(own, 1.0, found)
            if all_lanes(found > 0.0):
                break
    return found > 0.0


@kernel
def implicit(m, d):
    """(qacc, forces) => qDeriv, qLU, next state"""
    begin = start(d)
    smooth_vel(m, d, WITH_BIAS)
    # (1)
    for k in range(m.nD):
        inertia = d.M[m.mapM2D[k]] if m.mapM2D[k] >= 0 else splat(0.0)
        d.qLU[k] = inertia - m.opt.timestep * d.qDeriv[k]
    factor_lu(m, d, d.qLU)
    total_force(m, d)
    solve_lu(m, d.qLU, d.dof_work)
    advance(m, d, d.act_dot, d.dof_work, d.qvel)
    lap(d, TIMER_ADVANCE, begin)


@kernel
def implicitfast(m, d):
    """(qacc, forces) => qDeriv, qH, qHDiagInv, next state"""
    begin = start(d)
    smooth_vel(m, d, WITHOUT_BIAS)
    # (1) in the structure of M
    for k in range(m.nC):
        d.modified_M[k] = d.M[k] - m.opt.timestep * d.qDeriv[m.mapD2M[k]]
    for j in range(m.njnt):
        if is_free_body(m, j):  # solved below; its block need not be positive definite
            for i in range(m.jnt_dofadr[j], m.jnt_dofadr[j] + 6):
                for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
                    d.modified_M[k] = d.M[k]
    factor_modified(m, d, d.modified_M, d.no_shift)
    total_force(m, d)
    solve(m, d.H_factor, d.qHDiagInv, d.dof_work)
    for j in range(m.njnt):
        if is_free_body(m, j):
            free_body(m, d, j)
    advance(m, d, d.act_dot, d.dof_work, d.qvel)
    lap(d, TIMER_ADVANCE, begin)


@kernel
def total_force(m, d):
    """dof_work <= F"""
    for i in range(m.nv):
        d.dof_work[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i]


@kernel
def free_body(m, d, j):
    """dof_work of a free rigid body => inverse(free_matrix) (its total force)"""
    adr = m.jnt_dofadr[j]
    free_matrix(m, d, j)
    for i in range(adr, adr + 6):
        d.dof_work[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i]
    solve6(d.body_mat, 0, d.dof_work, adr)


@kernel
def free_matrix(m, d, j):
    """Row 0 of body_mat <= M - h qDeriv + h dbias/dqvel of a free rigid body, 6x6"""
    adr = m.jnt_dofadr[j]
    for r in range(6):
        for c in range(6):
            d.body_mat[0, 6 * r + c] = -m.opt.timestep * d.qDeriv[m.D_rowadr[adr + r] + c]
    add_inertia(m, d, adr, d.M)
    free_bias(m, d, j)


@kernel
def discrete(m, d):
    """qacc => next state: it is the difference of velocities already"""
    begin = start(d)
    advance(m, d, d.act_dot, d.qacc, d.qvel)
    lap(d, TIMER_ADVANCE, begin)


# ------------------------------------------------------------------------------------- runge-kutta
# pipeline.py runs: rk_start; three times rk_stage, forward dynamics, rk_gather; rk_finish


@kernel
def rk_start(m, d):
    """Keep the state; k_1 is the forward dynamics that was just computed."""
    # the state, its rates, and the sums of (3)
    d.rk_time = d.time
    copy_into(m.nq, d.rk_qpos, d.qpos)
    for i in range(m.nv):
        d.rk_qvel[i] = d.qvel[i]
        d.rk_rate[i] = d.qvel[i]
        d.rk_dqpos[i] = d.qvel[i] / 6.0
        d.rk_dqvel[i] = d.qacc[i] / 6.0
    for k in range(m.na):
        d.rk_act[k] = d.act[k]
        d.rk_dact[k] = d.act_dot[k] / 6.0
    # what `advance` needs besides, as it is at the start
    copy_into(m.nout, d.rk_velocity, d.actuator_velocity)
    copy_into(m.nout, d.rk_actuator, d.actuator_length)
    copy_into(m.ntendon, d.rk_length, d.ten_length)
    copy_into(m.narm, d.rk_arm, d.ten_arm)


@kernel
def copy_into(n, to, source):
    for k in range(n):
        to[k] = source[k]


@kernel
def rk_stage(m, d, stage):
    """(2): (start, rates of the stage before) => state of stage 1, 2 (half a step) or 3 (whole)"""
    h = m.opt.timestep * (1.0 if stage == LAST_STAGE else 0.5)
    d.time = d.rk_time + h
    copy_into(m.nq, d.qpos, d.rk_qpos)
    integrate_pos(m, d.qpos, d.rk_rate, h)
    for i in range(m.nv):
        d.qvel[i] = d.rk_qvel[i] + d.qacc[i] * h
    for k in range(m.na):
        d.act[k] = d.rk_act[k] + d.act_dot[k] * h


@kernel
def rk_gather(m, d, stage):
    """(forward dynamics of the stage) => its rates, added to the weighted sums of (3)"""
    h = m.opt.timestep * (1.0 if stage == LAST_STAGE else 0.5)
    weight = 1.0 / 6.0 if stage == LAST_STAGE else 1.0 / 3.0
    # rates of positions: velocities, and (4) where they turn; u is h times the rate before
    for j in range(m.njnt):
        i, kind = m.jnt_dofadr[j], m.jnt_type[j]
        if kind == JNT_FREE:
            store3(d.rk_rate, i, load3(d.qvel, i))
            i += 3
        if kind == JNT_FREE or kind == JNT_BALL:
            store3(d.rk_rate, i, dexpinv(load3(d.rk_rate, i) * h, load3(d.qvel, i)))
        else:
            d.rk_rate[i] = d.qvel[i]
    # sums
    for i in range(m.nv):
        d.rk_dqpos[i] = d.rk_dqpos[i] + d.rk_rate[i] * weight
        d.rk_dqvel[i] = d.rk_dqvel[i] + d.qacc[i] * weight
    for k in range(m.na):
        d.rk_dact[k] = d.rk_dact[k] + d.act_dot[k] * weight


@kernel
def dexpinv(u, w):
    """(4): rate of the rotation vector u of a body that turns with w

    c is taken by its series where 1 - x cot x cancels. A rotation by more than half a turn stands
    for the shorter one to the same orientation.
    """
    # the shorter one
    angle = norm3(u)
    turns = rint(angle / TURN)
    u = u * where(turns > 0.0, 1.0 - turns * TURN / where(turns > 0.0, angle, 1.0), 1.0)
    # c, both ways
    uu = dot3(u, u)
    small = uu < 0.01
    x = 0.5 * sqrt(uu)
    s, c = sincos(x)
    series = 1.0 / 12.0 + uu * (1.0 / 720.0 + uu * (1.0 / 30240.0))
    whole = (1.0 - x * c / where(small, 1.0, s)) / where(small, 1.0, uu)
    uw = cross(u, w)
    return w + 0.5 * uw + cross(u, uw) * where(small, series, whole)


@kernel
def rk_back(m, d):
    """The state as it was at the start."""
    d.time = d.rk_time
    copy_into(m.nq, d.qpos, d.rk_qpos)
    copy_into(m.nv, d.qvel, d.rk_qvel)
    copy_into(m.na, d.act, d.rk_act)


@kernel
def rk_finish(m, d):
    """(start, weighted sums) => next state, and qacc as the mean acceleration

    Motors, setpoints on a circle and yielding springs advance by more than the state:
    they see what it was at the start.
    """
    rk_back(m, d)
    if m.nplastic > 0:
        copy_into(m.ntendon, d.ten_length, d.rk_length)
        copy_into(m.narm, d.ten_arm, d.rk_arm)
        show_arms(m, d)
    # actuator velocities for motors, lengths for setpoints on a circle
    turning = splat(0.0)
    for i in range(m.nactuator):
        if m.actuator_dyntype[i] == DYN_DCMOTOR and m.na > 0:
            copy_into(m.nout, d.actuator_velocity, d.rk_velocity)
        if DYN_INTEGRATOR <= m.actuator_dyntype[i] <= DYN_FILTEREXACT:
            turning = maximum(turning, setpoint_period(m, i))
    if any_lane(turning > 0.0):
        for o in range(m.nout):
            first = where(turning > 0.0, d.rk_actuator[o], d.actuator_length[o])
            d.actuator_length[o] = first
    # one step with the mean rates (3)
    advance(m, d, d.rk_dact, d.rk_dqvel, d.rk_dqpos)
    copy_into(m.nv, d.qacc, d.rk_dqvel)


# ----------------------------------------------------------------------------------------- advance


@kernel
def advance(m, d, act_dot, qacc, qvel):
    """(state, rates) => next state; positions move with qvel, which may be d.qvel itself"""
    record_history(m, d)
    advance_activation(m, d, act_dot)
    for i in range(m.nv):
        d.qvel[i] = d.qvel[i] + m.opt.timestep * qacc[i]
        d.qacc_warmstart[i] = d.qacc[i]
    integrate_pos(m, d.qpos, qvel, m.opt.timestep)
    advance_plastic(m, d, qvel)
    d.time = d.time + m.opt.timestep


@kernel
def integrate_pos(m, qpos, qvel, h):
    """qpos => where it is after moving with qvel for the time h"""
    for j in range(m.njnt):
        # the translation of a free joint, the rotation of a free or ball joint, or one number
        q, i, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
        if kind == JNT_FREE:
            store3(qpos, q, load3(qpos, q) + load3(qvel, i) * h)
            q += 3
            i += 3
        if kind == JNT_FREE or kind == JNT_BALL:
            w_PB_B = load3(qvel, i)
            speed = norm3(w_PB_B)
            s, c = sincos(0.5 * h * speed)
            axis = w_PB_B * (s / where(speed < MINVAL, 1.0, speed))
            turn = concat(vec(c), axis)
            store4(qpos, q, mul_quat(normalize4(load4(qpos, q)), turn))
        else:
            qpos[q] = qpos[q] + qvel[i] * h


@kernel
def differentiate_pos(m, qvel, h, qpos1, qpos2):
    """qvel <= the velocity that leads from qpos1 to qpos2 in the time h"""
    for j in range(m.njnt):
        q, i, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
        if kind == JNT_FREE:
            store3(qvel, i, (load3(qpos2, q) - load3(qpos1, q)) / h)
            q += 3
            i += 3
        if kind == JNT_FREE or kind == JNT_BALL:
            store3(qvel, i, sub_quat(load4(qpos2, q), load4(qpos1, q)) / h)
        else:
            qvel[i] = (qpos2[q] - qpos1[q]) / h
