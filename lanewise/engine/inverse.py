"""Inverse dynamics: the force that, applied in addition to all others, gives an acceleration.

    qfrc_inverse = M qacc + qfrc_bias - qfrc_passive - J' f(J qacc - aref)                  (1)

The forces f of constraints follow from the acceleration in closed form, as matrix_free.py of the
solver has them: nothing is solved, and the answer is unique.

A difference of velocities, (v+ - v)/h, is not the acceleration if the integrator is implicit. With
invdiscrete it is converted first, by what the integrator does in reverse: with A = M + h D the
integrator's matrix,

    qacc <= inverse(M) A qacc                                                               (2)

For the discrete integrator qacc means (v+ - v)/h always, and its metric is in the place of M.
"""

from ..lanes import any_lane, concat, kernel, splat, sqrt, vec, where
from ..mjconst import (
    DSBL_ACTUATION,
    ENBL_DIAGEXACT,
    ENBL_INVDISCRETE,
    INT_DISCRETE,
    INT_EULER,
    INT_IMPLICIT,
    INT_IMPLICITFAST,
    TIMER_CONSTRAINT,
    TIMER_INVERSE,
)
from .constraint.impedance import regularize_constraint
from .constraint.reference import reference_constraint
from .forces.actuation import read_controls
from .integrate.derivative import is_free_body, smooth_vel
from .integrate.discrete import (
    decoupled,
    discrete_mul,
    factor_metric,
    gyro_matrix,
    metric_terms,
)
from .integrate.integrators import free_matrix, has_damping
from .integrate.slopes import dof_damping_slope
from .smooth.inertia import mul_m, solve
from .solver.primal.matrix_free import constraint_force, forces_at, publish_forces
from .solver.slots import every_world
from .timing import lap, start


@kernel
def inverse_force(m, d):
    """(position and velocity stages, qacc) => qfrc_inverse, qfrc_constraint, forces"""
    # what the integrator's matrix depends on
    implicit = m.opt.integrator == INT_DISCRETE or m.opt.enableflags & ENBL_INVDISCRETE != 0
    if implicit and m.nactuator > 0 and not m.opt.disableflags & DSBL_ACTUATION:
        read_controls(m, d)
    if m.opt.integrator == INT_DISCRETE:
        metric_terms(m, d)
        if m.opt.enableflags & ENBL_DIAGEXACT:  # diagonals of rows ask for its factor
            factor_metric(m, d)
        regularize_constraint(m, d)
        reference_constraint(m, d)
    # qacc is converted in place (2), and given back in the end
    for i in range(m.nv):
        d.qacc_given[i] = d.qacc[i]
    if m.opt.enableflags & ENBL_INVDISCRETE:
        continuous_acceleration(m, d)
    # (1), term by term
    begin = start(d)
    constraint_at(m, d)
    constraint_force(m, d, d.qfrc_constraint)
    lap(d, TIMER_CONSTRAINT, begin)
    mul_m(m, d, d.qacc, d.dof_work)
    if m.opt.integrator == INT_DISCRETE:
        apply_metric(m, d)
    for i in range(m.nv):
        force = d.qfrc_bias[i] + d.dof_work[i] - d.qfrc_passive[i] - d.qfrc_constraint[i]
        d.qfrc_inverse[i] = force
        d.qacc[i] = d.qacc_given[i]


@kernel
def constraint_at(m, d):
    """qacc => forces and states of constraints"""
    forces_at(m, d, d.qacc)
    if d.want_forces:
        publish_forces(m, d)
    d.dual_made = 0  # no dual solver made them


@kernel
def continuous_acceleration(m, d):
    """qacc, a difference of velocities => the acceleration that the integrator would start from"""
    kind = m.opt.integrator
    damped = has_damping(m) if kind == INT_EULER else every_world()
    # A qacc in dof_work, as the integrator has A
    if kind == INT_EULER:
        mul_m(m, d, d.qacc, d.dof_work)
        for i in range(m.nv):
            added = m.opt.timestep * dof_damping_slope(m, d, i) * d.qacc[i]
            d.dof_work[i] = d.dof_work[i] + added
    elif kind == INT_IMPLICIT or kind == INT_IMPLICITFAST:
        smooth_vel(m, d, 1 if kind == INT_IMPLICIT else 0)
        mul_m(m, d, d.qacc, d.dof_work)
        for i in range(m.nv):
            mul_derivative(m, d, i, kind == INT_IMPLICITFAST)
        if kind == INT_IMPLICITFAST:
            for j in range(m.njnt):
                if is_free_body(m, j):
                    free_matrix(m, d, j)
                    mul_free(m, d, j, damped)
    else:
        return
    # inverse(M) A qacc; Euler's method converts only worlds that have damping
    solve(m, d.M_factor, d.qLDiagInv, d.dof_work)
    for i in range(m.nv):
        d.qacc[i] = where(damped, d.dof_work[i], d.qacc[i])


@kernel
def mul_derivative(m, d, i, symmetric):
    """dof_work[i] -= h qDeriv qacc; if symmetric, with the lower triangle in place of the upper"""
    adr, total = m.D_rowadr[i], splat(0.0)
    # if symmetric, a number above the diagonal is read as row j's column i
    for k in range(adr, adr + m.D_rownnz[i]):
        j = m.D_colind[k]
        at = m.D_rowadr[j] + m.D_diag[i] if symmetric and j > i else k
        total = total + d.qDeriv[at] * d.qacc[j]
    d.dof_work[i] = d.dof_work[i] - m.opt.timestep * total


@kernel
def mul_free(m, d, j, mask):
    """dof_work of a free rigid body <= body_mat qacc, in the worlds of mask"""
    adr = m.jnt_dofadr[j]
    for r in range(6):
        total = splat(0.0)
        for c in range(6):
            total = total + d.body_mat[0, 6 * r + c] * d.qacc[adr + c]
        d.dof_work[adr + r] = where(mask, total, d.dof_work[adr + r])


@kernel
def apply_metric(m, d):
    """dof_work, M qacc => what the discrete integrator's metric makes of qacc"""
    discrete_mul(m, d, d.qacc, d.dof_work)
    # free bodies have a matrix of their own, where nothing else is coupled to them
    for j in range(m.njnt):
        if is_free_body(m, j):
            gyro_matrix(m, d, j)
            mul_free(m, d, j, decoupled(m, d, m.jnt_dofadr[j]))
    # forces of springs and actuators by the motion of the step are on the other side
    for i in range(m.nv):
        d.dof_work[i] = d.dof_work[i] - d.efm_c[i] - d.efm_ca[i]


@kernel
def compare_fwdinv(m, d):
    """solver_fwdinv <= norms of the differences: forward minus inverse dynamics

    Of constraint forces, and of applied forces. What forward dynamics found is left as it was.
    Zeros in worlds without constraints.
    """
    some = d.nefc > 0.0
    if not any_lane(some):
        d.solver_fwdinv[0] = 0.0
        d.solver_fwdinv[1] = 0.0
        return
    # keep what forward dynamics found
    dual = d.dual_made
    keep_forces(m, d)
    for i in range(m.nv):
        d.qfrc_found[i] = d.qfrc_constraint[i]
        d.qfrc_asked[i] = d.qfrc_inverse[i]
    begin = start(d)
    inverse_force(m, d)
    lap(d, TIMER_INVERSE, begin)
    # differences, and forces as they were
    constraint, applied = splat(0.0), splat(0.0)
    for i in range(m.nv):
        x = d.qfrc_found[i] - d.qfrc_constraint[i]
        y = d.qfrc_smooth[i] - d.qfrc_passive[i] + d.qfrc_bias[i] - d.qfrc_inverse[i]
        constraint, applied = constraint + x * x, applied + y * y
        d.qfrc_constraint[i] = d.qfrc_found[i]
        d.qfrc_inverse[i] = d.qfrc_asked[i]
    d.solver_fwdinv[0] = where(some, sqrt(constraint), 0.0)
    d.solver_fwdinv[1] = where(some, sqrt(applied), 0.0)
    d.dual_made = dual
    restore_forces(d)


@kernel
def keep_forces(m, d):
    """con_found, row_found <= forces of constraints, and the accelerations that they follow from"""
    publish_forces(m, d)
    for k in range(d.ncon_most):
        d.con_found[k] = concat(d.con_jar[k], d.con_force[k])
    for a in range(d.nactive):
        r = d.active_row[a]
        d.row_found[r] = vec(d.row_jar[r], d.row_force[r], d.row_state[r])


@kernel
def restore_forces(d):
    """The way back; slots have those of inverse dynamics, and nobody needs them"""
    d.slots_unpublished = 0
    for k in range(d.ncon_most):
        found = d.con_found[k]
        d.con_jar[k] = found[0:6]
        d.con_force[k] = found[6:12]
    for a in range(d.nactive):
        r = d.active_row[a]
        found = d.row_found[r]
        d.row_jar[r] = found[0]
        d.row_force[r] = found[1]
        d.row_state[r] = found[2]
