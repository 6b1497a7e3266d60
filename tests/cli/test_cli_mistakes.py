"""What people type by mistake: one line that says what was wrong, and an exit status."""

import os
import subprocess
import sys

import pytest

import lanewise as lw
from lanewise import cli
from lanewise.cli import program
from support.places import MODELS


def said(capsys, *words):
    """(status, last line of stderr) of a command."""
    status = cli.main(list(words))
    error = capsys.readouterr().err
    assert "Traceback" not in error
    return status, error.strip().splitlines()[-1] if error.strip() else ""


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("inof", 2, "did you mean 'info'"),
        ("demo --wrlds 3", 2, "did you mean '--worlds'"),
        ("demo --worlds ten", 2, "must be a whole number, got 'ten'"),
        ("demo --worlds 1.5", 2, "must be a whole number, got '1.5'"),
        ("demo --steps -3", 2, "at least 1, got -3"),
        ("demo --steps " + "9" * 30, 2, "at most"),
        ("demo --threads 100000", 2, "at most 1024"),
        ("demo --model nope", 1, "humanoid"),
        ("demo extra", 2, "unexpected extra argument (extra)"),
        ("demo --worlds 100000000", 1, "worlds fit"),
        ("bench cartpole --worlds 100000000", 1, "worlds fit"),
        ("bench cartpole --all --worlds 1 --steps 100000000000", 1, "worlds fit"),
        ("bench cartpole --worlds 8,x", 2, "must be a whole number, got 'x'"),
        ("bench cartpole --plot /nowhere/speed.png", 1, "/nowhere/speed.png"),
        ("bench nothing.xml", 1, "no model file 'nothing.xml'"),
        ("report humanoidd", 1, "did you mean 'humanoid'"),
        ("report", 2, "missing argument 'MODEL'"),
        ("report cartpole --jsn", 2, "did you mean '--json'"),
        ("report cartpole --steps 0", 2, "at least 1, got 0"),
        ("report cartpole --worlds 1000000000", 1, "worlds fit"),
        ("report nothing.xml", 1, "no model file 'nothing.xml'"),
        ("info humanoidd", 1, "did you mean 'humanoid'"),
        ("info /dev/null", 1, "not a file"),
        ("info " + "x" * 300, 1, "too long"),
        ("info", 2, "missing argument 'MODEL'"),
        ("info humanoid --foo", 2, "no option '--foo'"),
        ("--nope", 2, "no option '--nope'"),
    ],
)
def test_mistakes(words, status, message, capsys):
    found, line = said(capsys, *words.split())
    assert found == status
    assert message in line


@pytest.mark.parametrize("command", ["info", "bench"])
def test_a_folder(command, capsys):
    status, line = said(capsys, command, str(MODELS))
    assert status == 1
    assert "is a folder; there are" in line


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"lanewise {lw.__version__}\n"


@pytest.mark.parametrize("steps", [2, 13])
def test_demo_takes_as_many_steps_as_it_is_told(steps, capsys):
    few = ["--worlds", "3", "--threads", "1", "--no-show"]
    assert cli.main(["demo", "--steps", str(steps), *few]) == 0
    captured = capsys.readouterr()
    assert f" {steps} steps of " in captured.out
    assert f"after {min(steps, 10)} steps" in captured.out
    assert "100 %" in captured.err


def test_notes_are_one_line(capsys):
    urdf = MODELS / "bot_description" / "urdf" / "bot.urdf"
    status, line = said(capsys, "info", str(urdf))
    assert status == 0
    assert line.startswith("lanewise: note: ") and "no actuators" in line


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError("8 GB"), 1, "not enough memory: 8 GB"),
        (PermissionError(13, "Permission denied", "out.npz"), 1, "out.npz"),
        (ImportError("no llvmlite"), 1, "no llvmlite"),
    ],
)
def test_errors_on_the_way(error, status, message, capsys, monkeypatch):
    from lanewise.cli.commands import info

    def run(**given):
        raise error

    monkeypatch.setattr(info.command, "callback", run)
    found, line = said(capsys, "info", "humanoid")
    assert found == status
    assert message in line


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_outputs_that_cannot_be_written():
    command = [sys.executable, "-m", "lanewise", "info", "pendulum"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "lanewise: [Errno 28] No space left on device\n"


def test_a_reader_that_has_enough(monkeypatch, capsys):
    """As `lanewise info | head -1`: nothing is said."""
    from lanewise.cli.commands import info

    def run(**given):
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(info.command, "callback", run)
    assert said(capsys, "info", "humanoid") == (program.NO_READER, "")
