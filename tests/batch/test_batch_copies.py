"""Copies and pickles of a Batch: worlds of their own, and the same bits from there on."""

import copy
import pickle
import subprocess
import sys

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.loaders import versions
from support.places import PACKAGE

WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda b: pickle.loads(pickle.dumps(b)),
}

DELAYED = """
<mujoco>
  <option timestep="0.004"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="box" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .05"/></body>
    <body pos="0 0 1"><joint name="hinge" axis="0 1 0"/><geom size=".05" pos=".2 0 0"/></body>
  </worldbody>
  <actuator><position joint="hinge" kp="5" delay=".02" nsample="8"/></actuator>
</mujoco>
"""


@lw.kernel
def only_the_first_half(m, d, g1, g2):
    """A filter that other processes can import."""
    return d.qpos[0] < 0.0


def started(model=DELAYED, nsim=11, **options):
    """Worlds in states of their own, on their way."""
    b = lw.Batch(lw.load(model) if isinstance(model, str) else model, nsim, nthread=2, **options)
    b.qpos[:, 0] += np.linspace(-0.3, 0.3, nsim)
    b.ctrl = np.linspace(-1, 1, nsim)[:, None]
    b.step(nstep=60)
    return b


def masses(b):
    b.expand("body_mass")[:, 1] *= np.linspace(1.0, 2.0, b.nsim)
    b.expand("opt.timestep")[:] = np.linspace(0.002, 0.004, b.nsim)
    b.set_const()


def models(b):
    heavy = copy.copy(b._model.mj)
    heavy.body_mass[1] *= 3
    heavy.geom_size[1] *= 0.9
    b.set_models([b._model.mj if i % 2 else heavy for i in range(b.nsim)])


def assert_same(one, other):
    for name in ("state", "warning", "resets", "status", "steps_done"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    assert one.bound == other.bound
    for name, rows in one._runner.outputs.rows.items():
        np.testing.assert_array_equal(rows, other._runner.outputs.rows[name], name)


@pytest.mark.parametrize("vary", [None, masses, models])
@pytest.mark.parametrize("way", WAYS)
def test_same_and_independent(way, vary):
    b = started()
    if vary:
        vary(b)
    for name in ("xpos", "ncon", "contact.dist", "efc_force"):
        b.bind(name)
    b.step(nstep=3)
    c = WAYS[way](b)
    assert_same(b, c)
    assert not np.shares_memory(b.state, c.state)
    assert (c.nsim, c.nthread, c.fresh, c.persistent) == (11, 2, False, False)
    before = c.state.copy()
    b.step(nstep=20)
    np.testing.assert_array_equal(c.state, before)
    c.step(nstep=20)
    assert_same(b, c)
    b.reset([2, 5])
    c.reset([2, 5])
    assert_same(b, c)


@pytest.mark.parametrize("way", WAYS)
def test_what_was_expanded_is_live(way):
    b = started()
    masses(b)
    c = WAYS[way](b)
    assert set(c._expanded) == {"body_mass", "opt.timestep"}
    c.expand("body_mass")[:] *= 2.0
    assert (c.expand("body_mass") == 2.0 * b.expand("body_mass")).all()
    c.step()
    b.step()
    assert (c.state != b.state).any()
    d = WAYS[way](c)
    np.testing.assert_array_equal(d.get_model(3).body_mass, c.get_model(3).body_mass)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("options", [{"persistent": True}, {"fresh": True}, {"nconmax": 7}])
def test_options(way, options):
    b = started(**options)
    b.xpos  # noqa: B018  binds
    c = WAYS[way](b)
    for name, value in options.items():
        assert getattr(c, name, c._runner.sizes.get(name)) == value
    b.step()
    c.step()
    assert_same(b, c)


@pytest.mark.parametrize("way", WAYS)
def test_persistent_before_anything_was_computed(way):
    c = WAYS[way](lw.Batch(lw.load(DELAYED), 3, persistent=True))
    assert c.xpos[0, 1, 2] == 0.3


@pytest.mark.parametrize("way", WAYS)
def test_warnings_and_errors(way):
    b = started()
    b.expand("geom_condim")[4] = 2
    b.qvel[7, 0] = np.nan
    with pytest.raises(lw.SimulationError):
        b.step()
    c = WAYS[way](b)
    assert c.warning[7].any()
    assert c.error(4) == b.error(4) != ""
    assert_same(b, c)


@pytest.mark.parametrize("way", WAYS)
def test_the_model_that_was_given(way):
    m = lw.load(DELAYED)
    b = lw.Batch(m, 3)
    c = WAYS[way](b)
    assert c.made_of(m) == (way != "pickle")
    both = copy.deepcopy([m, b])
    assert both[1].made_of(both[0])


@pytest.mark.parametrize("way", WAYS)
def test_the_model_that_it_runs_on(way):
    b = lw.Batch(lw.load(DELAYED), 3)
    b.model.opt.timestep = 0.0123
    c = WAYS[way](b)
    assert c.model is not b.model and c.model.opt.timestep == 0.0123
    c.step()
    assert (c.time == 0.0123).all() and (b.time == 0.0).all()


def test_kernels_of_the_user_by_name():
    b = started(lw.load(DELAYED, contact_filter=only_the_first_half))
    c = pickle.loads(pickle.dumps(b))
    assert c._model.user.is_like(b._model.user)
    b.step(nstep=30)
    c.step(nstep=30)
    assert_same(b, c)
    assert b.qpos[:, 2].min() < 0.0 < b.qpos[:, 2].max()  # some fell through the floor


def test_kernels_without_a_name_say_so():
    @lw.kernel
    def local(m, d, g1, g2):
        return True

    b = lw.Batch(lw.load(DELAYED, contact_filter=local), 2)
    for x in (b, b.model, lw.Data(b.model)):
        with pytest.raises(pickle.PicklingError, match="local.*import"):
            pickle.dumps(x)
    copy.copy(b).step()


@pytest.mark.parametrize("changed", ["Lanewise", "MuJoCo"])
def test_other_versions_are_refused(monkeypatch, changed):
    b = lw.Batch(lw.load(DELAYED), 2)
    installed = versions._installed()
    with monkeypatch.context() as other:
        other.setattr(versions, "_installed", lambda: {**installed, changed: "0.0.7"})
        made = [pickle.dumps(x) for x in (b, b.model, lw.Data(b.model))]
    for pickled in made:
        with pytest.raises(lw.IncompatiblePickle, match=f"{changed} 0.0.7, here is"):
            pickle.loads(pickled)


def test_versions_come_before_the_bytes_of_mujoco():
    """What another version wrote must not even be looked at."""
    read = []

    class Reader(pickle._Unpickler):
        def find_class(self, module, name):
            read.append(f"{module}.{name}")
            return super().find_class(module, name)

    import io

    Reader(io.BytesIO(pickle.dumps(lw.Batch(lw.load(DELAYED), 2)))).load()
    first = next(k for k, name in enumerate(read) if "MjModel" in name)
    assert read.index("lanewise.loaders.versions._same_as") < first


CHILD = """
import pickle, sys
b = pickle.load(sys.stdin.buffer)
b.step(nstep=20)
sys.stdout.buffer.write(b.state.tobytes() + b.xpos.tobytes())
"""


def test_in_a_fresh_interpreter():
    b = started()
    masses(b)
    b.bind("xpos")
    done = subprocess.run(
        [sys.executable, "-c", CHILD], input=pickle.dumps(b), capture_output=True, check=False,
        cwd=PACKAGE.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    b.step(nstep=20)
    assert done.stdout == b.state.tobytes() + b.xpos.tobytes()


def test_of_a_model_of_mujoco():
    b = lw.Batch(mujoco.MjModel.from_xml_string(DELAYED), 3)
    c = pickle.loads(pickle.dumps(b))
    assert isinstance(c.model, mujoco.MjModel)
    assert_same(b, c)
