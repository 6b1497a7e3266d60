"""The house: its rooms, what is in each, and what each may import.

tests/house checks these lines against the imports of every file, and docs/architecture.md shows
them. A room may import those that stand above it in its list and no other, so there are no cycles;
what is narrower than that is said in its line.
"""

from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "lanewise"


@dataclass(frozen=True)
class Room:
    """A module or package of lanewise, or of lanewise/engine."""

    name: str
    what: str
    packages: tuple[str, ...] = ()  # what it may import from outside, beside the standard library
    only: tuple[str, ...] | None = None  # the rooms it may import, if not all above it


ROOMS = (
    Room("columns", "tables of text"),
    Room("errors", "what is raised, and how messages say what would have been right"),
    Room("installation", "which MuJoCo is installed, and whether its files belong together"),
    Room("mjconst", "MuJoCo's enums"),
    Room(
        "frames",
        "rotations, poses and 6-vectors of MuJoCo's, on arrays",
        ("numpy",),
        ("errors", "mjconst"),
    ),
    Room("hooks", "callbacks of MuJoCo's that are installed, which are refused", ("numpy",)),
    Room("fields", "the table of fields"),
    Room(
        "lanes",
        "lanes, masks, vectors, math on them, the `@kernel` decorator, the compiler",
        ("numpy", "llvmlite"),
    ),
    Room("limits", "what the fields of a model may be, and which may change", ("numpy",)),
    Room("engine", "the step: kernels by room, and how they become calls", ("numpy",)),
    Room("running", "stages on a `Model` and a `Data`, compiled or as plain Python", ("numpy",)),
    Room("naming", "objects of a model by name or number", ("numpy",)),
    Room(
        "portraits", "what `Model`, `Data` and `Batch` say of themselves", ("numpy",), ("mjconst",)
    ),
    Room("model", "`Model`: what does not change while a world moves", ("numpy",)),
    Room("components", "components of the state: which a spec means", ("numpy",)),
    Room("constraint_rows", "constraint rows in MuJoCo's sparse form", ("numpy",)),
    Room("named", "objects by name, and which part of the fields they have", ("numpy",)),
    Room("listed", "contacts, warnings and iterations of a `Data`, one by one", ("numpy",)),
    Room("timers", "what stages take, of a `Data` and of a `Batch`", ("numpy",)),
    Room("notices", "what kernels counted in worlds, told to the user", ("numpy",)),
    Room("data", "`Data`: everything that changes, of one to eight worlds", ("numpy",)),
    Room("functions", "the functions on a `Data`: stages, the step, the state", ("numpy",)),
    Room("derivatives", "of a step and of inverse dynamics, by finite differences", ("numpy",)),
    Room("past", "what actuators and sensors remember", ("numpy",)),
    Room("asking", "questions about worlds: what a `Data` and a `Batch` share of them", ("numpy",)),
    Room("rays", "what rays meet: on a `Data`, and what calls of a `Batch` share", ("numpy",)),
    Room("jacobians", "Jacobians on a `Data`, and what calls of a `Batch` share", ("numpy",)),
    Room("motions", "motions, frames and forces, likewise; steps of positions", ("numpy",)),
    Room("callbacks", "kernels of the user's, compiled into the step", ("numpy",)),
    Room(
        "usd",
        "from stages of USD to an MjSpec, and what is lost on the way",
        ("numpy", "mujoco", "pxr"),
        ("errors",),
    ),
    Room(
        "loaders",
        "from files and MuJoCo's objects to a `Model`; refusals; transfer",
        ("numpy", "mujoco"),
    ),
    Room("batch", "`Batch`: many worlds on threads", ("numpy",)),
    Room("rollout", "open-loop rollouts, called as `mujoco.rollout`", ("numpy", "mujoco")),
    Room("reporting", "`report`: all that a `Data` or `Batch` says of itself", ("numpy",)),
    Room(
        "conventions",
        "what the numbers of other systems mean, conversions, detection",
        ("numpy",),
        ("errors",),
    ),
    Room(
        "flight",
        "a free body under loads from outside, one or many; wings in the air",
        ("numpy",),
        (
            "errors",
            "mjconst",
            "frames",
            "lanes",
            "naming",
            "model",
            "data",
            "functions",
            "loaders",
            "batch",
            "conventions",
        ),
    ),
    Room(
        "bridges",
        "the state of a simulation in other systems' arrays",
        ("numpy",),
        (
            "errors",
            "mjconst",
            "frames",
            "model",
            "data",
            "functions",
            "loaders",
            "batch",
            "conventions",
            "flight",
        ),
    ),
    Room(
        "viewer",
        "worlds in a browser: run, scrubbed, dragged, plotted",
        ("numpy", "viser", "mjviser", "trimesh", "PIL"),
        (
            "errors",
            "mjconst",
            "fields",
            "lanes",
            "model",
            "data",
            "functions",
            "jacobians",
            "loaders",
            "batch",
            "conventions",
        ),
    ),
    Room(
        "cluster",
        "worlds, rollouts and other objects on the nodes of a Ray cluster",
        ("numpy", "ray"),
        (
            "errors",
            "mjconst",
            "fields",
            "lanes",
            "naming",
            "model",
            "components",
            "notices",
            "data",
            "loaders",
            "batch",
            "rollout",
        ),
    ),
    Room("public", "the names that users see as `lanewise.NAME`"),
    Room("models", "MJCF files that come with Lanewise", (), ()),
    Room(
        "runs",
        "what worlds did, in files; as plots, pictures, films and pages",
        ("numpy", "mujoco", "zarr", "matplotlib", "imageio_ffmpeg"),
        ("errors", "installation", "fields", "loaders", "public"),
    ),
    Room(
        "gym",
        "environments for Gymnasium: its MuJoCo tasks, tasks of the user's, adapters",
        (
            "numpy",
            "gymnasium",
            "mujoco",
            "torch",
            "tensordict",
            "stable_baselines3",
            "torchrl",
            "rsl_rl",
        ),
        (
            "errors",
            "fields",
            "frames",
            "naming",
            "functions",
            "lanes",
            "callbacks",
            "cluster",
            "viewer",
            "public",
            "runs",
        ),
    ),
    Room(
        "plan",
        "planning by sampling: tasks, costs, optimizers, planners",
        ("numpy",),
        ("errors", "mjconst", "frames", "lanes", "public", "models"),
    ),
    Room(
        "motion",
        "motions in files: their forms, what their numbers mean, references for worlds",
        ("numpy", "matplotlib"),
        ("errors", "mjconst", "frames", "lanes", "batch", "conventions", "bridges", "public"),
    ),
    Room(
        "cli",
        "the command line, a file a command; the demo, and speed beside MuJoCo's",
        ("numpy", "mujoco", "click", "rich", "matplotlib"),
    ),
)

# in the order of a step, as far as there is one
ENGINE = (
    Room("spatial", "rotations, motions and forces as 6-vectors, inertias"),
    Room("counters", "warning counters"),
    Room("timing", "time by stage"),
    Room("checks", "bad numbers: counting, resetting"),
    Room("occasions", "when code of the user's is called"),
    Room("user", "calls of code of the user's"),
    Room("senses", "whether sensors are computed"),
    Room("smooth", "kinematics, inertia, tendons, transmissions, bias forces"),
    Room("forces", "springs, dampers, fluid, actuators, energy"),
    Room("collision", "which geoms touch, and where"),
    Room("geometry", "rays, distances, insides"),
    Room("constraint", "constraint rows, their impedance and reference, forces after solving"),
    Room("integrate", "integrators, and derivatives of forces by velocity"),
    Room("solver", "the acceleration under constraints: Newton, CG, PGS, noslip"),
    Room("acceleration", "forward dynamics from forces"),
    Room("sensors", "what sensors read"),
    Room("inverse", "forces from accelerations"),
    Room("pipeline", "the step, top to bottom"),
    Room("stages", "the table of stages"),
    Room("readers", "stages that run only for somebody who reads their fields"),
    Room("calls", "what a batch can ask of a gang, a file a call"),
    Room("parts", "the engine in parts, which are compiled apart; what a model needs of them"),
)

# packages that belong to few rooms
ONLY_IN = {
    "mujoco": ("usd", "loaders", "rollout", "runs", "gym", "cli"),
    "gymnasium": ("gym",),
    "torch": ("gym",),
    "llvmlite": ("lanes",),
    "click": ("cli",),
    "rich": ("cli",),
    "viser": ("viewer",),
    "mjviser": ("viewer",),
    "ray": ("cluster",),
    "pxr": ("usd",),
}

# modules of one name in several places, and why that is right
TWINS = {
    "acceleration": "engine/sensors/acceleration.py has the sensors that follow from it",
    "data": "fields/data.py has the fields of data.py",
    "model": "fields/model.py has the fields of model.py",
    "factor": "the factorization of the Hessian: of a tree, and of a heap",
    "hessian": "the Hessian: of a tree, and of a heap",
    "solve": "the loop of the primal solvers, and of the dual ones",
    "kinematics": "of a model, and of the body that a log is about",
    "newton": "the solver, and the bridge to the engine of that name",
    "spatial": "6-vectors: as kernels, and in NumPy for conventions, which import nothing",
    "collision": "fields/workspace/ is divided as the engine is",
    "constraint": "likewise",
    "dual": "likewise",
    "integrate": "likewise",
    "smooth": "likewise",
    "solver": "likewise",
    "timing": "likewise",
    "calls": "likewise; and lanes/calls.py, how kernels call an address",
    "inverse": "the dynamics, and the call of a batch",
    "inertia": "the stage, and the call of a batch",
    "rays": "fields/workspace/rays.py has the fields of the kernels",
    "ray": "a call of a batch: its interface, and its kernel",
    "run": "a call of a batch, and the command",
    "rollout": "a call of a batch: its interface, and its kernel",
    "named": "objects by name: of a Data and in general, and of a batch",
    "differences": "derivatives of a batch, and the workspace of their kernels",
    "distance": "of two geoms, and the call of a batch",
    "motion": "the command, motions in files, and a call of a batch",
    "frames": "of MuJoCo's, on arrays, and those of what sensors are attached to",
    "jacobians": "on a Data, and the part of a Batch",
    "motions": "likewise",
    "kept": "states of stages: in Python, and what calls do with them",
    "state": "state vectors of a batch, and a free body's in other systems",
    "threads": "of a batch: in Python, and what they run",
    "contacts": "of a batch, and of a heap in the solver",
    "batch": "the room's interface is its largest file",
    "table": "of fields, and of pairs of geoms",
    "loading": "of models, and of compiled objects",
    "report": "the command, and what detection found",
    "order": "the command, and the orders of systems",
    "models": "the command, and the files that it lists",
    "options": "of commands, and of environments: what makes their worlds differ",
    "pictures": "of runs, and of environments",
    "task": "of an environment, and of a planner",
    "tasks": "those that come along, of environments and of planners",
    "plan": "the command, and planning by sampling",
    "costs": "of a motion, and the panel on what a step takes",
    "flight": "the room, and what detection learns from free flight",
    "usd": "the command, and the reader of stages",
    "axes": "of up directions, and of separating two geoms",
}


def may_import(rooms: tuple[Room, ...], name: str) -> tuple[str, ...]:
    """The rooms that a room may import."""
    names = [room.name for room in rooms]
    room = rooms[names.index(name)]
    return tuple(names[: names.index(name)]) if room.only is None else room.only


def standing(rooms: tuple[Room, ...], folder: Path) -> list[Room]:
    """Those of the rooms that are there."""
    places = ((room, folder / room.name) for room in rooms)
    return [room for room, at in places if at.is_dir() or at.with_suffix(".py").is_file()]


def tables() -> str:
    """The rooms as docs/architecture.md shows them."""
    lines = ["| room | what is in it | may import |", "|---|---|---|"]
    for room in standing(ROOMS, PACKAGE):
        inside = ["rooms above"] if room.only is None else [f"`{name}`" for name in room.only]
        packages = [f"`{name}`" for name in room.packages]
        first = room is ROOMS[0]
        lines.append(f"| `{room.name}` | {room.what} | {', '.join(inside[first:] + packages)} |")
    lines += ["", "Inside `engine`, likewise from top to bottom:", ""]
    lines += ["| room | what is in it |", "|---|---|"]
    lines += [f"| `{room.name}` | {room.what} |" for room in standing(ENGINE, PACKAGE / "engine")]
    return "\n".join(lines)
