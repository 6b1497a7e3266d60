"""In which order other systems number the joints of a model."""

from dataclasses import dataclass
from typing import Any

from ..conventions import ConventionError, dof_permutation, joint_permutation

# the systems that read robots from files, and so have an order of their own
ENGINES = (
    "mujoco", "newton", "isaaclab-2", "isaaclab-3", "isaacsim", "isaacgym", "physx", "sapien",
    "drake", "pinocchio", "pybullet", "genesis",
)  # fmt: skip


@dataclass(frozen=True)
class Order:
    """An order and who has it: joints and dofs by their numbers in MuJoCo's order, without free
    joints; or why it is not known."""

    systems: tuple[str, ...]
    joints: tuple[int, ...] = ()
    dofs: tuple[int, ...] = ()
    unknown: str = ""


def orders(model: Any, systems: tuple[str, ...] = ENGINES) -> list[Order]:
    """The different orders there are, MuJoCo's first."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for system in systems:
        try:
            joints = joint_permutation(model, "mujoco", system)
            dofs = dof_permutation(model, "mujoco", system)
            key: tuple[Any, ...] = (tuple(map(int, joints)), tuple(map(int, dofs)), "")
        except ConventionError as error:
            key = ((), (), str(error).replace(f"the order of {system}", "the order"))
        found.setdefault(key, []).append(system)
    return [Order(tuple(names), *key) for key, names in found.items()]
