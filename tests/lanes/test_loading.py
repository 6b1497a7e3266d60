"""Objects in memory: the same code wherever it lies, and nothing believed that is damaged."""

import contextlib
import mmap

import numpy as np
import pytest

from lanewise.engine.parts import library
from lanewise.lanes import JIT, loading, objects

pytestmark = pytest.mark.skipif(
    not (JIT and loading.IN_PLACE), reason="LLVM's loader is used here, or none"
)


def code_of(part):
    request = library("gang").requests[part]
    objects.fetch([request])
    return request.code


@pytest.mark.parametrize("part", library("gang").parts)
def test_every_door_is_found(part):
    image = loading.Image(code_of(part))
    assert all(image.address_of(door) for door in library("gang").parts[part])
    assert not image.address_of("nothing")


def test_memory_in_between_does_not_matter():
    """Sections that the system would put far apart lie side by side."""
    code, kept = code_of("smooth"), []
    for _ in range(4):
        image = loading.Image(code)
        kept.append((image, mmap.mmap(-1, 3 << 30)))  # address space only
    places = [image.address for image, _ in kept]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("damage", ["empty", "text", "header", "short", "machine"])
def test_damaged_objects_are_refused(damage):
    code = code_of("calls")
    bad = {
        "empty": b"",
        "text": b"hello" * 100,
        "header": code[:64],
        "short": code[: len(code) // 2],
        "machine": code[:18] + b"\xb7" + code[19:],
    }[damage]
    with pytest.raises(loading.DamagedObject):
        loading.Image(bad)


def test_random_tables_are_refused_or_loaded():
    """Bytes of the tables, not of the code, changed at random: never a crash while loading."""
    code = bytearray(code_of("calls"))
    table = int.from_bytes(code[40:48], "little")  # of the sections
    rng = np.random.default_rng(0)
    for _ in range(300):
        other = bytearray(code)
        for place in rng.integers(table, len(code), 3):
            other[place] = rng.integers(256)
        with contextlib.suppress(loading.DamagedObject):
            loading.Image(bytes(other))
