"""lanewise/mjconst.py has MuJoCo's numbers under MuJoCo's names, and nobody else has them."""

import ast
from pathlib import Path

import mujoco
import pytest

from lanewise import mjconst

PACKAGE = Path(mjconst.__file__).parent
CONSTANTS = {name: value for name, value in vars(mjconst).items() if name.isupper()}
OTHER_PREFIX = {"STATE": "CNSTRSTATE"}
UNNAMED = ("EXCLUDE_",)  # numbers that MuJoCo has no names for: reasons in contact.exclude


def _theirs():
    """{name: number} of all of MuJoCo's enumerations and constants."""
    enums = [getattr(mujoco, name) for name in dir(mujoco) if name.startswith("mjt")]
    members = {
        name: int(value)
        for enum in enums
        for name, value in getattr(enum, "__members__", {}).items()
    }
    return members | {name: getattr(mujoco, name) for name in dir(mujoco)}


THEIRS = _theirs()


@pytest.mark.parametrize("name", [name for name in CONSTANTS if not name.startswith(UNNAMED)])
def test_number(name):
    prefix, _, rest = name.partition("_")
    theirs = f"mj{OTHER_PREFIX.get(prefix, prefix)}" + (f"_{rest}" if rest else "")
    assert CONSTANTS[name] == THEIRS[theirs]


def test_written_once():
    """No module gives one of these names a number of its own; conventions stand apart."""
    for path in PACKAGE.rglob("*.py"):
        if path.name == "mjconst.py" or "conventions" in path.parts:
            continue
        for node in ast.parse(path.read_text()).body:
            for target in node.targets if isinstance(node, ast.Assign) else ():
                names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
                assert not names & CONSTANTS.keys(), f"{path}: {names}"
