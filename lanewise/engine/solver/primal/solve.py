"""The acceleration under constraints: the minimum of a convex cost over qacc.

    cost(a) = (a - qacc_smooth)' M (a - qacc_smooth) / 2 + s(J a - aref)                    (1)

s is the sum of the constraints' costs (matrix_free.py). The gradient is

    M a - M qacc_smooth - J' f,     f = -s'(J a - aref)                                     (2)

in which M qacc_smooth is the sum of all other forces, sol_force. The search starts from the
acceleration of the last step, or from the one without constraints if that costs less. Each island
of a world is solved for itself (islands.py), by newton.py or cg.py.
"""

from ....lanes import W, all_lanes, any_lane, concat, kernel, lane_mask, mask_of, not_, splat, where
from ....mjconst import DSBL_WARMSTART, INT_DISCRETE, NISLAND, SOL_NEWTON
from ...spatial import dot6
from ..heap.contacts import arrange
from ..heap.descent import newton_heap
from ..heap.graph import lay_out_heap
from ..slots import CROWD, every_world, no_world, run_slots
from .cg import conjugate_gradients
from .coupling import couple
from .edges import edges_at, edges_energy, has_edges, stiff_or
from .islands import find_islands, list_islands
from .iteration import mul_metric
from .iteration_log import count_iterations, forget_statistics
from .matrix_free import (
    angular,
    clear_wrenches,
    forces_at,
    motion,
    mul_J_rows,
    publish_forces,
    push_wrench,
    row_cost,
    row_forces,
    slot_energy,
    slot_force,
    slot_of_motion,
)
from .newton import newton


@kernel
def solve_primal(m, d):
    """(M, qacc_smooth, qfrc_smooth, constraints) => qacc, qfrc_constraint, forces, states

    The Hessian of a gang has the couplings of all eight worlds. In a crowd of robots, where every
    world has others, they would fill it: there it is better to take one world at a time, which
    changes no bit. Heaps of loose bodies have a Hessian for each world anyway (heap/).
    """
    if d.ncon_most + d.nactive == 0:
        solve_free(m, d)
        return
    arrange(m, d)
    # many slots for few contacts: worlds have hardly any slot in common
    if d.is_heap == 0 and m.ngroup >= CROWD and d.nslot > 2 * d.ncon_most:
        solve_one_by_one(m, d)
    else:
        solve_gang(m, d, every_world())
        if d.want_forces:
            publish_forces(m, d)


@kernel
def solve_free(m, d):
    """No world of the gang has a constraint: qacc is qacc_smooth"""
    d.nslot = 0
    d.slots_unpublished = 0
    for i in range(m.nv):
        d.qacc[i] = d.qacc_smooth[i]
        d.qfrc_constraint[i] = 0.0
    forget_statistics(d)


@kernel
def solve_one_by_one(m, d):
    """solve_gang for every world, the others without their contacts"""
    ncon, nisland, first = d.ncon, splat(0.0), True
    for w in range(W):
        # world w alone; the first such gang also serves the worlds without contacts
        mine = mask_of(1 << w)
        if any_lane(mine & (ncon > 0.0)):
            if first:
                mine = mine | (ncon == 0.0)
            first = False
            d.ncon = where(mine, ncon, 0.0)
            arrange(m, d)
            solve_gang(m, d, mine)
            # keep what this world has got
            nisland = where(mine, d.nisland, nisland)
            for k in range(NISLAND):
                d.alone_niter[k] = where(mine, d.solver_niter[k], d.alone_niter[k])
            for i in range(m.nv):
                d.alone_qacc[i] = where(mine, d.qacc[i], d.alone_qacc[i])
                d.alone_force[i] = where(mine, d.qfrc_constraint[i], d.alone_force[i])
    # all worlds together again
    d.ncon = ncon
    d.nisland = nisland
    for k in range(NISLAND):
        d.solver_niter[k] = d.alone_niter[k]
    for i in range(m.nv):
        d.qacc[i] = d.alone_qacc[i]
        d.qfrc_constraint[i] = d.alone_force[i]
    d.slots_unpublished = 0
    # forces of contacts, for those who read them: from the final qacc
    if d.want_forces:
        forces_at(m, d, d.qacc)
        publish_forces(m, d)


@kernel
def solve_gang(m, d, worlds):
    """solve_primal of some worlds, with slots that are arranged; con_force is left in the slots"""
    d.slots_unpublished = 0
    forget_statistics(d)
    # M qacc_smooth of (1): the forces that there are without constraints
    for i in range(m.nv):
        force = d.qfrc_smooth[i]
        if m.opt.integrator == INT_DISCRETE:
            force = force + d.efm_c[i] + d.efm_ca[i]
        d.sol_force[i] = force
    if d.nslot + d.nactive == 0:
        solve_free(m, d)
        return
    # which constraints there are, and what they couple
    run_slots(m, d, every_world())
    if d.is_heap == 1:
        lay_out_heap(m, d)
    else:
        find_islands(m, d)
    # from the better of two starts to the minimum
    start(m, d)
    list_islands(m, d)
    if d.is_heap == 1:
        solve_heap(m, d)
    elif m.opt.solver == SOL_NEWTON and couple(m, d):
        newton(m, d, worlds)
    else:
        conjugate_gradients(m, d, worlds)
    count_iterations(d)
    d.slots_unpublished = 1


@kernel
def solve_heap(m, d):
    """Newton for the worlds whose factor has room, then conjugate gradients for the others"""
    used = lane_mask(d.nworld)
    mine = used & (d.heap_fits > 0.0)
    others = used & not_(mine)
    if any_lane(mine):
        newton_heap(m, d, mine)
    # from here on only the constraints of the others count
    if any_lane(others):
        run_slots(m, d, others)
        stand_again(m, d)
        conjugate_gradients(m, d, others)


@kernel
def stand_again(m, d):
    """The forces and wrenches where the slots that run are now"""
    clear_wrenches(m, d)
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        stand_at(m, d, s, concat(d.slot_u[s], angular(d, d.slot_w, s)))
    row_forces(m, d)


@kernel
def start(m, d):
    """The better of qacc_warmstart and qacc_smooth => qacc, Ma, jar, and the forces there

    Trees without a constraint are done at qacc_smooth.
    """
    warm = no_world()
    if m.opt.disableflags & DSBL_WARMSTART:
        go_to(m, d, d.qacc_smooth)
    else:
        warm = try_warm_start(m, d)
    # qacc and M qacc; trees without constraints are at their minimum: nothing of them counts
    for i in range(m.nv):
        on = d.tree_on[m.dof_treeid[i]] > 0.0
        mine, force = warm & on, where(on, d.sol_force[i], 0.0)
        d.qacc[i] = where(mine, d.qacc_warmstart[i], d.qacc_smooth[i])
        d.sol_force[i] = force
        d.sol_Ma[i] = where(mine, d.sol_Mv[i], force)
    row_forces(m, d)


@kernel
def go_to(m, d, x):
    """An acceleration x => slot_u, slot_w, row_jar, wrenches; twice the cost of contacts there"""
    motion(m, d, x, d.body_V2)
    mul_J_rows(m, d, x, d.row_jar, 1)
    clear_wrenches(m, d)
    twice = splat(0.0)
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        u = slot_of_motion(m, d, d.body_V2, x, s, 1)
        if has_edges(d, s):
            edges_at(m, d, s, x, d.slot_edge, 1)
        twice = twice + stand_at(m, d, s, u)
    return twice


@kernel
def stand_at(m, d, s, u):
    """A slot at u, six numbers => slot_u, slot_w, slot_E, its wrench; twice its cost"""
    d.slot_u[s] = u[0:3]
    if d.slot_turns[s] == 1:
        d.slot_w[s] = u[3:6]
    f = slot_force(m, d, s, u[0:3], u[3:6])
    energy = -dot6(u, f)
    if has_edges(d, s):
        energy = stiff_or(d, s, edges_energy(d, s, d.slot_edge), energy)
    d.slot_E[s] = energy
    push_wrench(m, d, s, f)
    return energy


@kernel
def try_warm_start(m, d):
    """To qacc_warmstart in the worlds where it does not cost more than qacc_smooth: these worlds

    As costs are positive, that is often known after the first contacts. A cost that is not a number
    is not more: where a world is spoiled, it stays so. That of an infinite acceleration is none.
    """
    # twice the cost (1) of qacc_warmstart: contacts, metric, static rows
    warm = go_to(m, d, d.qacc_warmstart)
    mul_metric(m, d, d.qacc_warmstart, d.sol_Mv)
    known = splat(0.0)
    for i in range(m.nv):
        way = d.qacc_warmstart[i] - d.qacc_smooth[i]
        warm = warm + way * (d.sol_Mv[i] - d.sol_force[i])
        known = known + 0.0 * d.qacc_warmstart[i]
    warm = warm + 2.0 * row_cost(m, d, d.row_jar) + known
    # that of qacc_smooth, in which the metric has no part, contact by contact
    motion(m, d, d.qacc_smooth, d.body_V2)
    mul_J_rows(m, d, d.qacc_smooth, d.row_dir, 1)
    cold = 2.0 * row_cost(m, d, d.row_dir)
    for e in range(d.nrun_slot):
        # every fourth contact: has qacc_smooth cost more by now in all worlds?
        if e & 3 == 0 and all_lanes((warm <= cold) | (d.nefc == 0.0)):
            return every_world()
        s = d.run_slot[e]
        u = slot_of_motion(m, d, d.body_V2, d.qacc_smooth, s, 1)
        energy = slot_energy(m, d, s, u[0:3], u[3:6])
        if has_edges(d, s):
            edges_at(m, d, s, d.qacc_smooth, d.slot_dedge, 1)
            energy = stiff_or(d, s, edges_energy(d, s, d.slot_dedge), energy)
        cold = cold + energy
    # go back where qacc_smooth is better
    better = not_(warm > cold)
    if not all_lanes(better):
        go_back(m, d, better)
    return better


@kernel
def go_back(m, d, warm):
    """To qacc_smooth, whose motion is in body_V2, in the worlds that are not `warm`"""
    clear_wrenches(m, d)
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        u = concat(d.slot_u[s], angular(d, d.slot_w, s))
        if has_edges(d, s):
            d.slot_edge[s] = where(warm, d.slot_edge[s], d.slot_dedge[s])
        stand_at(m, d, s, where(warm, u, slot_of_motion(m, d, d.body_V2, d.qacc_smooth, s, 1)))
    for a in range(d.nrun_row):
        r = d.run_row[a]
        d.row_jar[r] = where(warm, d.row_jar[r], d.row_dir[r])
