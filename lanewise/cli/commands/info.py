"""sizes of a model, and what of it is not supported

Examples:
  lanewise info humanoid
  lanewise info robot.xml
"""

import click

from ..options import model_argument, model_path


@click.command()
@model_argument
def command(model: str) -> None:
    from ...data import capacities, layout
    from ...lanes import W
    from ...loaders import load

    m = load(model_path(model))
    print(
        f"bodies {m.nbody}, joints {m.njnt}, degrees of freedom {m.nv}, actuators {m.nactuator}"
        f" ({m.nu} controls, {m.na} activations), tendons {m.ntendon}, geoms {m.ngeom},"
        f" sites {m.nsite}"
    )
    print(f"state row      {8 * m.nstate:,} bytes in each world")
    if m.njnt and not m.nactuator:
        print("note           nothing drives it: it has joints and no actuators")
    sizes = capacities(m)
    room = f"{sizes['nconmax']} contacts, {sizes['njmax']} constraint rows"
    print(f"room           {room} in a world")
    print(f"workspace      {8 * layout(sizes, W)[2]:,} bytes in each thread, for eight worlds")
