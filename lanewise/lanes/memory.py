"""Memory by its address, for the kernels that move worlds between rows and lanes.

Structs hold what a gang computes with. The rows of all worlds lie outside of them, in arrays of any
length, and are reached by address. The same memory is shared by threads: `fetch_add`, `swap` and
`atomic_at` are indivisible and keep everything that was written before them visible to the thread
that reads what they wrote.

These are the plain-Python twins; address_operations.py has the machine code.
"""

import ctypes

import numpy as np

from .primitives import Vec, W


def lane_at(address):
    """Eight consecutive float64, as a Lane."""
    return np.array((ctypes.c_double * W).from_address(address))


def put_lane(address, x):
    (ctypes.c_double * W).from_address(address)[:] = np.broadcast_to(x, W)


def number_at(address):
    """A float64."""
    return np.float64(ctypes.c_double.from_address(address).value)


def put_number(address, x):
    ctypes.c_double.from_address(address).value = x


def put_single(address, x):
    """A float64, rounded to float32."""
    with np.errstate(over="ignore"):
        ctypes.c_float.from_address(address).value = np.float32(x)


def put_singles(address, x):
    """The eight numbers of a Lane, rounded to float32."""
    with np.errstate(over="ignore"):
        (ctypes.c_float * W).from_address(address)[:] = np.broadcast_to(x, W).astype(np.float32)


def int64_at(address):
    return ctypes.c_int64.from_address(address).value


def int32_at(address):
    return ctypes.c_int32.from_address(address).value


def put_int32(address, i):
    ctypes.c_int32.from_address(address).value = i


def byte_at(address):
    return ctypes.c_uint8.from_address(address).value


def put_byte(address, i):
    ctypes.c_uint8.from_address(address).value = i


def word_at(address):
    """Eight bytes as an int64, the first byte the lowest; at any address."""
    return int.from_bytes(ctypes.string_at(address, 8), "little", signed=True)


def put_word(address, i):
    ctypes.memmove(address, int(i).to_bytes(8, "little", signed=True), 8)


def field_at(d, k):
    """The address of the k-th field of a struct, in the order of its table."""
    return d.address_of(k)


def transpose(v):
    """Eight Lanes, with item i of lane j and item j of lane i exchanged."""
    return Vec(np.array([np.broadcast_to(x, W) for x in v.items]).T.copy())


def atomic_at(address):
    """An int64 that other threads write."""
    return int64_at(address)


def fetch_add(address, n):
    """Add n to an int64; what it was before."""
    before = int64_at(address)
    ctypes.c_int64.from_address(address).value = before + n
    return before


def swap(address, i):
    """Set an int64; what it was before."""
    before = int64_at(address)
    ctypes.c_int64.from_address(address).value = i
    return before


def pause():
    """Wait for a moment, leaving the processor's units to others."""


def prefetch(address):
    """Say that the cache line at an address will be needed soon."""
