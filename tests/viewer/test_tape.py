"""What was recorded, and the file that it becomes."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.viewer.tape import Tape, clip, save
from support.viewing import session


def test_old_frames_go():
    tape = Tape(memory=10 * 80)
    for k in range(25):
        tape.add(0.1 * k, np.full((2, 5), float(k)))
    assert 2 <= len(tape) <= 10
    assert tape[len(tape) - 1].state[0, 0] == 24.0


def test_index_is_the_last_that_is_not_later():
    tape = Tape()
    for k in range(5):
        tape.add(0.5 * k, np.zeros((1, 1)))
    assert [tape.index(t) for t in (-1.0, 0.0, 0.49, 0.5, 1.9, 99.0)] == [0, 0, 0, 1, 3, 4]
    assert [f.clock for f in tape.last(1.0, 3)] == [0.5, 1.0, 1.5]


def test_a_frame_is_a_copy():
    tape, state = Tape(), np.zeros((1, 2))
    frame = tape.add(0.0, state)
    state[:] = 1.0
    assert not frame.state.any()


def test_clip_has_what_replay_needs(tmp_path):
    s = session(nsim=2)
    for _ in range(5):
        s.step(3)
    s.turn(0.0)
    path = tmp_path / "clip.npz"
    save(path, s.clip())
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    m = s.model
    assert arrays["time"] == pytest.approx(0.012 * np.arange(6))
    shapes = {"qpos": (6, 2, m.nq), "qvel": (6, 2, m.nv), "ctrl": (6, 2, m.nu),
              "mocap_pos": (6, 2, 1, 3), "mocap_quat": (6, 2, 1, 4)}  # fmt: skip
    assert {name: arrays[name].shape for name in shapes} == shapes
    assert np.array_equal(arrays["qpos"][-1], s.batch.qpos)
    assert arrays["model"].dtype == np.uint8
    copy = tmp_path / "model.mjb"
    copy.write_bytes(arrays["model"].tobytes())
    assert lw.load(copy).nq == m.nq


def test_nothing_recorded_is_said():
    with pytest.raises(ValueError, match="nothing has been recorded"):
        clip(session().model, [])


def test_a_file_that_cannot_be_written_leaves_none(tmp_path, monkeypatch):
    def full(*given, **named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(OSError, match="No space"):
        save(tmp_path / "clip.npz", {})
    assert not list(tmp_path.iterdir())
