"""Files that nobody vouches for: nothing is executed or hangs, and errors say what is wrong."""

import contextlib
import io
import os
import pickle
import struct
import sys
import zipfile

import joblib
import numpy as np
import pytest

from lanewise.motion import MotionError, load
from lanewise.motion.safe_pickle import read_pickle

ARRAYS = {
    "a": np.arange(12.0).reshape(4, 3),
    "f": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "big": np.arange(3, dtype=">f8"),
    "empty": np.zeros((0, 5)),
    "number": np.float64(3.5),
    "text": ["left_knee", "right_knee"],
    "fps": 30,
}


def same(found):
    for name, x in ARRAYS.items():
        np.testing.assert_array_equal(found[name], x)
        if isinstance(x, np.ndarray):
            assert found[name].shape == x.shape


@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("bz2", 3), ("xz", 3), ("lzma", 3)])
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_joblib(compress, protocol, tmp_path):
    joblib.dump({"clip": ARRAYS}, tmp_path / "a.pkl", compress=compress, protocol=protocol)
    same(read_pickle(tmp_path / "a.pkl")["clip"])


def test_joblib_is_not_imported(tmp_path):
    joblib.dump(ARRAYS, tmp_path / "a.pkl")
    before = sys.modules.pop("joblib.numpy_pickle")
    try:
        same(read_pickle(tmp_path / "a.pkl"))
        assert "joblib.numpy_pickle" not in sys.modules
    finally:
        sys.modules["joblib.numpy_pickle"] = before


@pytest.mark.parametrize("protocol", range(6))
def test_plain_pickles(protocol, tmp_path):
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(ARRAYS, protocol=protocol))
    same(read_pickle(tmp_path / "a.pkl"))


class Evil:
    def __init__(self, how):
        self.how = how

    def __reduce__(self):
        return self.how


@pytest.mark.parametrize("how", [
    (os.system, ("touch {}",)), (exec, ("open('{}', 'w')",)), (eval, ("open('{}', 'w')",)),
    (__import__, ("os",)), (getattr, (os, "system")),
])  # fmt: skip
@pytest.mark.parametrize("dump", [pickle.dump, joblib.dump])
def test_code_is_not_executed(how, dump, tmp_path):
    mark = tmp_path / "executed"
    arguments = tuple(x.format(mark) if isinstance(x, str) else x for x in how[1])
    with open(tmp_path / "a.pkl", "wb") as file:
        try:
            dump({"root_trans_offset": Evil((how[0], arguments))}, file)
        except (TypeError, pickle.PicklingError):  # modules do not pickle
            file.write(b"cos\nsystem\n(S'touch " + str(mark).encode() + b"'\ntR.")
    with pytest.raises(MotionError, match="execute"):
        load(tmp_path / "a.pkl")
    assert not mark.exists()


def test_code_by_build_and_by_old_instructions(tmp_path):
    for program in (b"(S'x'\nios\nsystem\n.", b"cos\nsystem\n(S'true'\nobR.",
                    b"\x80\x04\x8c\x08builtins\x8c\x04exec\x93(\x8c\x01xtR.",
                    b"\x80\x02cnumpy\nndarray\n)\x81}(X\x01\x00\x00\x00ai\x01ub."):  # fmt: skip
        (tmp_path / "a.pkl").write_bytes(program)
        with pytest.raises(MotionError):
            load(tmp_path / "a.pkl")


def test_arrays_of_objects_in_pickles(tmp_path):
    for dump in (pickle.dump, joblib.dump):
        with open(tmp_path / "a.pkl", "wb") as file:
            dump({"qpos": np.array([Evil((os.system, ("true",))), None], dtype=object)}, file)
        with pytest.raises(MotionError):
            load(tmp_path / "a.pkl")


def test_torch_tensors_are_named(tmp_path):
    torch = pytest.importorskip("torch")
    (tmp_path / "a.pkl").write_bytes(pickle.dumps({"dof": torch.zeros(3)}))
    with pytest.raises(MotionError, match=r"torch.*x\.numpy"):
        load(tmp_path / "a.pkl")


def test_lengths_that_are_claimed(tmp_path):
    for program in (
        b"\x80\x04\x8e" + struct.pack("<Q", 2**60) + b"abc.",  # BINBYTES8
        b"\x80\x05\x96" + struct.pack("<Q", 2**62) + b"abc.",  # BYTEARRAY8
        b"\x80\x02X" + struct.pack("<I", 2**32 - 1) + b"abc.",
        b"\x80\x02}r" + struct.pack("<I", 2**32 - 1) + b".",  # a memo with a huge index
    ):
        (tmp_path / "a.pkl").write_bytes(program)
        with pytest.raises(MotionError):
            load(tmp_path / "a.pkl")


def test_lists_that_double(tmp_path):
    """Sixty lists, each twice in the next: small in memory, endless if written out."""
    x: list = []
    for _ in range(18):
        x = [x, x, x, x, x, x, x, x]
    (tmp_path / "a.pkl").write_bytes(pickle.dumps({"a": x}))
    with pytest.raises(MotionError, match="no motion of a known form"):
        load(tmp_path / "a.pkl")
    loop: list = []
    loop.append(loop)
    (tmp_path / "a.pkl").write_bytes(pickle.dumps({"a": loop}))
    with pytest.raises(MotionError, match="too deep"):
        load(tmp_path / "a.pkl")


def test_what_unpacks_to_too_much(tmp_path, monkeypatch):
    import lzma

    from lanewise.motion import safe_pickle

    monkeypatch.setattr(safe_pickle, "MOST_BYTES", 2**24)
    (tmp_path / "a.pkl").write_bytes(lzma.compress(bytes(2**26)))
    with pytest.raises(MotionError, match="unpacks to more than"):
        load(tmp_path / "a.pkl")


@pytest.mark.parametrize("cut", [1, 2, 10, 50, 200, 500])
@pytest.mark.parametrize("compress", [0, 3, ("xz", 3)])
def test_pickles_that_are_cut_short(cut, compress, tmp_path):
    joblib.dump(ARRAYS, tmp_path / "a.pkl", compress=compress)
    whole = (tmp_path / "a.pkl").read_bytes()
    (tmp_path / "a.pkl").write_bytes(whole[: max(1, len(whole) - cut)])
    with pytest.raises(MotionError):
        load(tmp_path / "a.pkl")


def test_bytes_that_are_changed(tmp_path):
    """Every byte of a small pickle in turn: an answer or an error, nothing else."""
    whole = bytearray(pickle.dumps({"dof": np.zeros(2), "fps": 30}, protocol=4))
    for k in range(len(whole)):
        for value in (0, 255, whole[k] ^ 1):
            changed = whole.copy()
            changed[k] = value
            (tmp_path / "a.pkl").write_bytes(changed)
            with contextlib.suppress(MotionError):
                read_pickle(tmp_path / "a.pkl")


# ---- npz


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("part", [0.02, 0.3, 0.7, 0.99])
def test_npz_that_is_cut_short(part, tmp_path):
    whole = npz(qpos=np.zeros((50, 36)), fps=50)
    (tmp_path / "a.npz").write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(ValueError, match="a.npz"):
        load(tmp_path / "a.npz")


def header(shape):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def test_headers_that_claim_gigabytes(tmp_path):
    for shape in ("(1000000000, 36)", "(4611686018427387904, 4)", "(-1, 36)"):
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("qpos.npy", header(shape) + bytes(100))
        with pytest.raises(ValueError, match="claims"):
            load(tmp_path / "a.npz")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("qpos.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + b"{")
    with pytest.raises(ValueError, match="claims a header"):
        load(tmp_path / "a.npz")


def test_objects_in_npz(tmp_path):
    mark = tmp_path / "executed"
    evil = np.array([Evil((os.system, (f"touch {mark}",)))], dtype=object)
    (tmp_path / "a.npz").write_bytes(npz(qpos=evil, fps=50))
    with pytest.raises(MotionError, match="has Python objects"):
        load(tmp_path / "a.npz")
    assert not mark.exists()


def test_other_files(tmp_path):
    for data, message in (
        (b"", "empty"), (b"\x89HDF\r\n", "HDF5"), (b"\x93NUMPY\x01\x00", "np.savez"),
        (b"\x00\x01\x02\x03", "no file of a known kind"), (b"hello world\n", "no table"),
        (b"a,b\n1,x\n", "no table"), (b"1,2,3\n4,5\n", "no table"), (b"1,2\n", "a row has 2"),
    ):  # fmt: skip
        (tmp_path / "a.csv").write_bytes(data)
        with pytest.raises(MotionError, match=message):
            load(tmp_path / "a.csv")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load(tmp_path / "nowhere.npz")
    with pytest.raises(MotionError, match="without joint_pos.csv"):
        load(tmp_path)


# ---- BVH

GOOD = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Head
  {
    OFFSET 0 60 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 20 0
    }
  }
  JOINT LeftFoot
  {
    OFFSET 10 -90 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -5 10
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 90 0 0 0 0 1 2 3 4 5 6
1 90 0 0 0 0 1 2 3 4 5 6
"""


def test_the_good_one(tmp_path):
    (tmp_path / "a.bvh").write_text(GOOD)
    clip = load(tmp_path / "a.bvh")
    assert clip.fps == 30.0 and clip.joint_names == ("Head", "LeftFoot")
    assert clip.meaning["up"].value == "y" and clip.meaning["unit"].value == "cm"
    np.testing.assert_allclose(clip.p_WB, [[0, 0, 0.9], [0.01, 0, 0.9]], atol=1e-15)


TURNS = "CHANNELS 3 Zrotation Xrotation Yrotation"


@pytest.mark.parametrize(("old", "new", "message"), [
    (TURNS, "CHANNELS 2 Zrotation Xrotation", "must have three"),
    (TURNS, "CHANNELS 3 Zrotation Xrotation Zrotation", "twice"),
    (TURNS, "", "it has none"),
    (TURNS, "CHANNELS 3 Zrotation Xrotation Wrot", "Wrot"),
    ("CHANNELS 3 Z", "CHANNELS 99999999999 Z", "up to 6"),
    ("CHANNELS 6 Xposition Yposition Zposition Zrot", "CHANNELS 3 Zrot", "no channels of position"),
    ("JOINT LeftFoot", "JOINT Hips", "same name: Hips"),
    ("OFFSET 0 60 0", "OFFSET 0 sixty 0", "takes 3 numbers"),
    ("OFFSET 0 60 0", "OFFSET 0 nan 0", "not finite"),
    ("Frames: 2", "Frames: 3", "3 frames"),
    ("Frames: 2", "Frames: 900000000000", "claims"),
    ("Frames: 2", "Frames: -2", "claims"),
    ("0.0333333", "0", "positive"),
    ("0.0333333", "soon", "must be numbers"),
    ("1 90 0 0 0 0 1 2 3 4 5 6", "1 90 0 0 0 0 1 2 x 4 5 6", "no number"),
    ("1 90 0 0 0 0 1 2 3 4 5 6", "1 90 0 0 0 0 1 2 nan 4 5 6", "finite"),
    ("1 90 0 0 0 0 1 2 3 4 5 6", "1 90", "numbers"),
    ("MOTION", "", "no MOTION"),
    ("}\nMOTION", "MOTION", "cut short"),
    ("}\nMOTION", "}\nROOT Other { OFFSET 0 0 0 }\nMOTION", "several roots"),
    ("JOINT Head", "JIONT Head", "JIONT"),
    ("End Site", "End Sight", "SITE"),
])  # fmt: skip
def test_wrong_ones(old, new, message, tmp_path):
    assert old in GOOD
    (tmp_path / "a.bvh").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(MotionError, match=message):
        load(tmp_path / "a.bvh")


def test_a_deep_one(tmp_path):
    deep = "HIERARCHY ROOT a { OFFSET 0 0 0 " + "".join(
        f"JOINT j{k} {{ OFFSET 0 1 0 " for k in range(100_000)
    )
    (tmp_path / "a.bvh").write_text(deep + "}" * 100_001 + "\nMOTION\n")
    with pytest.raises(MotionError, match="in a chain"):
        load(tmp_path / "a.bvh")
