"""Kernels that come with the package: which are taken, and that none is taken on trust."""

import hashlib
import os
import subprocess
import sys
from functools import cache

import pytest

from lanewise import cli
from lanewise.engine.parts import library, struct_types
from lanewise.lanes import JIT, Entries, elf, kernel, machine, objects, prebuilt
from lanewise.lanes.machine import COMMON, Machine

pytestmark = pytest.mark.skipif(not JIT, reason="needs the compiler")

FITTING = [m for m in COMMON if machine.fits(m)]
needs_a_machine = pytest.mark.skipif(not FITTING, reason="no common machine fits this processor")


@kernel
def twice(m, d):
    for i in range(m.nv):
        d.qvel[i] = 2.0 * d.qvel[i]


def entries():
    return Entries("twice", lambda: {"twice": (twice, struct_types(False))})


@cache
def object_code(m):
    return m.assemble(library("single").text("dual", m))


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch):
    monkeypatch.delenv("LANEWISE_KERNELS", raising=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A package that brought one part for the machines that fit, of these sources."""
    monkeypatch.setattr(prebuilt, "FOLDER", tmp_path / "kernels")
    for m in FITTING:
        (prebuilt.FOLDER / m.name).mkdir(parents=True)
        (prebuilt.FOLDER / m.name / "single-dual.o").write_bytes(object_code(m))
    (prebuilt.FOLDER / "sources").write_text(objects.source_digest() + "\n")
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(tmp_path / "cache"))
    return prebuilt.FOLDER


def request():
    lib = library("single")
    return objects.Request("single-dual", lambda: lib.text("dual"), lib.parts["dual"].keys)


# -------------------------------------------------------------------------------------- which taken


@needs_a_machine
def test_the_best_machine_that_fits(folder):
    r = request()
    assert r.look()
    assert r.source == f"came with the package, for {FITTING[0].name}"
    objects.Loaded(r.code).address("solve_dual")
    assert prebuilt.refusal(objects.source_digest) == ""


@needs_a_machine
@pytest.mark.parametrize("m", FITTING, ids=lambda m: m.name)
def test_a_machine_that_is_asked_for(folder, monkeypatch, m):
    monkeypatch.setenv("LANEWISE_KERNELS", m.name)
    r = request()
    assert r.look()
    assert m.name in r.source
    # what has to be compiled is compiled for it, too
    assert machine.this_machine() == m


@needs_a_machine
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda f, patch: patch.setenv("LANEWISE_KERNELS", "native"), "LANEWISE_KERNELS=native"),
        (lambda f, patch: (f / "sources").unlink(), "brought none"),
        (lambda f, patch: (f / "sources").write_text("0"), "edited"),
        (lambda f, patch: patch.setattr(prebuilt, "_best", lambda: None), "this processor is"),
        (
            lambda f, patch: patch.setattr(
                prebuilt, "_best", lambda: Machine("x86-64-v9", "x86_64", "", "")
            ),
            "none for x86-64-v9",
        ),
    ],
    ids=["native", "none shipped", "sources edited", "no match", "machine missing"],
)
def test_why_they_are_not_used(folder, monkeypatch, capsys, change, reason):
    change(folder, monkeypatch)
    assert not request().look()
    assert reason in prebuilt.refusal(objects.source_digest)
    assert cli.main(["doctor"]) == 0
    (line,) = (x for x in capsys.readouterr().out.splitlines() if x.startswith("kernels"))
    assert reason in line


def test_a_name_that_nobody_knows(monkeypatch):
    monkeypatch.setenv("LANEWISE_KERNELS", "z80")
    with pytest.raises(ValueError, match=r"LANEWISE_KERNELS is 'z80'.* one of native"):
        machine.this_machine()


# --------------------------------------------------------------------------------- damaged objects


def other_architecture():
    foreign = next(m for m in COMMON if m.architecture != machine.native().architecture)
    return foreign.assemble(entries().text())


def elf_header_with_noise():
    whole = machine.native().assemble(entries().text())
    return whole[:64] + os.urandom(len(whole) - 64)


def sections_nowhere():
    whole = machine.native().assemble(entries().text())
    return whole[:40] + b"\xff" * 8 + whole[48:]


DAMAGED = {
    "noise": lambda: os.urandom(5000),
    "a header and noise": elf_header_with_noise,
    "sections nowhere": sections_nowhere,
    "cut short": lambda: machine.native().assemble(entries().text())[:-100],
    "no functions": lambda: machine.native().assemble(""),
    "another architecture": other_architecture,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_object_is_compiled_again(tmp_path, monkeypatch, name):
    """Its checksum is right: somebody wrote it so."""
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(tmp_path))
    entries()["twice"]
    (file,) = tmp_path.glob("*.o")
    whole, code = file.read_bytes(), DAMAGED[name]()
    file.write_bytes(hashlib.sha256(code).hexdigest().encode() + b"\n" + code)
    again = entries()
    again["twice"]
    assert "compiled" in again.request.source
    assert file.read_bytes() == whole


@needs_a_machine
def test_a_damaged_object_of_the_package(folder):
    for m in FITTING:
        (folder / m.name / "single-dual.o").write_bytes(b"\x7fELF" + bytes(1000))
    assert not request().look()


def test_names_in_an_object():
    if not objects.llvm.get_process_triple().endswith("linux-gnu"):
        pytest.skip("objects are ELF on Linux")
    contents = elf.Object(machine.native().assemble(entries().text()))
    assert contents.functions == {"twice"}
    assert contents.architecture == machine.native().architecture


# ------------------------------------------------------------------------------------------- builds


@pytest.mark.parametrize("m", COMMON, ids=lambda m: m.name)
def test_every_machine_can_be_compiled_for(m):
    """Waiting threads pause by an instruction of the processor's."""
    contents = elf.Object(m.assemble(library("single").text("calls", m)))
    assert contents.architecture == m.architecture
    assert contents.functions == set(library("single").parts["calls"])
    assert contents.needs <= {"memset", "memcpy", "memmove"}


def test_digest_follows_the_sources_only(tmp_path):
    for room in ("fields", "lanes", "engine/solver"):
        (tmp_path / room).mkdir(parents=True)
    (tmp_path / "mjconst.py").write_text("")
    before = prebuilt.source_digest(tmp_path)
    (tmp_path / "engine" / "notes.txt").write_text("")
    assert prebuilt.source_digest(tmp_path) == before
    (tmp_path / "engine" / "solver" / "new.py").write_text("")
    assert prebuilt.source_digest(tmp_path) != before


@needs_a_machine
def test_bits_do_not_follow_from_the_machine():
    program = (
        "import lanewise as lw\nm = lw.load(lw.models.path('cartpole'))\nd = lw.Data(m)\n"
        "d.qvel[:] = 0.3\nlw.step(m, d, 50)\nprint(d.qpos.tobytes().hex())"
    )
    answers = set()
    for name in ("native", FITTING[-1].name):
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True,
            env={**os.environ, "LANEWISE_KERNELS": name},
        )  # fmt: skip
        answers.add(done.stdout)
    assert len(answers) == 1
