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
    "fields": (set(), set()),
    "errors": (set(), set()),
    "lanes": (set(), {"numpy", "numba", "llvmlite"}),
    "collision": ({"lanes", "fields", "engine"}, set()),  # of engine: only BASICS
    "engine": ({"lanes", "collision", "fields"}, set()),
    "model": ({"fields", "errors", "lanes", "load"}, {"numpy"}),
    "constraint_rows": (set(), {"numpy"}),
    "data": ({"fields", "errors", "lanes", "model", "constraint_rows"}, {"numpy"}),
    "functions": ({"fields", "errors", "lanes", "engine", "model", "data"}, {"numpy"}),
    "user_code": ({"lanes", "engine", "collision"}, {"numpy"}),
    "load": ({"fields", "errors", "lanes", "model", "data", "user_code"}, {"numpy", "mujoco"}),
    "conventions": ({"errors"}, {"numpy"}),
}

# the files of the batch know each other and everything that a world needs
BATCH = {"batch", "arguments", "named", "variation", "worlds", "outcome", "field_names"}
WORLD = {"fields", "errors", "lanes", "engine", "model", "data", "load"}
ARROWS |= {part: (WORLD | BATCH, {"numpy"}) for part in BATCH}

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
ONLY = {"mujoco": {"load", "measure", "bridges"}, "numba": {"lanes"}, "llvmlite": {"lanes"}}


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


BASICS = {"constants", "spatial", "warnings"}


@pytest.mark.parametrize("part", ["collision", "load"])
def test_only_the_basics_of_the_engine(part):
    """Geometry and loading are below the stages: they may not import one."""
    for path in (PACKAGE / part).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("engine"):
                assert node.module.split(".")[1] in BASICS, f"{path.name}: {node.module}"


def test_engine_runs_without_mujoco_at_run_time():
    """No kernel file names mujoco at all, not even inside a function."""
    for path in _sources():
        if _part(path) in ("engine", "lanes", "collision", "fields"):
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


def test_functions_win_over_modules_of_their_name():
    code = "import lanewise.load, lanewise.collision, lanewise as lw; print(lw.load, lw.collision)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("<function") == 2


def test_no_test_code_in_package():
    for path in _sources():
        names = {name for inside, name, _ in _imports(path) if not inside}
        assert not names & {"pytest", "hypothesis", "tests"}, path
