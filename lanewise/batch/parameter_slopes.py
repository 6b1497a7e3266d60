"""Derivatives of a step by fields of the model, in all worlds of a Batch.

Every number of a field is a column: a world of its own in another Batch, the probe, whose model
differs in this one number. The probe's worlds take one step from the states of the batch, and are
compared with the one that was not nudged. What follows from the field by mj_setConst follows in the
probe, too (and in the world that was not nudged, so that nothing else is compared).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import did_you_mean
from ..fields import STATE_FIELDS
from ..loaders import derived, per_world
from ..mjconst import DSBL_AUTORESET
from ..motions import differentiate_pos
from .field_names import not_expandable

MOST = 1 << 14  # worlds of a probe: more are taken one after the other
PARAMETER = "parameters."  # what stands before the name of a parameter of user code


class Slopes:
    """What is nudged: numbers of fields, given as names, or as pairs of a name and an index."""

    def __init__(self, batch: Any, given: Sequence[Any], eps: float, centered: bool):
        self.eps, self.ways = eps, 2 if centered else 1
        self.numbers: dict[str, np.ndarray] = {}  # of each field, its places in memory
        for item in given:
            name, index = (item, ...) if isinstance(item, str) else _pair(item)
            if name in self.numbers:
                raise ValueError(f"wrt names {name} twice: give one pair, with all of its numbers")
            self.numbers[name] = _places(batch, name, index)
        self.ncolumn = sum(map(len, self.numbers.values()))
        self.per = 1 + self.ways * self.ncolumn  # worlds of the probe for one of the batch

    def nudge(self, probe: Any) -> None:
        """Give the worlds of a probe their models; each of `per` worlds has the same before."""
        column = 1
        for name, places in self.numbers.items():
            rows = _rows(probe, name)
            rows = rows.reshape(len(rows) // self.per, self.per, -1)
            for place in places:
                for way in range(self.ways):
                    rows[:, column + way, place] += (1.0, -1.0)[way] * self.eps
                column += self.ways
        if derived.reads(self.numbers):
            probe.set_const()

    def split(self, columns: np.ndarray) -> dict[str, np.ndarray]:
        """{field: its columns}"""
        ends = np.cumsum([len(places) for places in self.numbers.values()])[:-1]
        parts = np.split(columns, ends, axis=-1)
        return dict(zip(self.numbers, map(np.ascontiguousarray, parts), strict=True))


def _pair(item: Any) -> tuple[str, Any]:
    if not isinstance(item, tuple) or len(item) != 2 or not isinstance(item[0], str):
        raise TypeError(
            "wrt takes 'state', 'ctrl', names of model fields such as 'body_mass', and pairs of a"
            f" name and an index such as ('body_mass', [1, 2]), got {item!r}"
        )
    return item


def _places(batch: Any, name: str, index: Any) -> np.ndarray:
    """Places of the numbers of a field that an index leads to."""
    if name.startswith(PARAMETER):
        values = batch._model.parameters.get(name.removeprefix(PARAMETER))
        if values is None:
            raise ValueError(
                f"there is no parameter {name.removeprefix(PARAMETER)!r} of user code; there are:"
                f" {', '.join(batch._model.parameters) or 'none'}"
            )
    elif name in STATE_FIELDS:
        raise ValueError(f"{name} is not a field of the model: wrt takes 'state' and 'ctrl'")
    elif f"opt.{name}" in per_world.expandable():
        raise ValueError(f"{name} is an option: name it 'opt.{name}'")
    elif name not in per_world.expandable() and (near := did_you_mean(name, ("state", "ctrl"))):
        raise ValueError(f"wrt takes 'state', 'ctrl' and model fields, not {name!r}{near}")
    elif name not in per_world.expandable():
        raise not_expandable(batch._model, name)
    else:
        values = per_world.model_field(batch._model.mj, name)
    if values.dtype.kind != "f":
        raise ValueError(f"{name} has whole numbers: there is no derivative by them")
    try:
        return np.ravel(np.arange(values.size).reshape(values.shape)[index])
    except (IndexError, TypeError) as error:
        raise IndexError(f"{name} has shape {values.shape}: {error}") from None


def _rows(probe: Any, name: str) -> np.ndarray:
    """The values of a field in all worlds of a probe, live."""
    if name.startswith(PARAMETER):
        return probe.parameters.expand(name.removeprefix(PARAMETER))
    return probe.expand(name)


def _probes(batch: Any, slopes: Slopes, sims: np.ndarray) -> Iterator[tuple[np.ndarray, Any]]:
    """(worlds of the batch, the probe for them), as many at a time as memory allows."""
    variation, per = batch._variation, slopes.per
    if variation.callers is not None:
        raise ValueError(
            "the caller's models (set_models) are in use: expand fields instead, to have"
            " derivatives by them"
        )
    kept = variation.expanded, variation.derived, variation.own, variation.parameters
    shared = not any(kept)
    if shared:  # all worlds have the same models: make them once
        models = _probe(batch, per)
        slopes.nudge(models)
        made = models._variation
        kept = made.expanded, made.derived, made.own, made.parameters
    for chunk in np.split(sims, range(max(1, MOST // per), len(sims), max(1, MOST // per))):
        probe = _probe(batch, per * len(chunk))
        of = np.tile(np.arange(per), len(chunk)) if shared else np.repeat(chunk, per)
        rows = ({name: values[of] for name, values in part.items()} for part in kept)
        probe._variation.restore(*rows)
        probe._runner.changed()
        if not shared:
            slopes.nudge(probe)
        probe.state[...] = np.repeat(batch.state[chunk], per, axis=0)
        yield chunk, probe


def _probe(batch: Any, n: int) -> Any:
    probe = type(batch)(batch._model, n, batch._nthread)
    probe.model.opt.disableflags |= DSBL_AUTORESET  # bad numbers shall be seen
    return probe


def parameter_slopes(
    batch: Any, ids: np.ndarray | None, slopes: Slopes, sensors: bool
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """{field: dy/dp (n, nx, k)}, {field: ds/dp (n, nsensordata, k)} of the worlds in ids"""
    m, sims = batch._model, np.arange(batch.nsim) if ids is None else ids
    nx, ns = 2 * m.nv + m.na, m.nsensordata if sensors else 0
    dy, ds = (np.zeros((len(sims), n, slopes.ncolumn)) for n in (nx, ns))
    done = 0
    for chunk, probe in _probes(batch, slopes, sims):
        if ns:
            probe.bind("sensordata")
        probe.step()
        here = slice(done, done + len(chunk))
        q, v, a = (_differences(slopes, chunk, getattr(probe, n)) for n in ("qpos", "qvel", "act"))
        scale = 1.0 / (slopes.eps * slopes.ways)
        dq = differentiate_pos(m, 1.0, *q)
        parts = (dq, v[1] - v[0], a[1] - a[0])
        dy[here] = np.concatenate(parts, axis=-1).swapaxes(1, 2) * scale
        if ns:
            low, high = _differences(slopes, chunk, probe.sensordata)
            ds[here] = (high - low).swapaxes(1, 2) * scale
        done += len(chunk)
    return slopes.split(dy), slopes.split(ds)


def _differences(
    slopes: Slopes, chunk: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What is to be compared of the worlds of a probe: low and high ends, (n, columns, ...)"""
    values = np.asarray(values).reshape(len(chunk), slopes.per, -1)
    if slopes.ways == 2:
        return values[:, 2::2], values[:, 1::2]
    own = values[:, :1]
    return np.broadcast_to(own, values[:, 1:].shape), values[:, 1:]
