"""Numbers in text: by kernels and by Python they are the same, and exact."""

import io

import numpy as np
import pytest

from lanewise.motion import MotionError, number_kernels, number_text
from lanewise.motion.bvh import read_bvh
from lanewise.motion.number_text import Lines, read_lines
from lanewise.motion.tables import read_table

RNG = np.random.default_rng(5)
HARD = (
    0.0, -0.0, 1.0, -1.5, 0.1, 1e-5, 9.5e-5, 123456.0, 1e15, 1e16, 1e22, 1e23, 2.0**-44, 1 / 3,
    1e-4, 0.3, 100.0, 1e100, -2.5e-200, 123456789012345678.0, 9007199254740993.0, 0.001, 1e-7,
    5e-324, -1.7976931348623157e308, 2.2250738585072014e-308, 1e249, 1e251, 0.1 + 0.2,
    np.nextafter(1.0, 0.0), np.nextafter(10.0, 0.0), 9.999999999999999, 999999999999999.9,
)  # fmt: skip
KINDS = {
    "those of motions": RNG.normal(size=(700, 9)),
    "of all sizes": RNG.normal(size=(700, 9)) * 10.0 ** RNG.integers(-240, 240, (700, 9)),
    "of all bits": RNG.integers(0, 0x7FEF << 48, (700, 9)).view(float),
    "rounded": np.round(RNG.normal(size=(700, 9)) * 1000, 4),
    "hard": np.array([HARD]),
}


@pytest.fixture
def compiled(monkeypatch):
    """Kernels for files of any length, in several pieces."""
    if not number_text.JIT:
        pytest.skip("nothing is compiled")
    monkeypatch.setattr(number_text, "FEW", 0)
    monkeypatch.setattr(number_text, "FEW_BYTES", 0)
    monkeypatch.setattr(number_text, "PIECE", 5000)
    monkeypatch.setattr(number_text, "BLOCK", 500)


def text_of(values, mark=",", digits=17):
    file = io.BytesIO()
    Lines("", values, mark, digits).write(file)
    return file.getvalue()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mark", [",", " ", "\t", ";"])
def test_written_and_read_they_are_the_same(kind, mark, compiled):
    x = KINDS[kind]
    text = text_of(x, mark)
    by_python = [list(map(float, line.split(mark))) for line in text.decode().splitlines()]
    np.testing.assert_array_equal(np.array(by_python).view(int), x.view(int))
    np.testing.assert_array_equal(read_lines(text, 0, x.shape[1], mark).view(int), x.view(int))


@pytest.mark.parametrize("kind", KINDS)
def test_text_of_other_programs(kind, compiled):
    """Formats of Python and C, short and long: each is read as Python does."""
    x = KINDS[kind]
    for form in ("%r", "%.17g", "%.9e", "%.6f", "%.20E", "%+.25g", "%.3g"):
        if form == "%.6f" and np.abs(x).max() > 1e20:
            continue
        rows = [[form % v for v in row] for row in x.tolist()]
        text = "\r\n".join(", ".join(row) for row in rows).encode() + b"\n\n"
        found = read_lines(text, 0, x.shape[1], ",")
        np.testing.assert_array_equal(found, np.array(rows, float), err_msg=form)


def test_few_digits_are_rounded_as_c_does(compiled):
    x = KINDS["those of motions"]
    found = np.array(text_of(x, " ", 12).split(), float)
    np.testing.assert_array_equal(found, [float(f"{v:.12g}") for v in x.ravel()])


def test_few_numbers_without_kernels():
    x = np.array([HARD])
    np.testing.assert_array_equal(np.loadtxt(io.BytesIO(text_of(x)), delimiter=","), x[0])
    assert text_of(np.array([[0.1, 2.0]])) == b"0.1,2.0\n"
    assert read_lines(b"1,2\n3,4\n", 0, 2, ",") is None


@pytest.mark.parametrize("text", [
    b"1,2\n3\n", b"1,2\n3,4,5\n", b"1,2\n3,x\n", b"1,2\n3,nan\n", b"1,2\n3,inf\n", b"1,2\n\n3,4\n",
    b"1,2\n3,0x4\n", b"1,2\n3,1_0\n", b"1,2\n3,1e\n", b"1,2\n3,.\n", b"1,2\n3,-\n", b"1,2\n3,\n",
    b"1,2\n#3,4\n", b"1,2\n3,4 5\n", b"1,2\n3;4\n", b"1,2\n3,1.2.3\n", b"1,2\n3,\0\n", b"1,2,\n",
    b"1,2\n3,+-4\n", b'1,2\n"3",4\n', b"1\n2\n3\n4\n", b"1,2\r3,4", b"", b"\n\n",
])  # fmt: skip
def test_what_is_no_plain_table_is_left_to_others(text, compiled):
    assert read_lines(text, 0, 2, ",") is None


def test_blanks_between_numbers(compiled):
    found = read_lines(b"  1 \t 2\t\n\t3  4", 0, 2, " ")
    np.testing.assert_array_equal(found, [[1, 2], [3, 4]])
    assert read_lines(b"1 2\n3.4.5\n", 0, 2, " ") is None
    assert read_lines(b"1 2\n3\n4\n", 0, 2, " ") is None


def test_tables_say_what_is_wrong_and_where(compiled, tmp_path):
    path = tmp_path / "a.csv"
    rows = ["1.5,2.5"] * 5000
    path.write_text("a,b\n" + "\n".join(rows))
    assert read_table(path).values.shape == (5000, 2)
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(rows).encode())
    assert read_table(path).values.shape == (5000, 2)
    path.write_text("\n".join([*rows[:4000], "# a comment", *rows[4000:]]))
    assert read_table(path).values.shape == (5000, 2)
    rows[4321] = "1.5,2.5x"
    path.write_text("\n".join(rows))
    with pytest.raises(MotionError, match=r"a.csv is no table.*2.5x.*row 4321, column 2"):
        read_table(path)


def test_lines_that_claim_more_than_there_is(compiled, tmp_path):
    """A wide first line and many short ones would be a table of gigabytes."""
    path = tmp_path / "a.csv"
    path.write_bytes(b",".join([b"1"] * 20_000) + b"\n" * 300_000 + b"1")
    with pytest.raises(MotionError, match="no table"):
        read_table(path)


def test_numbers_of_bvh_in_other_lines(compiled, tmp_path):
    """Frames need not be lines."""
    head = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition" \
           " Zrotation Xrotation Yrotation End Site { OFFSET 0 1 0 } }\nMOTION\n"  # fmt: skip
    numbers = [f"{x:.6f}" for x in range(60)]
    for rows in (6, 4, 60):
        lines = "\n".join(" ".join(numbers[k : k + rows]) for k in range(0, 60, rows))
        (tmp_path / "a.bvh").write_text(f"{head}Frames: 10\nFrame Time: .01\n{lines}\n")
        values = read_bvh(tmp_path / "a.bvh").values
        np.testing.assert_array_equal(values, np.arange(60.0).reshape(10, 6))


@pytest.mark.parametrize("digits", [17, 12])
def test_kernels_as_plain_python(digits, compiled):
    """Without a compiler they are the same functions."""
    x = np.array([[v for v in HARD if v == 0.0 or 1e-250 < abs(v) < 1e250]])
    out = np.zeros(number_kernels.WIDEST * x.size + number_kernels.BEYOND, np.uint8)
    n = number_kernels.write_lines(x.ctypes.data, *x.shape, out.ctypes.data, ord(","), digits)
    assert out[:n].tobytes() == text_of(x, ",", digits)
    again = np.empty_like(x)
    where = out.ctypes.data
    count = number_kernels.read_lines(where, where + n, again.ctypes.data, x.size, 1, ord(","))
    assert count == x.size
    found = read_lines(out[:n].tobytes(), 0, x.size, ",")
    known = ~np.isnan(again)  # the others are left to Python
    np.testing.assert_array_equal(again[known], found[known])
    assert known.mean() > 0.9
