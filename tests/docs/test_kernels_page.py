"""docs/kernels.md beside the compiler: operations, what fuses, and the kernels of the page."""

import builtins
import inspect
import re

import pytest

import lanewise.lanes as lanes
from lanewise.engine.parts import struct_types
from lanewise.lanes import (  # fmt: skip
    Kernel,
    address_operations,
    elementary,
    kernel,
    memory,
    operations,
    primitives,
    row_operations,
)
from lanewise.lanes.compiler import Unit
from lanewise.lanes.expressions import OPERATIONS
from lanewise.lanes.kinds import FLOAT, LANE
from lanewise.lanes.machine import this_machine
from support.places import DOCS

PAGE = (DOCS / "kernels.md").read_text()
TABLES = PAGE[PAGE.index("## Operations") : PAGE.index("## Errors")]
SHOWN = dict(re.findall(r"`(\w+)\(([^`]*)\)`", TABLES))


def arguments(function) -> str:
    """As the page writes them."""
    if inspect.isbuiltin(function) or isinstance(function, type):
        return "..."
    parameters = inspect.signature(getattr(function, "python_function", function)).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return "..."
    return ", ".join(parameters)


def test_operations_of_the_page_are_those_of_the_compiler():
    assert operations and row_operations and address_operations  # fill OPERATIONS
    known = {f.__name__: f for f in OPERATIONS if f.__module__ == primitives.__name__}
    known |= {f.__name__: f for f in OPERATIONS if f.__module__ == builtins.__name__}
    known |= {
        name: f
        for name, f in vars(elementary).items()
        if isinstance(f, Kernel) and not name.startswith("_")
    }
    assert {name: arguments(f) for name, f in known.items()} == SHOWN
    missing = [n for n in SHOWN if not hasattr(lanes, n) and not hasattr(builtins, n)]
    assert not missing


def test_operations_for_the_engine_alone_are_not_offered():
    apart = {f.__name__ for f in OPERATIONS if f.__module__ == memory.__name__}
    assert apart and not apart & set(SHOWN)


def test_kernels_of_the_page_compile(tmp_path):
    """Those that the page runs as plain Python only."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    (block,) = (b for b in blocks if "def fastest" in b)
    head = "import lanewise as lw\nfrom lanewise.lanes import where\n"
    file, names = tmp_path / "block.py", {}
    file.write_text(head + block[: block.index("\n\nd.qvel")])
    exec(compile(file.read_text(), str(file), "exec"), names)
    callee = Unit(8, this_machine()).function(names["fastest"], struct_types(False))
    assert repr(callee.result) == "(Lane, Lane)"


# ---- what fuses


def fused(function, *types) -> int:
    """How many operations of a kernel are fused."""
    unit = Unit(8, this_machine())
    unit.function(kernel(function), types)
    return unit.text().count("call <8 x double> @llvm.fma")


def sum_of_product(a, b, c):
    return a * b + c


def sum_from_the_left(a, b, c):
    return c + a * b


def difference(a, b, c):
    return c - a * b


def difference_of_product(a, b, c):
    return a * b - c


def two_products(a, b, c):
    return a * b + c * a


def named_once(a, b, c):
    product = a * b
    return product + c


def named_twice(a, b, c):
    product = a * b
    return product + c * product


@kernel(inline=True)
def times(a, b):
    return a * b


def of_another_kernel(a, b, c):
    return times(a, b) + c


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (sum_of_product, 1), (sum_from_the_left, 1), (difference, 1), (difference_of_product, 1),
        (two_products, 1), (named_once, 1), (of_another_kernel, 0),
    ],
)  # fmt: skip
def test_what_fuses(function, count):
    assert fused(function, LANE, LANE, LANE) == count
    assert fused(function, FLOAT, FLOAT, FLOAT) == 0


def test_a_product_that_is_read_twice_is_rounded():
    # of `product + c * product` only the second product may fuse
    assert fused(named_twice, LANE, LANE, LANE) == 1
