"""The benchmarks' own machinery, on made-up times: tables, the page and the plot."""

import dataclasses
import re
import shutil

import mujoco
import pytest

from bench import (
    analysis,
    contacts,
    conventions,
    convex,
    derivatives,
    report,
    single,
    stages,
    startup,
)
from bench.cases import CASES
from lanewise import models
from lanewise.cli import measure
from lanewise.functions import STAGE_FUNCTIONS
from support.places import ROOT


@pytest.fixture
def findings():
    seconds = {"lanewise": 1.0, "mujoco.batch": 5.0, "mujoco.rollout": 5.5, "mj_step loop": 6.0}
    rows = tuple(
        report.Row(
            case,
            measure.Measured(seconds, 10**6 * case.nthread, 1e-13),
            measure.Measured({k: seconds[k] for k in ("lanewise", "mujoco.batch")}, 10**6, 1e-13),
        )
        for case in CASES
    )
    started = startup.Startup(12.0, 20.0, 6.0, 1.0, 2_000_000, cores=2)
    touching = tuple(
        contacts.Timed(case, contacts.Settled(case.load(), None, 5.0, 20.0, 1.5), 2.0, 8.0, 1e-9)
        for case in contacts.CASES
    )
    growth = (contacts.Growth(10, 12, (40.0, 30.0), (10.0, 30.0)),)
    alone = (
        single.Single("arm", 7, 0, (4.0, 8.0), (5.0, 6.0), 1e-15),
        single.Single("hand", 22, 7, (5.0, 40.0), (5.0, 5.5), 1e-15),
    )
    slopes = (derivatives.Timed(derivatives.CASES[1], 27, 5.1, 300.0, 1800.0, 5e-10),)
    memory = {"pendulum": (123.0, 120)}
    return report.Findings(rows, started, memory, 1.5, alone, 1.9, touching, growth, slopes)


def test_rates():
    measured = measure.Measured({"lanewise": 2.0, "mujoco.batch": 12.0}, 4_000_000, 0.0)
    assert measured.rate("lanewise") == 2_000_000
    assert measured.microseconds("mujoco.batch") == 3.0
    assert measured.ratio() == 6.0


def test_page_has_what_was_measured(findings):
    page = report.markdown(findings)
    smooth = page.partition("## Smooth dynamics")[2].partition("\n## ")[0]
    assert smooth.count("| humanoid |") == sum(case.model == "humanoid" for case in CASES)
    assert "counted once: 4.00" in page
    assert "| 10 | 12 | 40 | 30 | 0.75 | 10 | 30 | 3.00 |" in page
    assert "| cold: the same with an empty cache | 12.0 s on 2 cores |" in page
    assert "| after an edit of a kernel of the solver | 6.0 s |" in page
    assert "| compiling everything, all variants | 20.0 s |" in page
    assert "| arm | 7 | 0 | 4.00 | 8.00 | 2.00 | 5.00 | 6.00 | 1.20 | 1e-15 |" in page
    assert "Geometric mean of the ratios: 4.00 in a call" in page
    slopes = "| humanoid | transition_fd | 27 | 5.1 | 64 | 300.0 | 1800.0 | 6.00 | 5e-10 |"
    assert slopes in page
    assert slopes not in report.fill(page, "", report.SLOPES)
    assert "The least are 2.00, arm, and 1.10, hand." in page
    assert "123 bytes (state row 120 bytes)" in page
    assert re.search(r"two threads over one .*\| 1\.90 \|", page)


def test_readme_is_filled_between_its_marks(findings):
    page = f"before\n{report.MARKS[0]}\nold\n{report.MARKS[1]}\nafter\n"
    filled = report.fill(page, report.readme_block(findings))
    assert "old" not in filled
    assert "| humanoid, no contacts | 64 | 1.00 | 5.00 | 5.0 |" in filled
    assert "A world alone is 4.0 times as fast as `mj_step`" in filled
    assert "takes 12 s on 2 cores" in filled
    assert filled.startswith("before\n")
    assert filled.endswith("\nafter\n")
    assert report.fill(filled, report.readme_block(findings)) == filled
    with pytest.raises(ValueError, match="no marks"):
        report.fill("nothing", "")


def test_plot_is_written(findings, tmp_path):
    report.plot(findings, tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text()


def test_cases_can_be_loaded():
    for case in CASES:
        mj = case.load()
        assert mj.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        assert case.describe()


def test_settled_worlds_touch():
    for case in contacts.CASES:
        few = dataclasses.replace(case, nsim=4, settle=0.3)
        worlds = contacts.settled(few)
        assert worlds.state.shape[0] == 4
        assert worlds.ncon > 0 and worlds.nefc > 0


@pytest.mark.parametrize("case", convex.SCENES, ids=lambda case: case.name)
def test_convex_scenes_are_measured(case):
    row = convex.measure_scene(dataclasses.replace(case, nsim=3, nstep=1), rounds=1, calls=1)
    assert row.ratio > 0.0 and row.step.ratio > 0.0
    assert row.same
    assert row.step.worlds.ncon > 2.0
    assert len(convex.cells(row)) == len(convex.HEADS)


@pytest.mark.parametrize("name", models.names())
def test_one_world_is_measured(name):
    row = single.measure_single(name, nstep=2, rounds=1)
    assert row.ratio > 0.0 and row.loop_ratio > 0.0
    assert row.apart < 1e-8
    free = ("arm", "cartpole", "glider", "muscle_arm", "pendulum")
    assert (row.ncon > 0) == (name not in free)


@pytest.mark.parametrize("case", derivatives.CASES, ids=lambda case: case.name)
def test_derivatives_are_measured(case):
    row = derivatives.measure_case(dataclasses.replace(case, nsim=min(case.nsim, 3)), rounds=1)
    assert row.ratio > 0.0
    assert row.apart < 1e-6
    assert (row.ncon > 0) == (case.worlds.model not in ("arm", "cartpole"))


def test_the_edit_is_one_of_the_solver(tmp_path):
    """Other code in one kernel, which computes the same."""
    shutil.copytree(ROOT / "lanewise" / "engine", tmp_path / "engine")
    startup.edit(tmp_path)
    before, after = (
        (folder / "engine" / "solver" / "primal" / "hessian.py").read_text().splitlines()
        for folder in (ROOT / "lanewise", tmp_path)
    )
    changed = [b for a, b in zip(before, after, strict=True) if a != b]
    assert len(changed) == 1
    assert changed[0].endswith(" + 0):")


def test_heaps_grow():
    for number in (1, 10, 33):
        assert mujoco.MjModel.from_xml_string(contacts.heap(number)).nbody == number + 1


def test_means_count_a_model_once():
    def row(model, ratio):
        return contacts.Timed(contacts.ContactCase(model), None, 1.0, ratio, 0.0)

    assert contacts.group_mean([row("a", 4.0), row("a", 1.0), row("b", 8.0)]) == pytest.approx(4.0)


def test_every_stage_has_a_time():
    mj = measure.unconstrained(models.path("cartpole"))
    gang = stages.Stages(mj)
    for stage in STAGE_FUNCTIONS:
        assert gang.lanewise(stage) > 0.0


def test_stages_know_their_functions_in_mujoco():
    for stage, name in (
        ("com_pos", "mj_comPos"), ("factor_m", "mj_factorM"), ("fwd_velocity", "mj_fwdVelocity"),
        ("kinematics", "mj_kinematics"), ("step", "mj_step"), ("implicit", "mj_implicit"),
    ):  # fmt: skip
        assert stages.mujoco_function(stage) is getattr(mujoco, name)


def test_questions_have_the_answers_of_the_loops():
    rows = [analysis.race(*case, 11, 1) for case in analysis.cases("quadruped", 11)]
    assert [row[0] for row in rows] == [
        f"quadruped, {x}" for x in ("jac_site", "full_m", "inverse")
    ]
    assert all(float(row[-1]) < 1e-9 for row in rows)


def test_conversions_run():
    names = []
    for name, call, size in conventions.cases(10):
        call()
        names.append(name)
        assert size > 0
    assert len(set(names)) == len(names) > 15
