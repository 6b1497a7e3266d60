"""Files that nobody vouches for: a clear error, in bounded memory, and nothing executed."""

import io
import pickle
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from lanewise import conventions as cv
from lanewise.cli import main
from lanewise.conventions import ConventionError, log_files
from lanewise.conventions.log_files import LONGEST_LINE

POS, QUAT = np.zeros((20, 3)), np.tile((1.0, 0.0, 0.0, 0.0), (20, 1))
TWIST, TIME = np.zeros((20, 6)), 0.01 * np.arange(20)
TABLE = np.column_stack([TIME, POS, QUAT, TWIST])


@pytest.fixture
def refused(tmp_path):
    """Write a file, expect a refusal in little memory, and return what it says."""

    def check(name, content, most=80e6):
        path = tmp_path / name
        if callable(content):
            content(path)
        else:
            path.write_bytes(content)
        tracemalloc.start()
        try:
            with pytest.raises(ConventionError) as found:
                cv.read_log(path)
            assert tracemalloc.get_traced_memory()[1] < most
        finally:
            tracemalloc.stop()
        assert len(str(found.value)) < 2000
        return str(found.value)

    return check


def header(text: str, version=1, length=None) -> bytes:
    """The beginning of an array of NumPy, whatever it claims."""
    body = text.encode() + b"\n"
    form = "<H" if version == 1 else "<I"
    size = struct.pack(form, len(body) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + body


def described(shape, kind="'<f8'") -> bytes:
    return header(f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}")


def archive(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)
    return buffer.getvalue()


MARKS = []


def spring():
    MARKS.append("executed")


class Trap:
    """Unpickling it leaves a mark."""

    def __reduce__(self):
        return spring, ()


# ---- nothing is executed


def test_pickles_are_not_read(refused, tmp_path, capsys):
    trapped = np.array([Trap()] * 20, dtype=object)
    words = "reading would execute them"
    assert words in refused("a.npz", lambda path: np.savez(path, pos=trapped, quat=QUAT))
    assert words in refused("b.npy", lambda path: np.save(path, trapped))
    assert words in refused("c.npy", lambda path: np.save(path, {"pos": POS}, allow_pickle=True))
    for name in ("d.pkl", "e.npz", "f.csv", "g.npy", "h"):
        assert "is a pickle" in refused(name, pickle.dumps(Trap()))
    # an array of objects that nobody asked for is left alone, with a word
    np.savez(tmp_path / "i.npz", pos=POS, quat=QUAT, twist=TWIST, time=TIME, about=trapped)
    assert any(words in note for note in cv.read_log(tmp_path / "i.npz").notes)
    assert main(["detect", str(tmp_path / "i.npz")]) == 0
    assert words in capsys.readouterr().out
    assert not MARKS
    pickle.loads(pickle.dumps(Trap()))
    assert MARKS  # the trap works


# ---- what headers claim

HEADERS = {
    "two tebibytes": (described((2**38,)), "claims 2199023255552 bytes"),
    "a table of two tebibytes": (described((2**34, 16)), "claims 2199023255552 bytes"),
    "more than an integer": (described((2**70, 13)), "claims"),
    "negative": (described((-1, 13)), "which has no numbers"),
    "numbers of no size": (described((2**60,), "'|V0'"), "which has no numbers"),
    "a header of 4 GiB": (header("{}", 2, 2**32 - 1), "claims a header of 4294967295 bytes"),
    "no dictionary": (header("__import__('os').system('true')"), "none of NumPy's"),
    "nested": (header("(" * 9000), "none of NumPy's"),
    "no version": (b"\x93NUMPY\x09\x00", "no array of NumPy"),
    "nothing else": (b"\x93NUMPY", "no array of NumPy"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(refused, name):
    begin, words = HEADERS[name]
    assert words in refused("a.npy", begin + bytes(64))
    if name != "numbers of no size":  # in an archive they are passed over
        assert words in refused("a.npz", archive(pos=begin + bytes(64)))


def test_what_expands(refused, monkeypatch):
    """A few kilobytes that claim more than can be in them, or more than anybody wants to read."""
    monkeypatch.setattr(log_files, "MOST_BYTES", 10**6)
    much = described((2**16, 3)) + bytes(2**16 * 24)
    assert "1572864 bytes; at most 1000000 are read" in refused("a.npz", archive(pos=much))
    data = bytearray(archive(pos=described((2**34, 3)) + bytes(5000)))
    for begin, at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):  # the length that is claimed
        where = data.index(begin) + at
        data[where : where + 4] = struct.pack("<I", 2**32 - 2)
    assert "are there at most" in refused("b.npz", bytes(data))


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (archive(), "an archive without arrays of numbers; it has nothing"),
        (lambda path: zipfile.ZipFile(path, "w").writestr("xl/book.xml", "<a/>"), "xl/book.xml"),
        (archive(pos=b""), "no array of NumPy"),
        (b"PK\3\4" + bytes(300), "its end is missing"),
        (b"PK\5\6" + bytes(8) + b"\xff" * 8 + bytes(2), "too many members"),
    ],
)
def test_archives(refused, write, words):
    assert words in refused("a.npz", write)


def test_other_ways_to_pack(refused):
    def squeezed(path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
            file.writestr("pos.npy", described((20, 3)) + bytes(480))

    assert "in a way that NumPy does not use" in refused("a.npz", squeezed)


def test_renamed_arrays_are_what_they_are(tmp_path):
    np.save(tmp_path / "a.npy", TABLE)
    for name in ("a.npz", "a.csv", "a.parquet", "a.bin"):
        (tmp_path / name).write_bytes((tmp_path / "a.npy").read_bytes())
        assert cv.read_log(tmp_path / name).quat.shape == (20, 4)


# ---- text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (",".join(f"c{k}" for k in range(100_000)) + "\n", "100000 columns"),
        (",".join(f"column{k}" for k in range(1_000_000)) + "\n1,2\n", "in line 1"),
        ("t,x\n1,2\n" + "1," * LONGEST_LINE + "\n", "in line 3"),
        ("1 " * (2 * LONGEST_LINE), "in line 1"),
        ("", "is empty"),
        ("\n\n\n", "no rows"),
        ("t,x,y,z\n", "no rows"),
        ("once upon\na time\n", "no table of numbers"),
        ("a,b\n1,2\n1,2,3\n", "no table of numbers"),
        ("a,b,c\n1,2\n", "3 names and 2 columns"),
        ("x,x,y\n1,2,3\n", "columns of the same name: x"),
        ("a\0b\n", "by what it has"),
        ("\xff\xfe\xfd", "no rows"),
    ],
)
def test_texts(refused, content, words):
    assert words in refused("log.csv", content.encode("latin-1"))


def test_names_of_other_files(refused, tmp_path):
    assert "ulog2csv" in refused("a.ulg", b"ULog\x01\x12\x35" + bytes(20))
    assert "unpack it first" in refused("a.csv", b"\x1f\x8b\x08" + bytes(20))
    assert "HDF5" in refused("a.npz", b"\x89HDF\r\n\x1a\n" + bytes(20))
    with pytest.raises(ConventionError, match="is a directory"):
        cv.read_log(tmp_path)
    with pytest.raises(FileNotFoundError, match="no file"):
        cv.read_log(tmp_path / "nothing.npz")
    with pytest.raises(ConventionError, match="cannot be read: File name too long"):
        cv.read_log(tmp_path / ("x" * 5000))
    with pytest.raises(ConventionError, match="no regular file"):
        cv.read_log("/dev/zero")


# ---- damage


def damaged(data: bytes, rng) -> bytes:
    kind, at = rng.integers(3), int(rng.integers(len(data)))
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + rng.bytes(8) + data[at + 8 :]
    flipped = bytearray(data)
    flipped[at] ^= 1 << int(rng.integers(8))
    return bytes(flipped)


@pytest.mark.parametrize("kind", ["npz", "npy", "csv", "parquet"])
def test_damaged_files(kind, tmp_path):
    """Cut, overwritten, flipped: a log or a refusal, never another exception."""
    path, out = tmp_path / f"whole.{kind}", tmp_path / f"damaged.{kind}"
    if kind == "npz":
        np.savez_compressed(path, pos=POS, quat=QUAT, twist=TWIST, time=TIME)
    elif kind == "npy":
        np.save(path, TABLE)
    elif kind == "csv":
        np.savetxt(path, TABLE, delimiter=",", header="t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz")
    else:
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        names = ["t", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]
        parquet.write_table(arrow.table(dict(zip(names, TABLE.T))), path)
    data, rng, refusals = path.read_bytes(), np.random.default_rng(7), 0
    cv.read_log(path)
    for _ in range(60):
        out.write_bytes(damaged(data, rng))
        try:
            cv.read_log(out)
        except ConventionError:
            refusals += 1
    assert refusals > 10


def test_parquet_that_is_none(refused):
    assert "cut short" in refused("a.parquet", b"PAR1" + bytes(100))
    assert "does not fit" in refused("a.parquet", b"PAR1" + bytes(40) + b"\xff\xff\xff\x7fPAR1")


def test_the_command_line_says_one_line(tmp_path, capsys):
    for name, content in (("a.npz", b"PK\5\6" + bytes(18)), ("b.npz", described((2**38,)))):
        (tmp_path / name).write_bytes(content)
        assert main(["detect", str(tmp_path / name)]) == 1
        said = capsys.readouterr().err
        assert said.startswith("lanewise: ") and said.count("\n") == 1


def test_numbers_beyond_measure():
    pos, twist = POS.copy(), TWIST.copy()
    pos[3], twist[5] = 1e300, -1e200
    assert "2 of 20 rows" in cv.detect(pos, QUAT, twist, 0.01).notes[0]
    for wrong in (1e-300, 1e300):
        with pytest.raises(ConventionError, match="dt must be"):
            cv.detect(POS, QUAT, TWIST, wrong)
    with pytest.raises(ConventionError, match="com is an offset"):
        cv.detect(POS, QUAT, TWIST, 0.01, com=(1e300, 0, 0))


def test_version_three_headers(tmp_path):
    """Of arrays whose fields have names in other alphabets."""
    x = np.zeros(20, [("время", "f8"), ("pos", "f8", 3), ("quat", "f8", 4), ("twist", "f8", 6)])
    x["quat"] = QUAT
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, x, version=(3, 0))
    (tmp_path / "a.npy").write_bytes(buffer.getvalue())
    assert cv.read_log(tmp_path / "a.npy", dt=0.1).twist.shape == (20, 6)
