"""Forces to acceleration: without constraints, then with them.

    M qacc_smooth = qfrc_smooth                                                             (1)
    M qacc = qfrc_smooth + qfrc_constraint                                                  (2)

The discrete integrator has its metric in the place of M (integrate/discrete.py).
"""

from ..lanes import any_lane, kernel
from ..mjconst import INT_DISCRETE, SOL_PGS, TIMER_CONSTRAINT
from .constraint.impedance import regularize_constraint
from .constraint.reference import reference_constraint
from .integrate.discrete import discrete_acceleration, discrete_gyro
from .smooth.inertia import solve
from .smooth.tendon import last_dof
from .solver.dual.solve import solve_dual
from .solver.primal.solve import solve_primal
from .spatial import cross, dot3
from .timing import lap, start


@kernel
def fwd_acceleration(m, d):
    """(qfrc_*, xfrc_applied, qLD) => (qfrc_smooth, qacc_smooth)"""
    # all forces but those of constraints
    for i in range(m.nv):
        d.qfrc_smooth[i] = (
            d.qfrc_passive[i] - d.qfrc_bias[i] + d.qfrc_applied[i] + d.qfrc_actuator[i]
        )
    # wrenches on bodies, of which most are zero in all worlds
    for b in range(1, m.nbody):
        F = d.xfrc_applied[b]
        applied = (F[0] != 0.0) | (F[1] != 0.0) | (F[2] != 0.0)
        applied = applied | (F[3] != 0.0) | (F[4] != 0.0) | (F[5] != 0.0)
        if any_lane(applied):
            apply_wrench(m, d, b, F[0:3], F[3:6])
    # (1)
    if m.opt.integrator == INT_DISCRETE:
        discrete_acceleration(m, d)
        regularize_constraint(m, d)  # the metric is theirs too
        reference_constraint(m, d)
    else:
        for i in range(m.nv):
            d.qacc_smooth[i] = d.qfrc_smooth[i]
        solve(m, d.M_factor, d.qLDiagInv, d.qacc_smooth)


@kernel
def apply_wrench(m, d, b, f_Bcm_W, t_W):
    """Add to qfrc_smooth a force at the centre of mass of b, and a torque: J' of both

    J has zeros for all dofs that do not move b, also if none does: an infinite wrench spoils all.
    """
    zeros = (f_Bcm_W + t_W) * 0.0
    zero = zeros[0] + zeros[1] + zeros[2]
    if any_lane(zero != 0.0):
        for i in range(m.nv):
            d.qfrc_smooth[i] = d.qfrc_smooth[i] + zero
    r = d.xipos[b] - d.subtree_com[m.body_rootid[b]]
    t_C = t_W + cross(r, f_Bcm_W)
    i = last_dof(m, b)
    while i >= 0:
        axis = d.cdof[i]
        d.qfrc_smooth[i] = d.qfrc_smooth[i] + dot3(axis[0:3], t_C) + dot3(axis[3:6], f_Bcm_W)
        i = m.dof_parentid[i]


@kernel
def fwd_constraint(m, d):
    """(qacc_smooth, constraints) => (qacc, qfrc_constraint, forces of constraints)"""
    begin = start(d)
    # (2): by Newton or CG, or by PGS; noslip comes after either
    if m.opt.solver != SOL_PGS:
        solve_primal(m, d)
    if m.opt.solver == SOL_PGS or m.opt.noslip_iterations > 0:
        solve_dual(m, d)
    if m.opt.integrator == INT_DISCRETE:
        discrete_gyro(m, d)
    lap(d, TIMER_CONSTRAINT, begin)
