"""`lanewise check`: that it passes what is the same, and notices what is not, part by part."""

import copy
import json

import mujoco
import numpy as np
import pytest

from lanewise import loaders, models, public
from lanewise.cli import main, parity
from lanewise.cli.parity import contact_lists, examination, fieldwise, functionwise, yardstick
from lanewise.cli.parity.findings import Findings
from lanewise.cli.parity.sampling_states import states
from support.places import MODELS

SENSING = """
<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
  <body name="a" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .12 .14"/><site name="s"/>
    <body name="b" pos=".2 0 0"><joint name="j" axis="0 1 .3" range="-40 40"/>
      <geom type="capsule" size=".04 .1"/></body></body></worldbody>
  <actuator><position name="p" joint="j" kp="3" ctrlrange="-1 1"/></actuator>
  <sensor><accelerometer site="s"/><gyro site="s"/><touch site="s"/><jointpos joint="j"/></sensor>
</mujoco>"""


def examined(mj, number=4):
    return parity.examine(mj, number, tell=lambda part: None)


@pytest.fixture
def mj():
    return mujoco.MjModel.from_xml_string(SENSING)


@pytest.mark.parametrize("name", ["pendulum", "grasp"])
def test_models_of_our_own(name, capsys):
    assert main(["check", name, "--states", "4"]) == 0
    out = capsys.readouterr().out
    assert f"{name}: the same as MuJoCo {mujoco.__version__} on this machine" in out
    for part in ("stages", "rows", "solver", "steps", "functions", "rollout", "batch"):
        assert part in out
    assert "different" not in out


def test_every_part(mj):
    found = examined(mj)
    assert found.parts == ["stages", "contacts", "rows", "solver", "sensors", "steps", "functions",
                           "rollout", "batch"]  # fmt: skip
    assert not found.different and not found.undecided
    assert {row.name for row in found.of("sensors")} == {"accelerometer", "gyro", "touch",
                                                         "jointpos"}  # fmt: skip
    assert found.contacts["same"] > 0
    assert {row.place for row in found.of("steps")} == {
        "Euler (of the model)", "RK4", "implicit", "implicitfast", "discrete"
    }  # fmt: skip


def test_for_programs(capsys):
    path = str(MODELS / "contacts_primitives.xml")
    assert main(["check", path, "--states", "3", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["same"] and facts["mujoco"] == mujoco.__version__
    assert {row["verdict"] for row in facts["findings"]} <= {"same", "undecided"}


def test_a_line_for_every_field(capsys):
    assert main(["check", "pendulum", "--states", "2", "--fields"]) == 0
    out = capsys.readouterr().out
    for name in ("xquat", "qLDiagInv", "subtree_angmom", "jac_dot"):
        assert name in out


# ---- mistakes: an engine of another model has to be noticed, by the part that it is in


def heavier(mj):
    """load, of a model that is not quite the one it was given."""

    def load(source):
        other = copy.copy(source)
        other.body_mass[1] *= 1 + 1e-6
        other.opt.gravity[0] += 1e-6
        return loaders.load(other)

    return load


def parts_that_differ(found):
    return {row.part for row in found.different}


def test_stages_notice(mj, monkeypatch):
    monkeypatch.setattr(fieldwise, "load", heavier(mj))
    found = examined(mj)
    assert {"stages", "steps"} <= parts_that_differ(found)
    assert {"M", "qfrc_bias"} & {row.name for row in found.different}


def test_functions_notice(mj, monkeypatch):
    monkeypatch.setattr(functionwise, "load", heavier(mj))
    names = {row.name for row in examined(mj).different}
    assert "inverse" in names


def test_contacts_notice(mj, monkeypatch):
    def moved(source):
        other = copy.copy(source)
        other.geom_size[1] *= 1 + 1e-5
        return loaders.load(other)

    monkeypatch.setattr(contact_lists, "load", moved)
    found = examined(mj)
    assert "contacts" in parts_that_differ(found)
    assert any("MuJoCo has" in note for row in found.of("contacts") for note in row.notes)


def test_what_is_not_written_is_noticed(mj, monkeypatch):
    monkeypatch.setattr(public, "com_vel", lambda m, d: None)
    assert {"cvel", "cdof_dot"} <= {row.name for row in examined(mj).different}


def test_rollouts_notice(mj, monkeypatch):
    step = public.step

    def drifting(m, d, *arguments):
        step(m, d, *arguments)
        d.arrays["qpos"][2] += 1e-7

    monkeypatch.setattr(examination.lw, "step", drifting)
    assert {"rollout", "batch"} <= parts_that_differ(examined(mj))


def test_a_difference_fails_the_command(monkeypatch, capsys):
    monkeypatch.setattr(public, "com_vel", lambda m, d: None)
    assert main(["check", "pendulum", "--states", "2"]) == 1
    assert "pendulum: differs from MuJoCo" in capsys.readouterr().out


# ---- the yardstick


def test_a_model_that_explodes(tmp_path, capsys):
    (tmp_path / "bad.xml").write_text("""
      <mujoco><option timestep="1"/><worldbody><body><joint type="slide" stiffness="1e9"/>
      <geom size=".1" mass="1e-9"/></body></worldbody></mujoco>""")
    assert main(["check", str(tmp_path / "bad.xml"), "--states", "2"]) == 1
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "not compared, because MuJoCo's own simulation of it goes bad" in " ".join(
        captured.out.split()
    )


def test_undecided_is_no_failure():
    found = Findings()
    assert found.saw("p", "q", "x", 1e-3, lambda: 1e-2, tolerance=1e-9) == "undecided"
    assert found.saw("p", "q", "y", 1e-3, lambda: 1e-4, tolerance=1e-9) == "different"
    assert found.saw("p", "q", "z", 1e-12, tolerance=1e-9) == "same"
    assert [row.name for row in found.different] == ["y"]
    assert [row.name for row in found.undecided] == ["x"]


def test_mujoco_is_asked_where_it_jumps():
    """A box that lies exactly flat has a list of contacts that any nudge changes the numbers of."""
    mj = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><geom type='box' size='1 1 1'/><body pos='0 0 1.999999999999'>"
        "<freejoint/><geom type='box' size='1 1 1' /></body></worldbody></mujoco>"
    )
    world = yardstick.World(mj, mujoco.MjData(mj))
    assert world.moves(lambda data: np.array(data.qpos)) < 1e-9  # smooth: as far as it was nudged
    assert world.moves(lambda data: np.sign(data.qpos[0])) > 1  # a jump


def test_states_touch():
    mj = mujoco.MjModel.from_xml_path(str(models.path("humanoid")))
    rng = np.random.default_rng(0)
    counts = []
    for data in states(mj, 6, rng):
        mujoco.mj_forward(mj, data)
        counts.append(data.ncon)
    assert len(counts) == 6 and sum(count > 1 for count in counts) >= 4
