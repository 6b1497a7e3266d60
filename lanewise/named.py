"""Objects by name or number, and which part of the fields of Data an object has.

`d.joint("knee").qpos` is a part of `d.qpos`, and `b.joint("knee").qpos` the same part of `b.qpos`.
Kinds and attributes have MuJoCo's names; what they are parts of is the table in this file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .errors import did_you_mean
from .fields import DATA_FIELDS
from .mjconst import JNT_BALL, JNT_FREE
from .naming import number_of

# kind, which rows of a field its objects have, and attributes: a field, or attribute=field
_TABLE = """
actuator  controls   ctrl
actuator  outputs    force=actuator_force length=actuator_length velocity=actuator_velocity
body      object     cacc cfrc_ext cfrc_int cinert crb cvel subtree_angmom subtree_com
body      object     subtree_linvel xfrc_applied ximat xipos xiquat xmat xpos xquat
camera    object     xmat=cam_xmat xpos=cam_xpos
equality  object     active=eq_active
geom      object     xmat=geom_xmat xpos=geom_xpos xquat=geom_xquat
joint     positions  qpos
joint     dofs       cdof cdof_dot qLDiagInv qacc qacc_smooth qacc_warmstart qfrc_actuator
joint     dofs       qfrc_applied qfrc_bias qfrc_constraint qfrc_inverse qfrc_passive qfrc_smooth
joint     dofs       qvel
joint     object     xanchor xaxis
joint     yielded    plastic
light     object     xdir=light_xdir xpos=light_xpos
sensor    readings   data=sensordata
site      object     xmat=site_xmat xpos=site_xpos xquat=site_xquat
tendon    object     length=ten_length velocity=ten_velocity wrapadr=ten_wrapadr
tendon    object     wrapnum=ten_wrapnum
tendon    stretched  plastic
"""


def _parts(text: str) -> Iterator[tuple[str, str, str, str]]:
    """(kind, attribute, field, rows)"""
    for line in text.strip().splitlines():
        kind, rows, *words = line.split()
        for word in words:
            attribute, _, field = word.partition("=")
            yield kind, attribute, field or attribute, rows


# {kind: {attribute: (field, rows)}}
PARTS: dict[str, dict[str, tuple[str, str]]] = {}
for _kind, _attribute, _field, _rows in _parts(_TABLE):
    PARTS.setdefault(_kind, {})[_attribute] = _field, _rows

_WIDTH = {JNT_FREE: (7, 6), JNT_BALL: (4, 3)}  # positions and dofs of a joint; others have one each


def _joint(column: int) -> Callable[[Any, int], tuple[int, int]]:
    def rows(mj: Any, i: int) -> tuple[int, int]:
        first = (mj.jnt_qposadr, mj.jnt_dofadr)[column][i]
        return first, _WIDTH.get(int(mj.jnt_type[i]), (1, 1))[column]

    return rows


def _where_any(first: int, number: int) -> tuple[int, int]:
    return (first, number) if first >= 0 else (0, 0)


# (first row, how many) of object i in a model
_ROWS: dict[str, Callable[[Any, int], tuple[int, int]]] = {
    "object": lambda mj, i: (i, 1),
    "controls": lambda mj, i: (mj.actuator_ctrladr[i], mj.actuator_ctrlnum[i]),
    "outputs": lambda mj, i: (mj.actuator_outadr[i], mj.actuator_outnum[i]),
    "positions": _joint(0),
    "dofs": _joint(1),
    "yielded": lambda mj, i: _where_any(mj.jnt_plasticadr[i], _joint(0)(mj, i)[1]),
    "stretched": lambda mj, i: _where_any(mj.tendon_plasticadr[i], 2),
    "readings": lambda mj, i: (mj.sensor_adr[i], mj.sensor_dim[i]),
}


def part(mj: Any, kind: str, i: int, attribute: str) -> tuple[str, int | slice] | None:
    """(field, index) of an attribute of object i; None if the kind has no such attribute."""
    found = PARTS.get(kind, {}).get(attribute)
    if found is None:
        return None
    field, rows = found
    if rows == "object" and len(DATA_FIELDS[field].dims) > 1:
        return field, i
    first, number = _ROWS[rows](mj, i)
    return field, slice(int(first), int(first) + int(number))


class DataObject:
    """One object's part of the fields of a Data: live, with a leading axis if it has worlds."""

    __slots__ = ("_data", "_kind", "id", "name")
    _data: Any
    _kind: str
    id: int
    name: str

    def __init__(self, data: Any, kind: str, key: Any):
        number = number_of(data.model.mj, kind, key)
        name = getattr(data.model.mj, kind)(number).name
        for attribute, value in (("_data", data), ("_kind", kind), ("id", number), ("name", name)):
            object.__setattr__(self, attribute, value)

    def __getattr__(self, attribute: str) -> np.ndarray:
        if self._kind == "actuator" and attribute == "moment":
            return _moment(self._data, self.id)
        found = part(self._data.model.mj, self._kind, self.id, attribute)
        if found is None:
            raise self._unknown(attribute)
        field, index = found
        values = getattr(self._data, field)
        return values[index] if self._data.lanes == 1 else values[:, index]

    def __setattr__(self, attribute: str, value: Any) -> None:
        if attribute in ("id", "name", "moment"):
            raise AttributeError(f"{attribute} of a {self._kind} cannot be assigned")
        target, value = getattr(self, attribute), np.asarray(value)
        if not target.flags.writeable:
            raise AttributeError(f"{attribute} is computed and cannot be written")
        if value.dtype.kind not in "fiub":  # None, say, would become NaN
            raise TypeError(f"{attribute} must be numbers, got {value.dtype}")
        target[...] = value

    def __dir__(self) -> Iterable[str]:
        computed = ["moment"] if self._kind == "actuator" else []
        return [*dir(object), "id", "name", *PARTS[self._kind], *computed]

    def __repr__(self) -> str:
        shown = sorted(name for name in dir(self) if not name.startswith("__"))
        lines = [f"  {name}: {getattr(self, name)!r}" for name in shown]
        return "\n".join([f"<{self._kind} {self.name!r} of {self._data!r}", *lines, ">"])

    def _unknown(self, attribute: str) -> AttributeError:
        if hasattr(getattr(self._data.model.mj, self._kind)(self.id), attribute):
            return AttributeError(
                f"{attribute} is of the model: see"
                f" m.{self._kind}({self.name or self.id!r}).{attribute}"
            )
        hint = did_you_mean(attribute, dir(self))
        return AttributeError(f"{attribute} is not a field of a {self._kind}{hint}")


class DataGroup:
    """Several objects of a Data: what they have of a field, one after the other."""

    __slots__ = ("elements",)
    elements: list[DataObject]

    def __init__(self, elements: list[DataObject]):
        object.__setattr__(self, "elements", elements)

    def __getattr__(self, attribute: str) -> Any:
        values = [getattr(element, attribute) for element in self.elements]
        if not values or not isinstance(values[0], np.ndarray):
            return values
        several = self.elements[0]._data.lanes > 1
        return np.concatenate(values, axis=int(several))

    def __setattr__(self, attribute: str, value: Any) -> None:
        if len(value) != len(self.elements):
            raise ValueError(f"{len(self.elements)} values are needed, got {len(value)}")
        for element, x in zip(self.elements, value, strict=True):
            setattr(element, attribute, x)

    def __dir__(self) -> Iterable[str]:
        return sorted({name for element in self.elements for name in dir(element)})


def bound(d: Any, elements: Any) -> DataObject | DataGroup:
    """What elements of an MjSpec, one or a sequence of them, are in a Data of its model."""
    if isinstance(elements, Sequence) and not isinstance(elements, str):
        return DataGroup([_bound(d, element) for element in elements])
    return _bound(d, elements)


def _bound(d: Any, element: Any) -> DataObject:
    kind = type(element).__name__.removeprefix("Mjs").lower()
    if kind not in PARTS:
        raise TypeError(
            f"bind takes elements of an MjSpec, such as spec.joint('knee'), of the kinds"
            f" {', '.join(PARTS)}; got {type(element).__name__}"
        )
    if element.signature != d.model.mj.signature:
        raise ValueError("the MjSpec is not that of the Data's model: compile and load it again")
    return DataObject(d, kind, element.id)


def _moment(d: Any, i: int) -> np.ndarray:
    """The moment arms of actuator i in the worlds of a Data: a row over dofs for each output."""
    mj = d.model.mj
    first, number = _ROWS["outputs"](mj, i)
    rows = np.zeros((d.lanes, int(number), mj.nv))
    values, column = d.view("actuator_moment").reshape(d.lanes, -1), _of_first(d, "moment_colind")
    adr, nnz = _of_first(d, "moment_rowadr"), _of_first(d, "moment_rownnz")
    for k in range(int(number)):
        place = slice(adr[first + k], adr[first + k] + nnz[first + k])
        rows[:, k, column[place]] = values[:, place]
    rows = rows[:, 0] if number == 1 else rows
    rows.flags.writeable = False
    return rows[0] if d.lanes == 1 else rows


def _of_first(d: Any, name: str) -> np.ndarray:
    """A field of integers that all worlds share."""
    return d.view(name).reshape(d.lanes, -1)[0].astype(int)
