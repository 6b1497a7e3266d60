"""Files that are damaged, cut off, of others, or made to do harm: one clear error, nothing run."""

import io
import json
import pickle
import shutil
import struct
import zipfile

import numpy as np
import pytest

from lanewise import runs


class Harm:
    """What a pickle could do."""

    def __reduce__(self):
        return exec, ("raise SystemError('unpickled')",)


@pytest.fixture
def arrays(npz):
    with np.load(npz) as file:
        return dict(file)


@pytest.fixture
def folder(cart, tmp_path):
    runs.record(cart, tmp_path / "run.zarr", worlds=3, steps=10, record=("qpos", "ctrl"))
    return tmp_path / "run.zarr"


def used(path):
    """All of a run."""
    run = runs.open(path)
    run.world(0)
    run.batch(1)


def refused(path, words):
    with pytest.raises(runs.RunError, match=words) as caught:
        used(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_cut_off_anywhere(npz, tmp_path):
    whole = npz.read_bytes()
    for part in (0, 10, len(whole) // 3, len(whole) - 30):
        (tmp_path / "run.npz").write_bytes(whole[:part])
        refused(tmp_path / "run.npz", "damaged")


def test_flipped_bits_are_noticed(npz, tmp_path):
    whole = bytearray(npz.read_bytes())
    at = whole.index(b"qpos.npy") + 2000
    whole[at] ^= 255
    (tmp_path / "run.npz").write_bytes(whole)
    refused(tmp_path / "run.npz", "damaged: qpos")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"time": None}, "no array 'time'"),
        ({"model": None}, "no array 'model'"),
        ({"qpos": None}, "'qpos' is missing"),
        ({"state": None}, "has no state"),
        ({"state": np.zeros((5, 3))}, "its state is"),
        ({"state": np.zeros(())}, "state is"),
        ({"time": np.zeros(3)}, "cut off: 3 of 30"),
        ({"time": np.zeros((3, 3))}, "would be"),
        ({"qpos": np.zeros((30, 4, 9))}, "qpos is"),
        ({"qpos": np.zeros((30, 5, 2))}, "its model has nq 9"),
        ({"qpos": np.array(["a"])}, "plain numbers"),
        ({"model": np.zeros(10, np.uint8)}, "no MJB"),
        ({"model": np.zeros(10)}, "would be bytes"),
        ({"head": np.frombuffer(b"[1]", np.uint8)}, "no object"),
        ({"head": np.frombuffer(b"{", np.uint8)}, "head is damaged"),
        ({"head": np.frombuffer(b"[" * 100000, np.uint8)}, "head is damaged"),
    ],
)
def test_arrays_that_do_not_fit(arrays, tmp_path, change, words):
    arrays |= change
    np.savez(tmp_path / "run.npz", **{k: v for k, v in arrays.items() if v is not None})
    refused(tmp_path / "run.npz", words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "log"}, "its head says 'log'"),
        ({"version": 2}, "version 2"),
        ({"records": -1}, "records is -1"),
        ({"every": 0}, "every is 0"),
        ({"worlds": True}, "worlds is True"),
        ({"records": 10**9}, "cut off"),
    ],
)
def test_heads_that_do_not_fit(arrays, tmp_path, change, words):
    head = json.loads(arrays["head"].tobytes()) | change
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    np.savez(tmp_path / "run.npz", **arrays)
    refused(tmp_path / "run.npz", words)


def test_a_model_of_another_mujoco(arrays, tmp_path):
    header = list(struct.unpack_from("<5i", arrays["model"].tobytes()))
    header[3] = 3003002
    arrays["model"] = arrays["model"].copy()
    arrays["model"][:20] = np.frombuffer(struct.pack("<5i", *header), np.uint8)
    np.savez(tmp_path / "run.npz", **arrays)
    refused(tmp_path / "run.npz", "was saved by MuJoCo 3.3.2, and this is 4.0")
    assert runs.open(tmp_path / "run.npz").qpos.shape == (30, 5, 9)  # numbers are still there


@pytest.mark.parametrize("name", ["qpos", "model", "state", "head"])
def test_pickles_are_never_read(arrays, tmp_path, name):
    arrays[name] = np.array([Harm()], dtype=object)
    np.savez(tmp_path / "run.npz", **arrays)
    refused(tmp_path / "run.npz", "plain numbers")
    (tmp_path / "raw.npz").write_bytes(pickle.dumps(Harm()))
    refused(tmp_path / "raw.npz", "damaged")


def test_a_header_that_asks_for_more_than_there_is(arrays, tmp_path):
    """NumPy would allocate it first."""
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        member, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 5, 9)}
    )
    arrays.pop("qpos")
    np.savez(tmp_path / "run.npz", **arrays)
    with zipfile.ZipFile(tmp_path / "run.npz", "a") as archive:
        archive.writestr("qpos.npy", member.getvalue() + bytes(100))
    refused(tmp_path / "run.npz", "not as long as it says")


def test_other_files(tmp_path, cart_file):
    refused(cart_file, "damaged or no .npz")
    (tmp_path / "empty.zarr").mkdir()
    refused(tmp_path / "empty.zarr", "without zarr.json")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        runs.open(tmp_path / "none.npz")
    with pytest.raises(runs.RunError, match="no file"):
        runs.open("/dev/null")


# -------------------------------------------------------------------------------------------- zarr


def edited(place, change):
    said = json.loads(place.read_text())
    change(said)
    place.write_text(json.dumps(said))


def test_a_chunk_that_is_missing_is_no_zeros(folder):
    for chunk in ("qpos/c/0/0/0", "last_b/state/c/0/0", "model/c/0"):
        copy = folder.with_name("copy.zarr")
        shutil.copytree(folder, copy)
        (copy / chunk).unlink()
        refused(copy, "has no chunk")
        shutil.rmtree(copy)


def test_a_chunk_that_is_damaged(folder):
    (folder / "qpos/c/0/0/0").write_bytes(b"nonsense")
    refused(folder, "damaged")


@pytest.mark.parametrize("name", ["qpos", "model", "last_b/state"])
def test_codecs_that_could_run_code(folder, name):
    edited(folder / name / "zarr.json", lambda d: d["codecs"].append({"name": "numcodecs.pickle"}))
    refused(folder, "runs have plain ones")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.pop("attributes"), "not written by lanewise"),
        (lambda d: d["attributes"]["run"].update(valid="../../etc"), "its state is in"),
        (lambda d: d["attributes"]["run"].update(records=1000), "cut off"),
        (lambda d: d["attributes"]["run"].update(format=3), "its head says 3"),
        (lambda d: d["attributes"].update(run=[]), "not written by lanewise"),
    ],
)
def test_heads_of_zarr_that_do_not_fit(folder, change, words):
    edited(folder / "zarr.json", change)
    refused(folder, words)


def test_arrays_of_zarr_that_do_not_fit(folder):
    edited(folder / "qpos" / "zarr.json", lambda d: d.update(data_type="string"))
    refused(folder, "qpos")
    shutil.rmtree(folder / "qpos")
    refused(folder, "'qpos' is missing")
    (folder / "zarr.json").write_text("{")
    refused(folder, "head is damaged")
