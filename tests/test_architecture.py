"""The arrows of the design: which part of the package may import which.

Imports are read from the syntax tree, so nothing is executed. An import inside a function is an
arrow too, only drawn later.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from lanewise import public
from lanewise.functions import STAGE_FUNCTIONS

PACKAGE = Path(__file__).resolve().parent.parent / "lanewise"

# part -> (parts of Lanewise it may import, outside packages it may import)
ARROWS = {
    "errors": (set(), set()),
    "mjconst": (set(), set()),
    "fields": (set(), set()),
    "lanes": (set(), {"numpy", "numba", "llvmlite"}),
    "engine": ({"lanes", "fields", "mjconst"}, set()),
    "model": ({"fields", "errors", "lanes", "loaders"}, {"numpy"}),
    "constraint_rows": (set(), {"numpy"}),
    "run": ({"lanes", "engine"}, {"numpy"}),
    "data": (
        {"fields", "errors", "lanes", "engine", "model", "constraint_rows", "run"},
        {"numpy"},
    ),
    "functions": (
        {"fields", "errors", "lanes", "engine", "mjconst", "model", "data", "run"},
        {"numpy"},
    ),
    "callbacks": ({"lanes", "engine", "mjconst"}, {"numpy"}),
    "loaders": (
        {"fields", "errors", "lanes", "mjconst", "model", "data", "callbacks"},
        {"numpy", "mujoco"},
    ),
    "batch": (
        {"fields", "errors", "mjconst", "lanes", "engine", "model", "data", "loaders"},
        {"numpy"},
    ),
    "conventions": ({"errors"}, {"numpy"}),
}

# rooms of the engine, each may import those before it
ROOMS = ["spatial", "counters", "checks", "smooth", "forces", "collision", "constraint"]
ROOMS += ["integrate", "solver"]

# what users call or start: anything public is open to them, and nothing above may import them
OPEN = {
    "public",
    "measure",
    "demo",
    "cli",
    "__main__",
    "models",
    "bridges",
    "gym",
    "viewer",
    "motion",
}

# what only these parts may touch; `measure` compares speed with MuJoCo's
ONLY = {"mujoco": {"loaders", "measure", "bridges"}, "numba": {"lanes"}, "llvmlite": {"lanes"}}


def _sources():
    return sorted(PACKAGE.rglob("*.py"))


def _part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(path: Path):
    """(is it inside the package, first name of what is imported, line) of every import."""
    depth = len(path.relative_to(PACKAGE).parts)  # lanewise/a.py: 1, lanewise/a/b.py: 2
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first, _, rest = alias.name.partition(".")
                if first == "lanewise":
                    yield True, rest.split(".")[0] or "__init__", node.lineno
                else:
                    yield False, first, node.lineno
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")
            if node.level == 0 and module[0] != "lanewise":
                yield False, module[0], node.lineno
            elif node.level == 0 or node.level == depth:
                inner = module if node.level else module[1:]
                names = inner[:1] if inner and inner[0] else [alias.name for alias in node.names]
                for name in names:
                    yield True, name, node.lineno


@pytest.mark.parametrize("path", _sources(), ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_arrows(path):
    part = _part(path)
    if part == "__init__":
        return
    wrong = []
    for inside, name, line in _imports(path):
        if inside and name != part and part not in OPEN:
            assert part in ARROWS, f"{part} is not in the table of arrows; add it with its reasons"
            if name not in ARROWS[part][0]:
                wrong.append(f"line {line}: {part} -> {name}")
        elif not inside and name not in sys.stdlib_module_names:
            allowed = part in ONLY.get(name, {part})
            if part not in OPEN:
                allowed = name in ARROWS[part][1]
            if not allowed:
                wrong.append(f"line {line}: {part} -> {name}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_of_the_engine(room):
    """A room knows the rooms before it, never those that come later in a step."""
    place = PACKAGE / "engine" / room
    for path in place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]:
        inside = len(path.relative_to(PACKAGE / "engine").parts)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == inside:
                other = (node.module or node.names[0].name).split(".")[0]
                known = ROOMS[: ROOMS.index(room)]
                assert other in known, f"{path.name} line {node.lineno}: {room} -> {other}"


def test_engine_runs_without_mujoco_at_run_time():
    """No kernel file names mujoco at all, not even inside a function."""
    for path in _sources():
        if _part(path) in ("engine", "lanes", "fields", "mjconst"):
            names = {name for inside, name, _ in _imports(path) if not inside}
            assert "mujoco" not in names, path


@pytest.mark.parametrize("door", ["public.py", "conventions/__init__.py"])
def test_doors_only_name(door):
    """A front door has imports and __all__, and defines nothing itself."""
    tree = ast.parse((PACKAGE / door).read_text())
    defined = [node.name for node in tree.body if hasattr(node, "name")]
    assert not defined


def test_conventions_need_numpy_only():
    """In a process that can import nothing of the engine, nor what the engine needs."""
    code = """
import sys
for name in ("numba", "llvmlite", "mujoco"):
    sys.modules[name] = None
from lanewise import conventions as cv
print(len(cv.SYSTEMS), [n for n in sys.modules if n.startswith("lanewise.engine")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "21 []", done.stderr


def test_every_stage_has_a_name_of_the_package():
    assert set(STAGE_FUNCTIONS) <= set(public.__all__)


def test_no_test_code_in_package():
    for path in _sources():
        names = {name for inside, name, _ in _imports(path) if not inside}
        assert not names & {"pytest", "hypothesis", "tests"}, path
