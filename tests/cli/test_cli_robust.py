"""Every command beside what goes wrong: one clear line, the exit status, and no traceback."""

import os
import subprocess
import sys

import numpy as np
import pytest

from lanewise import cli
from lanewise.cli import program
from support.places import MODELS, PACKAGE

FLEX = """
<mujoco><worldbody><flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" radius=".01"
  dim="2"/><body name="b"><joint/><geom size=".1"/></body></worldbody></mujoco>"""

# commands that take a model, with what keeps them short
OF_MODELS = {
    "info": (),
    "bench": ("--worlds", "3", "--threads", "1", "--steps", "2"),
    "check": ("--states", "1"),
    "report": ("--worlds", "3", "--steps", "2"),
    "order": ("drake",),
}
# whole command lines that print something and take no files
PRINT = ("--help", "--version", "cache", "completion bash", "info pendulum", "info pendulum --json",
         "models", "order pendulum drake", "report pendulum --worlds 3 --steps 2")  # fmt: skip


def said(capsys, *words):
    """(status, lines of stderr) of a command"""
    status = cli.main(list(words))
    error = capsys.readouterr().err
    assert "Traceback" not in error
    return status, error.strip().splitlines()


def run(words, **options):
    command = [sys.executable, "-m", "lanewise", *words.split()]
    return subprocess.run(
        command, cwd=PACKAGE.parent, stderr=subprocess.PIPE, text=True, timeout=120, **options
    )


@pytest.mark.parametrize("command", OF_MODELS)
@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("missing.xml", None, "no model file"),
        ("broken.xml", "<mujoco><worldbody>", "XML"),
        ("wrong.xml", "<mujoco><worldbody><bodi/></worldbody></mujoco>", "bodi"),
        ("empty.xml", "", "is empty"),
        ("model.txt", "hello", "use .xml"),
    ],
)
def test_bad_files(command, name, text, message, tmp_path, capsys):
    if text is not None:
        (tmp_path / name).write_text(text)
    path = str(tmp_path / name)
    status, lines = said(capsys, command, path, *OF_MODELS[command])
    assert status == 1
    assert len(lines) == 1 and lines[0].startswith("lanewise: ") and message in lines[0]


@pytest.mark.parametrize("command", OF_MODELS)
def test_a_folder(command, capsys):
    status, lines = said(capsys, command, str(MODELS), *OF_MODELS[command])
    assert status == 1
    assert len(lines) == 1 and "is a folder" in lines[0]


@pytest.mark.parametrize("command", ["bench", "check", "report"])
def test_an_unsupported_model(command, tmp_path, capsys):
    (tmp_path / "flex.xml").write_text(FLEX)
    status, lines = said(capsys, command, str(tmp_path / "flex.xml"), *OF_MODELS[command])
    assert status == 1
    assert lines[-1].startswith("lanewise: ")
    assert "features that are not supported: flex: 1 deformable objects" in lines[-1]
    assert all(line.startswith("lanewise: note: ") for line in lines[:-1])


def test_info_of_an_unsupported_model(tmp_path, capsys):
    (tmp_path / "flex.xml").write_text(FLEX)
    assert cli.main(["info", str(tmp_path / "flex.xml")]) == 1
    out = capsys.readouterr().out
    assert "not supported: flex" in out and "does not run" in out
    assert "degrees of freedom" in out and "└──" in out


@pytest.mark.parametrize("command", ["detect", "convert"])
@pytest.mark.parametrize(("name", "message"), [("missing.npz", "missing.npz"), (".", "folder")])
def test_bad_logs(command, name, message, tmp_path, capsys):
    more = [str(tmp_path / "out.npz")] if command == "convert" else []
    status, lines = said(capsys, command, str(tmp_path / name), *more)
    assert status == 1 and len(lines) == 1
    assert message in lines[0] or "directory" in lines[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("words", PRINT)
def test_a_full_disk(words):
    with open("/dev/full", "w") as full:
        done = run(words, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "lanewise: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("words", PRINT)
def test_a_closed_pipe(words):
    """As `lanewise info humanoid | head -0`: nothing is said."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = run(words, stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (program.NO_READER, "")


def test_a_terminal_without_boxes():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run("info arm", stdout=subprocess.PIPE, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "shoulder" in done.stdout


@pytest.mark.parametrize(
    ("words", "inside"),
    [
        ("check pendulum", "lanewise.cli.parity.examine"),
        ("bench pendulum", "lanewise.cli.measure.compare"),
        ("info pendulum", "lanewise.cli.description.describe"),
        ("report pendulum", "lanewise.reporting.report"),
        ("order pendulum drake", "lanewise.conventions.joint_permutation"),
    ],
)
def test_interrupts(words, inside, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(inside, interrupted)
    status, lines = said(capsys, *words.split())
    assert status == program.INTERRUPTED
    assert lines[-1] == "lanewise: interrupted"


def test_a_file_that_cannot_be_written(tmp_path, capsys):
    np.savez(tmp_path / "st.npz", qpos=np.zeros((2, 1)), qvel=np.zeros((2, 1)))
    words = ["convert", str(tmp_path / "st.npz"), "/proc/out.npz", "--model", "pendulum"]
    status, lines = said(capsys, *words, "--from", "mujoco")
    assert status == 1 and len(lines) == 1


def test_packages_that_are_not_there(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, lines = said(capsys, "bench", "pendulum", "--plot", "speed.png")
    assert status == 1
    assert lines == ["lanewise: --plot needs matplotlib: pip install 'lanewise[plot]'"]


@pytest.mark.parametrize("words", ["info", "check", "bench", "order pendulum", "convert a.npz",
                                   "cache nothing", "completion tcsh"])  # fmt: skip
def test_usage(words, capsys):
    status, lines = said(capsys, *words.split())
    assert status == 2
    assert lines[0].startswith("Usage: lanewise ") and lines[-1].startswith("lanewise: ")
