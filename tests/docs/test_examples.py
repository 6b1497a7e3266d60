"""Every example runs, and says something; those on derivatives do what they claim."""

import os
import subprocess
import sys

import numpy as np
import pytest

from examples import balance_lqr, gliders, identify, swing_up_ilqr, walking_quadruped
from support.places import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, tmp_path):
    if path.stem == "cluster":
        pytest.importorskip("ray")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    learns = path.stem.startswith("train_")
    arguments = ["--quick", "--folder", str(tmp_path)] if learns else []
    run = subprocess.run(
        [sys.executable, str(path), *arguments], capture_output=True, text=True, env=environment
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
    assert "nan" not in run.stdout


def test_feedback_keeps_the_humanoid_on_one_leg():
    assert balance_lqr.main(nsim=8, seconds=1.2) == (8, 0)


def test_the_cartpole_is_swung_up_and_stands():
    assert swing_up_ilqr.main(nsim=5, names=("cartpole",)) == {"cartpole": 5}


def test_masses_and_friction_are_found():
    exact, noisy = identify.main()
    assert np.abs(exact).max() < 1e-6
    assert np.abs(noisy).max() < 0.03


def test_the_quadruped_walks_where_it_is_told():
    _, speed, _, standing = walking_quadruped.main(rounds=2, worlds=48, each=4)
    assert standing.sum() >= 44 and speed.mean() > 0.08


def test_gliders_glide_and_their_paths_are_drawn(tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    way, down = gliders.main(n=40, seconds=15.0, plot=str(tmp_path / "paths.png"))
    assert way.mean() > 5.0 * gliders.HEIGHT and 10 < down.sum()
    assert [file.name for file in tmp_path.iterdir()] == ["paths.png"]


@pytest.mark.parametrize("name", ["balance_lqr", "swing_up_ilqr", "identify"])
def test_plots_are_written_where_asked(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    x = np.linspace(0.0, 1.0, 20)
    if name == "balance_lqr":
        balance_lqr.draw(np.ones((20, 4)), np.zeros((20, 2, 2)), 0.01, "plot.png")
    elif name == "swing_up_ilqr":
        task = swing_up_ilqr.tasks()[0]
        states = np.zeros((2 * task.steps + 1, 3, 4))
        motion = swing_up_ilqr.Motion(
            states[: task.steps + 1, 0], x[:1].repeat(task.steps), x, [2.0, 1.0]
        )
        swing_up_ilqr.draw([(task, motion, states)], "plot.png")
    else:
        identify.draw(x[:, None] * identify.TRUE, x[:, None] * identify.TRUE, "plot.png")
    assert [file.name for file in tmp_path.iterdir()] == ["plot.png"]
