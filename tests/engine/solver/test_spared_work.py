"""Work that solvers spare, and that nobody can see in their answers.

Kernels run as plain Python here, so that a test can look on: what is called how often, and that the
short way has the bits, or the numbers, of the long one.
"""

from collections import Counter

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.constraint.make import make_constraint
from lanewise.engine.smooth.inertia import mul_m
from lanewise.engine.solver.dual import directions, lines, matrix, noslip
from lanewise.engine.solver.dual.solve import solve_dual
from lanewise.engine.solver.primal import cg, iteration, linesearch
from lanewise.engine.solver.primal.solve import solve_primal
from support.solving import load_mujoco, settled, solved

CG = 1
pytestmark = pytest.mark.filterwarnings("ignore:invalid value")  # of worlds that are not there


def counted(monkeypatch, *places) -> Counter:
    """How often kernels, as (module, name), are called from now on."""
    calls: Counter = Counter()

    def counting(kernel, name):
        def count(*arguments):
            calls[name] += 1
            return kernel(*arguments)

        return count

    for module, name in places:
        monkeypatch.setattr(module, name, counting(getattr(module, name), name))
    return calls


# ---- conjugate gradients


@pytest.fixture(params=[0, 1], ids=["pyramidal", "elliptic"])
def lying(request):
    """Humanoids that came down each in its own way, for conjugate gradients."""
    mj = load_mujoco("humanoid", cone=request.param, solver=CG, iterations=8)
    states = settled(mj, steps=400)
    m = lw.load(mj)
    return m, lw.put_data(m, states), states


def test_lines_without_gaps(lying, monkeypatch):
    """Slopes of packed contacts and limits have the bits of those that are taken slot by slot."""
    m, d, states = lying
    seen = []

    def twice(name, kernel):
        def both(*arguments):
            kernel(*arguments)
            s = arguments[1]
            if s.is_packed == 1:
                packed = np.array(s.island_sum[0])
                s.is_packed = 0
                kernel(*arguments)
                s.is_packed = 1
                run = s.island_run[0] > 0.0
                assert np.array_equal(packed[:, run], np.array(s.island_sum[0])[:, run])
                seen.append((name, s.npack_slot, s.nrun_slot, s.npack_row, s.nrun_row))

        return both

    monkeypatch.setattr(linesearch, "slopes", twice("slopes", linesearch.slopes))
    monkeypatch.setattr(iteration, "exact_change", twice("exact_change", iteration.exact_change))
    d.struct.want_solver = 1  # so that exact_change is called
    solve_primal(m.struct, d.struct)
    assert {name for name, *_ in seen} == {"slopes", "exact_change"}
    _, packed, slots, limits, rows = seen[0]
    assert packed == max(state.ncon for state in states)
    assert packed < slots
    assert limits < rows
    # and compiled, a world alone has the same bits
    together = solved(m, states)
    for w, state in enumerate(states[:3]):
        assert np.array_equal(solved(m, [state]).qacc, together.qacc[w])


def test_changes_that_surely_matter_are_not_computed_exactly(lying, monkeypatch):
    m, _, states = lying
    calls, results, numbers = counted(monkeypatch, (iteration, "exact_change")), [], []
    for wanted in (1, 0):
        d = lw.put_data(m, states)
        d.struct.want_solver = wanted
        before = calls["exact_change"]
        solve_primal(m.struct, d.struct)
        results.append((np.array(d.qacc), d.arrays["solver_niter"].copy()))
        numbers.append(calls["exact_change"] - before)
    assert numbers[0] > numbers[1]
    for a, b in zip(*results, strict=True):
        assert np.array_equal(a, b)


def test_the_direction_brings_its_product_with_M(lying, monkeypatch):
    """By recurrence: no product with M after the start."""
    m, d, _ = lying
    iterate, errors = cg.iterate, []

    def looked_at(m_, s, k, is_newton):
        mul_m(m_, s, s.sol_search, s.dof_work)
        product, brought = d.arrays["dof_work"], d.arrays["sol_Mv"]
        errors.append(np.abs(product - brought).max() / np.abs(product).max())
        iterate(m_, s, k, is_newton)

    def refused(*_):
        raise AssertionError("a product with M")

    monkeypatch.setattr(cg, "iterate", looked_at)
    monkeypatch.setattr(cg, "mul_metric", refused)
    solve_primal(m.struct, d.struct)
    assert len(errors) > 5
    assert max(errors) < 1e-10


# ---- the dual problem

LIMITED = """
<mujoco>
  <option cone="{cone}" solver="{solver}" noslip_iterations="{noslip}" iterations="8"/>
  <default><joint type="hinge" limited="true" range="-20 20" axis="0 1 .1"/></default>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 .3">
      <freejoint/>
      <geom type="box" size=".1 .1 .1"/>
      <body pos=".15 0 0">
        <joint/>
        <geom type="capsule" size=".04" fromto="0 0 0 .2 0 0"/>
        <body pos=".25 0 0"><joint/><geom type="capsule" size=".04" fromto="0 0 0 .2 0 0"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def bent(solver: str, noslip: int = 0, cone: str = "pyramidal"):
    """Worlds on the ground in which joints are at their lower limits, their upper ones, or both
    kinds: a model, a Data that is ready to be solved, and MuJoCo's."""
    mj = mujoco.MjModel.from_xml_string(LIMITED.format(solver=solver, noslip=noslip, cone=cone))
    m, states = lw.load(mj), []
    for signs in ((-1, 1), (1, 1), (-1, -1), (1, -1)):
        state = mujoco.MjData(mj)
        state.qpos[2] = 0.09
        state.qpos[7:] = 0.4 * np.array(signs)
        state.qvel[:] = 0.3
        mujoco.mj_forward(mj, state)
        assert state.ncon > 2
        states.append(state)
    d = lw.put_data(m, states)
    make_constraint(m.struct, d.struct)
    if solver != "PGS":
        solve_primal(m.struct, d.struct)
    return m, d, states


def test_both_limits_of_a_joint_are_whitened_once(monkeypatch):
    m, d, states = bent("PGS")
    calls = counted(
        monkeypatch, (directions, "whiten"), (lines, "dof_direction"), (lines, "row_direction")
    )
    solve_dual(m.struct, d.struct)
    assert calls == {"whiten": 2, "dof_direction": 4}
    for w, state in enumerate(states):
        assert np.abs(d.qacc[w] - state.qacc).max() < 1e-9 * np.abs(state.qacc).max()


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_noslip_makes_no_rows_that_it_does_not_visit(cone, monkeypatch):
    m, d, states = bent("Newton", noslip=3, cone=cone)
    calls, rows = counted(monkeypatch, (matrix, "one_row")), []
    four_rows = matrix.four_rows

    def seen(d_, c, p, n, e, first):
        rows.append(p)
        four_rows(d_, c, p, n, e, first)

    monkeypatch.setattr(matrix, "four_rows", seen)
    solve_dual(m.struct, d.struct)
    assert not calls
    assert min(rows) == 2
    for w, state in enumerate(states):
        assert np.abs(d.qacc[w] - state.qacc).max() < 1e-9 * np.abs(state.qacc).max()


@pytest.mark.parametrize("solver", ["PGS", "Newton"])
def test_noslip_alone_goes_on_with_its_sum(solver, monkeypatch):
    """Islands without a matrix, too, have the forces of their rows by dofs from the start."""
    monkeypatch.setattr(matrix, "DENSE", 0)
    m, d, states = bent(solver, noslip=3)
    calls = counted(monkeypatch, (noslip, "sum_anew"))
    solve_dual(m.struct, d.struct)
    assert calls["sum_anew"] == (len(states) if solver == "PGS" else 0)
    for w, state in enumerate(states):
        assert np.abs(d.qacc[w] - state.qacc).max() < 1e-9 * np.abs(state.qacc).max()
