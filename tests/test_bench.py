"""The benchmarks' own machinery, on made-up times: tables, the page and the plot."""

import re

import mujoco
import pytest

from bench import report, stages
from bench.cases import CASES
from bench.startup import Startup
from lanewise import measure, models
from lanewise.functions import STAGE_FUNCTIONS


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
    startup = Startup(30.0, 1.0, 25.0, 26.0, 2_000_000)
    return report.Findings(rows, startup, {"pendulum": (123.0, 120)}, 1.5, {"arm": (4.0, 3.0)}, 1.9)


def test_rates():
    measured = measure.Measured({"lanewise": 2.0, "mujoco.batch": 12.0}, 4_000_000, 0.0)
    assert measured.rate("lanewise") == 2_000_000
    assert measured.microseconds("mujoco.batch") == 3.0
    assert measured.ratio() == 6.0


def test_page_has_what_was_measured(findings):
    page = report.markdown(findings)
    assert page.count("| humanoid |") == sum(case.model == "humanoid" for case in CASES)
    assert "30.0 s on one core" in page
    assert "123 bytes (state row 120 bytes)" in page
    assert re.search(r"two threads over one .*\| 1\.90 \|", page)


def test_readme_is_filled_between_its_marks(findings):
    page = f"before\n{report.MARKS[0]}\nold\n{report.MARKS[1]}\nafter\n"
    filled = report.fill(page, report.readme_block(findings))
    assert "old" not in filled
    assert "| humanoid | 64 | 1.00 | 5.00 | 5.0 |" in filled
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
