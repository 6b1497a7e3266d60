"""plot: fields of a run over time, as a picture or in the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UnknownName, UnknownNumber, no_such
from ..fields import READ_FIELDS
from ..public import Model
from .run_file import Run
from .writing import new_place, written

ENDINGS = (".png", ".svg", ".pdf")
MOST = 12  # components that are shown if nobody chose


@dataclass(frozen=True)
class Curves:
    """What is plotted: `values` (T, n, k) of n worlds and k components with names."""

    field: str
    unit: str
    time: np.ndarray
    values: np.ndarray
    worlds: list[int]
    names: list[str]
    left_out: int = 0  # components that nobody chose, and that are too many to show

    def labelled(self) -> list[tuple[str, int, np.ndarray]]:
        """(label, number of the component, (T,)) of every curve."""
        out = []
        for i, world in enumerate(self.worlds):
            for k, name in enumerate(self.names):
                label = name if len(self.worlds) == 1 else f"{name}, world {world}"
                out.append((label, k, self.values[:, i, k]))
        return out


def curves(
    run: Run, field: str, worlds: Sequence[int] = (0,), components: Sequence[str] = ()
) -> Curves:
    """A field of some worlds; components by number or by name, such as a joint's, all if none."""
    for world in worlds:
        if not 0 <= world < run.worlds:
            raise UnknownNumber(f"no world {world}: this run has {run.worlds}, from 0")
    values = run.read(field, list(worlds))
    values = values.reshape(*values.shape[:2], -1).astype(float)
    names = component_names(run.model, field, values.shape[2])
    chosen = _chosen(names, components)
    left_out = 0
    if not components and len(chosen) > MOST:
        left_out = len(chosen) - MOST
        chosen = chosen[:MOST]
    unit = READ_FIELDS[field].unit if field in READ_FIELDS else ""
    return Curves(
        field, "" if unit == "-" else unit, np.asarray(run.time), values[:, :, chosen],
        list(worlds), [names[k] for k in chosen], left_out,
    )  # fmt: skip


def _chosen(names: list[str], components: Sequence[str]) -> list[int]:
    if not components:
        return list(range(len(names)))
    found: list[int] = []
    for word in components:
        if word.isdigit() and int(word) < len(names):
            found.append(int(word))
            continue
        mine = [k for k, name in enumerate(names) if name == word or name.startswith(f"{word}[")]
        if not mine:
            if word.isdigit():
                raise UnknownName(f"no component {word}; there are 0 to {len(names) - 1}")
            owners = dict.fromkeys(name.partition("[")[0] for name in names)
            raise UnknownName(no_such("component", word, owners))
        found += mine
    return found


def component_names(model: Model, field: str, count: int) -> list[str]:
    """A name for each number of a field: of its joint, actuator, sensor or body."""
    mj = model.mj
    owners: list[tuple[str, int]] = []  # name, how many numbers
    spec = READ_FIELDS.get(field)
    first = spec.dims[0] if spec is not None and spec.dims else ""
    if first == "nq":
        ends = [*mj.jnt_qposadr[1:], mj.nq]
        owners = [
            (_name(mj.joint(j).name, "joint", j), int(ends[j] - mj.jnt_qposadr[j]))
            for j in range(mj.njnt)
        ]
    elif first == "nv":
        ends = [*mj.jnt_dofadr[1:], mj.nv]
        owners = [
            (_name(mj.joint(j).name, "joint", j), int(ends[j] - mj.jnt_dofadr[j]))
            for j in range(mj.njnt)
        ]
    elif first == "nsensordata":
        owners = [
            (_name(mj.sensor(i).name, "sensor", i), int(mj.sensor_dim[i]))
            for i in range(mj.nsensor)
        ]
    elif first in _KINDS:
        kind = _KINDS[first]
        number = len(getattr(mj, f"name_{kind[:3] if kind != 'joint' else 'jnt'}adr", ()))
        number = number or getattr(mj, first, 0)
        each = count // max(number, 1)
        owners = [(_name(getattr(mj, kind)(i).name, kind, i), each) for i in range(number)]
    names = [
        name if size == 1 else f"{name}[{k}]" for name, size in owners for k in range(size)
    ]  # fmt: skip
    return names if len(names) == count else [f"{field}[{k}]" for k in range(count)]


_KINDS = {
    "nu": "actuator", "nactuator": "actuator", "nbody": "body", "ngeom": "geom", "nsite": "site",
    "ncam": "camera", "ntendon": "tendon",
}  # fmt: skip


def _name(name: str, kind: str, number: int) -> str:
    return name or f"{kind} {number}"


def picture(shown: Curves, path: Any, force: bool = False) -> Path:
    """Write curves as a picture: .png, .svg or .pdf. A component has a colour, in all worlds."""
    place = new_place(path, ENDINGS, force)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'lanewise[plot]'") from None
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    faint = 1.0 if len(shown.worlds) == 1 else max(0.15, 0.8 / len(shown.worlds) ** 0.5)
    seen: set[int] = set()
    for _, k, values in shown.labelled():
        label = None if k in seen else shown.names[k]
        seen.add(k)
        axes.plot(shown.time, values, color=f"C{k % 10}", alpha=faint, linewidth=1.2, label=label)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(f"{shown.field} [{shown.unit}]" if shown.unit else shown.field)
    axes.grid(alpha=0.3)
    axes.margins(x=0)
    axes.spines[["top", "right"]].set_visible(False)
    many = len(shown.worlds)
    axes.set_title(f"world {shown.worlds[0]}" if many == 1 else f"{many} worlds", fontsize=10)
    legend = figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    for handle in legend.get_lines():
        handle.set_alpha(1.0)
    with written(place) as file:
        figure.savefig(file, format=place.suffix[1:].lower(), dpi=150)
    return place
