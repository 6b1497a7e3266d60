"""No value in a field of a model ends the process, whichever way it comes in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(("name", "options"), [
    ("own/tendons", ()), ("own/contacts_hfield", ()), ("own/actuation_delay", ("--numbers",)),
])  # fmt: skip
def test_hostile_values(name, options):
    """Every field, a few values; `python -m support.hostile` has more."""
    path = os.pathsep.join([str(TESTS.parent), str(TESTS)])
    done = subprocess.run(
        [sys.executable, "-m", "support.hostile", name, "--few", *options],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    last = done.stdout.strip().rpartition("\n")[2]
    assert done.returncode == 0, f"{last}: {done.returncode}\n{done.stderr[-2000:]}"
    assert "all done" in last
