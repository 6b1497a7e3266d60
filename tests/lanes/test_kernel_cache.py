"""Compiled kernels: what machine code they become, and when they are compiled again."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lanewise.engine.parts import library, struct_types
from lanewise.lanes import JIT, Entries, W, kernel, objects, where
from lanewise.lanes.compiler import Unit
from lanewise.lanes.machine import COMMON, this_machine

ROOT = Path(__file__).resolve().parent
while not (ROOT / "pyproject.toml").is_file():
    ROOT = ROOT.parent
compiled = pytest.mark.skipif(not JIT, reason="needs the compiler")


@kernel(inline=True)
def polynomial(x):
    return (2.0 * x + 1.0) * x - 3.0


@kernel
def small_kernel(m, d):
    for i in range(m.nv):
        d.qvel[i] = polynomial(d.qvel[i])


def small_entries(name="small"):
    return Entries(name, lambda: {"small_kernel": (small_kernel, struct_types(False))})


def was_compiled(entries) -> bool:
    return "compiled" in entries.request.source


PACKED = {
    "x86_64": r"v(?:mul|add|sub|fn?m(?:add|sub)\d+)pd\s.*%[yz]mm",
    "aarch64": r"f(?:mul|add|sub|mla|mls)\s+v\d+\.2d",
}


@compiled
def test_packed_double_instructions():
    machine = platform.machine().replace("AMD64", "x86_64").replace("arm64", "aarch64")
    if machine not in PACKED:
        pytest.skip(f"no pattern of packed instructions for {machine}")
    text = this_machine().assembly(small_entries().text())
    # two fused multiplications and additions: nothing is left to add or multiply apart
    assert len(re.findall(PACKED[machine], text)) >= 2, text
    # arithmetic on single numbers would mean that lanes were taken apart
    scalar = re.findall(r"v(?:mul|add|sub|fn?m(?:add|sub)\d+)sd\s", text)
    assert not scalar, scalar


@kernel
def choosing_kernel(m, d):
    for i in range(m.nv):
        d.qvel[i] = where(d.qacc[i] > 0.0, d.qfrc_bias[i], d.qvel[i])


@compiled
def test_choices_are_stored_whole():
    """Not by masked stores, which some processors with AVX2 are slow at."""
    (machine,) = (machine for machine in COMMON if machine.name == "x86-64-v3")
    unit = Unit(W, machine)
    unit.export("choosing_kernel", choosing_kernel, struct_types(False))
    assembly = machine.assembly(unit.text())
    assert "vblendvpd" in assembly
    assert "vmaskmov" not in assembly


@compiled
def test_second_use_reads_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(tmp_path))
    first, second = small_entries(), small_entries()
    first["small_kernel"]
    assert was_compiled(first)
    second["small_kernel"]
    assert second.request.source == "from the cache"


@compiled
def test_unwritable_cache_still_works(tmp_path, monkeypatch, capfd):
    place = tmp_path / "file"
    place.write_text("not a directory")
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(place))
    small_entries()["small_kernel"]
    assert "cannot keep compiled kernels" in capfd.readouterr().err


@compiled
@pytest.mark.parametrize("damage", [b"", b"garbage", None], ids=["empty", "garbage", "cut short"])
def test_damaged_file_is_compiled_again(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(tmp_path))
    small_entries()["small_kernel"]
    (file,) = tmp_path.glob("*.o")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    again = small_entries()
    again["small_kernel"]
    assert was_compiled(again)
    assert file.read_bytes() == whole


def test_versions_and_processor_change_the_key(monkeypatch):
    before = objects.text_digest("text")
    monkeypatch.setattr(objects, "version", lambda package: "0")
    other_version = objects.text_digest("text")
    assert other_version != before
    monkeypatch.undo()
    monkeypatch.setattr(objects.llvm, "get_host_cpu_name", lambda: "another")
    assert objects.text_digest("text") not in (before, other_version)


# ------------------------------------------------------------------------------------- after edits

_TEXTS = """
from lanewise.engine.parts import library
from lanewise.lanes.objects import source_digest, text_digest
print(source_digest())
for part in library("gang").parts:
    print(part, text_digest(library("gang").text(part)))
"""


def digests(folder) -> dict:
    """{part: digest of its text}, and of the sources, of the package in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    run = subprocess.run(
        [sys.executable, "-c", _TEXTS], env=environment, cwd=folder, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    first, *lines = run.stdout.splitlines()
    return {"sources": first, **dict(line.split() for line in lines)}


def copy_of_the_package(folder):
    shutil.copytree(
        ROOT / "lanewise", folder / "lanewise", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder / "lanewise"


@compiled
def test_an_edit_changes_the_parts_that_contain_it(tmp_path):
    package = copy_of_the_package(tmp_path)
    before = digests(tmp_path)
    # a comment: other sources, the same text
    turns = package / "engine" / "solver" / "dual" / "turns.py"
    source = turns.read_text()
    turns.write_text(source + "# an edit\n")
    commented = digests(tmp_path)
    assert commented.pop("sources") != before.pop("sources")
    assert commented == before
    # a number in a kernel of the dual solvers: their part alone
    edited, count = re.subn(r"range\((\w+)\):", r"range(\1 + 0 * 1):", source, count=1)
    assert count == 1
    turns.write_text(edited.replace(" + 0 * 1", " + 1"))
    changed = digests(tmp_path)
    assert {part for part in before if changed[part] != before[part]} == {"dual"}


@compiled
def test_an_edited_callee_is_not_served_stale(tmp_path):
    """A formula in one file, called by a stage in another: an edit of it shows in the result."""
    engine = copy_of_the_package(tmp_path) / "engine"
    (engine / "probe.py").write_text(
        "from ..lanes import Entries, kernel\nfrom .parts import struct_types\n"
        "from .spatial import times\n\n\n"
        "@kernel\ndef probe(m, d):\n    d.qvel[0] = times(d.qvel[0])\n\n\n"
        'ENTRIES = Entries("probe", lambda: {"probe": (probe, struct_types(False))}, width=1)\n'
    )
    program = (
        "from lanewise import Data, load\nfrom lanewise.engine.probe import ENTRIES\n"
        f"m = load({str(ROOT / 'lanewise' / 'models' / 'pendulum.xml')!r})\n"
        "d = Data(m)\nd.qvel[0] = 1.0\nENTRIES['probe'](m.address, d.address)\nprint(d.qvel[0])\n"
        "print(ENTRIES.request.source)\n"
    )
    environment = {
        **os.environ,
        "LANEWISE_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": str(tmp_path),
    }
    source = (engine / "spatial.py").read_text()
    results = []
    for factor in (2.0, 3.0, 2.0):
        formula = f"\n\n@kernel\ndef times(x):\n    return {factor} * x\n"
        (engine / "spatial.py").write_text(source + formula)
        run = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        assert run.returncode == 0, run.stderr
        number, origin = run.stdout.splitlines()
        results.append((float(number), "compiled" in origin))
    assert results == [(2.0, True), (3.0, True), (2.0, False)]


@compiled
def test_a_part_that_nobody_asked_for_is_loaded_when_it_is_called():
    gang = library("gang")
    assert set(gang.slot) == {door for doors in gang.parts.values() for door in doors}
    assert all(gang.links)
