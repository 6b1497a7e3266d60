"""Kernels for aarch64, which the wheel brings along: compiled here, and run where that is possible.

With Debian's qemu-user and gcc-aarch64-linux-gnu, objects are linked with a small C program. It
gets the memory of a Model and a Data, steps, and gives back the Data, which must be the same to the
last bit as what this processor makes of it.
"""

import ctypes
import platform
import re
import shutil
import subprocess
from functools import cache

import numpy as np
import pytest

import lanewise as lw
from lanewise.engine import parts
from lanewise.fields import DATA, MODEL
from lanewise.lanes import JIT, elf, objects, prebuilt
from lanewise.lanes.machine import COMMON

pytestmark = pytest.mark.skipif(not JIT, reason="needs the compiler")

(AARCH64,) = [machine for machine in COMMON if machine.name == "aarch64"]
GCC, QEMU = "aarch64-linux-gnu-gcc", "qemu-aarch64"


@cache
def object_code(variant, part):
    """A part for aarch64: from the wheel's folder, if that is of these sources, or compiled."""
    if prebuilt.made_of(objects.source_digest()):
        return (prebuilt.FOLDER / "aarch64" / f"{variant}-{part}.o").read_bytes()
    return AARCH64.assemble(parts.library(variant).text(part, AARCH64))


@pytest.mark.parametrize("part", ["dual", "calls"])
def test_objects_have_the_doors(part):
    contents = elf.Object(object_code("gang", part))
    assert contents.architecture == "aarch64"
    assert contents.functions == set(parts.library("gang").parts[part])
    # what every C library has, and nothing else
    assert contents.needs <= {"memset", "memcpy", "memmove"}


def test_lanes_are_fused_vectors():
    assembly = AARCH64.assembly(parts.library("gang").text("dual", AARCH64))
    assert len(re.findall(r"\sfml[as]\s+v\d+\.2d", assembly)) > 20


# ------------------------------------------------------------------------------------------ running

# reads regions of memory and two tables of places in them, and which fields of d have lanes; writes
# the regions back after n steps
PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

@declarations@

static int64_t absent(int64_t m, int64_t d) { abort(); }

static void *links[] = {@links@};

static int64_t *numbers(FILE *file, int64_t n) {
    int64_t *items = calloc(n + 1, 8);
    if (fread(items, 8, n, file) != n) abort();
    return items;
}

int main(int argc, char **argv) {
    FILE *file = fopen(argv[1], "rb");
    // regions, fields of m, fields of d, place of links, steps, worlds with a table of their own
    int64_t *head = numbers(file, 6);
    int64_t nregion = head[0], n = head[2];
    int64_t *size = numbers(file, nregion), *shift = numbers(file, nregion);
    char **region = calloc(nregion, sizeof(char *));
    for (int64_t k = 0; k < nregion; k++) {
        region[k] = (char *)aligned_alloc(64, (size[k] + 4096) & -64) + shift[k];
        if (fread(region[k], 1, size[k], file) != size[k]) abort();
    }
    int64_t *table[2];
    for (int t = 0; t < 2; t++) {
        table[t] = calloc(head[1 + t], 8);
        int64_t *place = numbers(file, 2 * head[1 + t]);
        for (int64_t k = 0; k < head[1 + t]; k++)
            table[t][k] = (int64_t)(region[place[2 * k]] + place[2 * k + 1]);
    }
    table[1][head[3]] = (int64_t)links;
    int64_t *lanes = numbers(file, n), *tables = calloc((1 + head[5]) * n, 8);
    for (int64_t w = 0; w <= head[5]; w++)
        for (int64_t k = 0; k < n; k++)
            tables[w * n + k] = table[1][k] + (w > 0 ? 8 * (w - 1) * lanes[k] : 0);
    for (int64_t k = 0; k < head[4]; k++) step((int64_t)table[0], (int64_t)tables);
    FILE *result = fopen(argv[2], "wb");
    for (int64_t k = 0; k < nregion; k++) fwrite(region[k], 1, size[k], result);
    return fclose(result);
}
"""


def build(folder, variant, linked):
    """The program, with these parts of a variant."""
    library = parts.library(variant)
    doors = [door for part in linked for door in library.parts[part]]
    declared = [f"int64_t {door}(int64_t, int64_t);" for door in doors]
    links = [door if door in doors else "absent" for door in library.slot]
    source = PROGRAM.replace("@declarations@", "\n".join(declared))
    (folder / "program.c").write_text(source.replace("@links@", ", ".join(links)))
    for part in linked:
        (folder / f"{part}.o").write_bytes(object_code(variant, part))
    files = [folder / "program.c", *(folder / f"{part}.o" for part in linked)]
    subprocess.run([GCC, "-O1", "-static", "-o", folder / "program", *files], check=True)
    return folder / "program"


def regions_of(arrays):
    """[(begin, end)] of memory that arrays lie in, those that overlap joined."""
    regions: list = []
    for begin, end in sorted((a.ctypes.data, a.ctypes.data + a.nbytes) for a in arrays if a.size):
        if regions and begin < regions[-1][1]:
            regions[-1][1] = max(end, regions[-1][1])
        else:
            regions.append([begin, end])
    return regions


def memory(regions):
    return b"".join(ctypes.string_at(begin, end - begin) for begin, end in regions)


def dump(file, m, d, steps):
    """Write what the program reads; the regions."""
    fields = [m.arrays[f.name] for f in MODEL] + [d.arrays[f.name] for f in DATA]
    links = [f.name for f in DATA].index("links")
    fields[len(MODEL) + links] = np.empty(0)  # the program has its own
    regions = regions_of(fields)

    def place(array):
        """(region, offset) of an array; one without numbers may be anywhere."""
        begin = array.ctypes.data if array.size else regions[0][0]
        (k,) = (k for k, (b, e) in enumerate(regions) if b <= begin < e)
        return k, begin - regions[k][0]

    head = len(regions), len(MODEL), len(DATA), links, steps, d.width if d.width > 1 else 0
    sizes, shifts = [e - b for b, e in regions], [b % 64 for b, _ in regions]
    file.write_bytes(
        np.array([*head, *sizes, *shifts], np.int64).tobytes()
        + memory(regions)
        + np.array([place(a) for a in fields], np.int64).tobytes()
        + np.array([not f.by_gang for f in DATA], np.int64).tobytes()
    )
    return regions


@pytest.mark.skipif(not (shutil.which(GCC) and shutil.which(QEMU)), reason=f"needs {GCC}, {QEMU}")
@pytest.mark.skipif(platform.machine() == "aarch64", reason="all tests run on such a machine")
@pytest.mark.parametrize("name", ["pendulum", "humanoid"])
@pytest.mark.parametrize(("variant", "lanes"), [("single", 1), ("gang", 8)])
def test_bits_are_those_of_this_processor(tmp_path, variant, lanes, name):
    m = lw.load(lw.models.path(name))
    d = lw.Data(m, lanes)
    d.qvel[:] = np.random.default_rng(1).normal(size=d.qvel.shape)
    linked = ("smooth", "collision", "constraint", *(parts.LONE if lanes > 1 else ()))
    program = build(tmp_path, variant, linked)
    regions = dump(tmp_path / "before", m, d, steps=100)
    before = memory(regions)
    subprocess.run([QEMU, program, tmp_path / "before", tmp_path / "after"], check=True)
    lw.step(m, d, 100)
    assert (tmp_path / "after").read_bytes() == memory(regions) != before
