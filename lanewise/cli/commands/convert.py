"""convert a log or states to another system's convention

A log has positions, quaternions and twists of one body: whatever `lanewise detect` reads. Without
--from its convention is detected; what the numbers leave undecided is refused, with what would
decide it, unless it makes no difference.

With --model the file has the states of that robot, arrays qpos and qvel: the pose and twist of its
root, if it floats, and then the joints in the order of the system.

World axes and units of length stay. The result is npz (pos, quat, twist, time; or qpos, qvel) or
CSV, by the name of OUT.

Examples:
  lanewise convert log.npz mujoco.npz
  lanewise convert log.csv drake.csv --from ros --to drake --com 0 0 0.1
  lanewise convert run.npz isaac.npz --model robot.xml --from mujoco --to isaaclab-2
"""

import json

import click

from ..log_options import FreeJointCommand, log_options, read
from ..options import ModelName, json_option, model_path
from ..order_options import order_options, spoken


@click.command(cls=FreeJointCommand)
@click.argument("log", type=click.Path())
@click.argument("out", type=click.Path())
@click.option("--from", "source", metavar="SYSTEM", help="The system that the numbers are of.")
@click.option("--to", "target", default="mujoco", show_default=True, metavar="SYSTEM",
              help="The system to convert to.")  # fmt: skip
@click.option("--model", type=ModelName(), help="The robot whose states they are.")
@click.option(
    "--inertia", type=float, nargs=3, metavar="XX YY ZZ",
    help="About the centre of mass, in body axes: for systems of principal axes.",
)  # fmt: skip
@log_options
@order_options
@json_option
def command(
    log: str, out: str, source: str | None, target: str, model: str | None,
    inertia: tuple[float, ...] | None, as_json: bool, **given,
) -> None:  # fmt: skip
    from ...conventions.systems import system
    from ..conversion import check_suffix

    check_suffix(out)
    goal = system(target)
    said = {name: given.pop(name) for name in ("file", "fixed", "roots", "backend")}
    if model is None:
        facts = _log(log, out, source, goal, inertia, given)
    else:
        if source is None:
            raise ValueError("--model needs --from: states of a robot are not detected")
        with spoken():
            facts = _states(log, out, system(source), goal, model_path(model), said)
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    print(f"{log}: {facts['rows']} rows of {facts['source']}")
    for note in facts["notes"]:
        print(f"Note: {note}.")
    print(f"wrote {out}: {facts['target']}, {facts['layout']}")


def _log(log, out, source, goal, inertia, given) -> dict:
    from ...conventions import Body, detect
    from ...conventions.spelling import command_line
    from ...conventions.systems import system
    from ..conversion import convert_log, detected, log_heads, times, write

    with command_line():
        found = read(log, **given)
        body = Body(com=found.com, inertia=inertia or None)
        if source is None:
            verdict = detect(found.pos, found.quat, found.twist, found.dt, com=found.com)
            if found.com is None and verdict.com is not None:
                body = Body(com=verdict.com, inertia=inertia or None)
            row = detected(found, verdict, goal, body)
            said = f"what was detected ({', '.join(verdict.systems) or 'no system of the table'})"
        else:
            row = system(source)
            said = row.name
        try:
            made = convert_log(found, row, goal, body)
        except ValueError as error:
            text = str(error).partition(": give body=")[0]
            if text == str(error):
                raise
            raise ValueError(f"{text}: give --com X Y Z{_and_inertia(str(error))}") from None
    heads = log_heads(goal)
    write(out, {"time": times(found), **made}, heads)
    return {
        "rows": len(found.pos), "source": said, "target": goal.name, "layout": " ".join(heads),
        "notes": list(found.notes), "out": out,
    }  # fmt: skip


def _and_inertia(text: str) -> str:
    return ", --inertia XX YY ZZ" if "inertia" in text else ", zeros if it is at the origin"


def _states(log, out, row, goal, path, said) -> dict:
    from ...loaders import heard
    from ...loaders.compiling import compiled
    from ..conversion import convert_states, read_states, write
    from ..order_options import tree_of

    with heard():
        mj, _ = compiled(path)
    states = read_states(log, mj.nq, mj.nv)
    made = convert_states(mj, states, row, goal, tree_of(path, mj), **said)
    heads = ["t"] if "time" in made else []
    heads += [f"q{k}" for k in range(mj.nq)] + [f"v{k}" for k in range(mj.nv)]
    write(out, {k: made[k] for k in ("time", "qpos", "qvel") if k in made}, heads)
    return {
        "rows": len(made["qpos"]), "source": row.name, "target": goal.name,
        "layout": f"qpos ({mj.nq}) and qvel ({mj.nv})", "notes": [], "out": out,
    }  # fmt: skip
