"""Model constants that differ between worlds.

A field that was expanded has a row for every world. For kernels, there are two kinds:

* Numbers become lanes: every thread has a block with all numbers of the model in lanes, and a
  gang's rows of the expanded fields are transposed into it before the gang runs. Kernels that read
  lanes instead of plain numbers are a variant of their own, which is compiled when it is first
  needed.
* Integers (flags, types, limits) steer the course of a kernel, so they must be the same in a gang.
  Worlds are sorted into groups of equal integers, and each group is run as a call of its own, with
  the integers of the group in place of the model's.

`Variation` keeps the rows, and says for a call which groups there are and which worlds cannot be
run.
"""

import ctypes
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..engine.calls.gang import CONSTANT
from ..fields import MODEL, MODEL_FIELDS
from ..lanes import Field, Struct, W
from ..lanes.calls import world_tables
from ..lanes.records import Records
from ..limits import wraps
from ..loaders import per_world as mujoco_side
from ..mjconst import WRAP_CYLINDER, WRAP_SPHERE
from ..model import KEYFRAME, Model
from .aligned import aligned
from .threads import Setting

_INDEX = {f.name: k for k, f in enumerate(MODEL)}
_NUMBERS = [f for f in MODEL if f.dtype == "float"]
_HAS_LANES = [f.dtype == "float" for f in MODEL]


_CHECKED_NUMBERS = ("wrap_prm", "tendon_armature")  # numbers that have limits
_IN_KERNELS = {"bvh_aabb": "body_box"}  # fields that kernels know by another name
_LOOKS = ("geom_matid", "geom_rgba", "mat_rgba", "geom_group")  # only rays look at them


def _steers(name: str) -> bool:
    """Whether kernels read a field as integers, or as numbers that are never lanes."""
    return name in MODEL_FIELDS and MODEL_FIELDS[name].dtype != "float" and name not in _LOOKS


@dataclass
class Group:
    """Worlds whose models have the same integers."""

    setting: Setting  # what threads take for the model
    reason: str  # why its worlds cannot be run


class Variation:
    """The rows of all worlds' model fields, on top of the fields of `base`.

    Each of nthread threads has a workspace.
    """

    def __init__(self, base: Model, nsim: int, nthread: int):
        self.base, self.nsim, self.nthread = base, nsim, nthread
        self.expanded: dict[str, np.ndarray] = {}  # by the user
        self.derived: dict[str, np.ndarray] = {}  # by set_const
        self.own: dict[str, np.ndarray] = {}  # what only kernels know
        self.parameters: dict[str, np.ndarray] = {}  # of user code, by the user
        self.callers: Callers | None = None
        self._blocks: list[np.ndarray] = []  # each thread's lanes of the model
        self._shared: list[tuple[np.ndarray, np.ndarray]] = []  # the model's memory, as in blocks
        self._offsets: dict[str, int] = {}
        self._known_keys: np.ndarray | None = None
        self._groups: list[Group] = []
        self._labels: np.ndarray | None = None
        self._refusals: mujoco_side.Refusals | None = None
        self.constants = Records(CONSTANT, 0)  # rows that a gang loads
        self.parameter_rows = Records(CONSTANT, 0)  # and those of parameters
        self.per_world = False
        self._looks = base.nray > 0  # whether the looks of geoms matter
        self.changed()

    @classmethod
    def of_models(cls, given: list, model: Model, nthread: int) -> "Variation":
        """World i runs on given[i], which must have the sizes of `model`."""
        callers = Callers(given)
        callers.check_layout(model)
        out = cls.of_callers(callers, nthread)
        for name, shared in model.parameters.items():
            of_models = np.stack([m.parameters[name] for m in callers.models])
            if (of_models != shared).any():
                out.expand_parameter(name)[...] = of_models[callers.index]
        out.changed()
        return out

    @classmethod
    def of_callers(cls, callers: "Callers", nthread: int) -> "Variation":
        """Each world runs on its own of the caller's models."""
        nsim = len(callers.index)
        out = cls(callers.models[0], nsim, nthread)
        out.callers = callers
        for f in MODEL:
            values = np.stack([m.arrays[f.name].ravel() for m in callers.models])
            if (values != values[0]).any():
                out.own[f.name] = rows = aligned((nsim, values.shape[1]), values.dtype)
                rows[...] = values[callers.index]
        out.changed()
        return out

    def restore(
        self, expanded: dict[str, np.ndarray], derived: dict[str, np.ndarray],
        own: dict[str, np.ndarray], parameters: dict[str, np.ndarray],
    ) -> None:  # fmt: skip
        """Take the rows of another variation of the same worlds."""
        for mine, theirs in (
            (self.expanded, expanded), (self.derived, derived), (self.own, own),
            (self.parameters, parameters),
        ):  # fmt: skip
            for name, rows in theirs.items():
                mine[name] = aligned(rows.shape, rows.dtype)
                mine[name][...] = rows

    def rows(self, name: str) -> np.ndarray | None:
        rows = self.expanded.get(name)
        return self.derived.get(name) if rows is None else rows

    def option(self, name: str, ids: np.ndarray | None = None) -> np.ndarray:
        """An option of all worlds, or of some: one number if they share it, else a row."""
        rows = self.own.get(f"opt.{name}", self.rows(f"opt.{name}"))
        if rows is None:
            return np.asarray(getattr(self.base.mj.opt, name))
        return rows if ids is None else rows[ids]

    def all_rows(self) -> dict[str, np.ndarray]:
        """Every field of MuJoCo's that has rows."""
        return {**self.derived, **self.expanded}

    def _kernel_rows(self) -> dict[str, np.ndarray]:
        """Every field of the table that has rows."""
        rows = {_IN_KERNELS.get(n, n): values for n, values in self.all_rows().items()}
        return {n: values for n, values in {**rows, **self.own}.items() if n in MODEL_FIELDS}

    def new_rows(self, name: str) -> np.ndarray:
        """Rows of a field, every one as in the model."""
        value = mujoco_side.model_field(self.base.mj, name)
        rows = aligned((self.nsim, *value.shape), value.dtype)
        rows[...] = value
        return rows

    def derive(self, sim: int, values: dict[str, np.ndarray], shared: dict) -> None:
        """Constants that follow from the other fields of one world; shared: those of the model."""
        for name, value in values.items():
            rows = self.own[name] if name in self.own else self.rows(name)
            if rows is None:
                if name not in shared:
                    shared[name] = mujoco_side.model_field(self.base.mj, name)
                if (value == shared[name]).all():
                    continue
                is_flag = name.startswith("flg_")  # it follows from other fields, in get_model too
                rows = (self.own if is_flag else self.derived)[name] = self.new_rows(name)
            rows[sim] = value

    def changed(self) -> None:
        """Fields have been added: find what kernels need of them."""
        if self._reset_varies() and "reset_state" not in self.own:
            self.own["reset_state"] = aligned((self.nsim, self.base.nstate))
        rows = self._kernel_rows()
        numbers = [n for n in rows if MODEL_FIELDS[n].dtype == "float" and rows[n].size]
        self.per_world = bool(numbers)
        if self.per_world and not self._blocks:
            self._make_blocks()
        each = {name: rows[name].size // self.nsim for name in numbers}
        self.constants = Records.of(CONSTANT, [
            {"rows": rows[name], "stride": 8 * n, "count": n, "lanes": self._offsets[name]}
            for name, n in each.items()
        ])  # fmt: skip
        self.parameter_rows = self._parameter_rows()
        self._known_keys = None

    def _parameter_rows(self) -> Records:
        """The lanes of all parameters lie one after the other in a workspace."""
        rows, start = [], 0
        for name, shared in self.base.parameters.items():
            if name in self.parameters:
                values = self.parameters[name]
                stride = 8 * shared.size
                rows.append(
                    {"rows": values, "stride": stride, "count": shared.size, "lanes": start}
                )
            start += 8 * W * shared.size
        return Records.of(CONSTANT, rows)

    def expand_parameter(self, name: str) -> np.ndarray:
        """Rows of a parameter, every one as it is now in the model."""
        shared = self.base.parameters[name]
        if name not in self.parameters:
            self.parameters[name] = aligned((self.nsim, *shared.shape))
            self.parameters[name][...] = shared
        return self.parameters[name]

    def look(self) -> None:
        """From now on, worlds in which other geoms are seen are in groups of their own."""
        if not self._looks:
            self._looks, self._known_keys = True, None

    # ------------------------------------------------------------------------------------- numbers

    def _make_blocks(self) -> None:
        """Lanes of all numbers of the model, for every thread."""
        size = 0
        for f in _NUMBERS:
            self._offsets[f.name] = size
            size += 64 * self.base.arrays[f.name].size
            size += 64 if size % 4096 == 0 else 0  # fields a page apart compete for a cache set
        self._blocks = [aligned((size // 8 + W,)) for _ in range(self.nthread)]
        self._shared = [(x, x.copy()) for x in _stretches(self.base)]
        self._fill_blocks()

    def _fill_blocks(self) -> None:
        """What the model has, in all lanes."""
        for block in self._blocks:
            for f in _NUMBERS:
                self._lanes(block, f.name)[...] = self.base.arrays[f.name].reshape(-1, 1)

    def _follow_base(self) -> None:
        """Notice numbers of the model that were edited since blocks were filled."""
        if any((now != then).any() for now, then in self._shared):
            for now, then in self._shared:
                then[...] = now
            self._fill_blocks()

    def _lanes(self, block: np.ndarray, name: str) -> np.ndarray:
        first, n = self._offsets[name] // 8, self.base.arrays[name].size
        return block[first : first + n * W].reshape(n, W)

    # -------------------------------------------------------------------------------------- groups

    def groups(self) -> tuple[list[Group], np.ndarray | None]:
        """The groups, and each world's group; None if there is only one."""
        self._follow_base()
        if self._reset_varies():
            self.own["reset_state"][...] = self.reset_rows(np.arange(self.nsim), None)
        if self.callers is not None and self._known_keys is not None:
            return self._groups, self._labels  # copies that nobody writes
        if self._known_keys is not None and not (self._looks or self.own or self.all_rows()):
            return self._groups, self._labels  # no world has anything of its own
        names, keys = self._keys()
        same = self._known_keys is not None and np.array_equal(keys, self._known_keys)
        if not same:
            self._sort(names, keys)
        return self._groups, self._labels

    def _keys(self) -> tuple[list[str], np.ndarray]:
        """The fields that decide a world's group, and their bytes in every world."""
        rows = {**self.all_rows(), **self.own}
        names = [n for n in rows if mujoco_side.decides_pairs(n) or _steers(n)]
        parts = [rows[n].reshape(self.nsim, -1) for n in names]
        parts += [*self._checked_numbers(), self._wrong_numbers(), *self._seen(rows)]
        parts = [part.view(np.uint8) for part in parts if part.size]
        if not parts:
            return names, np.zeros((1, 0), np.uint8)
        return names, np.concatenate(parts, axis=1)

    def _checked_numbers(self) -> list[np.ndarray]:
        """What says whether numbers are within limits: the ids among them, sites on whose side a
        tendon wraps, and which tendons have armature that must not."""
        parts, rows = [], {**self.all_rows(), **self.own}
        if "wrap_prm" in rows:
            geoms = np.isin(self.base.wrap_type, (WRAP_SPHERE, WRAP_CYLINDER))
            parts.append(rows["wrap_prm"][:, geoms])
        if "tendon_armature" in rows:
            parts.append(rows["tendon_armature"][:, wraps(self.base.mj)] != 0)
        return [np.ascontiguousarray(part) for part in parts]

    def _seen(self, rows: dict[str, np.ndarray]) -> list[np.ndarray]:
        """What rays can tell of the looks of geoms: whether they are drawn, and their groups."""
        if not self._looks or not any(n in rows for n in _LOOKS):
            return []

        def value(name: str, width: int) -> np.ndarray:
            array = rows.get(name, self.base.arrays[name][None])
            array = array.reshape(len(array), -1, width)
            return np.broadcast_to(array, (self.nsim, *array.shape[1:]))

        drawn = value("geom_rgba", 4)[..., 3] != 0
        material = value("geom_matid", 1)[..., 0]
        if self.base.nmat:
            shown = value("mat_rgba", 4)[..., 3] != 0
            shown = np.take_along_axis(shown, np.maximum(material, 0), axis=1)
            drawn = np.where(material >= 0, shown, drawn)
        return [drawn, np.ascontiguousarray(value("geom_group", 1)[..., 0])]

    def _number_options(self) -> dict[str, np.ndarray]:
        """The rows of options that are one number."""
        return {n: r for n, r in self.all_rows().items() if n.startswith("opt.") and r.ndim == 1}

    def _wrong_numbers(self) -> np.ndarray:
        """Which options are no numbers, (nsim, n)."""
        rows = [~np.isfinite(values) for values in self._number_options().values()]
        return np.stack(rows, axis=1) if rows else np.zeros((self.nsim, 0), bool)

    def _sort(self, names: list[str], keys: np.ndarray) -> None:
        if keys.shape[1] == 0 or (keys == keys[0]).all():
            firsts, labels = np.zeros(1, np.intp), None
        else:
            whole = keys.view(np.dtype((np.void, keys.shape[1]))).ravel()
            _, firsts, labels = np.unique(whole, return_index=True, return_inverse=True)
        rows = {**self.all_rows(), **self.own}
        self._groups = []
        lanes = {}  # of the numbers, as a plain-Python kernel sees them
        if self.per_world:
            lanes = {f.name: self._lanes(self._blocks[0], f.name) for f in _NUMBERS}
        for first in firsts:
            values = {n: np.array(rows[n][first]) for n in names}
            reason = self._reason(keys[first].tobytes(), values)
            numbers = {n: np.asarray(rows[first]) for n, rows in self._number_options().items()}
            numbers |= {n: rows[n][first] for n in _CHECKED_NUMBERS if n in rows}
            reason = reason or mujoco_side.field_problem(self.base.mj, numbers)
            arrays = {n: v for n, v in values.items() if n in MODEL_FIELDS}
            arrays |= {n: np.array(rows[n][first]) for n in _LOOKS if n in rows}
            setting = Setting(
                self.per_world, self._tables(arrays), self._blocks, (self.base, arrays),
                frozenset(self.parameters), partial(_struct, self.base, arrays, lanes),
            )  # fmt: skip
            self._groups.append(Group(setting, reason))
        self._labels = labels
        self._known_keys = keys

    def _reason(self, key: bytes, values: dict[str, Any]) -> str:
        values = {n: v for n, v in values.items() if n not in self.own}
        if not values or self.callers is not None:
            return ""
        if self._refusals is None:
            self._refusals = mujoco_side.Refusals(self.base)
        return self._refusals.reason(key, values)

    def _tables(self, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """Each thread's table of pointers: the model's, with these integers and its own lanes."""
        own = np.array([self.base.arrays[f.name].ctypes.data for f in MODEL], np.int64)
        for name, array in arrays.items():
            own[_INDEX[name]] = array.ctypes.data
        tables = np.tile(own, (self.nthread, 1))
        if not self.per_world:
            return tables
        for row, block in zip(tables, self._blocks, strict=True):
            for f in _NUMBERS:
                row[_INDEX[f.name]] = block.ctypes.data + self._offsets[f.name]
        return np.stack([world_tables(row, _HAS_LANES) for row in tables])

    # -------------------------------------------------------------------------------------- others

    def row(self, sim: int) -> dict[str, Any]:
        """The fields of one world that are not the model's."""
        return {name: rows[sim] for name, rows in self.all_rows().items()}

    # --------------------------------------------------------------------------------------- reset

    def reset_rows(self, sims: np.ndarray, keyframes: np.ndarray | None) -> np.ndarray:
        """State rows of worlds after a reset: to keyframes, or to the reference state (-1)."""
        if self.callers is not None:
            return self.callers.reset_rows(sims, keyframes)
        keys = np.full(len(sims), -1) if keyframes is None else keyframes
        rows = _reset_table(self.base)[keys + 1]
        if self.all_rows():
            self._vary_reset(rows, sims, keys)
        return rows

    def _vary_reset(self, rows: np.ndarray, sims: np.ndarray, keys: np.ndarray) -> None:
        """Put in what follows from fields that differ between worlds."""
        fields, place = self.all_rows(), self.base.state_slices
        mocap = np.argsort(self.base.body_mocapid)[self.base.nbody - self.base.nmocap :]
        free, keyed = keys < 0, keys >= 0
        for name, state, columns in (
            ("qpos0", "qpos", slice(None)), ("body_pos", "mocap_pos", mocap),
            ("body_quat", "mocap_quat", mocap),
        ):  # fmt: skip
            if name in fields:
                _put(rows, free, place[state], fields[name][sims[free]][:, columns])
        self._vary_plastic(rows, free, sims)
        for name, state in KEYFRAME.items():
            if name in fields:
                _put(rows, keyed, place[state], fields[name][sims[keyed], keys[keyed]])
        if "eq_active0" in fields:
            rows[:, place["eq_active"]] = fields["eq_active0"][sims]
        if self._history_varies():
            self._vary_history(rows[:, place["history"]], sims)

    def _vary_plastic(self, rows: np.ndarray, free: np.ndarray, sims: np.ndarray) -> None:
        """Springs that can yield rest where fields say, before they do."""
        fields, m, start = self.all_rows(), self.base, self.base.state_slices["plastic"].start
        if m.nplastic == 0 or fields.keys().isdisjoint(("qpos_spring", "tendon_lengthspring")):
            return
        for place in np.flatnonzero(free):
            own = {n: fields[n][sims[place]] for n in _SPRINGS if n in fields}
            rows[place, start : start + m.nplastic] = m.rest_springs(**own)

    def _vary_history(self, history: np.ndarray, sims: np.ndarray) -> None:
        """Samples before the start follow from the time step and the intervals of sensors."""
        timestep = self._of_worlds("opt.timestep", sims)
        self.base.past_samples(history, timestep, self._of_worlds("sensor_interval", sims))

    def _of_worlds(self, name: str, sims: np.ndarray) -> np.ndarray:
        """A field of the model in worlds."""
        rows = self.rows(name)
        if rows is not None:
            return rows[sims]
        value = mujoco_side.model_field(self.base.mj, name)
        return np.broadcast_to(value, (len(sims), *value.shape))

    def _history_varies(self) -> bool:
        rows = self.all_rows()
        return self.base.nhistory > 0 and ("opt.timestep" in rows or "sensor_interval" in rows)

    def _reset_varies(self) -> bool:
        """Whether the row of a reset differs in more than what kernels put in by themselves."""
        return self.base.sizes["neq"] > 0 and "eq_active0" in self.all_rows()


_NEAR = 4096  # bytes between two fields that are looked at as one stretch of memory


def _stretches(model: Model) -> list[np.ndarray]:
    """The memory of all numbers of a model, as few arrays of bytes."""
    arrays = [model.arrays[f.name] for f in _NUMBERS if not f.own and model.arrays[f.name].size]
    places = sorted((x.ctypes.data, x.ctypes.data + x.nbytes) for x in arrays)
    joined: list[list[int]] = []
    for start, stop in places:
        if joined and start - joined[-1][1] < _NEAR:
            joined[-1][1] = max(stop, joined[-1][1])
        else:
            joined.append([start, stop])
    return [_bytes_at(start, stop - start) for start, stop in joined]


def _bytes_at(start: int, n: int) -> np.ndarray:
    return np.frombuffer(memoryview((ctypes.c_uint8 * n).from_address(start)), np.uint8)


def _struct(
    model: Model, integers: dict[str, np.ndarray], numbers: dict[str, np.ndarray]
) -> Struct:
    """The model with these integers, and numbers in lanes, as plain-Python kernels see it."""
    flat: dict[str, Any] = {}
    nested: dict[str, dict] = {}
    for f in MODEL:
        if f.name in numbers:
            array = numbers[f.name].reshape(-1, f.width, W)
        else:
            array = integers.get(f.name, model.arrays[f.name]).reshape(-1, f.width)
        outer, _, inner = f.name.rpartition(".")
        target = nested.setdefault(outer, {}) if outer else flat
        target[inner] = array if f.no_dims else Field(array, f.width)
    return Struct({**flat, **{outer: Struct(inner) for outer, inner in nested.items()}})


# what decides where springs rest that can yield
_SPRINGS = ("qpos_spring", "tendon_lengthspring")


def _put(rows: np.ndarray, where: np.ndarray, columns: slice, values: np.ndarray) -> None:
    if where.any():
        rows[where, columns] = values.reshape(len(values), -1)


def _reset_table(model: Model) -> np.ndarray:
    """State rows of a reset, then of every keyframe."""
    return np.stack([model.reset_row(), *(model.reset_row(k) for k in range(model.nkey))])


# capacities are the batch's
_MAY_DIFFER = ("nkey", "nconmax", "njmax")


class Callers:
    """Models of the caller's, one for each world; the same model may serve several."""

    def __init__(self, given: list):
        self.given = given
        unique = {id(m): m for m in given}
        order = {key: k for k, key in enumerate(unique)}
        self.index = np.array([order[id(m)] for m in given])  # of each world's model in `models`
        self.models = [mujoco_side.own_model(m) for m in unique.values()]
        self._reset = [_reset_table(m) for m in self.models]

    def check_layout(self, wanted: Model) -> None:
        """All sizes of the state and of what is computed must be those of the batch's model."""
        for i, k in enumerate(self.index):
            m = self.models[k]
            if not m.user.is_like(wanted.user) if m.user else wanted.user is not None:
                raise ValueError(f"model {i} does not have the user code of the batch's model")
            for name, size in wanted.sizes.items():
                if m.sizes[name] != size and name not in _MAY_DIFFER:
                    raise ValueError(
                        f"model {i} does not have the layout of the batch's model:"
                        f" its {name} is {m.sizes[name]}, not {size}"
                    )

    def keyframe_numbers(self, given: Any, ids: np.ndarray | None) -> Any:
        """Keyframes of worlds by number, where some are given by names of their own models."""
        sims = np.arange(len(self.index)) if ids is None else ids
        several = not isinstance(given, str) and np.ndim(given) == 1 and len(given) == len(sims)
        keys = list(given) if several else [given] * len(sims)
        if not any(isinstance(key, str) for key in keys):
            return given
        return [
            self.models[self.index[sim]].keyframe_id(key) if isinstance(key, str) else key
            for sim, key in zip(sims, keys, strict=True)
        ]

    def reset_rows(self, sims: np.ndarray, keyframes: np.ndarray | None) -> np.ndarray:
        keys = np.full(len(sims), -1) if keyframes is None else keyframes
        rows = np.empty((len(sims), self._reset[0].shape[1]))
        for place, (sim, key) in enumerate(zip(sims, keys, strict=True)):
            table = self._reset[self.index[sim]]
            if key + 1 >= len(table):
                raise ValueError(
                    f"keyframe must be in [-1, {len(table) - 1}) for the model of simulation {sim},"
                    f" got {key}"
                )
            rows[place] = table[key + 1]
        return rows
