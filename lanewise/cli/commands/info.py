"""a model's tree, joints in other orders, contacts, memory

What Lanewise does not simulate is listed; then the exit status is 1, and the rest is said all the
same.

Examples:
  lanewise info humanoid
  lanewise info robot.xml --no-tree
  lanewise info robot.urdf --json
"""

import json
from typing import TYPE_CHECKING, Any

import click

from ..options import json_option, model_argument, model_path
from ..terminal import console, in_words, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree


@click.command()
@model_argument
@click.option("--tree/--no-tree", default=True, help="Draw the tree of bodies.")
@json_option
def command(model: str, tree: bool, as_json: bool) -> int:
    from ...loaders import heard
    from ...loaders.compiling import compiled
    from ..description import describe

    with heard():
        mj, _ = compiled(model_path(model))
        facts = describe(mj)
    if as_json:
        print(json.dumps({"model": model, **facts}, indent=2))
    else:
        out = console()
        _sizes(out, facts)
        if tree and mj.nbody > 1:
            out.print()
            out.print(_tree(mj))
        _joints(out, facts)
        _contacts(out, facts["contacts"])
        _sensors(out, facts["sensors"])
        _memory(out, facts)
        _verdict(out, model, facts)
    return 1 if facts["unsupported"] else 0


def _sizes(out: "Console", facts: dict[str, Any]) -> None:
    say(out, ", ".join(f"{name} {n}" for name, n in facts["sizes"].items() if n))
    options = ", ".join(str(word) for name, word in facts["options"].items() if name != "timestep")
    say(out, f"steps of {facts['options']['timestep']:g} s, {options}; {facts['mass']:.4g} kg")
    if facts["sizes"]["joints"] and not facts["sizes"]["actuators"]:
        say(out, "note: nothing drives it: it has joints and no actuators", "yellow")


def _tree(mj: Any) -> "Tree":
    """The bodies below each other, with what they hang on and what they carry."""
    from rich.markup import escape
    from rich.tree import Tree

    from ..description import name_of

    places = {0: Tree("[bold]world[/]" + _carried(mj, 0))}
    for b in range(1, mj.nbody):
        first, number = int(mj.body_jntadr[b]), int(mj.body_jntnum[b])
        joints = [_joint_label(mj, j) for j in range(first, first + number)]
        hung = "" if joints else "mocap" if mj.body_mocapid[b] >= 0 else "welded"
        label = f"[bold]{escape(name_of(mj, 'body', b))}[/]"
        if len(joints) > 1:  # a line each
            label += "".join([_carried(mj, b), *(f"\n  {joint}" for joint in joints)])
        else:
            label += f"  {''.join(joints) or hung}{_carried(mj, b)}"
        places[b] = places[int(mj.body_parentid[b])].add(label)
    return places[0]


def _joint_label(mj: Any, j: int) -> str:
    from rich.markup import escape

    from ..description import joint, name_of

    about = joint(mj, j)
    limits = ""
    if about["range"]:
        scale, unit = (57.29577951308232, "°") if about["type"] in ("hinge", "ball") else (1, " m")
        low, high = (scale * x for x in about["range"])
        limits = f" {low:.4g}..{high:.4g}{unit}"
    return f"[cyan]{escape(name_of(mj, 'joint', j))}[/] {about['type']}{limits}"


def _carried(mj: Any, b: int) -> str:
    mass, geoms = float(mj.body_mass[b]), int(mj.body_geomnum[b])
    said = ([in_words(geoms, "geom")] if geoms else []) + ([f"{mass:.3g} kg"] if mass else [])
    return f"  [dim]{', '.join(said)}[/]" if said else ""


def _joints(out: "Console", facts: dict[str, Any]) -> None:
    """A line for every joint, with its place in each of the orders there are."""
    from rich.markup import escape
    from rich.table import Table

    moving = [joint for joint in facts["joints"] if joint["type"] != "free"]
    known = [order for order in facts["orders"] if not order["unknown"]]
    if not moving:
        return
    grid = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    grid.add_column("joint", no_wrap=True)
    grid.add_column("type")
    for head in ("qpos", "qvel", "order", *(f"order {k}" for k in range(2, len(known) + 1))):
        grid.add_column(head, justify="right")
    places = [{j: place for place, j in enumerate(order["joints"])} for order in known]
    for k, joint in enumerate(moving):
        cells = [str(of.get(k, "")) for of in places]
        name = escape(joint["name"])
        grid.add_row(name, joint["type"], str(joint["qpos"]), str(joint["qvel"]), *cells)
    out.print()
    out.print(grid)
    for number, order in enumerate(known, 1):
        which = "order" if number == 1 else f"order {number}"
        say(out, f"{which}: {', '.join(order['systems'])}", "dim")
    for order in facts["orders"]:
        if order["unknown"]:
            say(out, f"{', '.join(order['systems'])}: {order['unknown']}", "dim")
    if len(facts["orders"]) == 1:
        say(out, "all of them have this order", "dim")


def _contacts(out: "Console", contacts: dict[str, Any]) -> None:
    if not contacts["pairs"]:
        say(out, "\nno geoms can touch")
        return
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, header_style="bold")
    grid.add_column("geoms that may touch")
    for head in ("pairs", "contacts each", "at most"):
        grid.add_column(head, justify="right")
    for row in contacts["kinds"]:
        numbers = (f"{row[name]:,}" for name in ("pairs", "most_each", "most"))
        grid.add_row(" and ".join(row["types"]), *numbers)
    out.print()
    out.print(grid)


def _sensors(out: "Console", sensors: dict[str, Any]) -> None:
    if sensors["kinds"]:
        kinds = ", ".join(f"{n} {kind}" for kind, n in sensors["kinds"].items())
        say(out, f"\nsensors        {kinds}: {in_words(sensors['numbers'], 'number')}")


def _memory(out: "Console", facts: dict[str, Any]) -> None:
    if "memory" in facts:
        memory = facts["memory"]
        rows, room = memory["constraint_rows"], facts["contacts"]["room"]
        say(
            out,
            f"\nmemory         {memory['bytes_per_world']:,} bytes in each world (a state row),"
            f" {memory['bytes_per_thread']:,} in each thread, for eight worlds\n"
            f"room           {room:,} contacts, {rows:,} constraint rows in a world",
        )


def _verdict(out: "Console", model: str, facts: dict[str, Any]) -> None:
    for feature, elements in facts["unsupported"].items():
        more = f" and {len(elements) - 8} more" if len(elements) > 8 else ""
        say(out, f"not supported: {feature}: {', '.join(elements[:8])}{more}", "bold red")
    if facts["unsupported"]:
        say(out, f"{model} does not run: Lanewise refuses it", "bold red")
    else:
        say(out, f"{model} runs", "green")
