"""From worlds to a page that listens, without a browser."""

import signal
import socket
import subprocess
import sys
import threading
import urllib.request

import numpy as np
import pytest

import lanewise as lw
from lanewise.cli import main
from lanewise.viewer import opening
from support.viewing import ARM, BOX

viser = pytest.importorskip("viser")
pytest.importorskip("mjviser")


@pytest.fixture
def viewer(capsys):
    batch = lw.Batch(lw.load(ARM), nsim=4, nthread=1)
    with lw.view(batch, port=0, block=False) as viewer:
        yield viewer


def test_it_listens_on_this_machine_and_says_so(viewer, capsys):
    said = capsys.readouterr().out
    assert viewer.url.startswith("http://127.0.0.1:")
    assert viewer.url in said and "this machine only" in said and "viser" not in said
    with urllib.request.urlopen(viewer.url, timeout=60) as page:
        assert b"<title>Lanewise</title>" in page.read()
    assert viewer.server.get_host() == "127.0.0.1"


def test_a_host_for_everybody_is_said():
    batch = lw.Batch(lw.load(ARM), nsim=1)
    viewer = opening.open_viewer(batch, host="0.0.0.0", port=0)
    try:
        assert "anybody who can reach this machine" in opening.address(viewer)
    finally:
        viewer.close()


def test_closing_gives_everything_back():
    before = {thread.name for thread in threading.enumerate()}
    batch = lw.Batch(lw.load(ARM), nsim=2, nthread=1)
    bound, timing = list(batch.bound), batch.timing
    viewer = lw.view(batch, port=0, block=False, play=True)
    frame = viewer.session.wait(viewer.session.frame.serial, timeout=60.0)
    assert frame.clock > 0.0
    viewer.close()
    viewer.close()
    assert batch.bound == bound and batch.timing == timing
    left = {thread.name for thread in threading.enumerate()} - before
    assert not [name for name in left if name.startswith("lanewise")]
    with pytest.raises(OSError):
        urllib.request.urlopen(viewer.url, timeout=2)


@pytest.mark.parametrize("lanes", [1, 3])
def test_a_data_is_moved(lanes):
    m = lw.load(ARM)
    d = lw.Data(m, lanes=lanes)
    d.qvel[..., 0] = 1.0
    viewer = lw.view(d, port=0, block=False)
    assert viewer.session.batch.nsim == lanes
    viewer.session.step(10)
    viewer.session.wait(viewer.session.frame.serial, timeout=60.0)
    viewer.close()
    alone = lw.Data(m)
    alone.qvel[0] = 1.0
    lw.step(m, alone, 10)
    assert np.array_equal(d.qpos, alone.qpos if lanes == 1 else np.tile(alone.qpos, (3, 1)))


def test_an_mjmodel_will_do():
    batch = lw.Batch(lw.load(ARM).mj, nsim=1)
    lw.view(batch, port=0, block=False).close()


def test_what_is_no_world():
    with pytest.raises(TypeError, match="shows a Batch or a Data, got str"):
        lw.view("humanoid")


def test_select_arrange_follow_and_plot(viewer):
    """What panels ask for is carried out, and the thread that draws survives it."""
    viewer.select(2, BOX)
    viewer.choosing._system = "newton"
    viewer.plots.add("qpos", "0-1")
    viewer.plots.add("sensor tip")
    viewer.arrange("ghosts")
    viewer.follow(True)
    assert viewer.choosing.follow.value
    for flag in ("show_contact_points", "show_contact_forces", "show_inertia"):
        setattr(viewer.bodies.drawn, flag, True)
    viewer.play()
    serial = viewer.session.frame.serial
    for _ in range(3):
        serial = viewer.session.wait(serial, timeout=60.0).serial
    with viewer.drawing:
        viewer._draw(viewer.session.frame)
        for panel in viewer._panels:
            panel.refresh(viewer.session.frame)
        shown = viewer.plots._plots[1]._chart.data
        assert len(shown) == 4 and np.ptp(shown[0]) > 0.0
        assert "Newton" in viewer.choosing._table.content
    assert viewer.selected == (2, BOX) and viewer.session.error is None


@pytest.mark.parametrize(
    ("what", "rows", "said"),
    [("qpos", "0, x", "rows are given as"), ("qpos", "99", "rows are from 0 to 8"),
     ("act", "", "has no numbers")],
)  # fmt: skip
def test_plots_that_cannot_be(viewer, what, rows, said):
    with pytest.raises(ValueError, match=said):
        viewer.plots.add(what, rows)


def test_a_drag_from_the_picture_takes_hold_where_the_mouse_is(viewer):
    world = 3
    away = viewer.bodies.offsets[world]
    at = viewer.eye.xpos[world, BOX] + away + [0.01, 0.02, 0.03]
    viewer._drag("start", world, BOX, at, at)
    viewer._drag("update", world, BOX, at, at + [0, 0, 0.3])
    viewer.session.turn(0.0)
    hand = viewer.session.hand
    assert (hand.world, hand.body) == (world, BOX) and away.any()
    assert hand.point == pytest.approx([0.01, 0.02, 0.03], abs=1e-6)
    assert hand.goal == pytest.approx(at - away + [0, 0, 0.3])
    viewer._drag("end", world, BOX, at, at)
    viewer.session.turn(0.0)
    assert viewer.session.hand is None


def test_saving(viewer, tmp_path):
    viewer.session.step(5)
    viewer.session.wait(viewer.session.frame.serial, timeout=60.0)
    viewer.save(tmp_path / "clip.npz")
    with np.load(tmp_path / "clip.npz", allow_pickle=False) as clip:
        assert clip["qpos"].shape[1:] == (4, 9)


@pytest.fixture
def taken():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


def test_a_port_in_use_is_one_line(taken, capsys):
    assert main(["view", "pendulum", "--port", str(taken)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"lanewise: port {taken} is in use") and said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.xml"], "nowhere.xml"),
        (["pendulum", "--host", "no.such.host.invalid"], "no address of this machine"),
        (["pendulum", "--control", "nowhere.py:f"], "no file 'nowhere.py'"),
        (["pendulum", "--policy", "nowhere.npz"], "no file 'nowhere.npz'"),
        (["pendulum", "--keyframe", "nosuch"], "nosuch"),
    ],
)
def test_mistakes_are_one_line(arguments, said, capsys):
    assert main(["view", *arguments, "--port", "0" if "--host" not in arguments else "8080"]) == 1
    err = capsys.readouterr().err
    assert said in err and "Traceback" not in err


def test_without_the_extra(monkeypatch, capsys):
    monkeypatch.setattr(opening.importlib.util, "find_spec", lambda name: None)
    assert main(["view", "pendulum"]) == 1
    assert "pip install 'lanewise[viewer]'" in capsys.readouterr().err


def test_importing_lanewise_imports_no_viser():
    code = "import sys, lanewise as lw; lw.view; print('viser' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_ctrl_c_ends_it_cleanly():
    words = ["view", "pendulum", "--port", "0", "--play"]
    code = f"from lanewise.cli import main; raise SystemExit(main({words}))"
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert program.stdout is not None
        assert "viewer at http://127.0.0.1:" in program.stdout.readline()
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=240)
    finally:
        program.kill()
    assert program.returncode == 0 and "Traceback" not in err + out
