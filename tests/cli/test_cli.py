"""The command line, and the models that come with the package."""

import importlib
import io
import json
import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest

from lanewise import cli, models
from lanewise.cli import measure, program, sweep, terminal
from support.places import PACKAGE


def test_no_command_prints_help(capsys):
    assert cli.main([]) == 0
    assert "doctor" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--help"], *([name, "--help"] for name in program.names())])
def test_help_comes_at_once(words):
    """Nothing that takes long is imported to say what there is."""
    code = (
        f"WORDS = {words}"
        + """
import sys
from lanewise.cli import main
main(WORDS)
print([name for name in ("numpy", "mujoco", "llvmlite", "rich") if name in sys.modules])
"""
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", program.names())
def test_a_command_says_what_it_does(name, capsys):
    about = importlib.import_module(f"lanewise.cli.commands.{name}").__doc__
    assert about.partition("\n\n")[0].count("\n") == 0
    assert cli.main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert about.partition("\n")[0] in " ".join(out.split())
    assert "Examples:" in out and f"lanewise {name}" in out
    assert program.about(name) == about.partition("\n\n")[0]


def test_doctor(capsys):
    assert cli.main(["doctor"]) == 0
    out = capsys.readouterr().out
    for word in ("llvmlite", "mujoco-core", "processor", "cache", "gang", "per-world", "single"):
        assert word in out


def test_info_of_a_model_with_constraints(capsys):
    assert cli.main(["info", "humanoid"]) == 0
    out = capsys.readouterr().out
    assert "degrees of freedom 27" in out
    assert "contacts" in out
    assert "not supported" not in out


def test_info_of_a_model_that_runs(capsys):
    assert cli.main(["info", "pendulum"]) == 0
    assert "not supported" not in capsys.readouterr().out


def test_missing_model_is_one_line(capsys):
    assert cli.main(["info", "nothing.xml"]) == 1
    error = capsys.readouterr().err
    assert "nothing.xml" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("option", ["--worlds", "--steps", "--threads"])
def test_counts_are_positive(option, capsys):
    assert cli.main(["demo", option, "0"]) == 2
    assert "at least 1" in capsys.readouterr().err


def test_demo_ends_where_mujoco_does(capsys):
    assert cli.main(["demo", "--worlds", "13", "--steps", "20", "--threads", "2", "--no-show"]) == 0
    captured = capsys.readouterr()
    assert "mujoco.batch" in captured.out
    assert "100 %" in captured.err
    apart = float(captured.out.rsplit(":", 1)[1])
    assert apart < 1e-9


def test_bench_command(capsys):
    words = ["bench", "cartpole", "--worlds", "9,17", "--threads", "1", "--steps", "3", "--all"]
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    for name in (*measure.RUNNERS, "9 x 1", "17 x 1", "\u2588"):
        assert name in out


def test_bench_for_programs(capsys):
    words = ["bench", "cartpole", "--worlds", "9", "--threads", "1,2", "--steps", "3", "--json"]
    assert cli.main(words) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [(point["worlds"], point["threads"]) for point in points] == [(9, 1), (9, 2)]
    for point in points:
        assert set(point["steps_per_second"]) == {"lanewise", "mujoco.batch"}
        assert point["largest_relative_difference"] < 1e-9


def test_bench_chooses_steps():
    mj = measure.authored(models.path("pendulum"))
    assert sweep.steps_for(mj, 1, 1, 1e-9) == sweep.MOST_STEPS
    assert sweep.steps_for(mj, 10**6, 1, 1.0) == sweep.FEWEST_STEPS
    assert 0 < sweep.step_cost(mj) < 1


def test_bench_draws(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    words = ["bench", "cartpole", "--worlds", "9,17", "--threads", "1,2", "--steps", "2", "--plot"]
    assert cli.main([*words, str(tmp_path / "speed.png")]) == 0
    assert (tmp_path / "speed.png").read_bytes().startswith(b"\x89PNG")
    assert cli.main([*words, str(tmp_path / "speed.nothing")]) == 1
    assert "speed.nothing" in capsys.readouterr().err


@pytest.mark.parametrize("nthread", [1, 2])
@pytest.mark.parametrize("name", models.names())
def test_runners_agree(name, nthread):
    """Every way to simulate that is timed computes the same thing."""
    worlds = measure.Worlds.scattered(measure.unconstrained(models.path(name)), 11)
    last = {key: run(worlds, 20, nthread)() for key, run in measure.RUNNERS.items()}
    for key, qpos in last.items():
        np.testing.assert_allclose(qpos, last["mujoco.batch"], rtol=0, atol=1e-9, err_msg=key)


def test_clock_is_removed_and_put_back():
    library = measure.mujoco_library()
    callback = measure.ctypes.c_void_p.in_dll(library, "mjcb_time")
    before = callback.value
    with measure.mujoco_clock(False):
        assert not callback.value
    assert callback.value == before


@pytest.mark.parametrize("name", models.names())
def test_own_models_are_sound(name):
    """With their constraints, in MuJoCo: nothing explodes, no keyframe is deep inside anything."""
    mj = mujoco.MjModel.from_xml_path(str(models.path(name)))
    d = mujoco.MjData(mj)
    for key in range(mj.nkey):
        mujoco.mj_resetDataKeyframe(mj, d, key)
        mujoco.mj_forward(mj, d)
        for contact in d.contact:
            grip = np.all(mj.geom_bodyid[contact.geom] > 0)  # of a hand that holds something
            assert contact.dist > (-0.008 if grip else -0.002)
        for _ in range(500):
            mujoco.mj_step(mj, d)
        assert not any(warning.number for warning in d.warning)
        assert np.all(np.abs(d.qvel) < 100)


def test_unknown_own_model():
    with pytest.raises(ValueError, match="humanoid"):
        models.path("humanoids")


def test_bar_counts_to_the_end():
    stream = io.StringIO()
    bar = terminal.Bar(7, "x", stream)
    for _ in range(7):
        bar.advance()
    assert "100 %" in stream.getvalue()


def test_table_aligns():
    lines = terminal.table([("a", "1"), ("long", "22")], ("name", "n")).splitlines()
    assert lines == ["name   n", "----  --", "a      1", "long  22"]


def test_report(capsys):
    assert cli.main(["report", "cartpole", "--worlds", "11", "--steps", "20"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Batch of 11 worlds on 1 thread\n")
    assert "kinetic energy" in out and "pos_kinematics" in out and " 220 " in out


def test_report_for_programs(capsys):
    words = ["report", "quadruped", "--worlds", "3", "--steps", "5", "--threads", "2", "--json"]
    assert cli.main(words) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["timers"]["step"]["number"] == 15
    assert facts["sizes"]["nv"] == 18 and facts["contacts"]["room"] > 0


def test_report_of_one_world(capsys):
    assert cli.main(["report", "pendulum", "--worlds", "1", "--steps", "5"]) == 0
    assert capsys.readouterr().out.startswith("Batch of 1 world on 1 thread\n")


def completed(words: str, shell="bash"):
    """What a shell is offered after these words."""
    environment = os.environ | {
        "_LANEWISE_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "lanewise"], env=environment, capture_output=True, text=True,
        check=True, cwd=PACKAGE.parent,
    )  # fmt: skip
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("lanewise de", ["demo", "detect"]),
        ("lanewise info hum", ["humanoid", "hum"]),  # the last for files that begin so
        ("lanewise demo --wor", ["--worlds"]),
        ("lanewise completion f", ["fish"]),
    ],
)
def test_completion(words, offered):
    assert completed(words) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    assert "_LANEWISE_COMPLETE" in capsys.readouterr().out


def test_debug_shows_a_traceback():
    with pytest.raises(FileNotFoundError):
        cli.main(["--debug", "info", "nothing.xml"])


def test_a_command_may_give_its_status(monkeypatch):
    from lanewise.cli.commands import doctor

    monkeypatch.setattr(doctor.command, "callback", lambda **given: 3)
    assert cli.main(["doctor"]) == 3
