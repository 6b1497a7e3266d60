"""Which fields a Batch knows by name, and what to say of other names."""

from typing import Any

import numpy as np

from ..errors import UnsupportedFeature, did_you_mean
from ..fields import DATA, READ
from ..loaders import per_world as worlds

# fields of a fixed size that bind() accepts; what only Lanewise has is left out
DATA_FIELDS = frozenset(f.name for f in DATA if not f.own and not f.capacity)

# Fields that it accepts as well: those that are as long as a world's contacts or constraint rows,
# which in MuJoCo lie in the arena, where a batch has no access; and what only Lanewise computes.
MORE_FIELDS = frozenset(
    f.name
    for f in READ
    if (f.own and (f.want or f.stage == "observe"))
    or (f.capacity in ("nconmax", "njmax", "nJmax") and not f.own)
)


def computed_error(name: str) -> ValueError:
    return ValueError(
        f"{name} is computed by every call and cannot be written; write state fields (qpos, ctrl,"
        " ...) or expand model fields"
    )


def hint(name: str) -> str:
    """Where an unknown name belongs, or close matches."""
    if name in worlds.expandable():
        return f"; {name} is a model field: use expand({name!r})"
    if f"opt.{name}" in worlds.expandable():
        return f"; {name} is an option: use expand('opt.{name}')"
    if name in worlds.bindable():
        return f"; {name} is not computed yet"
    return did_you_mean(name, DATA_FIELDS | MORE_FIELDS)


def not_bindable(name: str) -> Exception:
    if not isinstance(name, str):
        return TypeError(f"a field's name is a string, got {type(name).__name__}")
    if name in worlds.bindable():
        return UnsupportedFeature({name: ["a field of MuJoCo's"]}, what="not computed yet")
    if name == "contact":
        return ValueError("bind one of its fields, contact.dist say, or see Batch.contact")
    if name.startswith(("efc_", "iefc_", "island_")):
        return ValueError(
            f"{name} is in MuJoCo's arena, whose size changes from step to step, and cannot be"
            " bound"
        )
    return ValueError(f"{name} is not a data field{hint(name)}")


def not_expandable(model: Any, name: str) -> Exception:
    if not isinstance(name, str):
        return TypeError(f"a field's name is a string, got {type(name).__name__}")
    if name in model.parameters:
        return ValueError(f"{name} is a parameter of user code: use parameters.expand({name!r})")
    if name in worlds.bindable() or name in DATA_FIELDS:
        return ValueError(f"{name} is a data field: use bind({name!r})")
    if isinstance(getattr(model.mj, name, None), np.ndarray):
        return ValueError(
            f"{name} is asset data, shared by all simulations, and cannot be expanded"
        )
    if f"opt.{name}" in worlds.expandable():
        return ValueError(f"{name} is an option: use expand('opt.{name}')")
    return ValueError(
        f"{name} is not an expandable model field{did_you_mean(name, worlds.expandable())}"
    )
