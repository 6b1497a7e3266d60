"""run, plot, render and replay, as they are typed."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from lanewise import cli, runs
from support.places import ROOT


def called(capsys, *words):
    """(status, standard output, last line of standard error) of a command."""
    status = cli.main([str(word) for word in words])
    out, error = capsys.readouterr()
    assert "Traceback" not in error
    return status, out, error.strip().splitlines()[-1] if error.strip() else ""


@pytest.fixture(scope="module")
def npz(tmp_path_factory):
    file = tmp_path_factory.mktemp("run") / "run.npz"
    words = f"run cartpole --worlds 6 --steps 40 --record qpos,ctrl --out {file}"
    assert cli.main(words.split()) == 0
    return file


def test_run_and_resume(tmp_path, capsys):
    whole, part = tmp_path / "whole.npz", tmp_path / "part.zarr"
    how = ["--worlds", 9, "--every", 2, "--seed", 3, "--scatter", 0.1, "--record", "qpos,qvel"]
    status, out, _ = called(capsys, "run", "cartpole", "--steps", 60, "--out", whole, *how)
    assert status == 0 and "9 worlds, 60 steps, 30 records of qpos, qvel" in out
    assert called(capsys, "run", "cartpole", "--steps", 25, "--out", part, *how)[0] == 0
    status, out, _ = called(capsys, "run", "--resume", part, "--steps", 35, "--json")
    said = json.loads(out)
    assert status == 0 and (said["steps"], said["records"], said["done"]) == (60, 30, 35)
    a, b = runs.open(whole), runs.open(part)
    assert np.array_equal(a.qvel, np.asarray(b.qvel)) and np.array_equal(a.state, b.state)


def test_controls_from_a_file(tmp_path, capsys):
    plan = np.random.default_rng(0).uniform(-1, 1, (30, 1))
    np.savez(tmp_path / "c.npz", ctrl=plan)
    words = ["run", "cartpole", "--control", tmp_path / "c.npz", "--record", "ctrl"]
    assert called(capsys, *words, "--steps", 30, "--out", tmp_path / "a.npz")[0] == 0
    assert np.array_equal(runs.open(tmp_path / "a.npz").ctrl[:, 0], plan)
    status, _, line = called(capsys, *words, "--steps", 31, "--out", tmp_path / "b.npz")
    assert status == 1 and "at most --steps 30" in line


def test_replay_and_plot(npz, tmp_path, capsys):
    status, out, _ = called(capsys, "replay", npz, tmp_path / "a.html", "--worlds", "0,2-4")
    assert status == 0 and "4 worlds" in out
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    status, out, _ = called(capsys, "plot", npz, "qpos", "--components", "rail")
    assert status == 0 and "rail" in out and "\u2502" in out
    status, out, _ = called(capsys, "plot", npz, "qpos", "--json", "--worlds", "all")
    assert np.array(json.loads(out)["values"]).shape == (40, 6, 2)
    pytest.importorskip("matplotlib")
    assert called(capsys, "plot", npz, "ctrl", "--out", tmp_path / "a.png")[0] == 0


def test_render(npz, tmp_path, capsys):
    words = ["render", npz, tmp_path / "a.png", "--size", "160x120", "--world", 2]
    status, out, line = called(capsys, *words)
    if "no OpenGL" in line:
        pytest.skip(line)
    assert status == 0 and out.strip() == str(tmp_path / "a.png")
    status, _, line = called(capsys, *words)
    assert status == 1 and "--force" in line
    assert called(capsys, *words, "--force")[0] == 0


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("run", 2, "needs MODEL and --out FILE"),
        ("run cartpole", 2, "needs MODEL and --out FILE"),
        ("run cartpole --out", 2, "--out"),
        ("run cartpol --out {tmp}/a.npz", 1, "did you mean 'cartpole'"),
        ("run none.xml --out {tmp}/a.npz", 1, "no model file 'none.xml'"),
        ("run {tmp} --out {tmp}/a.npz", 1, ""),
        ("run cartpole --out {tmp}/a.csv", 1, "must end with .npz or .zarr"),
        ("run cartpole --out {tmp}/no/a.npz", 1, "there is no folder"),
        ("run cartpole --out {npz}", 1, "is there already"),
        ("run cartpole --out {tmp}/a.npz --record qpso", 1, "did you mean 'qpos'"),
        ("run cartpole --out {tmp}/a.npz --record ,", 2, "--record needs names"),
        ("run cartpole --out {tmp}/a.npz --worlds 0", 2, "at least 1, got 0"),
        ("run cartpole --out {tmp}/a.npz --worlds 9999999999", 1, "are free"),
        ("run cartpole --out {tmp}/a.npz --keyframe up", 1, "up"),
        ("run cartpole --out {tmp}/a.npz --scatter -1", 1, "scatter must be"),
        ("run cartpole --out {tmp}/a.npz --control none.npz", 1, "no file 'none.npz'"),
        ("run cartpole --out {tmp}/a.npz --control {npz}", 1, "would be (steps, 1)"),
        ("run --resume {tmp}/none.npz", 1, "there is no file"),
        ("run --resume {tmp}", 1, "without zarr.json"),
        ("run --resume {npz} --every 3", 2, "--every is that of the run"),
        ("run cartpole --resume {npz}", 2, "the model is that of the run"),
        ("plot", 2, "missing argument"),
        ("plot {tmp}/none.npz", 1, "there is no file"),
        ("plot {npz} qvel", 1, "no recorded field 'qvel'"),
        ("plot {npz} --worlds 6", 1, "this run has worlds 0 to 5"),
        ("plot {npz} --worlds x", 1, "such as 0,4-7"),
        ("plot {npz} --components hinges", 1, "no component 'hinges'"),
        ("plot {npz} --out {tmp}/a.gif", 1, "must end with .png"),
        ("replay {npz} {tmp}/a.txt", 1, "must end with .html"),
        ("replay {tmp} {tmp}/a.html", 1, "without zarr.json"),
        ("replay /dev/null {tmp}/a.html", 1, "cannot be read as a run"),
        ("replay {npz} {tmp}/a.html --fps 0", 2, "--fps"),
        ("render", 2, "missing argument"),
        ("render none.xml {tmp}/a.png", 1, "no model file 'none.xml'"),
        ("render none.npz {tmp}/a.png", 1, "there is no file"),
        ("render {npz} {tmp}/a.gif", 1, "must end with .png or .mp4"),
        ("render {npz} {tmp}/a.png --size 3", 1, "such as 640x480"),
        ("render {npz} {tmp}/a.png --world 6", 1, "no world 6"),
        ("render {npz} {tmp}/a.png --camera x", 1, "no camera 'x'"),
    ],
)
def test_mistakes(words, status, message, tmp_path, npz, capsys):
    filled = [word.format(tmp=tmp_path, npz=npz) for word in words.split()]
    found, out, line = called(capsys, *filled)
    assert (found, out) == (status, ""), line
    assert line.startswith("lanewise: ") and message in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("zarr", "run cartpole --out {tmp}/a.zarr", "pip install 'lanewise[runs]'"),
        ("matplotlib", "plot {npz} --out {tmp}/a.png", "pip install 'lanewise[plot]'"),
        ("imageio_ffmpeg", "render {npz} {tmp}/a.mp4", "pip install 'lanewise[render]'"),
    ],
)
def test_without_what_is_extra(name, words, message, tmp_path, npz, capsys, monkeypatch):
    for module in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)
    filled = [word.format(tmp=tmp_path, npz=npz) for word in words.split()]
    status, _, line = called(capsys, *filled)
    assert status == 1 and message in line


def test_a_reader_that_has_enough(npz):
    """As `lanewise plot ... | head -1`."""
    command = [sys.executable, "-m", "lanewise", "plot", str(npz), "qpos", "--json"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command, stdout=write, stderr=subprocess.PIPE, cwd=ROOT, text=True, check=False, timeout=60
    )
    os.close(write)
    assert done.returncode == 141 and done.stderr == ""


def test_a_full_disk(npz, tmp_path, capsys):
    for words in (
        ["run", "cartpole", "--steps", 3, "--out", tmp_path / "a.npz"],
        ["plot", npz, "--out", tmp_path / "a.png"],
        ["replay", npz, tmp_path / "a.html"],
    ):
        place = next(w for w in words if isinstance(w, type(tmp_path)) and w.parent == tmp_path)
        place.symlink_to("/dev/full")
        status, _, line = called(capsys, *words)
        assert status == 1 and "No space left" in line


def test_help_comes_with_examples(capsys):
    for name in ("run", "plot", "render", "replay"):
        status, out, _ = called(capsys, name, "--help")
        assert status == 0 and f"lanewise {name} " in out.partition("Examples:")[2]
