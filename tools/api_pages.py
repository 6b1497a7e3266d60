"""The API reference: pages of what is public, with signatures and docstrings.

Names are those of lanewise/public.py and of the modules in MODULES; nothing is listed here that the
code says itself. A new public name appears on the page "Functions" without any change here, under
the heading of the module that has it.
"""

import importlib
import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import lanewise
from lanewise import public
from lanewise.functions import STAGE_FUNCTIONS
from make_stubs import B, D, M, annotation, signature
from prose import Link, markdown

# modules with names of their own, a page each; and those that are attributes of the package
NAMED = ("conventions", "bridges", "frames", "rollout", "callbacks")
PARTS = (part for part in lanewise.PARTS if part != "batch")  # which is on the page of Batch
MODULES = {f"lanewise.{name}": name.capitalize() for name in dict.fromkeys((*NAMED, *PARTS))}

MOST = 16  # parameters that are shown: what has more is not made by hand

# what no docstring can be asked for
CONSTANTS = {
    "lanewise.conventions.ATTRIBUTES": "The columns of the table: what a system can differ in.",
    "lanewise.conventions.ROTATION_KINDS": "Ways to write a rotation, for `convert_rotation`.",
    "lanewise.conventions.SYSTEMS": "{name: System}, the rows of the table, by name.",
    "lanewise.motion.FORMS": "{name: Form}, the forms of files, by name.",
    "lanewise.motion.ROBOTS": "{name: Tree}, the variants of the G1, by name.",
    "lanewise.motion.G1_ISAACLAB_TO_MUJOCO_BODY": "x_mujoco = x_isaaclab[..., this, :], of bodies.",
    "lanewise.motion.G1_ISAACLAB_TO_MUJOCO_DOF": "x_mujoco = x_isaaclab[..., this], of joints.",
    "lanewise.motion.G1_MUJOCO_TO_ISAACLAB_BODY": "x_isaaclab = x_mujoco[..., this, :], of bodies.",
    "lanewise.motion.G1_MUJOCO_TO_ISAACLAB_DOF": "x_isaaclab = x_mujoco[..., this], of joints.",
}

# headings shorter than the first lines of modules, in the order in which pages have them
HEADINGS = {
    "lanewise.batch.batch": "The step, outputs, rollouts",
    "lanewise.batch.state": "State vectors",
    "lanewise.batch.by_name": "Objects by name, contacts, user code",
    "lanewise.batch.world_models": "Models of the worlds",
    "lanewise.batch.skipping": "Halves of a step, inverse dynamics",
    "lanewise.batch.sampling": "Sampling",
    "lanewise.batch.jacobians": "Jacobians",
    "lanewise.batch.motions": "Motions, frames, forces",
    "lanewise.batch.analysis": "Inertia and constraints",
    "lanewise.batch.differences": "Derivatives",
    "lanewise.batch.looking": "Rays and distances",
    "lanewise.batch.diagnostics": "Diagnostics",
    "lanewise.loaders.loading": "Loading a model",
    "lanewise.loaders.derived": "Constants that follow from others",
    "lanewise.lanes.kernel": "Kernels",
    "lanewise.functions": "The state, inverse dynamics, inertia, geometry",
    "lanewise.motions": "Motions, frames, forces",
    "lanewise.jacobians": "Jacobians",
    "lanewise.derivatives": "Derivatives",
    "lanewise.batch.recorded_motion": "Recorded motions",
    "lanewise.rays": "Rays",
    "lanewise.past": "Delays and histories",
    "lanewise.loaders.transfer": "To and from MuJoCo",
    "lanewise.reporting": "Reports",
    "lanewise.conventions.systems": "Systems",
    "lanewise.conventions.state": "Free bodies: states and wrenches",
    "lanewise.conventions.body": "What a conversion may have to know of a body",
    "lanewise.conventions.rotations": "Rotations",
    "lanewise.conventions.euler_angles": "Euler angles",
    "lanewise.conventions.axes": "Up axes, layouts of matrices",
    "lanewise.conventions.order": "Orders of joints and bodies",
    "lanewise.conventions.tree": "Kinematic trees",
    "lanewise.conventions.detection": "Detection",
    "lanewise.conventions.detection.verdict": "Detection: the verdict",
    "lanewise.conventions.logs": "Logs",
    "lanewise.conventions.values": "Values that carry their meaning",
    "lanewise.conventions.spatial": "6-vectors about another point",
    "lanewise.conventions.shapes": "Shapes",
    "lanewise.conventions.cone_shapes": "Cones as meshes",
    "lanewise.motion.clip_reading": "Motions: reading",
    "lanewise.motion.clip_writing": "Motions: writing",
    "lanewise.motion.clip": "Clips",
    "lanewise.motion.meaning": "What a clip means",
    "lanewise.motion.editing": "Clips one after the other",
    "lanewise.motion.clip_ground": "The ground under a clip",
    "lanewise.motion.tracking": "Clips as references",
    "lanewise.motion.residual_plot": "Pictures of forces",
    "lanewise.motion.skeleton": "Skeletons",
    "lanewise.motion.robots": "Forms, robots and their joint mappings",
    "lanewise.motion.w_last": "SONIC's rotation helpers",
    "lanewise.motion.motion_errors": "What is refused",
    "lanewise.errors": "Errors",
    "lanewise.callbacks.layers": "Layers of neural networks",
    "lanewise.engine.user": "Which world",
}


@dataclass
class Entry:
    """A public thing, under the name by which users have it."""

    name: str  # lanewise.Batch.step
    thing: Any
    module: str  # lanewise: what the name is in
    owner: str = ""  # Batch

    @property
    def short(self) -> str:
        return self.name.removeprefix(f"{self.module}.")

    @property
    def home(self) -> str:
        """The module with its source."""
        if self.kind == "data":
            systems = self.module == "lanewise.conventions"
            return "lanewise.conventions.systems" if systems else f"{self.module}.robots"
        inner = self.thing.fget if isinstance(self.thing, property) else self.thing
        return getattr(inner, "__module__", None) or self.module

    @property
    def kind(self) -> str:
        if isinstance(self.thing, type):
            return "exception" if issubclass(self.thing, Exception) else "class"
        if isinstance(self.thing, property):
            return "property"
        if not callable(self.thing):
            return "data"
        return "method" if self.owner else "function"

    @property
    def doc(self) -> str:
        if self.kind == "data":
            return CONSTANTS[self.name]
        if self.kind in ("class", "exception"):
            return inspect.cleandoc(self.thing.__doc__ or "")
        return inspect.getdoc(self.thing) or ""


# ---- what there is


def own(module: ModuleType) -> list[str]:
    """The public names of a module: those that it lists, else those that are made in it."""
    listed = getattr(module, "__all__", None)
    return listed or [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
    ]


def qualified(value: property) -> str:
    """Where its function was made: properties of fields are made by a loop over their table."""
    return getattr(value.fget, "__qualname__", "")


def members(kind: type, name: str, module: str) -> list[Entry]:
    """Methods and properties of a class, without the fields that a table makes."""
    example = {type(x): x for x in (B, D, M)}.get(kind)
    shown = set(dir(kind)) if example is None else set(dir(example))
    short, found = name.removeprefix(f"{module}."), []
    for base in kind.__mro__:
        for member, value in vars(base).items():
            if member.startswith("_") or member not in shown:
                continue
            if not base.__module__.startswith("lanewise."):
                continue
            value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            made = inspect.isfunction(value)
            asked = isinstance(value, property) and "<locals>" not in qualified(value)
            if made or asked:
                found.append(Entry(f"{name}.{member}", value, module, short))
                shown.discard(member)
    return found


def entries(module: ModuleType) -> list[Entry]:
    """The names of a module; modules among them with a page or section of their own."""
    found = []
    for name in own(module):
        thing = getattr(module, name)
        full = f"{module.__name__}.{name}"
        if isinstance(thing, ModuleType):
            found += entries(thing)
        elif not isinstance(thing, type) and not callable(thing) and full not in CONSTANTS:
            continue  # a number or a table for others than users
        else:
            found.append(Entry(full, thing, module.__name__))
    return found


def engine() -> list[Entry]:
    return [Entry(f"lanewise.{n}", getattr(lanewise, n), "lanewise") for n in public.__all__]


def views() -> list[Entry]:
    """Classes of what a Data and a Batch give, which nobody makes by hand."""
    things = (
        D.contact, D.warning, D.timer, D.timer[0], D.solver, D.body(0), B.contact, B.solver,
        B.body(0), B.parameters,
    )  # fmt: skip
    kinds = dict.fromkeys(type(thing) for thing in things)
    return [Entry(f"{kind.__module__}.{kind.__name__}", kind, kind.__module__) for kind in kinds]


def everything() -> dict[str, Entry]:
    """{name: what it is}, of all pages."""
    found = {e.name: e for e in [*engine(), *views()]}
    for module in MODULES:
        found |= {e.name: e for e in entries(importlib.import_module(module))}
    for e in list(found.values()):
        if isinstance(e.thing, type):
            found |= {x.name: x for x in members(e.thing, e.name, e.module)}
    return found


ALL = everything()
VIEWED = {e.name for e in views()}


# ---- how it is written


def called(e: Entry) -> str:
    """The signature as readers see it: (m: Model, d: Data, times: int = 1)"""
    if e.kind in ("data", "property", "exception") or e.name in VIEWED:
        return ""
    function = getattr(e.thing, "__init__") if isinstance(e.thing, type) else e.thing  # noqa: B009
    if function is object.__init__:
        return ""
    if len(inspect.signature(function).parameters) > MOST:
        return "(...)"
    text = signature(e.short.rpartition(".")[2], function, e.owner or "class")
    text = text.replace(": Any", "").replace(" -> Any", "").removesuffix(" -> None")
    text = text.replace("(self, ", "(").replace("(self)", "()")
    return text.partition(" -> ")[0] if isinstance(e.thing, type) else text


def sure(types: str, e: Entry) -> str:
    """Types of the package itself in full, where a module has another of the same name."""

    def full(name: re.Match) -> str:
        others = sum(x.endswith(f".{name[0]}") and isinstance(ALL[x].thing, type) for x in ALL)
        mine = f"{e.module}.{name[0]}" in ALL or f"lanewise.{name[0]}" not in ALL
        return name[0] if mine or others < 2 else f"lanewise.{name[0]}"

    return re.sub(r"(?<![\w.])[A-Z]\w*", full, types)


def finder(e: Entry) -> Link:
    """Names in backticks, as they are meant in a docstring: first of all, its parameters."""
    known = inspect.signature(e.thing).parameters if e.kind in ("function", "method") else ()

    def link(name: str) -> str:
        if name in known:
            return ""
        places = (e.name, e.name.rpartition(".")[0], e.module, "lanewise")
        for place in dict.fromkeys(places):
            if f"{place}.{name}" in ALL:
                return f"{place}.{name}"
        return name if name in ALL else ""

    return link


def written(e: Entry) -> str:
    """The directive of one thing."""
    lines = [f"`````{{py:{e.kind}}} {e.short}{sure(called(e), e)}"]
    if e.kind == "property":
        returned = inspect.signature(e.thing.fget).return_annotation
        if returned is not inspect.Signature.empty:
            lines.append(f":type: {sure(annotation(returned, 'Any'), e)}")
    lines += ["", markdown(e.doc, finder(e)), "`````", ""]
    return "\n".join(lines)


def heading(module: str) -> str:
    """The first sentence of a module's docstring, as a heading."""
    doc = importlib.import_module(module).__doc__ or module
    return HEADINGS.get(module, doc.splitlines()[0].split(". ")[0].rstrip(".:"))


def sections(some: Iterable[Entry], level: str = "##") -> str:
    """Things under headings, by the module that has their source."""
    by: dict[str, list[Entry]] = {}
    for e in some:
        by.setdefault(e.home, []).append(e)
    order = [*(home for home in HEADINGS if home in by), *(h for h in by if h not in HEADINGS)]
    lines = []
    for home in order:
        group = by[home]
        lines += [f"{level} {heading(home)}", "", *map(whole, group)]
    return "\n".join(lines)


def whole(e: Entry) -> str:
    """A thing and, of a class, what is in it."""
    if not isinstance(e.thing, type):
        return written(e)
    return "\n".join([written(e), *map(written, members(e.thing, e.name, e.module))])


def page(title: str, module: str, *parts: str) -> str:
    return "\n".join([f"# {title}", "", f"```{{py:currentmodule}} {module}\n```", "", *parts])


def class_page(name: str, fields: str) -> str:
    """A class with much in it: its members under headings."""
    e = ALL[f"lanewise.{name}"]
    inside = members(e.thing, e.name, e.module)
    if len({x.home for x in inside}) == 1:
        return page(name, "lanewise", written(e), fields, "", *map(written, inside))
    return page(name, "lanewise", written(e), fields, "", sections(inside))


def module_page(name: str, title: str) -> str:
    module = importlib.import_module(name)
    lines, some = [], entries(module)
    for inner in dict.fromkeys(e.module for e in some):
        group = [e for e in some if e.module == inner]
        if inner == name:
            many = len({e.home for e in group}) > 1
            lines.append(sections(group) if many else "\n".join(map(whole, group)))
            continue
        lines += [f"## {inner}", "", f"```{{py:currentmodule}} {inner}\n```", ""]
        lines += [doc_of(importlib.import_module(inner)), "", *map(whole, group)]
    return page(title, name, f"`{name}`", "", doc_of(module), "", *lines)


def doc_of(module: ModuleType) -> str:
    return markdown(module.__doc__ or "", finder(Entry(module.__name__, None, module.__name__)))


FIELDS = {
    "Batch": "Every field is an attribute too, with a leading axis of worlds: those of the state"
    " are written, others are computed when somebody reads them. [Fields](../fields.md) has them"
    " all.",
    "Data": "Every field is an attribute too: [fields](../fields.md#data) has them all.",
    "Model": "Every field is an attribute too, and so is every other one of `MjModel`:"
    " [fields](../fields.md#model) has those that matter to physics.",
}
ERRORS = "All of Lanewise's own errors are `LanewiseError`; `ValueError` and `TypeError` are for"
ERRORS += " arguments. See [the guide](../guide.md#errors-and-warnings)."
STAGES = "The step, and every stage of it by its name. [Stages](../stages.md) has their order."
VIEWS = "What attributes and methods of a `Data` and of a `Batch` return; nobody makes them by"
VIEWS += " hand. Their columns are on the page of [fields](../fields.md), or of"
VIEWS += " [names](../names.md)."


def pages() -> dict[str, tuple[str, str]]:
    """{file: (title, text)}, in the order of the contents."""
    made = {name.lower(): (name, class_page(name, text)) for name, text in FIELDS.items()}
    left = [e for e in engine() if e.short not in FIELDS]
    stages = [e for e in left if e.short in STAGE_FUNCTIONS]
    errors = [e for e in left if e.kind == "exception"]
    rest = [e for e in left if e not in stages and e not in errors]
    made["functions"] = "Functions", page("Functions", "lanewise", sections(rest))
    made["stages"] = "Stages", page("Stages", "lanewise", STAGES, "", *map(whole, stages))
    made["errors"] = "Errors", page("Errors", "lanewise", ERRORS, "", *map(whole, errors))
    shown = [f"```{{py:currentmodule}} {e.module}\n```\n\n{whole(e)}" for e in views()]
    made["views"] = "Views", page("Views", "lanewise", VIEWS, "", *shown)
    for module, title in MODULES.items():
        made[module.rpartition(".")[2]] = title, module_page(module, title)
    return made
