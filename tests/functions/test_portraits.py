"""repr and _repr_html_ of Model, Data and Batch: they tell something, cost nothing, never fail."""

import copy
import pickle
from html.parser import HTMLParser

import mujoco
import numpy as np
import pytest

import lanewise as lw

NASTY = """
<mujoco model="&lt;script&gt;alert('x')&lt;/script&gt; {name}">
  <option timestep="0.001" integrator="RK4" cone="elliptic"><flag energy="enable"/></option>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 0.1"><freejoint/><geom size="0.1"/></body>
  </worldbody>
  <keyframe><key name="&lt;b&gt;up"/><key/></keyframe>
</mujoco>
"""


class Tags(HTMLParser):
    """The tags and the text of a page; they have to close in order."""

    def __init__(self, page: str):
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += f"{data} | "


def text_of(thing) -> str:
    page = Tags(thing._repr_html_())
    assert page.tags <= {"div", "b", "table", "tr", "th", "td"}
    return page.text


@pytest.fixture
def m() -> lw.Model:
    return lw.load(lw.models.path("humanoid"))


def test_a_model_tells_its_name_sizes_and_options(m):
    assert repr(m) == "<lanewise.Model 'humanoid' nq=28 nv=27 nu=21 nbody=13, 5 ms Euler>"
    text = text_of(m)
    for word in ("'humanoid'", "21 actuators", "5 ms, Euler", "Newton, pyramidal", "stand, crouch"):
        assert word in text


def test_a_data_tells_time_and_contacts(m):
    d = lw.Data(m)
    assert repr(d) == "<lanewise.Data of 'humanoid', 1 world: time 0 s, 0 contacts>"
    lw.step(m, d, 10)
    assert f"time 0.05 s, {d.ncon} contacts" in repr(d)
    assert f"| {d.ncon}, room for {d.nconmax} |" in text_of(d)
    several = lw.Data(m, lanes=3)
    several.time[1] = 2.0
    assert "3 worlds: time 0 to 2 s" in repr(several)


def test_energy_is_shown_where_it_is_enabled():
    m = lw.load(NASTY.format(name="x"))
    d = lw.Data(m)
    lw.step(m, d)
    assert f"potential energy | {d.energy[0]:.6g} J" in text_of(d)
    assert "energy" not in text_of(lw.Data(lw.load(lw.models.path("pendulum"))))


def test_a_batch_tells_worlds_threads_and_what_is_bound(m):
    b = lw.Batch(m, 12, 2)
    assert repr(b) == "<lanewise.Batch of 'humanoid', 12 worlds on 2 threads: time 0 s>"
    b.bind("xpos")
    b.step(nstep=2)
    assert repr(b).endswith(": time 0.01 s, bound xpos>")
    b.expand("body_mass")
    text = text_of(b)
    assert "bound | xpos" in text and "by world | body_mass" in text
    assert "1 world on 1 thread:" in repr(lw.Batch(m, 1, 1))


def test_trouble_is_told(m):
    b = lw.Batch(m, 3, 1)
    b.qpos[1, 0] = np.nan
    with pytest.warns(RuntimeWarning):
        b.step()
    assert "1 warning, 1 reset" in repr(b)
    assert "trouble | 1 warning, 1 reset" in text_of(b)
    d = lw.Data(m)
    d.qvel[0] = 1e12
    with pytest.warns(RuntimeWarning):
        lw.step(m, d)
    assert "1 warning, 1 reset" in repr(d)


def test_looking_changes_nothing(m):
    b, d = lw.Batch(m, 9, 1), lw.Data(m)
    b.step()
    lw.step(m, d)
    rows, block = b.state.copy(), d._block.copy()
    for thing in (b, d, m):
        repr(thing)
        thing._repr_html_()
    assert b.bound == [] and not b._runner.outputs.rows
    np.testing.assert_array_equal(b.state, rows)
    np.testing.assert_array_equal(d._block, block)


def test_names_are_escaped_and_cut():
    m = lw.load(NASTY.format(name="x" * 300))
    for thing in (m, lw.Data(m), lw.Batch(m, 2, 1)):
        assert len(repr(thing)) < 200
        assert "script" in text_of(thing)  # as text: text_of knows all tags
    assert "<b>up, 1" in text_of(m)
    assert "''" in repr(lw.load("<mujoco model=''/>"))


def test_nan_and_copies_are_shown(m):
    b, d = lw.Batch(m, 2, 1), lw.Data(m, lanes=2)
    b.time[:] = np.nan
    d.time[:] = np.nan
    assert "time nan s" in repr(b) and "time nan s" in repr(d)
    assert "nan" in text_of(b) and "nan" in text_of(d)
    for thing in (b, d, m):
        for again in (copy.copy(thing), pickle.loads(pickle.dumps(thing))):
            assert repr(again) == repr(thing)
            assert again._repr_html_() == thing._repr_html_()


@pytest.mark.parametrize("kind", [lw.Model, lw.Data, lw.Batch])
def test_what_is_not_whole_is_shown_as_such(kind):
    half = kind.__new__(kind)
    assert repr(half) == f"<lanewise.{kind.__name__} that is not whole>"
    assert "not whole" in text_of(half)


def test_odd_options_are_shown():
    mj = mujoco.MjModel.from_xml_path(str(lw.models.path("pendulum")))
    m = lw.load(mj)
    m.mj.opt.integrator = 77  # past the check
    m.mj.opt.timestep = np.nan
    assert "nan ms 77" in repr(m) and "nan ms, 77" in text_of(m)
