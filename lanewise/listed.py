"""Contacts, warnings and solver iterations of a Data: `d.contact.dist` is an array over contacts,
`d.contact[0].dist` is one of them.

With several worlds, arrays have a leading axis of worlds, and so has what one contact or warning
shows. Floats are live and can be written; contacts are computed, so their integers cannot.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .errors import did_you_mean, whole_number
from .fields import DATA_FIELDS
from .mjconst import NISLAND, NSOLVER

_OF_FLEX = ("flex", "elem", "vert")  # what MuJoCo says of deformable objects: always -1 here


class _List:
    """Records that lie in fields PREFIX.NAME, whose first dimension counts them."""

    __slots__ = ("_data", "_rows")
    _data: Any
    _rows: slice
    _prefix = ""

    def __init__(self, data: Any, rows: slice = slice(None)):
        object.__setattr__(self, "_data", data)
        object.__setattr__(self, "_rows", rows)

    def __getattr__(self, name: str) -> np.ndarray:
        if f"{self._prefix}.{name}" not in DATA_FIELDS:
            raise AttributeError(f"{self._prefix}s have no {name!r}{did_you_mean(name, dir(self))}")
        values = getattr(self._data, f"{self._prefix}.{name}")
        return values[self._rows] if self._data.lanes == 1 else values[:, self._rows]

    def __setattr__(self, name: str, value: Any) -> None:
        target = getattr(self, name)
        if not target.flags.writeable:
            raise AttributeError(f"{self._prefix}.{name} is computed and cannot be written")
        target[...] = value

    def __dir__(self) -> Iterable[str]:
        start = f"{self._prefix}."
        return [name.removeprefix(start) for name in DATA_FIELDS if name.startswith(start)]

    def __len__(self) -> int:
        return len(range(self._total())[self._rows])

    def _total(self) -> int:
        raise NotImplementedError

    def _place(self, index: Any) -> Any:
        """Among all records: of one, or of a slice of those that are shown."""
        here = range(self._total())[self._rows]
        if isinstance(index, slice):
            rows = here[index]
            return slice(rows.start, rows.stop if rows.stop >= 0 else None, rows.step)
        index = whole_number(index, f"the number of a {self._prefix}")
        if not -len(here) <= index < len(here):
            raise IndexError(f"{self._prefix} {index} does not exist: there are {len(here)}")
        return here[index]

    def __repr__(self) -> str:
        return f"<{len(self)} {self._prefix}s of {self._data!r}>"


class _Item:
    """One record of a list."""

    __slots__ = ("_list", "_place")
    _list: _List
    _place: int

    def __init__(self, of: _List, place: int):
        object.__setattr__(self, "_list", of)
        object.__setattr__(self, "_place", place)

    def __getattr__(self, name: str) -> Any:
        values = getattr(self._list, name)
        if self._list._data.lanes > 1:
            return values[:, self._place]
        value = values[self._place]
        return value if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        target = getattr(self._list, name)
        if not target.flags.writeable:
            raise AttributeError(f"{name} of a contact is computed and cannot be written")
        target[self._place if self._list._data.lanes == 1 else (slice(None), self._place)] = value

    def __dir__(self) -> Iterable[str]:
        return dir(self._list)

    def __repr__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)!r}" for name in sorted(dir(self))]
        return "\n".join([f"<{self._list._prefix} {self._place}", *lines, ">"])


class Contact(_Item):
    """One contact, as MjContact."""

    __slots__ = ()


class Contacts(_List):
    """The contacts of a Data's worlds: `d.contact.dist` and so on, an array over contacts.

    With more than one world, arrays have a leading axis of worlds and are as long as the largest of
    `d.ncon`; numbers beyond a world's own `ncon` mean nothing.
    """

    __slots__ = ()
    _prefix = "contact"

    def _total(self) -> int:
        return int(np.max(self._data.ncon))

    def __getattr__(self, name: str) -> np.ndarray:
        if name in ("geom1", "geom2"):
            return self.geom[..., int(name[-1]) - 1]
        if name in _OF_FLEX:
            return np.broadcast_to(np.int32(-1), self.geom.shape)
        return super().__getattr__(name)

    def __getitem__(self, index: Any) -> Any:
        place = self._place(index)
        of_all = Contacts(self._data)
        return Contacts(self._data, place) if isinstance(place, slice) else Contact(of_all, place)

    def __iter__(self) -> Iterator[Contact]:
        return (self[k] for k in range(len(self)))

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), "geom1", "geom2", *_OF_FLEX]


class WarningStat(_Item):
    """How often a warning was raised, and the index that the last one was about."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        of = self._list
        getattr(of, name)
        of._data.arrays[f"warning.{name}"][self._place, : of._data.lanes] = value


class Warnings(_List):
    """The counters of a Data's warnings, in the order of mjtWarning: `d.warning[k].number`.

    `d.warning.number` are all counters of one world, or a row of them for each.
    """

    __slots__ = ()
    _prefix = "warning"

    def _total(self) -> int:
        return int(self._data.arrays["warning.number"].shape[0])

    def __setattr__(self, name: str, value: Any) -> None:
        for one, x in zip(self, np.broadcast_to(value, getattr(self, name).shape).T, strict=True):
            setattr(one, name, x)

    def __getitem__(self, index: Any) -> Any:
        place = self._place(index)
        if isinstance(place, slice):
            return Warnings(self._data, place)
        return WarningStat(Warnings(self._data), place)

    def __iter__(self) -> Iterator[WarningStat]:
        return (self[k] for k in range(len(self)))


class SolverStat(_Item):
    """What an iteration of a solver did, as MjSolverStat."""

    __slots__ = ()


class SolverStats(_List):
    """Iterations of the last solution of the constraints, as MjData.solver has them.

    Iteration k of island i is `d.solver[200 * i + k]`, of the first 20 islands and the first 200
    iterations; `d.solver_niter[i]` says how many there were, and what stands beyond is zero.
    `d.solver.improvement` are those of one world, (4000,), or a row of them for each.
    """

    __slots__ = ()
    _prefix = "solver"

    def _total(self) -> int:
        return NISLAND * NSOLVER

    def __getattr__(self, name: str) -> np.ndarray:
        if f"solver.{name}" not in DATA_FIELDS:
            raise AttributeError(f"iterations have no {name!r}{did_you_mean(name, dir(self))}")
        values = getattr(self._data, f"solver.{name}")
        there = np.arange(NSOLVER) < np.asarray(self._data.solver_niter)[..., None]
        all_of = np.zeros((*values.shape[:-1], self._total()), values.dtype)
        all_of[..., : values.shape[-1]] = values
        all_of[~there.reshape(all_of.shape)] = 0
        all_of.flags.writeable = False
        return all_of[..., self._rows]

    def __getitem__(self, index: Any) -> Any:
        place = self._place(index)
        if isinstance(place, slice):
            return SolverStats(self._data, place)
        return SolverStat(SolverStats(self._data), place)

    def __iter__(self) -> Iterator[SolverStat]:
        return (self[k] for k in range(len(self)))
