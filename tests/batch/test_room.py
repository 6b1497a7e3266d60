"""The files of lanewise/batch know each other in one direction only."""

import ast
from pathlib import Path

import pytest

import lanewise

ROOM = Path(lanewise.__file__).parent / "batch"

# each may import those before it
FILES = (
    "aligned", "outcome", "reading", "field_names", "arguments", "forks", "similar", "threads",
    "variation", "outputs", "recording", "rollout", "kept", "runner", "base", "control", "ray",
    "questions", "contacts", "named", "by_name", "state", "skipping", "sampling", "jacobians",
    "motions", "analysis", "parameter_slopes", "differences", "looking", "world_models",
    "diagnostics", "copying", "batch", "recorded_motion", "__init__",
)  # fmt: skip


def test_every_file_has_its_place():
    assert {path.stem for path in ROOM.glob("*.py")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_file_knows_those_before_it(name):
    for node in _run_time((ROOM / f"{name}.py").read_text()):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            others = [node.module] if node.module else [alias.name for alias in node.names]
            assert set(others) <= set(FILES[: FILES.index(name)]), f"line {node.lineno}"


def _run_time(text):
    """The nodes of a file but those that only a type checker sees."""
    for node in ast.parse(text).body:
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield from ast.walk(node)
