"""A run that is interrupted, killed or out of disk: what there is of it is whole, and goes on."""

import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from lanewise import runs
from support.places import ROOT

LONG = 10**7  # steps that nobody waits for


def begun(cart_file, out):
    """A long run in another process, once it is on its way."""
    words = ["run", str(cart_file), "--worlds", "40", "--steps", str(LONG), "--every", "50"]
    return subprocess.Popen(
        [sys.executable, "-m", "lanewise", *words, "--threads", "1", "--out", str(out)],
        cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait_for(condition, process):
    for _ in range(1200):
        if condition():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("it did not begin")


def steps_in(out):
    try:
        return runs.open(out).steps
    except (runs.RunError, OSError):  # not there yet
        return 0


def compare(cart, out, tmp_path, steps):
    """What was saved, and what follows from it, has the bits of a run without an end."""
    run = runs.open(out)
    assert run.records == run.steps // 50
    whole = runs.record(cart, tmp_path / "whole.npz", worlds=40, steps=run.steps + 77, every=50)
    assert np.array_equal(np.asarray(run.qpos), whole.qpos[: run.records])
    again = runs.resume(out, 77)
    assert np.array_equal(np.asarray(again.qpos), whole.qpos)
    assert np.array_equal(again.state, whole.state)


@pytest.mark.parametrize(
    ("number", "status", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "asked to stop")],
)
@pytest.mark.parametrize("kind", ["npz", "zarr"])
def test_a_signal_ends_it_in_time(cart, cart_file, tmp_path, kind, number, status, word):
    out = tmp_path / f"run.{kind}"
    process = begun(cart_file, out)
    if kind == "zarr":
        wait_for(lambda: steps_in(out) > 0, process)
    else:  # nothing is written before the end: wait until it catches signals
        wait_for(lambda: catches(process.pid, number), process)
        time.sleep(0.5)
    process.send_signal(number)
    said, error = process.communicate(timeout=240)
    assert process.returncode == status, error
    line = error.strip().splitlines()[-1]
    assert line.startswith(f"lanewise: {word} after")
    steps = runs.open(out).steps
    assert f"--resume {out} --steps {LONG - steps}" in line
    assert "40 worlds" in said and "Traceback" not in error
    compare(cart, out, tmp_path, steps)


def catches(pid, number):
    """Whether a process has a handler for SIGTERM, which Python has not by itself."""
    with open(f"/proc/{pid}/status") as file:
        caught = next(line for line in file if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def test_a_process_that_is_killed_leaves_a_whole_file(cart, cart_file, tmp_path):
    out = tmp_path / "run.zarr"
    process = begun(cart_file, out)
    wait_for(lambda: steps_in(out) > 0, process)
    process.kill()
    process.communicate()
    compare(cart, out, tmp_path, runs.open(out).steps)


def _small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))


def test_a_disk_that_is_full_in_the_middle(cart_file, tmp_path):
    """Files may not grow beyond a limit, as on a full disk."""
    out = tmp_path / "run.npz"
    words = ["run", str(cart_file), "--worlds", "40", "--steps", "1000", "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "lanewise", *words], cwd=ROOT, text=True, capture_output=True,
        preexec_fn=_small_files, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith(f"lanewise: {out} cannot be written:")
    assert not list(tmp_path.glob("*run*"))  # nothing half is left


def test_a_full_device(cart, tmp_path):
    for name in ("run.npz", "page.html", "picture.png"):
        (tmp_path / name).symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        runs.record(cart, tmp_path / "run.npz", steps=3)
    run = runs.record(cart, tmp_path / "other.npz", steps=3)
    with pytest.raises(OSError, match="No space left"):
        runs.replay(run, tmp_path / "page.html")
    assert os.path.exists("/dev/full")


def test_a_block_that_cannot_be_written(cart, tmp_path, monkeypatch):
    """The blocks before it are a run that can go on."""
    from lanewise.runs import recording_run, zarr_file

    monkeypatch.setattr(recording_run, "_MOST", 5)
    append, calls = zarr_file.ZarrWriter.append, []

    def full(self, rows):
        calls.append(1)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        append(self, rows)

    monkeypatch.setattr(zarr_file.ZarrWriter, "append", full)
    out = tmp_path / "run.zarr"
    with pytest.raises(OSError, match="its first 10 steps are whole, and can be resumed"):
        runs.record(cart, out, worlds=3, steps=30)
    run = runs.resume(out, 20)
    whole = runs.record(cart, tmp_path / "whole.npz", worlds=3, steps=30)
    assert np.array_equal(np.asarray(run.qpos), whole.qpos)
