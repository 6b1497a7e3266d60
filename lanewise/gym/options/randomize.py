"""Models that differ from world to world, and from episode to episode.

    Randomize({
        ("body_mass", "body_inertia"): Scale(0.8, 1.2),
        "geom_friction": Scale.log(0.5, 2.0, columns=0, of="*_foot"),
        "opt.gravity": Offset.normal(0.0, 0.05),
        "gains": Value(20.0, 40.0),
    })

Fields of the model that `Batch.expand` takes, and parameters of the task's kernels. Draws are about
the numbers that worlds have when the environment is made, and never add up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UnknownName, did_you_mean
from ...fields import EDITS
from ..seeds import Draws
from .drawn import Choice, Range
from .option import Option
from .owners import kind_of, rows_of_objects, said_of

if TYPE_CHECKING:
    from ..vector import VectorEnv

# what has no meaning at 0 or below, unless it is 0 in the model, and what has none below 0
_ABOVE_ZERO = {"body_mass", "body_inertia", "geom_size", "opt.timestep", "opt.impratio"}
_NOT_NEGATIVE = {
    "dof_armature", "dof_damping", "dof_frictionloss", "geom_friction", "jnt_stiffness",
    "pair_friction", "tendon_damping", "tendon_frictionloss", "tendon_stiffness", "opt.density",
    "opt.viscosity", "actuator_damping", "actuator_armature",
}  # fmt: skip


@dataclass
class _Target:
    """A field of all worlds, of which some numbers are drawn."""

    name: str
    rows: np.ndarray  # live
    base: np.ndarray  # as they were
    chosen: np.ndarray | None  # rows of objects; None: all there is
    columns: Any

    def row(self, at: tuple) -> int:
        """The row of the field that a place in `part` is of."""
        return int(at[1] if self.chosen is None else self.chosen[at[1]])

    def part(self, which: np.ndarray) -> np.ndarray:
        """The numbers that are drawn about, of some worlds."""
        base = self.base[which]
        base = base if self.chosen is None else base[:, self.chosen]
        return base if self.columns is None else base[..., self.columns]

    def write(self, which: np.ndarray, values: np.ndarray) -> None:
        rows = self.rows[which]
        part = rows if self.chosen is None else rows[:, self.chosen]
        if self.columns is None:
            part[...] = values
        else:
            part[..., self.columns] = values
        if self.chosen is not None:
            rows[:, self.chosen] = part
        self.rows[which] = rows


class Randomize(Option):
    """Draw fields of the model, and parameters of kernels, for every world and episode.

    ranges: {name, or names that share their draws: Scale, Offset, Value or Choice}. once=True: a
    world keeps what was drawn at its first reset, until it is given a seed. `drawn[name]` has what
    was drawn last, with a row for each world. Where a field needs it, `Batch.set_const` follows,
    for the worlds that begin.
    """

    def __init__(self, ranges: Mapping[Any, Range], once: bool = False):
        self.once = once
        self._ranges = {}
        for names, given in ranges.items():
            names = (names,) if isinstance(names, str) else tuple(names)
            if not isinstance(given, Range):
                raise TypeError(
                    f"{_listed(names)}: a Scale, an Offset, a Value or a Choice says what is drawn,"
                    f" got {given!r}"
                )
            self._ranges[names] = given
        every = [name for names in self._ranges for name in names]
        if twice := {name for name in every if every.count(name) > 1}:
            raise ValueError(f"{_listed(sorted(twice))} would be drawn twice")
        self.drawn: dict[str, np.ndarray] = {}

    def names(self) -> set[str]:
        """What is drawn."""
        return {name for names in self._ranges for name in names}

    def begin(self, env: "VectorEnv") -> None:
        super().begin(env)
        _check_apart(self, env.options)
        self._batch = env.batch
        self._plans: list[tuple[Range, tuple[int, ...], list[_Target]]] = []
        for names, given in self._ranges.items():
            targets = [self._target(name, given) for name in names]
            shape = _draw_shape(targets, given)
            for target in targets:
                _check_bounds(target, given, shape, self._batch.model)
                self.drawn[target.name] = np.full((env.num_envs, *shape), np.nan)
            self._plans.append((given, shape, targets))
        self._const = any("const" in EDITS.get(name, ()) for name in self.drawn)

    def copied(self) -> None:
        assert self.env is not None
        self._batch = self.env.batch
        for _, _, targets in self._plans:
            for target in targets:
                target.rows = self._rows(target.name)

    def _rows(self, name: str) -> np.ndarray:
        """A field, or a parameter, of all worlds, live."""
        batch = self._batch
        if name in batch.parameters:
            return batch.parameters.expand(name)
        try:
            return batch.expand(name)
        except ValueError as error:
            near = did_you_mean(name, batch.parameters)
            raise UnknownName(f"Randomize: {error}{near}") from None

    def _target(self, name: str, given: Range) -> _Target:
        batch, rows = self._batch, self._rows(name)
        if rows.dtype.kind != "f" and not isinstance(given, Choice):
            raise ValueError(
                f"Randomize: {name} has whole numbers: Choice([...]) draws one of several, got"
                f" {given!r}"
            )
        chosen = None if given.of is None else rows_of_objects(batch.model.mj, name, given.of)
        if given.columns is not None and rows.ndim < 2 + bool(kind_of(name)):
            raise ValueError(f"Randomize: {name} has no columns: leave out {given.columns!r}")
        try:
            target = _Target(name, rows, rows.copy(), chosen, given.columns)
            target.part(np.zeros(1, int))
        except IndexError:
            raise ValueError(
                f"Randomize: {name} has {rows.shape[-1]} columns, got columns={given.columns!r}"
            ) from None
        return target

    def vary(self, which: np.ndarray, draws: Draws) -> None:
        if self.once:
            which, draws = which[draws.new], draws.of(draws.new)
        if not len(which):
            return
        for given, shape, targets in self._plans:
            x = given.draw(draws, shape)
            for target in targets:
                self.drawn[target.name][which] = x
                base = target.part(which)
                target.write(which, given.applied(base, _fitted(x, base.ndim)))
        if self._const:
            self._batch.set_const(which)


def _check_apart(option: Randomize, options: tuple[Option, ...]) -> None:
    """Two that draw one field would undo each other's."""
    others = [x for x in options if isinstance(x, Randomize) and x is not option]
    if both := option.names() & {name for other in others for name in other.names()}:
        raise ValueError(f"two options draw {_listed(sorted(both))}: leave one")


def _draw_shape(targets: list[_Target], given: Range) -> tuple[int, ...]:
    """The shape of a world's draws, which all targets take."""
    each = given.each or ("object" if kind_of(targets[0].name) else "number")
    shape = () if each == "world" else _shared_shape(targets, each)
    for bound in (given.low, given.high):
        try:
            np.broadcast_to(bound, shape)
        except ValueError:
            wanted = f"a number, or {shape} of them" if shape else "a number"
            raise ValueError(
                f"Randomize: bounds of {targets[0].name} are {wanted}; got {np.shape(bound)}"
            ) from None
    return shape


def _shared_shape(targets: list[_Target], each: str) -> tuple[int, ...]:
    """That of draws for each object, or each number."""
    parts = [target.part(np.zeros(1, int))[0] for target in targets]
    kinds = {kind_of(target.name) for target in targets}
    if each == "object" and "" in kinds:
        nobody = [target.name for target in targets if not kind_of(target.name)]
        raise ValueError(f"Randomize: {_listed(nobody)} belongs to no objects: leave out each")
    shapes = {part.shape[:1] if each == "object" else part.shape for part in parts}
    if len(shapes) > 1 or len(kinds) > 1:
        raise ValueError(
            f"Randomize: {_listed(target.name for target in targets)} cannot share draws for each"
            f" {each}: their shapes are {_listed(str(part.shape) for part in parts)};"
            " each='world' draws one number for all of a world"
        )
    (shape,) = shapes
    return shape


def _fitted(x: np.ndarray, ndim: int) -> np.ndarray:
    """Draws with as many axes as what they act on."""
    return x.reshape(*x.shape, *(1,) * (ndim - x.ndim))


def _check_bounds(target: _Target, given: Range, shape: tuple[int, ...], m: Any) -> None:
    """Refuse what could be drawn and has no meaning."""
    name = target.name
    if name not in _ABOVE_ZERO | _NOT_NEGATIVE:
        return
    base = target.part(np.arange(len(target.rows)))
    for bound in given.bounds():
        x = np.broadcast_to(bound, (len(base), *shape))
        values = given.applied(base, _fitted(x, base.ndim))
        bad = (values <= 0.0) & (base > 0.0) if name in _ABOVE_ZERO else values < 0.0
        if bad.any():
            at = tuple(np.argwhere(bad)[0])
            least = "greater than 0" if name in _ABOVE_ZERO else "at least 0"
            whose = said_of(m.mj, name, target.row(at)) if kind_of(name) else ""
            raise ValueError(
                f"Randomize: {name}{whose} is {least}, and {type(given).__name__} can make it"
                f" {values[at]:g}, from {base[at]:g} in the model: narrow its range"
            )


def _listed(names: Any) -> str:
    return ", ".join(names)
