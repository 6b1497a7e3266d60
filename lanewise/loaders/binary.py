"""MJB files, looked at before MuJoCo reads them.

A file begins with five numbers that say what wrote it, then has all sizes of the model, its options
and its arrays, one after the other. MuJoCo allocates what the sizes ask for before it finds that
the file ends, so they are compared with the file's length first. Sizes that no array of the file
has are compared with the arrays that they follow from, once these are read. What else the arrays
hold is judged by MuJoCo, and by what is checked of every model.
"""

import functools
import math
import struct
from pathlib import Path

import mujoco
import numpy as np

from ..errors import ModelError
from .hearing import heard
from .structure_actuation import moment_number, moment_structure
from .structure_tendon import tendon_structure

_HEADER = struct.Struct("<5i")  # magic number, bytes of a number, sizes, version, pointers
_BYTES = {"mjtNum": 8, "mjtSize": 8, "int": 4, "float": 4, "mjtByte": 1, "mjtBool": 1, "char": 1}


def load_binary(path: Path, named: str, assets):
    """The MjModel of a file, or of an asset of that name; `named` is what messages call it."""
    if assets and str(path) in assets:
        raw = assets[str(path)]
        length = len(raw)
    else:
        try:
            with path.open("rb") as file:
                raw = file.read(layout().start)
            length = path.stat().st_size
        except OSError as error:
            raise ModelError(f"{named} cannot be read: {error.strerror}") from None
    _check_length(named, raw, length)
    with heard() as said:
        try:
            mj = mujoco.MjModel.from_binary_path(str(path), assets)
        except ValueError:
            why = said[-1] if said else "MuJoCo does not take what its arrays hold"
            raise ModelError(f"{named} is damaged: {why}") from None
    try:
        _check_sizes(named, mj)
    except (IndexError, KeyError, RecursionError) as error:
        raise ModelError(f"{named} is damaged: {error}") from None
    return mj


class Layout:
    """What MJB files of the installed MuJoCo look like."""

    def __init__(self):
        from mujoco.introspect import structs

        fields = structs.STRUCTS["mjModel"].fields
        self.sizes = [f.name for f in fields if str(f.type) == "mjtSize"]
        self.arrays = [_array(f) for f in fields if getattr(f, "array_extent", None)]
        empty = mujoco.MjModel.from_xml_string("<mujoco/>")
        raw = np.zeros(mujoco.mj_sizeModel(empty), np.uint8)
        mujoco.mj_saveModel(empty, None, raw)
        self.header = _HEADER.unpack_from(raw.tobytes())
        sizes = {name: getattr(empty, name) for name in self.sizes}
        self.fixed = raw.size - self.array_bytes(sizes)  # all but the arrays

    def array_bytes(self, sizes):
        """Bytes of all arrays."""
        return sum(n * math.prod(sizes[name] for name in names) for n, names in self.arrays)

    @property
    def start(self):
        """Bytes of the header and of the sizes."""
        return _HEADER.size + 8 * len(self.sizes)


@functools.cache
def layout():
    return Layout()


def _array(field):
    """(bytes, names of sizes): what an array takes is their product."""
    constant, names = _BYTES[str(field.type).removesuffix(" *")], []
    for extent in field.array_extent:
        for factor in str(extent).split("*"):
            if factor.startswith("n"):
                names.append(factor)
            elif factor == "mjNTEXROLE":
                constant *= int(mujoco.mjtTextureRole.mjNTEXROLE)
            else:
                constant *= int(factor) if factor.isdigit() else getattr(mujoco, factor)
    return constant, names


def _check_length(named, raw, length):
    """Raise ModelError unless the header is of this MuJoCo, and the length what its sizes say."""
    own = layout()
    if length < own.start:
        raise ModelError(f"{named} is no MJB: it has {length} bytes, a header {own.start}")
    header = _HEADER.unpack_from(raw)
    if header[0] != own.header[0]:
        raise ModelError(f"{named} is no MJB: it begins with {bytes(raw[:8])!r}")
    if header[3] != own.header[3]:
        raise ModelError(
            f"{named} was saved by MuJoCo {_spoken(header[3])}, and this is"
            f" {_spoken(own.header[3])}: an MJB is for the version that saved it. Load the XML"
        )
    if header != own.header:
        raise ModelError(f"{named} is damaged: its header is {header}, not {own.header}")
    values = struct.unpack_from(f"<{len(own.sizes)}q", raw, _HEADER.size)
    sizes = dict(zip(own.sizes, values, strict=True))
    for size, value in sizes.items():
        if not -1 <= value < 2**48:
            raise ModelError(f"{named} is damaged: {size} is {value}")
    needed = own.fixed + own.array_bytes(sizes)
    if needed != length:
        raise ModelError(
            f"{named} is damaged or cut off: its sizes make {needed:,} bytes, it has {length:,}"
        )


def _spoken(version):
    """'4.0.1' of 4000001."""
    return f"{version // 10**6}.{version // 10**3 % 10**3}.{version % 10**3}"


def _check_sizes(named, mj):
    """Raise ModelError if a size that no array of the file has does not follow from the arrays."""
    arms = moment_number(mj, moment_structure(mj, tendon_structure(mj)))
    sensed, plugged, kept = mj.sensor_dim.sum(), mj.plugin_statenum.sum(), _history(named, mj)
    for size, least, most in (
        ("nJmom", arms, mj.nout * mj.nv),
        ("nsensordata", sensed, sensed),
        ("npluginstate", plugged, plugged),
        ("nhistory", kept, kept),
        ("ngravcomp", 0, mj.nbody),
        ("nbvhdynamic", 0, mj.nbvh),
    ):
        if not least <= getattr(mj, size) <= most:
            raise ModelError(
                f"{named} is damaged: {size} is {getattr(mj, size)}, and its arrays say"
                f" {least if least == most else f'{least} to {most}'}"
            )


def _history(named, mj):
    """Numbers of all histories; they lie one after the other, as the addresses must say."""
    end = 0
    for kind, width in (("actuator", mj.actuator_ctrlnum), ("sensor", mj.sensor_dim)):
        samples = getattr(mj, f"{kind}_history")[:, 0].tolist()
        for i, (count, adr) in enumerate(zip(samples, getattr(mj, f"{kind}_historyadr").tolist())):
            if count < 0 or adr != (end if count else -1):
                raise ModelError(f"{named} is damaged: the history of {kind} {i} is at {adr}")
            if count:
                end += 2 + count * (1 + int(width[i]))
    return end
