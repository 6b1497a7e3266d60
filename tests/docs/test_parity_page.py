"""docs/parity.md is made by a command: what it compares and has, and that errors show in it."""

import re

import mujoco
import numpy as np
import pytest

import lanewise as lw
import make_parity
import parity_functions
import parity_nudges
import parity_numbers
import parity_page
import parity_sweep
import parity_worlds
import twins
from lanewise import fields
from lanewise.batch.field_names import DATA_FIELDS, MORE_FIELDS
from parity_findings import Findings
from parity_models import Source

# something of all that functions ask for, in few dofs
MODEL = """
<mujoco>
  <option integrator="{integrator}" cone="{cone}" timestep="0.004"/>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1" pos="0 0 -.2"/>
    <body name="trunk" pos="0 0 .1" euler="10 20 30">
      <freejoint/>
      <geom type="box" size=".1 .07 .05" pos=".01 .02 .03"/>
      <site name="box" type="box" size=".2 .2 .2"/>
      <body name="arm" pos=".1 0 0">
        <joint name="bend" axis="0 1 .2" damping=".1" stiffness="1"/>
        <geom type="capsule" size=".03" fromto="0 0 0 .2 .03 .01"/>
        <site name="tip" pos=".2 0 0"/>
      </body>
    </body>
    <body mocap="true" pos="1 0 1"><geom size=".05" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><spatial name="rope"><site site="box"/><site site="tip"/></spatial></tendon>
  <actuator>
    <motor joint="bend" {late}/><position tendon="rope" kp="3"/>
  </actuator>
  <sensor><gyro site="tip" {late}/></sensor>
  <keyframe><key qpos="0 0 .2 1 0 0 0 .3"/></keyframe>
</mujoco>
"""


def sources(folder) -> list[Source]:
    found = []
    # MuJoCo has no derivatives where there are delays
    delayed = 'nsample="4" delay=".008"'
    for integrator, cone, late in (("Euler", "pyramidal", delayed), ("implicit", "elliptic", "")):
        path = folder / f"{integrator}.xml"
        path.write_text(MODEL.format(integrator=integrator, cone=cone, late=late))
        found.append(Source("test", integrator, str(path)))
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the sweep over two small models finds."""
    return swept(tmp_path_factory.mktemp("models"))


def swept(folder, number=2) -> Findings:
    made = Findings()
    parity_numbers.compare_numbers(made, np.random.default_rng(0), times=5)
    for source in sources(folder)[:number]:
        made.merge(parity_sweep.sweep(source, combinations=2))
    return made


@pytest.fixture(scope="module")
def page(found):
    return parity_page.page(found, True, parity_page.PAGE.read_text())


def part(page: str, what: str) -> str:
    """What stands between two comments."""
    return page.partition(f"<!-- {what} written by")[2].partition(f"<!-- end of {what} -->")[0]


def cells(page: str, what: str) -> dict[str, list[str]]:
    """{first cell: the others} of a table"""
    lines = [line for line in part(page, what).splitlines() if line.startswith("| ")]
    rows = [[cell.strip(" `*") for cell in line[1:-1].split("|")] for line in lines]
    return {row[0]: row[1:] for row in rows[1:]}


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"\b\d\.\de[+-]\d\d\b", text)]


def test_every_field_and_sensor_has_a_row(page):
    rows = cells(page, "fields")
    assert set(rows) == {f.name for f in fields.READ if not f.own}
    empty = {name for name, row in rows.items() if not any(row[1:4])}
    assert empty == set(parity_page.NOT_COMPARED)
    assert {"gyro", "touch", "rangefinder", "tactile"} <= set(cells(page, "sensors"))


def test_two_sound_models_are_within_the_tolerance(page):
    for what in ("fields", "sensors", "functions", "steps"):
        lines = [line for line in part(page, what).splitlines() if "mjd_" not in line]
        assert 0 < max(numbers("\n".join(lines))) < 1e-9, what
        assert "**" not in part(page, what), what
    for name in ("mjd_transitionFD", "mjd_inverseFD"):  # by differences over 1e-6
        assert 0 < max(numbers(" ".join(cells(page, "functions")[name]))) < 1e-6, name
    assert "| test | 2 | 2 |" in page
    same, all_of_them = re.search(r"(\d+) of (\d+) arrays", part(page, "batches")).groups()
    assert same == all_of_them and int(same) > 1000


def test_every_function_of_ours_is_compared_or_says_why_not(page):
    rows, known, compared = cells(page, "functions"), set(), set(parity_functions.NOT_COMPARED)
    for twin in twins.TWINS:
        for codes, column in ((twin.one, 2), (twin.batch, 3)):
            ours = {x for code in codes for x in twins.dotted(code) if parity_worlds.there([x])}
            known |= {x for x in ours if x.startswith(("lw.", "b."))}
            if any(rows.get(name, [""] * 5)[column] for name in twin.names):
                compared |= ours
    outputs = {f"b.{name}" for name in DATA_FIELDS | MORE_FIELDS}  # see batches
    assert known - compared - outputs == {"lw.rungekutta4"}  # of a third integrator


def test_a_page_has_room_for_the_next_one(page, found):
    assert parity_page.page(found, True, page) == page
    with pytest.raises(ValueError, match="no place for fields"):
        parity_page.page(found, True, page.replace("<!-- fields written", "<!-- fields"))


def test_planted_errors_show(tmp_path, monkeypatch):
    """In a function, in a stage and in a batch: on the page, in their rows and nowhere else."""
    mul_m, kinematics, ray = lw.mul_m, lw.kinematics, lw.Batch.ray
    monkeypatch.setattr(lw, "mul_m", lambda m, d, x: mul_m(m, d, x) + 1e-6)

    def off(m, d):
        kinematics(m, d)
        d.xipos[..., -1] += 1e-6

    monkeypatch.setattr(lw, "kinematics", off)
    monkeypatch.setattr(
        lw.Batch, "ray", lambda b, *x, **y: tuple(z * 1.001 for z in ray(b, *x, **y))
    )
    text = parity_page.page(swept(tmp_path, 1), True, parity_page.PAGE.read_text())
    functions, rows = cells(text, "functions"), cells(text, "fields")
    assert 1e-8 < float(functions["mj_mulM"][2]) < 1e-5
    assert float(functions["mj_mulM"][3]) < 1e-12
    assert float(functions["mj_ray"][3]) > 1e-5 and float(functions["mj_ray"][2]) < 1e-12
    assert 1e-8 < float(rows["xipos"][1]) < 1e-5 and float(rows["xpos"][1]) < 1e-12
    assert "test/Euler" in functions["mj_mulM"]
    assert f"**{functions['mj_mulM'][2]}**" in text  # beyond the bar


def test_mujoco_is_asked_only_beyond_the_bar():
    def never():
        raise AssertionError("asked")

    assert not parity_nudges.undecided(1e-10, never)
    assert parity_nudges.undecided(1e-6, lambda: 1e-6)
    assert not parity_nudges.undecided(1e-6, lambda: 1e-8)
    assert not parity_nudges.undecided(np.inf, lambda: 1.0)


def test_how_sure_mujoco_is_of_what_sensors_read():
    """Not of the depth of two ellipsoids with one centre: round-off decides the last face."""
    mj = mujoco.MjModel.from_xml_string("""
<mujoco>
  <worldbody>
    <body name="b">
      <freejoint/>
      <geom name="small" type="ellipsoid" size=".11 .13 .07"/>
      <geom name="large" type="ellipsoid" size=".1667 .1502 .07337"/>
    </body>
  </worldbody>
  <sensor>
    <distance geom1="small" geom2="large" cutoff="9"/>
    <framepos objtype="body" objname="b"/>
  </sensor>
</mujoco>""")
    data = mujoco.MjData(mj)
    data.qpos[3:] = np.array((1.0, -4e-5, -1e-5, 3e-5))
    mujoco.mj_forward(mj, data)
    assert parity_sweep.moved_by_sensing(mj, data, slice(0, 1)) > 1e-6
    assert parity_sweep.moved_by_sensing(mj, data, slice(1, 4)) < 1e-14


@pytest.mark.parametrize("integrator", range(5))
def test_forward_dynamics_in_parts(tmp_path, integrator):
    """What is moved by a last bit is MuJoCo's own answer; on a sound model it hardly moves."""
    mj_model = sources(tmp_path)[1].make()
    mj_model.opt.integrator = integrator
    mj_data = mujoco.MjData(mj_model)
    mujoco.mj_step(mj_model, mj_data, 60)
    mujoco.mj_forward(mj_model, mj_data)
    assert mj_data.nefc
    rows = parity_nudges.forwarded_by_rows(mj_model, mj_data)
    if integrator != mujoco.mjtIntegrator.mjINT_DISCRETE:
        assert np.array_equal(rows[0].qacc, mj_data.qacc)
    families = [rows, parity_nudges.forwarded(mj_model, mj_data)]
    families += parity_nudges.stepped(mj_model, mj_data)
    for family in families:
        assert 0 < parity_nudges.farthest([family], ["qacc", "qvel"]) < 1e-10


def test_models_that_ask_for_another_library_are_counted(tmp_path):
    """And are compared with MuJoCo's own method of convex collision."""
    path = tmp_path / "ccd.xml"
    path.write_text(
        "<mujoco><option><flag nativeccd='disable'/></option><worldbody>"
        "<geom type='ellipsoid' size='.1 .2 .3'/><body pos='.1 .2 .45'><freejoint/>"
        "<geom type='cylinder' size='.1 .2'/></body></worldbody></mujoco>"
    )
    found = parity_sweep.sweep(Source("test", "ccd", str(path)))
    assert "1 of them ask MuJoCo for its older library" in parity_page.sets(found)
    worst = {key: value for key, value, _ in found.of("functions")}
    assert worst["mj_geomDistance", "one"] < 1e-12


def test_refusals_are_counted(tmp_path):
    path = tmp_path / "cloth.xml"
    path.write_text(
        "<mujoco><worldbody><flexcomp name='c' type='grid' count='3 3 1' spacing='.1 .1 .1' dim='2'"
        " mass='1'/></worldbody></mujoco>"
    )
    found = parity_sweep.sweep(Source("test", "cloth", str(path)))
    assert "| test | 1 | 0 | 0 | flex (1) |" in parity_page.sets(found)


def test_the_page_of_the_repository_is_whole():
    page = parity_page.PAGE.read_text()
    assert set(cells(page, "fields")) == {f.name for f in fields.READ if not f.own}
    assert "quick" not in part(page, "run") and "random, smooth" in part(page, "sets")
    assert all(part(page, what).count("\n") > 1 for what in ("run", *parity_page.TABLES))


def test_the_command_is_there():
    assert make_parity.main


def test_a_step_beyond_the_bar_names_its_model():
    found = Findings()
    found.saw(("steps", "Euler", "none"), 2e-16, "own/good")
    found.saw(("steps", "Euler", parity_page.SOLVED[0]), 3e-4, "own/bad")
    text = parity_page.steps(found)
    assert "| **3.0e-04** own/bad |" in text and "good" not in text
