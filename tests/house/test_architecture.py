"""The rooms of the house and their arrows, as tools/house.py has them.

Imports are read from the syntax tree, so nothing is executed. An import inside a function is an
arrow too, only drawn later.
"""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import house
import lanewise
from lanewise import public
from lanewise.functions import STAGE_FUNCTIONS
from support.places import PACKAGE, TESTS

ENGINE = PACKAGE / "engine"
DOORS = ("__init__", "__main__")  # of the package itself


def _sources(folder=PACKAGE):
    return sorted(folder.rglob("*.py"))


def _room(path: Path, folder=PACKAGE) -> str:
    return path.relative_to(folder).parts[0].removesuffix(".py")


def _is_package(folder: Path, name: str) -> bool:
    return (folder / name).is_dir() or (folder / f"{name}.py").is_file()


def _imports(path: Path, folder=PACKAGE):
    """(is it inside the folder, first name of what is imported, line) of every import."""
    depth = len(path.relative_to(folder).parts)  # lanewise/a.py: 1, lanewise/a/b.py: 2
    whole = ("lanewise", *folder.relative_to(PACKAGE).parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = tuple(alias.name.split("."))
                inside = parts[: len(whole)] == whole
                yield inside, (*parts, "__init__")[len(whole) if inside else 0], node.lineno
        elif isinstance(node, ast.ImportFrom):
            parts = tuple((node.module or "").split(".")) if node.module else ()
            if node.level == 0 and parts[: len(whole)] != whole:
                yield False, parts[0], node.lineno
            elif node.level in (0, depth):
                inner = parts if node.level else parts[len(whole) :]
                for name in inner[:1] or [alias.name for alias in node.names]:
                    yield True, name, node.lineno


def _wrong(path: Path, rooms, folder) -> list[str]:
    """Arrows of a file that its room may not draw."""
    room = _room(path, folder)
    may = house.may_import(rooms, room)
    packages = next(r.packages for r in rooms if r.name == room)
    wrong = []
    for inside, name, line in _imports(path, folder):
        if inside:
            allowed = name == room or name in may
        else:
            allowed = folder == ENGINE or name in sys.stdlib_module_names or name in packages
        if not allowed:
            wrong.append(f"line {line}: {room} -> {name}")
    return wrong


@pytest.mark.parametrize("path", _sources(), ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_arrows(path):
    if _room(path) not in DOORS:
        assert not _wrong(path, house.ROOMS, PACKAGE)


@pytest.mark.parametrize("path", _sources(ENGINE), ids=lambda p: p.relative_to(ENGINE).as_posix())
def test_rooms_of_the_engine(path):
    """A room knows the rooms before it, never those that come later in a step."""
    if _room(path, ENGINE) != "__init__":
        assert not _wrong(path, house.ENGINE, ENGINE)


@pytest.mark.parametrize(("folder", "rooms"), [(PACKAGE, house.ROOMS), (ENGINE, house.ENGINE)])
def test_every_room_has_its_line(folder, rooms):
    named = [room.name for room in rooms]
    assert len(named) == len(set(named))
    found = {_room(path, folder) for path in _sources(folder)} - set(DOORS)
    assert found <= set(named), "a room without a line in tools/house.py"
    for room in rooms:
        assert set(house.may_import(rooms, room.name)) <= set(named[: named.index(room.name)])


def test_packages_of_few_rooms():
    for room in house.ROOMS:
        for package, rooms in house.ONLY_IN.items():
            assert package not in room.packages or room.name in rooms


def test_no_module_has_the_name_of_a_standard_one():
    known: set = set()
    assert {path.stem for path in _sources()} & sys.stdlib_module_names <= known


def test_modules_of_one_name_are_meant():
    places = defaultdict(list)
    for path in _sources():
        place = path.parent if path.stem == "__init__" else path
        places[place.stem].append(place.relative_to(PACKAGE).as_posix())
    twins = {name: found for name, found in places.items() if len(found) > 1}
    assert not {name: twins[name] for name in twins.keys() - house.TWINS.keys()}


def test_public_names_are_no_modules():
    """lanewise.NAME is one thing, whatever was imported before."""
    assert not [name for name in public.__all__ if _is_package(PACKAGE, name)]
    assert all(_is_package(PACKAGE, name) for name in lanewise.PARTS)


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
for name in ("llvmlite", "mujoco"):
    sys.modules[name] = None
from lanewise import conventions as cv
print(len(cv.SYSTEMS), [n for n in sys.modules if n.startswith("lanewise.engine")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == f"{len(lanewise.conventions.SYSTEMS)} []", done.stderr


def test_every_stage_has_a_name_of_the_package():
    assert set(STAGE_FUNCTIONS) <= set(public.__all__)


def test_no_test_code_in_package():
    for path in _sources():
        names = {name for inside, name, _ in _imports(path) if not inside}
        assert not names & {"pytest", "hypothesis", "tests", "support"}, path


@pytest.mark.parametrize("path", _sources(TESTS), ids=lambda p: p.relative_to(TESTS).as_posix())
def test_no_test_imports_another(path):
    """What two of them need is in tests/support."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        assert not [n for n in names if n.rpartition(".")[2].startswith("test_")], node.lineno


@pytest.mark.parametrize("path", _sources(TESTS), ids=lambda p: p.relative_to(TESTS).as_posix())
def test_tests_are_in_a_room(path):
    """Folders of tests have names of rooms, of folders, or of what is tested beside the package."""
    folder = path.relative_to(TESTS).parts[0]
    rooms = {room.name for room in house.ROOMS}
    beside = {"support", "engines", "docs", "bench", "house", "fuzz", "conftest.py"}
    assert folder in rooms | beside
