"""joints and bodies of a model in another system's order

Free joints are no part of an order: the state of a free body is a pose and a twist. What a tree
does not say and an order depends on, the message asks for.

Examples:
  lanewise order humanoid isaaclab-2
  lanewise order robot.urdf pinocchio --from mujoco --fixed merge
  lanewise order robot.xml drake --json
"""

import json

import click

from ..options import json_option, model_argument, model_path
from ..order_options import order_options, spoken, tree_of
from ..terminal import table


class SystemName(click.ParamType):
    """A system of the table of conventions."""

    name = "system"

    def shell_complete(self, ctx, param, incomplete):
        """Their names."""
        from click.shell_completion import CompletionItem

        from ...conventions import SYSTEMS

        return [CompletionItem(name) for name in SYSTEMS if name.startswith(incomplete)]


@click.command()
@model_argument
@click.argument("system", type=SystemName())
@click.option("--from", "source", type=SystemName(), default="mujoco", show_default=True,
              metavar="SYSTEM", help="The system whose numbers are permuted.")  # fmt: skip
@order_options
@json_option
def command(model: str, system: str, source: str, as_json: bool, **said) -> None:
    from ... import conventions as cv
    from ...loaders import heard
    from ...loaders.compiling import compiled

    path = model_path(model)
    with heard():
        mj, _ = compiled(path)
    tree = tree_of(path, mj)
    with spoken():
        facts = {
            "joints": _names("joint", tree, mj, system, said),
            "bodies": _names("body", tree, mj, system, said),
            "joint_permutation": cv.joint_permutation(tree, source, system, **said).tolist(),
            "dof_permutation": cv.dof_permutation(tree, source, system, **said).tolist(),
            "body_permutation": cv.body_permutation(tree, source, system, **said).tolist(),
        }
    if as_json:
        print(json.dumps({"model": model, "system": system, "from": source, **facts}, indent=2))
        return
    for what in ("joint", "body"):
        names = facts["joints" if what == "joint" else "bodies"]
        places = facts[f"{what}_permutation"]
        rows = [(f"{k} {name}", str(p)) for k, (name, p) in enumerate(zip(names, places))]
        print(table(rows, (f"{what} in {system}", f"in {source}")) if rows else f"no {what}")
        print()
    a, b = source.replace("-", "_"), system.replace("-", "_")
    print(f"joints: x_{b} = x_{a}[..., {facts['joint_permutation']}]")
    if facts["dof_permutation"] != facts["joint_permutation"]:
        print(f"velocities: v_{b} = v_{a}[..., {facts['dof_permutation']}]")
    print(f"bodies, without the world: X_{b} = X_{a}[..., {facts['body_permutation']}, :]")


def _names(kind: str, tree, mj, system: str, said: dict) -> list[str]:
    """Names in the order of a system; what has none goes by its number in MuJoCo."""
    from ... import conventions as cv
    from ..description import name_of

    try:
        return (cv.joint_order if kind == "joint" else cv.body_order)(tree, system, **said)
    except cv.ConventionError as error:
        if "has no name" not in str(error):
            raise
    if kind == "body":
        known = [name_of(mj, kind, b) for b in range(1, mj.nbody)]
        return [known[k] for k in cv.body_permutation(tree, "mujoco", system, **said)]
    known = [name_of(mj, kind, j) for j in range(mj.njnt) if mj.jnt_type[j] != 0]
    return [known[k] for k in cv.joint_permutation(tree, "mujoco", system, **said)]
