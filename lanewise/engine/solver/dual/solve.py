"""The dual solvers: PGS, and noslip after any solver.

The problem is made for eight worlds at once (problem.py), then solved world after world (world.py)
and island after island (grouping.py). PGS, pgs.py, sweeps over all constraints; noslip, noslip.py,
over friction alone. Small problems within a sweep are in block.py and qcqp.py.
"""

from ....lanes import W, kernel, mask_of, where
from ....mjconst import DSBL_ISLAND, SOL_PGS
from ...constraint.efc import room
from ..primal.iteration_log import forget_statistics
from .grouping import group_rows, inertia_scale
from .noslip import noslip_island
from .pgs import pgs_island, start_forces
from .problem import finish, prepare
from .world import close_world, count_sweeps, open_world


@kernel
def solve_dual(m, d):
    """(efc_*, qacc_smooth, a first qacc) => efc_force, efc_state, qfrc_constraint, qacc

    PGS starts from qacc_warmstart. Noslip alone goes on from the qacc of a primal solver.
    """
    # rows, whitened, and an acceleration to start from
    if m.opt.solver == SOL_PGS:
        prepare(m, d, d.qacc_warmstart)
        forget_statistics(d)
    else:
        prepare(m, d, d.qacc)
    for w in range(W):
        # one world: its rows, by islands
        n = open_world(m, d, w)
        group_rows(m, d, n, w)
        if m.opt.solver == SOL_PGS:
            start_forces(m, d, n, w)
        # islands by rising first tree t; dual_count[t] is the end of its rows
        first, island = 0, 0
        for t in range(m.ntree):
            number = d.dual_count[t] - first
            if number > 0:
                solve_island(m, d, first, number, inertia_scale(m, d, t, w), island, w)
                island += 1
            first += number
        if m.opt.solver == SOL_PGS and not m.opt.disableflags & DSBL_ISLAND:
            d.nisland = where(mask_of(1 << w), island * 1.0, d.nisland)
        close_world(d, n, room(m, d), w)
    finish(m, d)


@kernel
def solve_island(m, d, first, n, scale, island, w):
    """dual_force of n rows of dual_row, and what it took"""
    if m.opt.solver == SOL_PGS:
        count_sweeps(d, island, pgs_island(m, d, first, n, scale, island, w), n, w)
    if m.opt.noslip_iterations > 0:
        count_sweeps(d, island, noslip_island(m, d, first, n, scale, island, w), 0, w)
