"""Pictures and films through MuJoCo's renderer, and plots."""

import io
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import lanewise as lw
from lanewise import runs
from lanewise.runs import painting, pictures, plots
from lanewise.runs.terminal_plot import chart


def pixels(file):
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(file))


@pytest.fixture(scope="module")
def gl(cart, tmp_path_factory):
    """Skips where nothing can draw."""
    try:
        return runs.render(cart, tmp_path_factory.mktemp("gl") / "a.png", size=(160, 120))
    except painting.NoOpenGL as error:
        pytest.skip(str(error))


def test_a_picture_of_a_model(gl, cart, tmp_path):
    found = pixels(gl)
    assert found.shape == (120, 160, 3)
    assert found.std() > 5  # something is to be seen
    side = pixels(runs.render(cart, tmp_path / "b.png", size=(160, 120), camera="side"))
    later = pixels(runs.render(cart, tmp_path / "c.png", size=(160, 120), time=0.5))
    ball = pixels(runs.render(cart, tmp_path / "d.png", size=(160, 120), follow="ball"))
    assert all((other != found).any() for other in (side, later, ball))


@pytest.mark.parametrize("backend", ["egl", "osmesa"])
def test_each_kind_of_opengl(gl, cart, tmp_path, monkeypatch, backend):
    monkeypatch.setenv("MUJOCO_GL", backend)
    try:
        found = pixels(runs.render(cart, tmp_path / "a.png", size=(160, 120)))
    except painting.NoOpenGL as error:
        pytest.skip(str(error))
    assert np.abs(found.astype(int) - pixels(gl)).mean() < 3


def test_a_picture_of_a_run(gl, npz, tmp_path):
    run = runs.open(npz)
    shots = [
        pixels(runs.render(run, tmp_path / f"{i}.png", size=(160, 120), **how))
        for i, how in enumerate(({}, {"world": 3}, {"time": 0.1}))
    ]
    assert (shots[0] != shots[1]).any() and (shots[0] != shots[2]).any()


def test_a_film(gl, npz, tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    film = runs.render(npz, tmp_path / "run.mp4", size=(160, 120), fps=10)
    reader = ffmpeg.read_frames(str(film))
    about = next(reader)
    frames = [np.frombuffer(frame, np.uint8) for frame in reader]
    assert about["size"] == (160, 120) and about["fps"] == 10
    assert len(frames) == 6  # 0.6 s
    assert np.abs(frames[0].astype(int) - frames[-1]).mean() > 0.1
    assert [file.name for file in tmp_path.iterdir()] == ["run.mp4"]


def test_without_opengl(cart, tmp_path, monkeypatch):
    """One line that says what to install; nothing is left."""
    monkeypatch.setattr(painting, "backends", lambda: ["egl", "osmesa"])
    broken = [sys.executable, "-c", "raise ImportError('no such library')"]
    popen = subprocess.Popen

    def failing(words, **how):
        return popen(broken, **how)

    monkeypatch.setattr(painting.subprocess, "Popen", failing)
    with pytest.raises(painting.NoOpenGL, match="install libegl1 or libosmesa6") as caught:
        runs.render(cart, tmp_path / "a.png")
    assert "osmesa: ImportError: no such library" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_pictures_that_are_refused(cart, npz, tmp_path):
    for name, words, how in (
        ("a.jpg", r"must end with \.png or \.mp4", {}),
        ("a.png", "no camera 'sid' \\(did you mean 'side'", {"camera": "sid"}),
        ("a.png", "no body 'pol' \\(did you mean 'pole'", {"follow": "pol"}),
        ("a.png", "not both", {"follow": "pole", "camera": "side"}),
        ("a.png", "1 to 8192 pixels", {"size": (0, 100)}),
        ("a.mp4", "even numbers", {"size": (101, 100)}),
        ("a.png", "time must be", {"time": -1.0}),
    ):
        with pytest.raises((ValueError, KeyError), match=words):
            runs.render(cart, tmp_path / name, **how)
    with pytest.raises(IndexError, match="no world 7"):
        runs.render(npz, tmp_path / "a.png", world=7)
    with pytest.raises(ValueError, match="after the end of the run, at 0.6 s"):
        runs.render(npz, tmp_path / "a.png", time=3.0)
    (tmp_path / "a.png").write_text("mine")
    with pytest.raises(FileExistsError, match="--force"):
        runs.render(cart, tmp_path / "a.png")


def test_png_is_what_was_drawn():
    image = pytest.importorskip("PIL.Image")
    drawn = np.random.default_rng(0).integers(0, 255, (7, 5, 3), np.uint8)
    assert np.array_equal(np.asarray(image.open(io.BytesIO(pictures.png(drawn)))), drawn)


# ------------------------------------------------------------------------------------------- plots


def test_curves_have_the_names_of_the_model(npz):
    run = runs.open(npz)
    shown = plots.curves(run, "qpos")
    assert shown.names == ["slide", "hinge", *(f"ball[{k}]" for k in range(7))]
    assert np.array_equal(shown.values[:, 0], run.qpos[:, 0])
    assert plots.curves(run, "ctrl").names == ["push"]
    assert plots.curves(run, "sensordata").names == ["tip[0]", "tip[1]", "tip[2]", "angle"]
    assert plots.curves(run, "xpos").names[3:6] == ["cart[0]", "cart[1]", "cart[2]"]
    assert plots.curves(run, "xpos").unit == "m"
    assert plots.curves(run, "xpos", components=("pole", "0")).names == [
        "pole[0]", "pole[1]", "pole[2]", "world[0]",
    ]  # fmt: skip


def test_too_many_curves_are_not_all_shown(tmp_path):
    run = runs.record(lw.models.path("humanoid"), tmp_path / "run.npz", steps=2)
    shown = plots.curves(run, "qpos")
    assert len(shown.names) == plots.MOST and shown.left_out == 28 - plots.MOST


def test_components_that_are_not_there(npz):
    run = runs.open(npz)
    with pytest.raises(lw.UnknownName, match="no component 'hing' .did you mean 'hinge'"):
        plots.curves(run, "qpos", components=("hing",))
    with pytest.raises(lw.UnknownName, match="no component 9; there are 0 to 8"):
        plots.curves(run, "qpos", components=("9",))
    with pytest.raises(IndexError, match="no world 5"):
        plots.curves(run, "qpos", (5,))
    with pytest.raises(lw.UnknownName, match="no recorded field"):
        plots.curves(run, "qvel")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_plot(npz, tmp_path, ending):
    pytest.importorskip("matplotlib")
    shown = plots.curves(runs.open(npz), "qpos", (0, 1, 2))
    file = plots.picture(shown, tmp_path / f"a.{ending}")
    assert file.stat().st_size > 5000
    if ending == "svg":
        assert "3 worlds" in file.read_text() or len(file.read_text()) > 20000


def test_a_chart_of_characters():
    time = np.linspace(0, 1, 50)
    lines = chart(time, [time, np.full(50, np.nan)], 40, 8)
    text = ["".join(piece for piece, _ in line) for line in lines]
    assert len(text) == 10 and max(map(len, text)) == 40
    assert text[0].lstrip().startswith("1 ") and text[7].lstrip().startswith("0 ")
    dots = [[j for j, (c, _) in enumerate(line) if "\u2800" < c <= "\u28ff"] for line in lines[:8]]
    assert all(a and b and min(a) > min(b) for a, b in pairwise(dots))  # it rises
    assert chart(np.zeros(1), [np.ones(1)], 40, 6)  # one record
