"""Heaps of loose bodies, in which every world has contacts of its own.

Such models are solved world by world. The answers are MuJoCo's, whoever the neighbours are, also
where the factor of a world has no room.
"""

import mujoco
import mujoco.batch
import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.solver.primal.solve import solve_primal
from support import parity_contacts as touch
from support.solving import heap, load_mujoco, relative, settled, solved, tight

CG, NEWTON = 1, 2
NUMBER = 1  # column of Batch.warning: how often

DOORS = "".join(
    f'<body name="door{i}" pos="{0.5 * i} -1 .3"><joint name="door{i}" type="hinge" axis="0 0 1"'
    f' frictionloss="0.05" range="-20 20" limited="true"/><joint name="lift{i}" type="slide"'
    ' axis="0 0 1" range="-.1 .1" limited="true"/>'
    '<geom type="box" size=".2 .02 .2" pos=".2 0 0" condim="4"/></body>'
    for i in range(3)
)
BALLS = "".join(
    f'<body name="ball{i}"'
    f' pos="{0.5 * (i % 3) + 0.2} {-1.05 + 0.1 * (i % 2)} {0.7 + 0.15 * (i // 3)}">'
    '<freejoint/><geom type="sphere" size=".08" condim="6" friction="1 .01 .001"/>'
    '<body pos=".1 0 0"><geom type="box" size=".04 .04 .04"/></body></body>'
    for i in range(9)
)
BESIDE = f"""\
<mujoco>
  <worldbody><geom type="plane" size="9 9 .1"/>{DOORS}{BALLS}</worldbody>
  <tendon><fixed name="rope" limited="true" range="-.2 .2">
    <joint joint="door0" coef="1"/><joint joint="door1" coef="-1"/><joint joint="lift2" coef="2"/>
  </fixed></tendon>
  <equality>
    <joint joint1="door1" joint2="door2" polycoef="0 .5 0 0 0"/>
    <weld body1="ball0" body2="ball3"/>
    <connect body1="ball1" body2="ball4" anchor="0 0 .05"/>
  </equality>
</mujoco>
"""  # doors with friction and limits, balls with a box on them, some tied together


def packed(number: int = 60) -> str:
    """Spheres that fall into a narrow bin: everything touches everything."""
    walls = "".join(
        f'<geom type="plane" size="1 1 .1" pos="{x} {y} 0" zaxis="{-x} {-y} 0"/>'
        for x, y in ((0.32, 0), (-0.32, 0), (0, 0.32), (0, -0.32))
    )
    bodies = "".join(
        "<body"
        f' pos="{0.16 * (i % 4) - 0.24} {0.16 * (i // 4 % 4) - 0.24} {0.1 + 0.17 * (i // 16)}">'
        f'<freejoint/><geom type="sphere" size="{0.07 + 0.002 * (i % 7)}"/></body>'
        for i in range(number)
    )
    floor = '<geom type="plane" size="1 1 .1"/>'
    return f"<mujoco><worldbody>{floor}{walls}{bodies}</worldbody></mujoco>"


def differing(mj, **kwargs):
    """Eight settled worlds, solved by MuJoCo; most of them have contacts that others have not."""
    states = settled(mj, **kwargs)
    tight(mj)
    for state in states:
        mujoco.mj_forward(mj, state)
    return states


def with_islands(mj):
    mj.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    return mj


def test_which_models_are_heaps():
    assert lw.load(load_mujoco(heap(12))).sizes["nloose"] == 12
    assert lw.load(load_mujoco(BESIDE)).sizes["nloose"] == 12
    assert lw.load(load_mujoco(heap(4))).sizes["nloose"] == 0
    assert lw.load(load_mujoco("hand")).sizes["nloose"] == 0


@pytest.mark.parametrize("solver", [NEWTON, CG])
@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("islands", [False, True], ids=("whole", "islands"))
@pytest.mark.parametrize("model", [heap(14), BESIDE, packed()], ids=("condims", "beside", "packed"))
def test_minimum(model, islands, cone, solver):
    mj = load_mujoco(model, cone=cone, solver=solver)
    if islands:
        with_islands(mj)
    states = differing(mj, steps=70)
    assert len({state.ncon for state in states}) > 3
    d = solved(lw.load(mj), states)
    bound = 1e-8 if solver == NEWTON and not islands else 1e-6
    for w, state in enumerate(states):
        assert relative(d.qacc[w], state.qacc) < bound
        assert relative(d.qfrc_constraint[w], state.qfrc_constraint) < bound


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("model", [heap(14), BESIDE, packed()], ids=("condims", "beside", "packed"))
def test_iterations(model, cone):
    """Newton's directions are MuJoCo's: a world takes as many iterations."""
    mj = load_mujoco(model, cone=cone)
    states = settled(mj, steps=70, seed=1)
    ours = solved(lw.load(mj), states).arrays["solver_niter"][0]
    theirs = [state.solver_niter[0] for state in states]
    assert np.abs(ours - theirs).max() <= 1
    assert sum(ours == theirs) >= 6


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("model", [heap(14), BESIDE], ids=("condims", "beside"))
def test_forward(model, cone):
    """From the state alone, in a workspace full of NaN; and the cost is never above MuJoCo's."""
    mj = touch.tighten(with_islands(load_mujoco(model, cone=cone)))
    context = touch.prepare(mj, settled(mj, steps=70))
    for report in touch.compare_solver(mj, None, context):
        assert report.passes(), report
    for contacts, report in touch.compare_forward(mj, None, context):
        assert not contacts.lines
        assert contacts.count["equivalent"] or report.passes(), report


def test_inverse():
    """Forces of MuJoCo's acceleration: contacts by their number, without a solver."""
    mj = load_mujoco(BESIDE)
    states = settled(mj, steps=70)
    m = lw.load(mj)
    d = lw.put_data(m, states)
    lw.inverse(m, d)
    for w, state in enumerate(states):
        mujoco.mj_inverse(mj, state)
        assert relative(d.qfrc_inverse[w], state.qfrc_inverse) < 1e-9


@pytest.mark.parametrize("integrator", [0, 4], ids=("Euler", "discrete"))
def test_discrete_integrator_is_solved_in_gangs(integrator):
    mj = load_mujoco(BESIDE, integrator=integrator)
    states = differing(mj, steps=70)
    m = lw.load(mj)
    d = lw.put_data(m, states)
    lw.forward(m, d)
    assert d.arrays["is_heap"] == (integrator == 0)
    for w, state in enumerate(states):
        assert relative(d.qacc[w], state.qacc) < 1e-6


def test_models_that_differ():
    """Friction and masses of their own in every world, beside mujoco.batch."""
    mj = load_mujoco(heap(14), cone=1)
    tight(mj)
    rng = np.random.default_rng(2)
    ours, theirs = lw.Batch(mj, 8), mujoco.batch.Batch(mj, 8, 1)
    theirs.qvel[:] = 0.3 * rng.normal(size=theirs.qvel.shape)
    for name in ("geom_friction", "dof_damping"):
        rows = theirs.expand(name)
        rows[:] = (rows + 0.01) * rng.uniform(0.5, 2.0, rows.shape)
        ours.expand(name)[:] = rows
    theirs.step(nstep=70)
    for b in (ours, theirs):
        b.bind("qacc")
    ours.state[:] = theirs.state
    ours.step()
    theirs.step()
    for w in range(8):
        assert relative(ours.qacc[w], theirs.qacc[w]) < 1e-6


# ----------------------------------------------------------------------------------- neighbours


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("model", [heap(14), BESIDE, packed()], ids=("condims", "beside", "packed"))
def test_neighbours_change_nothing(model, cone):
    """The same bits alone, in any lane, and beside any worlds."""
    mj = with_islands(load_mujoco(model, cone=cone))
    states = settled(mj, worlds=10, steps=70, seed=3)
    m = lw.load(mj)
    alone = [solved(m, [state]).qacc for state in states]
    for order in (range(8), range(9, 1, -1), (5, 5, 0, 5, 9, 5)):
        together = solved(m, [states[k] for k in order])
        for w, k in enumerate(order):
            assert np.array_equal(together.qacc[w], alone[k])


def test_places_in_a_batch_change_nothing():
    mj = load_mujoco(packed(), cone=1)
    rng = np.random.default_rng(0)
    start = lw.Batch(mj, nsim=13)
    start.qvel = 0.5 * rng.normal(size=start.qvel.shape)
    order = rng.permutation(13)
    moved = lw.Batch(mj, nsim=13, nthread=2)
    moved.qvel = start.qvel[order]
    start.step(nstep=60)
    moved.step(nstep=60)
    assert np.array_equal(moved.state, start.state[order])


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
def test_worlds_that_are_not_numbers(cone):
    """They are reset or warned about; the others keep their bits."""
    mj = load_mujoco(heap(14), cone=cone)
    start = 0.3 * np.random.default_rng(5).normal(size=(16, mj.nv))
    alone, beside = lw.Batch(mj, nsim=16), lw.Batch(mj, nsim=16)
    for b in (alone, beside):
        b.qvel = start
        b.step(nstep=60)
    bad = [0, 3, 6, 7, 12]
    beside.qpos[0, 0], beside.qvel[3, 2], beside.qvel[6] = np.nan, np.inf, 1e9
    beside.xfrc_applied[7], beside.xfrc_applied[12, 1] = 1e300, np.nan
    for _ in range(10):
        alone.step(nstep=3)
        beside.step(nstep=3)
        beside.qpos[0, 0] = np.nan
    healthy = np.setdiff1d(np.arange(16), bad)
    assert np.array_equal(alone.state[healthy], beside.state[healthy])
    assert not beside.warning[healthy, :, NUMBER].any()
    assert beside.warning[[0, 3, 7], :, NUMBER].any(axis=1).all()


# ------------------------------------------------------------------------------- the graph again


@pytest.mark.parametrize("model", [heap(14), BESIDE], ids=("condims", "beside"))
def test_graph_of_the_last_step(model):
    """Taken again or made anew, step by step while things fall and come to rest: the same bits."""
    mj = with_islands(load_mujoco(model))
    m, states = lw.load(mj), settled(mj, worlds=8, steps=40, seed=3)
    kept, anew = (lw.put_data(m, states) for _ in range(2))
    for _ in range(60):
        anew.arrays["graph_made_for"][...] = 0
        lw.step(m, kept)
        lw.step(m, anew)
    assert np.array_equal(kept.qpos, anew.qpos)


def test_graph_is_made_where_contacts_changed():
    """Where nothing changed it is taken again; another world in a lane has its own."""
    mj = with_islands(load_mujoco(heap(14)))
    m, states = lw.load(mj), settled(mj, worlds=10, steps=70, seed=3)
    d = lw.put_data(m, states[:8])
    lw.forward(m, d)
    again = d.arrays["node_mark"]
    again[...] = -7  # who makes a graph marks nodes
    lw.forward(m, d)
    assert (again == -7).all()
    for k, lane in ((9, 2), (8, 5)):
        d.qpos[lane], d.qvel[lane] = states[k].qpos, states[k].qvel
        d.qacc_warmstart[lane] = states[k].qacc_warmstart
        lw.forward(m, d)
        assert (again != -7).any()
        alone = lw.put_data(m, states[k])
        lw.forward(m, alone)
        assert np.array_equal(d.qacc[lane], alone.qacc)


# ----------------------------------------------------------------------------------------- no room


def blocks(d, m, w):
    """How many blocks the factor of world w has."""
    arrays, first = d.arrays, w * m.ntree
    order = first + arrays["node_order"].ravel()[first : first + arrays["world_nnode"][w]]
    ends, begins = (arrays[name].ravel()[order] for name in ("node_linkend", "node_links"))
    return len(order) + int((ends - begins).sum())


def test_no_room_for_the_factor():
    """A world whose factor has no room goes to conjugate gradients; the others do not notice."""
    mj = load_mujoco(packed(), cone=1)
    states = differing(mj, steps=70)
    m = lw.load(mj)
    full = solved(m, states)
    size = [blocks(full, m, w) for w in range(8)]
    for most in (0, int(np.median(size))):
        d = lw.put_data(m, states)
        d.arrays["nBmax"][...] = 48 * most
        lw.fwd_constraint(m, d)
        fits = d.arrays["heap_fits"].ravel()
        assert (fits > 0).any() == (most > 0)
        assert not (fits > 0).all()
        for w, state in enumerate(states):
            if fits[w] > 0:
                assert np.array_equal(d.qacc[w], full.qacc[w])
            assert relative(d.qacc[w], state.qacc) < 1e-5


def test_next_to_no_contacts():
    mj = load_mujoco(packed())
    for nconmax in (0, 1, 20):
        b = lw.Batch(mj, nsim=3, nconmax=nconmax)
        with pytest.warns(RuntimeWarning, match="room"):
            b.step(nstep=100)
        assert np.isfinite(b.state).all()


# ------------------------------------------------------------------------------------------- parts


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
def test_plain_python_is_the_same(cone):
    mj = load_mujoco(BESIDE, cone=cone)
    states = settled(mj, worlds=3, steps=70)
    m = lw.load(mj)
    d = lw.put_data(m, states)
    solve_primal(m.struct, d.struct)
    compiled = solved(m, states)
    for w in range(3):
        assert relative(d.qacc[w], compiled.qacc[w]) < 1e-9


def test_order_of_elimination():
    """Trees go by the number of their neighbours, which leaves less than the order of the model."""
    mj = load_mujoco(packed())
    states = settled(mj, steps=120)
    m = lw.load(mj)
    d = solved(m, states)
    for w, state in enumerate(states):
        touching = np.zeros((m.ntree, m.ntree), bool)
        for a, b in mj.geom_bodyid[state.contact.geom[state.contact.exclude == 0]]:
            if a > 0 and b > 0:
                touching[a - 1, b - 1] = touching[b - 1, a - 1] = True
        assert blocks(d, m, w) <= m.ntree + filled(touching, np.arange(m.ntree))


def filled(touching, order) -> int:
    """Blocks below the diagonal of the factor, with this order of elimination."""
    graph, number = touching.copy(), 0
    for v in order:
        row = np.flatnonzero(graph[v])
        number += len(row)
        graph[np.ix_(row, row)] = True
        graph[row, row] = False
        graph[v] = graph[:, v] = False
    return number


def test_graph_is_made_in_other_memory():
    """More room: what was noted of contacts has moved."""
    mj = with_islands(load_mujoco(heap(14)))
    m, states = lw.load(mj), settled(mj, worlds=8, steps=70, seed=3)
    stays, moves = (lw.put_data(m, states) for _ in range(2))
    for _ in range(3):
        room = 2 * moves.sizes["nconmax"]
        moves.make_room(room, 6 * room)
        for _ in range(3):
            lw.step(m, stays)
            lw.step(m, moves)
    assert np.array_equal(stays.qpos, moves.qpos)
