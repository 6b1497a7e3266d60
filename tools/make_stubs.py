"""The text of lanewise/__init__.pyi, what editors and checkers know; make_docs.py writes it.

Functions and classes are asked for their signatures, and objects for their attributes, so nothing
is listed here that the code says itself: names come from lanewise/public.py, fields from
lanewise/fields. Where a function has no annotations, the names of its parameters tell their types.
"""

import inspect
import re
from collections.abc import Iterable
from typing import Any

import lanewise
from lanewise import fields, public
from lanewise.listed import Contact, Contacts
from lanewise.named import PARTS, DataObject
from tables import is_read, shape

HEAD = '''"""{doc}
"""

# written by `make docs` from lanewise/public.py and lanewise/fields

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, SupportsIndex, overload

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from . import {parts}
from .viewer.window import Viewer

__version__: str
PARTS: tuple[str, ...]

class Numbers:
    """A field that can be assigned: numbers of its shape, or what broadcasts to it."""

    def __get__(self, owner: object, kind: type | None = None) -> np.ndarray: ...
    def __set__(self, owner: object, value: ArrayLike) -> None: ...

class Number:
    """The same of a single number; with several worlds it is an array of them."""

    def __get__(self, owner: object, kind: type | None = None) -> Any: ...
    def __set__(self, owner: object, value: ArrayLike) -> None: ...

class Computed:
    """A field that is computed, and cannot be assigned."""

    def __get__(self, owner: object, kind: type | None = None) -> np.ndarray: ...

class Count:
    """The same of a single number; with several worlds it is an array of them."""

    def __get__(self, owner: object, kind: type | None = None) -> Any: ...
'''

# one of each, to be asked
M = public.load("<mujoco/>")
D = public.Data(M)
B = public.Batch(M, 1, 1)

# types of parameters without annotations, by "function.parameter" or by name
TYPES = {
    "m": "Model", "model": "Model", "d": "Data", "source": "Data", "target": "Data",
    "times": "int", "nstep": "int", "lane": "int", "lanes": "int", "spec": "int",
    "skipstage": "int", "skipsensor": "bool", "contact": "int | None", "x": "ArrayLike",
    "state": "ArrayLike", "keyframe": "int | str | None", "nconmax": "int | None",
    "njmax": "int | None", "timing": "bool", "mj_data": "mujoco.MjData", "name": "str",
    "get_data.mj_data": "mujoco.MjData | None",
    "put_data.mj_data": "mujoco.MjData | Sequence[mujoco.MjData]",
    "load.source": "str | os.PathLike[str] | Model | mujoco.MjModel | mujoco.MjSpec",
    "load.assets": "dict[str, bytes] | None", "set_const.d": "Data | None",
    "save.path": "str | os.PathLike[str]",
    "load.collision": "dict[tuple[str, str], Callable] | None",
    "load.contact_filter": "Callable | None",
    "key": "int | str", "specs": "Any", "geom1": "int | str", "geom2": "int | str",
    "distmax": "float", "site": "int | str", "point": "ArrayLike",
    "load.passive": "Callable | tuple[Callable, Callable] | None",
    **{
        f"load.{n}": "Callable | None"
        for n in ("control", "act_dyn", "act_gain", "act_bias", "sensor")
    },
    "load.parameters": "Mapping[str, ArrayLike] | None",
    "load.state": "Mapping[str, int | tuple[int, ...]] | None",
    "load.scratch": "Mapping[str, int | tuple[int, ...]] | None",
}  # fmt: skip

# what functions without annotations return; stages return nothing
RETURNS = {
    "contact_force": "np.ndarray", "full_m": "np.ndarray", "get_state": "np.ndarray",
    "extract_state": "np.ndarray",
    "mul_jac_t_vec": "np.ndarray", "mul_jac_vec": "np.ndarray", "mul_m": "np.ndarray",
    "solve_m": "np.ndarray", "state_size": "int", "load": "Model", "put_data": "Data",
    "get_data": "mujoco.MjData", "kernel": "Any", "view": "np.ndarray", "keyframe_id": "int",
    "reset_row": "np.ndarray", "bind": "Any", "__len__": "int", "__copy__": "{owner}",
    "__repr__": "str",
    "user": "np.ndarray", "parameters": "MutableMapping[str, np.ndarray]",
    "timing": "bool", "nconmax": "int", "njmax": "int", "nbytes": "int", "memory": "dict[str, int]",
}  # fmt: skip

# attributes of objects that their classes do not declare
ATTRIBUTES = {
    "Data": {"model": "Model", "lanes": "int", "sizes": "dict[str, int]",
             "state_lanes": "np.ndarray", "arrays": "dict[str, np.ndarray]"},
    "Model": {"mj": "mujoco.MjModel", "opt": "Options", "sizes": "dict[str, int]",
              "arrays": "dict[str, np.ndarray]", "state_slices": "dict[str, slice]"},
}  # fmt: skip

# what the accessors of a Data return
KINDS = {kind: f"Data{kind.capitalize()}" for kind in PARTS}
RETURNS["geom_distance"], RETURNS["inside_site"] = "tuple[Any, np.ndarray]", "Any"
RETURNS |= KINDS | {"cam": KINDS["camera"], "jnt": KINDS["joint"], "ten": KINDS["tendon"]}

STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}

METHODS = (
    "__init__",
    "__iter__",
    "__len__",
    "__copy__",
    "__enter__",
    "__exit__",
)  # beside those with names

# classes of which dir() says what is for users
SHOWN = {"Data": {*dir(D), *METHODS}, "Model": {*dir(M), *METHODS}}


# ---- functions


def annotation(given: Any, fallback: str) -> str:
    if given is inspect.Parameter.empty:
        return fallback
    text = "None" if given is None else inspect.formatannotation(given).strip("'\"")
    for long, short in (("numpy.", "np."), ("collections.abc.", ""), ("typing.", "")):
        text = text.replace(long, short)
    return re.sub(r"lanewise\.[\w.]*\.", "", text)


def default(value: Any) -> str:
    plain = value is None or isinstance(value, (bool, int, float, str, tuple))
    return repr(value) if plain else "..."


def signature(name: str, function: Any, owner: str = "") -> str:
    """(m: Model, d: Data) -> None"""
    found, words = inspect.signature(function), list[str]()
    for p in found.parameters.values():
        kind = TYPES.get(f"{name}.{p.name}", TYPES.get(p.name, "Any"))
        text = f"{p.name}: {annotation(p.annotation, kind)}"
        if owner and not words and p.name == "self":
            text = "self"
        if p.default is not p.empty:
            text += f" = {default(p.default)}"
        if p.kind is p.KEYWORD_ONLY and not any(word.startswith("*") for word in words):
            words.append("*")
        words.append(STARS.get(p.kind.name, "") + text)
    returned = RETURNS.get(name, "None").format(owner=owner)
    return f"({', '.join(words)}) -> {annotation(found.return_annotation, returned)}"


def docstring(text: str | None, indent: str) -> list[str]:
    if not text:
        return [f"{indent}..."]
    lines = inspect.cleandoc(text).replace("\\", "\\\\").splitlines()
    if len(lines) == 1:
        return [f'{indent}"""{lines[0]}"""']
    body = [f"{indent}{line}" if line else "" for line in lines[1:]]
    return [f'{indent}"""{lines[0]}', *body, f'{indent}"""']


def function_stub(name: str, function: Any, owner: str = "") -> list[str]:
    indent = "    " if owner else ""
    head = f"{indent}def {name}{signature(name, function, owner)}:"
    return ["", head, *docstring(getattr(function, "__doc__", None), indent + "    ")]


# ---- classes


def field_stub(name: str, kind: str, f: fields.Field) -> list[str]:
    unit = f" [{f.unit}]" if f.unit else ""
    meaning = f.doc.replace("\\", "\\\\").replace('"', "'")
    return [f"    {name}: {kind}", f'    """{shape(f) if f.dims else "scalar"}{unit} {meaning}"""']


def is_part(base: type) -> bool:
    """Whether a base is there only to keep files small."""
    return base.__module__.startswith("lanewise.batch.") and not hasattr(public, base.__name__)


def declared(kind: type) -> dict[str, Any]:
    """The annotations of a class and of the parts that it is made of."""
    bases = [kind, *filter(is_part, kind.__mro__[1:])]
    return {n: t for base in reversed(bases) for n, t in inspect.get_annotations(base).items()}


def members(kind: type) -> dict[str, Any]:
    """What a class and the parts that it is made of define, as far as nothing comes before it."""
    found = dict(vars(kind))
    for base in filter(is_part, kind.__mro__[1:]):
        found |= {n: x for n, x in vars(base).items() if n not in found}
    return found


def members_stub(kind: type) -> list[str]:
    """Attributes that a class declares, its properties and its methods."""
    lines = [f"    {n}: {t}" for n, t in ATTRIBUTES.get(kind.__name__, {}).items()]
    for name, given in declared(kind).items():
        if not name.startswith("_") and not hasattr(kind, name) and "Callable" not in str(given):
            lines.append(f"    {name}: {annotation(given, 'Any')}")
    for name, member in members(kind).items():
        if name.startswith("_") and name not in METHODS:
            continue
        if name not in SHOWN.get(kind.__name__, (name,)):
            continue
        if isinstance(member, property) and name not in fields.READ_FIELDS:
            lines += ["", "    @property"]
            lines += function_stub(name, member.fget, kind.__name__)[1:]
            if member.fset:
                lines += [f"    @{name}.setter", f"    def {name}(self, value: bool) -> None: ..."]
        elif inspect.isfunction(member):
            lines += function_stub(name, member, kind.__name__)
    return lines


def class_stub(kind: type, inner: Iterable[str]) -> list[str]:
    base = next(x for x in kind.__mro__[1:] if x.__name__[0] != "_" and not is_part(x))
    bases = "" if base is object else f"({base.__name__})"
    return ["", f"class {kind.__name__}{bases}:", *docstring(kind.__doc__, "    "), *inner]


def data_stub() -> list[str]:
    lines = ["    contact: Contacts", "    warning: Warnings", "    timer: Timers"]
    lines += ["    solver: SolverStats"]
    for f in fields.DATA:
        if is_read(f) and "." not in f.name:
            written = f.dtype == "float"
            kind = ("Numbers" if f.dims else "Number") if written else "Computed"
            lines += field_stub(f.name, kind if f.dims or written else "Count", f)
    lines += [f"    {name}: Computed" for name in ("efc_J_rownnz", "efc_J_rowadr", "efc_J_colind")]
    return lines


def batch_stub() -> list[str]:
    lines, known = [], set(dir(B)) - set(declared(public.Batch))
    for f in fields.READ:
        if "." not in f.name and f.name in known and f.stage != "alias":
            state = f.name in fields.STATE_FIELDS
            lines += field_stub(f.name, "Numbers" if state else "Computed", f)
    return lines


def object_stub(kind: str) -> list[str]:
    """What an object of a kind shows of a Data."""
    lines = ["", f"class {KINDS[kind]}(DataObject):"]
    for attribute, (field, _) in PARTS[kind].items():
        f = fields.DATA_FIELDS[field]
        lines += field_stub(attribute, "Numbers" if f.dtype == "float" else "Computed", f)
    return [*lines, "    moment: Computed"] if kind == "actuator" else lines


def list_stub(records: object, prefix: str, array: str, integers: str) -> list[str]:
    """Attributes of contacts or warnings, together or of one of them."""
    known, lines = {f.name: f for f in fields.DATA}, []
    for name in sorted(set(dir(records)) - set(dir(object))):
        f = known.get(f"{prefix}.{name}")
        if f is not None:
            lines += field_stub(name, array if f.dtype == "float" else integers, f)
        elif not name.startswith("_"):
            lines.append(f"    {name}: {integers}")
    return lines


def items(item: str, of: str) -> list[str]:
    return [
        "    @overload",
        f"    def __getitem__(self, index: SupportsIndex) -> {item}: ...",
        "    @overload",
        f"    def __getitem__(self, index: slice) -> {of}: ...",
        f"    def __iter__(self) -> Iterator[{item}]: ...",
    ]


def model_stub() -> list[str]:
    """Fields of the table, and every other attribute of MjModel, to which a Model answers too."""
    lines = []
    for f in fields.MODEL:
        if "." in f.name or not (f.stage == "sizes" or hasattr(M.mj, f.name)):
            continue
        size = f.stage == "sizes" and not f.name.startswith("flg_")
        lines += field_stub(f.name, "int" if size or not f.dims else "Numbers", f)
    known = {f.name for f in fields.MODEL} | set(vars(public.Model)) | set(ATTRIBUTES["Model"])
    for name in sorted(set(dir(M.mj)) - known):
        if not name.startswith("_"):
            lines.append(f"    {name}: {kind_of(getattr(M.mj, name), 'np.ndarray')}")
    return lines


def options_stub() -> list[str]:
    lines, known = [], {f.name: f for f in fields.MODEL}
    for name in sorted(dir(M.mj.opt)):
        value = getattr(M.mj.opt, name)
        if name.startswith("_") or callable(value):
            continue
        kind, f = kind_of(value, "Numbers"), known.get(f"opt.{name}")
        lines += field_stub(name, kind, f) if f else [f"    {name}: {kind}"]
    return lines


def kind_of(value: object, array: str) -> str:
    """The type of an attribute of MuJoCo's."""
    if hasattr(value, "dtype"):
        return array
    return type(value).__name__ if isinstance(value, (int, float, str, bytes)) else "Any"


LENGTH = ["    def __len__(self) -> int: ..."]
NAMED = ["    id: int", "    name: str", "    def __getattr__(self, name: str) -> np.ndarray: ...",
         "    def __setattr__(self, name: str, value: ArrayLike) -> None: ..."]  # fmt: skip

PARAMETERS = ["    def expand(self, name: str) -> np.ndarray: ...",
              "    def __getitem__(self, name: str) -> np.ndarray: ...",
              "    def __setitem__(self, name: str, value: ArrayLike) -> None: ...",
              "    def __delitem__(self, name: str) -> None: ...",
              "    def __iter__(self) -> Iterator[str]: ...", *LENGTH]  # fmt: skip


def stub() -> str:
    parts = ", ".join(f"{part} as {part}" for part in lanewise.PARTS)
    lines = [HEAD.format(doc=inspect.cleandoc(lanewise.__doc__ or ""), parts=parts)]
    lines += class_stub(type(M.opt), options_stub())
    one, warning = Contact(D.contact, 0), D.warning
    lines += class_stub(Contact, list_stub(one, "contact", "Number", "Count"))
    lines += class_stub(Contacts, [
        *list_stub(D.contact, "contact", "Numbers", "Computed"), *LENGTH,
        *items("Contact", "Contacts"),
    ])  # fmt: skip
    lines += class_stub(type(warning[0]), list_stub(warning, "warning", "Number", "Number"))
    lines += class_stub(type(warning), [
        *list_stub(warning, "warning", "Numbers", "Numbers"), *LENGTH,
        *items(type(warning[0]).__name__, type(warning).__name__),
    ])  # fmt: skip
    timer, solver = D.timer, D.solver
    lines += class_stub(type(timer[0]), ["    duration: float", "    number: int"])
    lines += class_stub(type(timer), [
        *members_stub(type(timer)), "    def __getitem__(self, key: str | SupportsIndex) ->"
        " TimerStat: ...",
    ])  # fmt: skip
    lines += class_stub(type(solver[0]), list_stub(solver, "solver", "Count", "Count"))
    lines += class_stub(type(solver), [
        *list_stub(solver, "solver", "Computed", "Computed"), *LENGTH,
        *items(type(solver[0]).__name__, type(solver).__name__),
    ])  # fmt: skip
    lines += class_stub(type(B.solver), list_stub(B.solver, "solver", "Computed", "Computed"))
    lines += class_stub(type(B.contact), list_stub(B.contact, "contact", "Computed", "Computed"))
    lines += class_stub(DataObject, ["    id: int", "    name: str"])
    for kind in PARTS:
        lines += object_stub(kind)
    lines += class_stub(type(B.body(0)), NAMED)
    lines += class_stub(type(B.parameters), PARAMETERS)
    made = {"Data": data_stub, "Model": model_stub, "Batch": batch_stub}
    for name in public.__all__:
        thing = getattr(public, name)
        if isinstance(thing, type):
            fields_stub = made[name]() if name in made else []
            lines += class_stub(thing, [*members_stub(thing), *fields_stub])
        else:
            lines += function_stub(name, thing)
    return "\n".join(lines) + "\n"
