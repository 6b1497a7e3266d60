"""The compiled kernels: vector instructions inside, and a cache that never serves stale code."""

import os
import platform
import re
import shutil
import subprocess
import sys

import pytest

from lanewise.lanes import JIT, Entries, kernel
from support.places import ROOT

kernel_module = sys.modules["lanewise.lanes.kernel"]  # its name in the package is the decorator's

compiled = pytest.mark.skipif(not JIT, reason="kernels run as plain Python")


@kernel(inline=True)
def polynomial(x):
    return 1.0 + x * (0.5 + x * (0.25 - x / 3.0))


@kernel
def small_kernel(m, d):
    """A kernel of the tests' own, small enough to compile at once."""
    for i in range(m.nv):
        d.qvel[i] = polynomial(d.qvel[i])


def small_entries(name="small"):
    from lanewise.engine.entries import _struct_types

    return Entries(name, lambda: {"small_kernel": (small_kernel, _struct_types(False))})


def assembly(module) -> str:
    """What the processor will run, as text."""
    import llvmlite.binding as llvm

    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
    )
    return machine.emit_assembly(module)


PACKED = {
    "x86_64": r"v(?:mul|add|sub|fn?m(?:add|sub)\d+)pd\s.*%[yz]mm",
    "aarch64": r"f(?:mul|add|sub|mla|mls)\s+v\d+\.2d",
}


@compiled
def test_packed_double_instructions(tmp_path, monkeypatch):
    machine = platform.machine().replace("AMD64", "x86_64").replace("arm64", "aarch64")
    if machine not in PACKED:
        pytest.skip(f"no pattern of packed instructions for {machine}")
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(tmp_path))
    entries = small_entries()
    entries["small_kernel"]
    text = assembly(entries.module)
    assert len(re.findall(PACKED[machine], text)) >= 4, text
    # arithmetic on single numbers would mean that lanes were taken apart
    scalar = re.findall(r"v(?:mul|add|sub|fn?m(?:add|sub)\d+)sd\s", text)
    assert not scalar, scalar


@compiled
def test_second_use_reads_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(tmp_path))
    first = small_entries()
    first["small_kernel"]
    assert first.compile_seconds > 0
    assert first.path.is_file()
    second = Entries("small", lambda: pytest.fail("compiled again"))
    second["small_kernel"]
    assert second.compile_seconds == 0


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
    first = small_entries()
    first["small_kernel"]
    whole = first.path.read_bytes()
    first.path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    again = small_entries()
    again["small_kernel"]
    assert again.compile_seconds > 0
    assert again.path.read_bytes()[:12] == whole[:12]


def edited_digest(tmp_path, monkeypatch, file) -> str:
    """The digest of a copy of the package in which one file has one more line."""
    package = tmp_path / "lanewise"
    shutil.copytree(kernel_module.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    with open(package / file, "a") as f:
        f.write("# an edit\n")
    monkeypatch.setattr(kernel_module, "PACKAGE", package)
    return kernel_module.source_digest()


@pytest.mark.parametrize(
    "file",
    [
        "fields/data.py",
        "lanes/elementary.py",
        "lanes/primitives_code.py",
        "engine/spatial.py",
        "engine/smooth/rne.py",
    ],
)
def test_an_edit_changes_the_key(tmp_path, monkeypatch, file):
    before = kernel_module.source_digest()
    assert edited_digest(tmp_path, monkeypatch, file) != before


def test_other_files_do_not_change_the_key(tmp_path, monkeypatch):
    before = kernel_module.source_digest()
    assert edited_digest(tmp_path, monkeypatch, "cli/program.py") == before


def test_versions_and_processor_change_the_key(monkeypatch):
    before = kernel_module.source_digest()
    monkeypatch.setattr(kernel_module, "version", lambda package: "0")
    other_version = kernel_module.source_digest()
    assert other_version != before
    monkeypatch.undo()
    monkeypatch.setattr(kernel_module.llvm, "get_host_cpu_name", lambda: "another")
    assert kernel_module.source_digest() not in (before, other_version)


@compiled
def test_an_edited_callee_is_not_served_stale(tmp_path):
    """A formula in one file, called by a stage in another: an edit of it shows in the result."""
    shutil.copytree(
        ROOT / "lanewise", tmp_path / "lanewise", ignore=shutil.ignore_patterns("__pycache__")
    )
    engine = tmp_path / "lanewise" / "engine"
    (engine / "probe.py").write_text(
        "from ..lanes import Entries, kernel\nfrom .entries import _struct_types\n"
        "from .spatial import times\n\n\n"
        "@kernel\ndef probe(m, d):\n    d.qvel[0] = times(d.qvel[0])\n\n\n"
        'ENTRIES = Entries("probe", lambda: {"probe": (probe, _struct_types(False))})\n'
    )
    program = (
        "from lanewise import Data, load\nfrom lanewise.engine.probe import ENTRIES\n"
        f"m = load({str(ROOT / 'lanewise' / 'models' / 'pendulum.xml')!r})\n"
        "d = Data(m)\nd.qvel[0] = 1.0\nENTRIES['probe'](m.address, d.address)\nprint(d.qvel[0])\n"
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
        results.append((float(run.stdout), "compiling" in run.stderr))
    assert results == [(2.0, True), (3.0, True), (2.0, False)]
