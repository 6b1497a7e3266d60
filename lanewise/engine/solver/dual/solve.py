"""The dual solvers: PGS, and noslip after any solver.

The problem is made of the constraints (problem.py), and each world is solved island after island
(grouping.py, turns.py). PGS, pgs.py, sweeps over all constraints; noslip, noslip.py, over friction
alone. Elliptic contacts are in cones.py and qcqp.py.
"""

from ....lanes import kernel
from ....mjconst import SOL_PGS
from ..primal.iteration_log import forget_statistics
from .grouping import find_islands
from .problem import finish, make_problem, start_forces
from .turns import take_turns


@kernel
def solve_dual(m, d):
    """(constraints, qacc_smooth, a first qacc) => efc_force, efc_state, qfrc_constraint, qacc

    PGS starts from qacc_warmstart. Noslip alone goes on from the qacc of a primal solver. Where
    nothing moves there is no tree, and no memory for islands.
    """
    if m.nv == 0:
        return
    if m.opt.solver == SOL_PGS:
        make_problem(m, d, d.qacc_warmstart)
        forget_statistics(d)
    else:
        make_problem(m, d, d.qacc)
    start_forces(m, d)
    find_islands(m, d)
    take_turns(m, d)
    finish(m, d)
