"""The discrete integrator's dynamics: the acceleration that is right at the end of the step.

Springs and dampers are taken at the end of the step, to first order, with K and D their slopes.
There the velocity is v + h a and the position has moved by h (v + h a), so

    M a = f - D h a - K h (v + h a),   or
    (1)  (M + h D + h^2 K) qacc = qfrc_smooth - h K qvel,

and qacc is (v+ - v)/h, not an acceleration at one time. To keep the metric positive definite, every
slope is bounded by zero from below. The terms of joints are numbers on the diagonal, those of the
fluid (drag only) have the structure of M; with these, and the diagonals of all others, qH is
factorized. Of a passive force of the user's, the diagonal of its slope is taken. Tendons and
actuators couple dofs anywhere, with the row J of their length and the slopes k and b of their
force, as

    (2)  J' s J in the metric,   s = h (h k + b),   -J' h k (J qvel) on the right:

conjugate gradients, with qH as the preconditioner, solve for them. The PGS solver can not have such
couplings, and takes tendons and actuators explicitly.

Coriolis forces have no place in a symmetric metric. A free body that nothing else is coupled to has
them put back by a 6x6 solution of its own.
"""

from ...lanes import abs_, any_lane, highest, kernel, maximum, not_, splat, where
from ...mjconst import DSBL_ACTUATION, DSBL_DAMPER, DSBL_SPRING, MINVAL, SOL_PGS, WARN_INERTIA
from ..counters import warn
from ..forces.actuation import is_disabled
from ..smooth.inertia import expose_factors, factor, mul_m, solve
from ..spatial import dot6
from ..user import user_damping
from .derivative import add_inertia, free_bias, is_free_body
from .fluid_derivative import DRAG_ONLY, fluid_column, fluid_vel
from .lu import solve6
from .slopes import (
    actuator_slopes,
    dof_damping_slope,
    joint_stiffness,
    tendon_damping_slope,
    tendon_stiffness,
)  # fmt: skip

FAR, NAN = 1e300, float("nan")


@kernel
def discrete_acceleration(m, d):
    """(qfrc_smooth, M, state) => efm_*, qH, qHDiagInv, qacc_smooth: (1) without constraints"""
    metric_terms(m, d)
    for i in range(m.nv):
        d.qacc_smooth[i] = d.qfrc_smooth[i] + d.efm_c[i] + d.efm_ca[i]
    factor_metric(m, d)
    solve_metric(m, d, d.qacc_smooth)


@kernel
def factor_metric(m, d):
    """efm_*, metric_* => qH, qHDiagInv"""
    factor(m, d, d.modified_M, d.no_shift, d.H_factor, d.qHDiagInv)
    expose_factors(m, d, d.H_factor, d.qHDiagInv, d.qH)


@kernel
def metric_terms(m, d):
    """(M, state, controls) => efm_*, metric_*"""
    joint_terms(m, d)
    fluid_terms(m, d)
    tendon_terms(m, d)
    actuator_terms(m, d)
    # what all of them add to the diagonal of M
    for i in range(m.nv):
        k = m.M_rowadr[i] + m.M_rownnz[i] - 1
        d.efm_sdiag[i] = d.modified_M[k] - d.M[k]


@kernel
def joint_terms(m, d):
    """Springs and dampers of joints => efm_ck, efm_diag, efm_c, and the start of qH"""
    h = m.opt.timestep
    # efm_ck is h K
    for i in range(m.nv):
        d.efm_ck[i] = 0.0
        d.efm_ca[i] = 0.0
    if not m.opt.disableflags & DSBL_SPRING:
        for j in range(m.njnt):
            joint_stiffness(m, d, j)
    for i in range(m.nv):
        damping = splat(0.0)
        if not m.opt.disableflags & DSBL_DAMPER:
            damping = maximum(dof_damping_slope(m, d, i), 0.0)
        damping = damping + user_damping(m, d, i)
        d.efm_diag[i] = h * (damping + d.efm_ck[i])
        d.efm_c[i] = -d.efm_ck[i] * d.qvel[i]


@kernel
def fluid_terms(m, d):
    """Drag of the fluid => efm_fluid; qH = M + efm_fluid + efm_diag"""
    fluid = any_lane((m.opt.viscosity > 0.0) | (m.opt.density > 0.0))
    if m.opt.disableflags & DSBL_SPRING and m.opt.disableflags & DSBL_DAMPER:
        fluid = False
    if fluid:
        fluid_vel(m, d, DRAG_ONLY)
    for i in range(m.nv):
        # a row of -h d(drag)/d(qvel), and of qH
        adr = m.M_rowadr[i]
        n = m.M_rownnz[i]
        if fluid:
            column = fluid_column(m, d, i) * -m.opt.timestep
            for k in range(adr, adr + n):
                d.efm_fluid[k] = dot6(column, d.cdof[m.M_colind[k]])
        else:
            for k in range(adr, adr + n):
                d.efm_fluid[k] = 0.0
        for k in range(adr, adr + n):
            d.modified_M[k] = d.M[k] + d.efm_fluid[k]
        d.modified_M[adr + n - 1] = d.modified_M[adr + n - 1] + d.efm_diag[i]


@kernel
def tendon_terms(m, d):
    """Springs and dampers of tendons => metric_tendon, and their shares of efm_c and qH"""
    h = m.opt.timestep
    for t in range(m.ntendon):
        stiffness, damping = splat(0.0), splat(0.0)
        if m.opt.solver != SOL_PGS:
            if not m.opt.disableflags & DSBL_SPRING:
                stiffness = tendon_stiffness(m, d, t)
            if not m.opt.disableflags & DSBL_DAMPER:
                damping = maximum(tendon_damping_slope(m, d, t), 0.0)
        # (2)
        s, shift = h * (h * stiffness + damping), -h * stiffness * d.ten_velocity[t]
        d.metric_tendon[t] = s
        for k in range(m.arm_rowadr[t], m.arm_rowadr[t] + m.arm_rownnz[t]):
            add_arm(m, d, m.arm_colind[k], d.ten_arm[k], s, shift, d.efm_c)


@kernel
def actuator_terms(m, d):
    """Position and velocity gains of actuators => metric_actuator, efm_ca, and their share of qH"""
    h = m.opt.timestep
    for i in range(m.nactuator):
        d.metric_actuator[i] = 0.0
        off = m.opt.solver == SOL_PGS or m.opt.disableflags & DSBL_ACTUATION
        if off or is_disabled(m, i):
            continue
        by_length, by_velocity = actuator_slopes(m, d, i)
        # (2), which stays NaN if it is
        stiffness, damping = maximum(0.0, -by_length), maximum(0.0, -by_velocity)
        s = h * (h * stiffness + damping)
        d.metric_actuator[i] = s
        for o in range(m.actuator_outadr[i], m.actuator_outadr[i] + m.actuator_outnum[i]):
            shift = -h * stiffness * d.actuator_velocity[o]
            for k in range(m.trn_rowadr[o], m.trn_rowadr[o] + m.trn_rownnz[o]):
                add_arm(m, d, m.trn_colind[k], d.trn_J[k], s, shift, d.efm_ca)


@kernel(inline=True)
def add_arm(m, d, i, J, s, shift, c):
    """One number J of a row, at dof i: modified_M += the diagonal of J' s J, c += J' shift"""
    k = m.M_rowadr[i] + m.M_rownnz[i] - 1
    d.modified_M[k] = d.modified_M[k] + s * J * J
    c[i] = c[i] + shift * J


@kernel
def discrete_mul(m, d, x, y):
    """y += (h D + h^2 K) x"""
    # joints on the diagonal, the fluid in the structure of M
    for i in range(m.nv):
        y[i] = y[i] + d.efm_diag[i] * x[i]
        last = m.M_rowadr[i] + m.M_rownnz[i] - 1
        for k in range(m.M_rowadr[i], last + 1):
            j = m.M_colind[k]
            y[i] = y[i] + d.efm_fluid[k] * x[j]
            if j < i:
                y[j] = y[j] + d.efm_fluid[k] * x[i]
    # couplings: J' s J
    for t in range(m.ntendon):
        adr, n, s = m.arm_rowadr[t], m.arm_rownnz[t], d.metric_tendon[t]
        mul_row(adr, n, m.arm_colind, d.ten_arm, s, x, y)
    for i in range(m.nactuator):
        s = d.metric_actuator[i]
        for o in range(m.actuator_outadr[i], m.actuator_outadr[i] + m.actuator_outnum[i]):
            mul_row(m.trn_rowadr[o], m.trn_rownnz[o], m.trn_colind, d.trn_J, s, x, y)


@kernel
def mul_row(adr, n, colind, J, s, x, y):
    """y += J' s J x"""
    if any_lane(s != 0.0):
        sJx = splat(0.0)
        for k in range(adr, adr + n):
            sJx = sJx + J[k] * x[colind[k]]
        sJx = s * sJx
        for k in range(adr, adr + n):
            y[colind[k]] = y[colind[k]] + J[k] * sJx


@kernel
def solve_metric(m, d, x):
    """x <= inverse(M + h D + h^2 K) x, as far as opt.tolerance asks

    Conjugate gradients with the preconditioner qH: r is the residual, z = inverse(qH) r, p the
    direction. Worlds are frozen one by one as they converge. Without couplings, qH alone is the
    solution.
    """
    # without couplings: done
    coupled = splat(0.0)
    for t in range(m.ntendon):
        coupled = coupled + d.metric_tendon[t]
    for i in range(m.nactuator):
        coupled = coupled + d.metric_actuator[i]
    for i in range(m.nv):
        d.cg_r[i] = x[i]
    solve(m, d.H_factor, d.qHDiagInv, x)
    if not any_lane(coupled != 0.0):
        return
    # r is the right side, p = z
    rz, rr = splat(0.0), splat(0.0)
    for i in range(m.nv):
        d.cg_p[i] = x[i]
        rz = rz + d.cg_r[i] * d.cg_p[i]
        rr = rr + d.cg_r[i] * d.cg_r[i]
    # start from zero, or end with NaN where numbers are too large
    start = where(rz > FAR, NAN, 0.0)
    for i in range(m.nv):
        x[i] = where(coupled != 0.0, start, x[i])
    run = (coupled != 0.0) & (rr > MINVAL) & (start == 0.0)
    small = m.opt.tolerance * m.opt.tolerance * rr
    for _ in range(m.opt.iterations):
        if not any_lane(run):
            break
        # q = metric p, and the step along p to the least energy; NaN stays NaN
        mul_m(m, d, d.cg_p, d.cg_q)
        discrete_mul(m, d, d.cg_p, d.cg_q)
        curvature, rr = splat(0.0), splat(0.0)
        for i in range(m.nv):
            curvature = curvature + d.cg_p[i] * d.cg_q[i]
        run = run & not_(curvature <= 0.0)
        step = rz / where(run, curvature, 1.0)
        # move, and take what that explains from the residual
        for i in range(m.nv):
            x[i] = where(run, x[i] + step * d.cg_p[i], x[i])
            r = d.cg_r[i] - step * d.cg_q[i]
            d.cg_r[i] = r
            d.cg_z[i] = r
            rr = rr + r * r
        run = run & (rr >= small)
        # the next direction: z, made conjugate to p
        solve(m, d.H_factor, d.qHDiagInv, d.cg_z)
        last = rz
        rz = splat(0.0)
        for i in range(m.nv):
            rz = rz + d.cg_r[i] * d.cg_z[i]
        for i in range(m.nv):
            d.cg_p[i] = d.cg_z[i] + d.cg_p[i] * (rz / last)
    # worlds that ran out of iterations: a warning about the dof with the largest residual
    if any_lane(run):
        worst, size = splat(0.0), splat(-1.0)
        for i in range(m.nv):
            larger = abs_(d.cg_r[i]) > size
            worst = where(larger, i * 1.0, worst)
            size = where(larger, abs_(d.cg_r[i]), size)
        warn(d, WARN_INERTIA, run, worst)


@kernel
def discrete_gyro(m, d):
    """qacc of free bodies that nothing is coupled to, with the slope of their Coriolis force"""
    for j in range(m.njnt):
        if is_free_body(m, j):
            adr = m.jnt_dofadr[j]
            alone = decoupled(m, d, adr)
            if any_lane(alone):
                gyro_matrix(m, d, j)
                for i in range(adr, adr + 6):
                    d.dof_work[i] = d.qfrc_smooth[i] + d.efm_c[i] + d.efm_ca[i]
                solve6(d.body_mat, 0, d.dof_work, adr)
                for i in range(adr, adr + 6):
                    d.qacc[i] = where(alone, d.dof_work[i], d.qacc[i])


@kernel
def gyro_matrix(m, d, j):
    """Row 0 of body_mat <= M + h D + h^2 K + h dbias/dqvel of a free rigid body, 6x6"""
    adr = m.jnt_dofadr[j]
    for k in range(36):
        d.body_mat[0, k] = 0.0
    for i in range(6):
        d.body_mat[0, 7 * i] = d.efm_diag[adr + i]
    add_inertia(m, d, adr, d.M)
    add_inertia(m, d, adr, d.efm_fluid)
    free_bias(m, d, j)


@kernel
def decoupled(m, d, adr):
    """Mask: worlds where no constraint, nor tendon or actuator of the metric, has the six dofs"""
    other = splat(0.0)
    root = m.body_rootid[m.dof_bodyid[adr]]
    # contacts of the tree's bodies
    for k in range(highest(d.ncon)):
        on = (d.ncon > k) & (d.con_on[k] > 0.0)
        b1, b2 = where(on, d.con_body1[k], 0.0), where(on, d.con_body2[k], 0.0)
        mine = (m.body_rootid[b1] == root) | (m.body_rootid[b2] == root)
        other = where(on & mine, 1.0, other)
    # static rows with a number for one of its dofs
    for a in range(d.nactive):
        r = d.active_row[a]
        for k in range(m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]):
            if adr <= m.row_colind[k] < adr + 6:
                other = where((d.row_on[r] > 0.0) & (d.row_J[k] != 0.0), 1.0, other)
    # tendons and actuators of the metric
    for t in range(m.ntendon):
        for k in range(m.ten_J_rowadr[t], m.ten_J_rowadr[t] + m.ten_J_rownnz[t]):
            if adr <= m.ten_J_colind[k] < adr + 6:
                other = other + d.metric_tendon[t]
    for i in range(m.nactuator):
        for o in range(m.actuator_outadr[i], m.actuator_outadr[i] + m.actuator_outnum[i]):
            for k in range(m.trn_rowadr[o], m.trn_rowadr[o] + m.trn_rownnz[o]):
                if adr <= m.trn_colind[k] < adr + 6:
                    other = other + d.metric_actuator[i]
    return other == 0.0
