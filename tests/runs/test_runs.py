"""Files of runs: what is in them, and that a run that went on is one that never stopped."""

import numpy as np
import pytest

import lanewise as lw
from lanewise import runs
from lanewise.runs import recording_run

FIELDS = ("qpos", "qvel", "ctrl", "sensordata", "xpos")
KINDS = ("npz", "zarr")


def same(a, b, names=FIELDS):
    for name in ("time", *names):
        assert np.array_equal(np.asarray(getattr(a, name)), np.asarray(getattr(b, name))), name
    assert np.array_equal(a.state, b.state)
    assert np.array_equal(a.resets, b.resets)


@pytest.mark.parametrize("kind", KINDS)
def test_records_are_those_of_a_batch(cart, tmp_path, kind):
    run = runs.record(
        cart, tmp_path / f"run.{kind}", worlds=11, steps=30, record=FIELDS, every=3, scatter=0.1,
        keyframe="leaning", seed=4,
    )  # fmt: skip
    assert (run.worlds, run.steps, run.records, run.every) == (11, 30, 10, 3)
    assert run.qpos.shape == (10, 11, cart.nq)
    assert np.allclose(np.asarray(run.time), 0.03 * np.arange(1, 11))
    again = lw.Batch(cart, 11)
    runs.starts.start(again, "leaning", 0.1, 4)
    assert np.array_equal(again.qpos[0], cart.key_qpos[0])
    assert (again.qpos[1:] != cart.key_qpos[0]).any(axis=1).all()
    again.bind("xpos")
    for record in range(10):
        again.step(nstep=3)
        assert np.array_equal(run.qpos[record], again.qpos)
        assert np.array_equal(run.xpos[record], again.xpos)
    assert np.array_equal(run.state, again.state)
    assert np.array_equal(run.batch(1).state, again.state)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [20, 33])
def test_a_run_that_went_on_has_the_same_bits(cart, tmp_path, kind, first):
    """Also if it stopped between two records, and in the middle of a chunk."""
    how = {"worlds": 9, "record": FIELDS, "every": 4, "scatter": 0.2}
    whole = runs.record(cart, tmp_path / f"whole.{kind}", steps=80, **how)
    part = runs.record(cart, tmp_path / f"part.{kind}", steps=first, nthread=1, **how)
    assert part.records == first // 4
    part = runs.resume(tmp_path / f"part.{kind}", 80 - first)
    same(whole, part)
    assert part.steps == 80


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_make_no_difference(cart, tmp_path, kind, monkeypatch):
    how = {"worlds": 3, "record": ("qpos",), "steps": 50}
    one = runs.record(cart, tmp_path / f"one.{kind}", **how)
    monkeypatch.setattr(recording_run, "_MOST", 7)
    other = runs.record(cart, tmp_path / f"other.{kind}", **how)
    same(one, other, ("qpos",))


def test_both_kinds_have_the_same(cart, tmp_path):
    first, second = (
        runs.record(cart, tmp_path / f"run.{kind}", worlds=4, steps=20, record=FIELDS)
        for kind in KINDS
    )
    same(first, second)


@pytest.mark.parametrize("kind", KINDS)
def test_controls_are_followed_and_gone_on_with(cart, tmp_path, kind):
    plan = np.random.default_rng(1).uniform(-1, 1, (40, 6, cart.nu))
    np.savez(tmp_path / "plan.npz", ctrl=plan)
    how = {"worlds": 6, "record": ("qpos", "ctrl")}
    control = tmp_path / "plan.npz"
    whole = runs.record(cart, tmp_path / f"whole.{kind}", steps=40, control=control, **how)
    assert np.array_equal(np.asarray(whole.ctrl), plan)
    part = runs.record(cart, tmp_path / f"part.{kind}", steps=15, control=control, **how)
    same(whole, runs.resume(part.path, 25), ("qpos", "ctrl"))
    with pytest.raises(ValueError, match="40 steps, 40 of them are done"):
        runs.resume(part.path, 1)
    # what a run recorded can be followed by another
    followed = runs.record(cart, tmp_path / f"again.{kind}", steps=40, control=plan, **how)
    same(whole, followed, ("qpos", "ctrl"))


def test_controls_that_changed_are_refused(cart, tmp_path):
    control = tmp_path / "plan.npy"
    np.save(control, np.zeros((20, cart.nu)))
    run = runs.record(cart, tmp_path / "run.npz", steps=5, control=control)
    np.save(control, np.ones((20, cart.nu)))
    with pytest.raises(ValueError, match="controls have changed"):
        runs.resume(run.path, 5)
    control.unlink()
    with pytest.raises(FileNotFoundError, match="say where they are"):
        runs.resume(run.path, 5)
    with pytest.raises(ValueError, match=r"is \(20, 3\), and would be \(steps, 1\)"):
        runs.record(cart, tmp_path / "other.npz", steps=5, control=np.zeros((20, 3)))


def test_the_model_of_a_run_is_that_which_ran(cart, npz):
    run = runs.open(npz)
    assert run.model.nq == cart.nq
    assert np.array_equal(run.model.body_mass, cart.body_mass)
    assert run.timestep == 0.01
    with pytest.raises(AttributeError, match="'sensordata'"):
        run.sensrdata  # noqa: B018
    with pytest.raises(lw.UnknownName, match="no recorded field"):
        run.array("qvel")
    assert "qpos" in dir(run) and "5 worlds" in repr(run)


def test_one_world_of_a_run(npz):
    run = runs.open(npz)
    motion = run.world(3)
    assert set(motion) == set(run.names)
    assert np.array_equal(motion["qpos"], run.qpos[:, 3])
    with pytest.raises(IndexError, match="no world 5: this run has 5"):
        run.world(5)


def test_some_worlds_of_a_large_run_are_read_alone(cart, tmp_path):
    run = runs.record(cart, tmp_path / "run.zarr", worlds=300, steps=4)
    assert run.qpos.chunks[1] == 256
    assert np.array_equal(run.read("qpos", [1, 299]), np.asarray(run.qpos)[:, [1, 299]])


def test_resets_are_counted_over_all_parts(tmp_path):
    """A world with a bad number is reset by the engine, and its file says so."""
    blows_up = """
    <mujoco><option timestep=".01"/><worldbody><body><joint name="j" type="slide"/>
    <geom size=".1"/></body></worldbody><actuator><motor joint="j" gear="1e9"/></actuator></mujoco>
    """
    control = np.full((20, 1), 1e9)
    path = tmp_path / "run.npz"
    with pytest.warns(RuntimeWarning, match="reset"):
        runs.record(lw.load(blows_up), path, steps=10, control=control)
    first = runs.open(path).resets.sum()
    with pytest.warns(RuntimeWarning, match="reset"):
        runs.resume(path, 10, control=control)
    assert 0 < first < runs.open(path).resets.sum()


def test_what_cannot_be_run_is_refused(cart, tmp_path, npz):
    for name, words, how in (
        ("run.csv", "must end with .npz or .zarr", {}),
        ("no/run.npz", "there is no folder", {}),
        ("a.npz", "did you mean 'qpos'", {"record": ("qpso",)}),
        ("a.npz", "another length in every step", {"record": ("contact.dist",)}),
        ("a.npz", "need not be recorded", {"record": ("time",)}),
        ("a.npz", "whole number from 1", {"worlds": 0}),
        ("a.npz", "are free", {"steps": 10**15}),
        ("a.zarr", "are free", {"worlds": 10**12}),
        ("a.npz", "scatter must be", {"scatter": -1.0}),
        ("a.npz", "no keyframe", {"keyframe": "standing"}),
    ):
        with pytest.raises((ValueError, OSError), match=words):
            runs.record(cart, tmp_path / name, **{"steps": 4, **how})
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileExistsError, match="--force"):
        runs.record(cart, npz, steps=4)


def test_code_of_the_user_cannot_be_in_a_file(tmp_path):
    @lw.kernel
    def still(m, d):
        d.ctrl[0] = 0.0

    model = lw.load(lw.models.path("cartpole"), control=still)
    with pytest.raises(ValueError, match="cannot be kept"):
        runs.record(model, tmp_path / "run.npz", steps=1)


def test_a_folder_that_is_no_zarr_is_not_removed(cart, tmp_path):
    precious = tmp_path / "run.zarr"
    precious.mkdir()
    (precious / "thesis.tex").write_text("...")
    with pytest.raises(OSError, match="no zarr"):
        runs.record(cart, precious, steps=1, force=True)
    assert (precious / "thesis.tex").exists()


def test_clips_of_the_viewer_are_read(cart, tmp_path, npz):
    run = runs.open(npz)
    with np.load(npz) as arrays:
        raw = arrays["model"]
    clip = tmp_path / "clip.npz"
    np.savez_compressed(clip, time=run.time, qpos=run.qpos, model=raw)
    found = runs.open(clip)
    assert (found.worlds, found.records, found.names) == (5, 30, ("qpos",))
    assert np.array_equal(found.qpos, run.qpos)
    with pytest.raises(runs.RunError, match="no state to go on from"):
        runs.resume(clip, 1)
    np.savez(clip, time=run.time, qpos=run.qpos[:, 0], model=raw)  # of one world
    assert runs.open(clip).qpos.shape == (30, 1, cart.nq)
    assert runs.open(clip).model.nq == cart.nq
