"""Fields that a user declares: the struct `p` of a kernel, at addresses that a table holds.

    SHAPES = OwnFields([OwnField("kp", (12,), False, True), OwnField("hidden", (64,), True, False)])

    p = own_fields(d.user_table, SHAPES)
    p.hidden[i] = p.kp[i] * ...

The table has the address of each field, in the order of the declaration. Shapes are known when a
kernel is compiled, what lies at the addresses is not.
"""

import ctypes
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .kinds import FLOAT, LANE, StructType, field_type
from .primitives import Field, Struct, W


@dataclass(frozen=True)
class OwnField:
    """A field: `lanes` if every world has its own numbers, `const` if kernels only read them."""

    name: str
    shape: tuple[int, ...]
    lanes: bool
    const: bool

    @property
    def width(self):
        """Numbers in a row."""
        return self.shape[1] if len(self.shape) == 2 else 1

    @property
    def size(self):
        return int(np.prod(self.shape))


@dataclass(frozen=True)
class OwnFields:
    """The declaration of a struct."""

    fields: tuple[OwnField, ...]

    @cached_property
    def type(self):
        """The struct as kernels see it."""
        table = {}
        for k, f in enumerate(self.fields):
            elt = LANE if f.lanes else FLOAT
            table[f.name] = (k, field_type(f.width, elt, f.const, False), not f.shape)
        return StructType("p", table)


def own_fields(addresses, declaration):
    """The struct whose fields lie at these addresses."""
    fields = {}
    for f, address in zip(declaration.fields, addresses.array[:, 0], strict=True):
        n = f.size * (W if f.lanes else 1)
        memory = np.frombuffer((ctypes.c_double * n).from_address(int(address)))
        array = memory.reshape(-1, f.width, W) if f.lanes else memory.reshape(-1, f.width)
        fields[f.name] = Field(array, f.width) if f.shape else array
    return Struct(fields)
