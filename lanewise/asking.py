"""Questions about worlds: what those to a Data and those to a Batch have in common.

A question is a call of engine/calls: a record, which says what it is about, and a gang kernel. In a
Batch, threads load worlds into lanes for it. A Data has its worlds in lanes already, with all that
was computed of them, and `ask` runs the kernel on these.

Worlds are taken by their places in a call. What they are asked about are items, one or several of
each world: objects, or bodies with vectors.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .engine.calls import gang_kernel
from .errors import did_you_mean
from .lanes import JIT
from .lanes.records import Records
from .mjconst import OBJ_BODY, OBJ_CAMERA, OBJ_GEOM, OBJ_SITE, OBJ_XBODY
from .naming import numbers_of

# objects that have a frame: mjtObj, what their names are names of, the field that has their places
OBJECTS = {
    "body": (OBJ_BODY, "body", "xipos"), "xbody": (OBJ_XBODY, "body", "xpos"),
    "geom": (OBJ_GEOM, "geom", "geom_xpos"), "site": (OBJ_SITE, "site", "site_xpos"),
    "camera": (OBJ_CAMERA, "camera", "cam_xpos"),
}  # fmt: skip


def ask(m: Any, d: Any, call: str, record: Records, apart: bool = True) -> None:
    """Run a call on the worlds of a Data.

    apart: lanes without a world of their own have places after those of the worlds; else they have
    the place of the first.
    """
    place = d.arrays["lane_place"]
    place[...] = 0
    n = d.width if apart else d.lanes
    place[:n] = np.arange(n)
    if JIT:
        d.functions[f"{call}_gang"](m.address, d.address, record.address, 0)
    else:
        with np.errstate(all="ignore"):
            gang_kernel(call)(m.struct, d.struct, record.address, 0)


@dataclass(frozen=True)
class Places:
    """The worlds of a call: n of them, with room for more; alone, if they have no axis."""

    n: int
    room: int
    alone: bool = False

    @classmethod
    def of_data(cls, d: Any) -> "Places":
        return cls(d.lanes, d.width, d.lanes == 1)

    @classmethod
    def of_batch(cls, n: int) -> "Places":
        return cls(n, n)


class Items:
    """What the worlds of a call are asked about: `number` of each, with an axis if `several`.

    `members` are those of the call's record.
    """

    def __init__(self, places: Places, number: int, several: bool, members: dict[str, Any]):
        self.places, self.number, self.several = places, number, several
        self.members = {"nitem": number, **members}

    @classmethod
    def of_objects(cls, places: Places, ids: np.ndarray) -> "Items":
        """Objects that are the same in all worlds: one, (), or several, (k,)."""
        return cls(places, ids.size, ids.ndim > 0, {"ids": ids, "id_item": ids.itemsize})

    @classmethod
    def of_bodies(cls, places: Places, ids: np.ndarray, **vectors: np.ndarray) -> "Items":
        """Bodies, and vectors that go with them.

        The leading axes of all broadcast to (), one item that all worlds share; to (n,), one for
        each world; or to (n, k), several for each. A world that is alone has no axis: (), or (k,).
        """
        given = {"body": ids[..., None], **vectors}
        leads = {name: x.shape[:-1] for name, x in given.items()}
        try:
            shape = np.broadcast_shapes(*leads.values())
            if len(shape) > (1 if places.alone else 2):
                raise ValueError
            several = len(shape) == (1 if places.alone else 2)
            number = shape[-1] if several else 1
            if not several:  # an axis is that of worlds
                given = {name: x if x.ndim == 1 else x[:, None] for name, x in given.items()}
            rows = (places.n, number)
            given = {k: np.broadcast_to(x, (*rows, x.shape[-1])) for k, x in given.items()}
        except ValueError:
            raise ValueError(_do_not_fit(places, leads)) from None
        members: dict[str, Any] = {}
        for name, x in given.items():
            first, each = ("ids", "id") if name == "body" else (name, name)
            members[first], members[f"{each}_world"], members[f"{each}_item"] = _rows(places, x)
        return cls(places, number, several, members)

    def empty(self, *shape: int) -> np.ndarray:
        """Room for results of all places."""
        return np.empty((self.places.room, self.number, *shape))

    def result(self, x: np.ndarray) -> np.ndarray:
        """What a user gets of results: the worlds, and the axis of items if there are several."""
        x = x[: self.places.n] if self.several else x[: self.places.n, 0]
        return x[0] if self.places.alone else x


def _rows(places: Places, x: np.ndarray) -> tuple[np.ndarray, int, int]:
    """(memory, bytes from a world to the next, and from an item to the next)"""
    if x.shape[2] > 1 and x.strides[2] != x.itemsize:
        x = np.ascontiguousarray(x)
    n, room = places.n, places.room
    same = n == 1 or x.strides[0] == 0 or (x.dtype == np.int32 and (x == x[:1]).all())
    if same:
        return x, 0, x.strides[1]
    if n < room:  # places without a world ask what the first one asks
        x = np.concatenate([x, np.broadcast_to(x[:1], (room - n, *x.shape[1:]))])
    return x, x.strides[0], x.strides[1]


def _do_not_fit(places: Places, leads: dict[str, tuple[int, ...]]) -> str:
    """The message for items whose shapes do not go together."""
    shapes = ", ".join(f"{name} {lead}" for name, lead in leads.items())
    if places.alone:
        choices = "one item, (), or k items, (k,)"
    else:
        n = places.n
        choices = (
            f"one item, (), one for each of {n} worlds, ({n},), or k items, (1, k) or ({n}, k)"
        )
    return f"leading axes must be those of {choices}; got {shapes}"


# ---------------------------------------------------------------------------------------- arguments


def numbers(x: Any, name: str) -> np.ndarray:
    x = np.asarray(x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} takes numbers, got {x.dtype}")
    return x.astype(np.float64, copy=False)


def one_number(x: Any, name: str) -> float:
    number = numbers(x, name)
    if number.ndim or np.isnan(number):
        raise ValueError(f"{name} must be one number, got {x!r}")
    return float(number)


def vectors(x: Any, name: str, size: int = 3) -> np.ndarray:
    """Numbers in rows of so many."""
    x = numbers(x, name)
    if x.shape[-1:] != (size,):
        raise ValueError(f"{name} must have {size} numbers in its last axis, got shape {x.shape}")
    return x


def objects(m: Any, kind: str, keys: Any) -> np.ndarray:
    """Numbers of one object, (), or of a sequence of them, (k,)."""
    ids = numbers_of(m.mj, kind, keys)
    if ids.ndim > 1:
        raise ValueError(f"{kind} takes one or a sequence of them, got shape {ids.shape}")
    return ids


def object_kind(kind: Any) -> str:
    """The word for a kind of objects with a frame, of the word or its mjtObj."""
    known = {number: word for word, (number, _, _) in OBJECTS.items()}
    if isinstance(kind, str):
        if kind in OBJECTS:
            return kind
    elif not isinstance(kind, bool) and hasattr(kind, "__int__") and int(kind) in known:
        return known[int(kind)]
    raise ValueError(
        f"kind must be one of {', '.join(OBJECTS)}, or its mjtObj; got {kind!r}"
        f"{did_you_mean(kind, OBJECTS)}"
    )
