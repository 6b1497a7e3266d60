"""The bits of ten models after a thousand steps are those of tests/golden.

tools/golden.py has the models and the files; it also compares targets that this process does not
run, after `make wheel` without compiling anything.
"""

import copy
import json

import mujoco
import pytest

import golden
from lanewise.lanes import JIT

FILES = sorted(golden.FOLDER.glob("*.json"))


@pytest.mark.skipif(not JIT, reason="ten thousand steps are too many for plain Python")
def test_bits_are_those_of_the_file():
    if not (golden.FOLDER / f"{golden.target()}.json").is_file():
        pytest.skip(f"nobody has written down the bits of {golden.target()}")
    known = golden.read(golden.target())
    wrong = golden.differences(known)
    of_model = all(text.startswith("the model changed") for text in wrong.values())
    if wrong and of_model and known["mujoco"] != mujoco.mj_versionString():
        pytest.skip(f"{', '.join(wrong)}: {next(iter(wrong.values()))}; {golden.advice(known)}")
    lines = [f"{name}: {text}" for name, text in wrong.items()]
    assert not lines, "\n".join([*lines, golden.advice(known)])


def test_all_targets_have_the_same_bits():
    """Fusing is decided in the source, so no target has bits of its own."""
    assert {path.stem for path in FILES} >= {"x86-64-v3", "x86-64-v4"}
    records = [json.loads(path.read_text())["models"] for path in FILES]
    for record in records:
        assert list(record) == list(golden.models())
        assert record == records[0]


def test_a_difference_is_described():
    known = json.loads(FILES[0].read_text())["models"]["humanoid"]
    assert golden.difference(known, copy.deepcopy(known)) == ""
    found = copy.deepcopy(known)
    digits = list(found["steps"])
    for k in range(40 * golden.SHORT, len(digits)):
        digits[k] = "x"
    found["steps"] = "".join(digits)
    found["fields"]["64"]["qacc"] = "other"
    text = golden.difference(known, found)
    assert text == "the state differs from step 41 on; after step 64 the bits of qacc are others"
    found["model"] = "other"
    assert golden.difference(known, found).startswith("the model changed, not the engine")


def test_numbers_are_the_same_everywhere():
    stream = golden.integers(3)
    assert [next(stream) for _ in range(3)] == [243117059, 697555963, 1577179715]
    assert abs(golden.numbers(stream, (100,))).max() <= 1
