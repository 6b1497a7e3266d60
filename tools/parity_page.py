"""The tables of docs/parity.md, from what a sweep over models found.

Prose stands in the page itself, with a place for each table between two comments; every number on
the page is put there by `make parity`.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import mujoco

import lanewise as lw
import parity_functions
import twins
from lanewise import fields
from parity_findings import Findings
from parity_nudges import SURE
from parity_sweep import INTEGRATORS, NSIM, STEPS
from parity_worlds import DIFFERENCES
from support import parity_contacts as touch
from tables import between

PAGE = Path(__file__).resolve().parent.parent / "docs" / "parity.md"

# what is not compared as a number, and why
NOT_COMPARED = {
    "solver_niter": "round-off decides when a solver stops",
    "solver_nnz": "the factor has other numbers",
    "contact.H": "a part of Newton's Hessian, written only where a world needs it",
}
SOLVED = [f"{solver} {cone}" for solver in touch.SOLVERS for cone in touch.CONES]


def number(residual: float | None, bar: float = SURE) -> str:
    """A residual; bold beyond the bar."""
    if residual is None:
        return ""
    if residual == float("inf"):
        return "**other**"
    text = f"{residual:.1e}" if residual else "0"
    return text if residual <= bar else f"**{text}**"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


# ---- the tables


def run(found: Findings, quick: bool) -> str:
    sets = found.counted("sets")
    models, states = (
        sum(n for (_, what), n in sets.items() if what == kind) for kind in ("compared", "states")
    )
    few = " It was a quick one, of a few models: `make parity` goes through all." if quick else ""
    return (
        f"Lanewise {lw.__version__} beside MuJoCo {mujoco.__version__}: {models} models,"
        f" {states} states.{few}\n"
    )


def sets(found: Findings) -> str:
    counted, rows = found.counted("sets"), []
    for kind in dict.fromkeys(kind for kind, _ in counted):
        why = found.counted("refused")
        refused = [f"{feature} ({n})" for (of, feature), n in why.items() if of == kind]
        numbers = [str(counted.get((kind, what), 0)) for what in ("models", "compared", "states")]
        rows.append([kind, *numbers, ", ".join(refused)])
    made = table(("set", "models", "compared", "states", "refused, for"), rows)
    if others := found.counted("other library").get(("models",), 0):
        made += (
            f"\n{others} of them ask MuJoCo for its older library of convex collision"
            " (`nativeccd` disabled), which Lanewise has not: they are compared with the flag"
            " on.\n"
        )
    return made


def field_rows(found: Findings) -> str:
    worst = {key: (value, where) for key, value, where in found.of("fields")}
    rows = []
    for stage in dict.fromkeys(f.stage for f in fields.READ if not f.own):
        for f in (f for f in fields.READ if f.stage == stage and not f.own):
            seen = {what: worst.get((f.name, what)) for what in ("stage", "forward", "step")}
            present = [one for one in seen.values() if one]
            where = max(present)[1] if present else NOT_COMPARED.get(f.name, "not seen")
            numbers = [number(one[0] if one else None) for one in seen.values()]
            rows.append([f"`{f.name}`", stage, *numbers, where if any(x[0] for x in present) or
                         not present else ""])  # fmt: skip
    head = ("field", "written by", "the stage alone", "all from the state", "a step", "largest on")
    return table(head, rows)


def contacts(found: Findings) -> str:
    n = found.counted("contacts")
    equal, others = n.get(("equal",), 0), n.get(("equivalent",), 0)
    wrong = n.get(("different",), 0) + n.get(("reordered",), 0)
    where = "".join(f", on {where}" for _, _, where in found.of("contacts"))
    return (
        f"Of {equal + others + wrong} pairs of geoms in touch, {equal} have the same contacts in"
        f" the same order, {others} have another list that MuJoCo itself gives when poses move by"
        f" 1e-15 to 1e-10, and {wrong} differ{where}.\n\n" + undecided(found, "solutions")
    )


def steps(found: Findings) -> str:
    worst = {key: (value, where) for key, value, where in found.of("steps")}
    head = ["integrator", "no constraints", *SOLVED]

    def cell(integrator: str, what: str) -> str:
        """A residual, and beyond the bar the model."""
        value, where = worst.get((integrator, what), (None, ""))
        return number(value) + (f" {where}" if value is not None and value > SURE else "")

    rows = [[one, *(cell(one, what) for what in ("none", *SOLVED))] for one in INTEGRATORS]
    return table(head, rows) + "\n" + undecided(found, "steps")


def undecided(
    found: Findings, what: str, where: str = " with constraints",
    moved: str = "its constraint Jacobian by 1e-17",
) -> str:  # fmt: skip
    """How many answers are compared, and how many are not MuJoCo's last word."""
    n = [found.counted(which).get((what,), 0) for which in ("decided", "undecided")]
    return (
        f"These are {n[0]} {what}{where}. {n[1]} more are left out, in which MuJoCo itself moves"
        f" about as far when its state is disturbed by 1e-16 to 1e-15, or {moved}.\n"
    )


def sensors(found: Findings) -> str:
    counted = found.counted("sensors")
    worst = {kind: (value, where) for (kind,), value, where in found.of("sensors")}
    kinds = [kind.name.removeprefix("mjSENS_") for kind in _sensor_kinds()]
    rows = []
    for kind in kinds:
        value, where = worst.get(kind, (None, "not seen"))
        rows.append([
            f"`{kind.lower()}`", str(counted.get((kind,), 0)), number(value), where if value else
            "" if value == 0.0 else where,
        ])  # fmt: skip
    made = table(("sensor", "readings", "largest", "on"), rows)
    return (
        made
        + "\n"
        + undecided(found, "readings", moved="the frames of its geoms as much", where="")
    )


def _sensor_kinds() -> list[mujoco.mjtSensor]:
    """All but those that models of users or plugins define."""
    others = (mujoco.mjtSensor.mjSENS_USER, mujoco.mjtSensor.mjSENS_PLUGIN)
    values = mujoco.mjtSensor.__members__.values()
    return sorted((kind for kind in values if kind not in others), key=int)


def functions(found: Findings) -> str:
    worst = {key: (value, where) for key, value, where in found.of("functions")}
    by_field = {name: (value, where) for (name, what), value, where in found.of("fields")
                if what == "stage"}  # fmt: skip
    for name, names in parity_functions.compared_by_fields():
        seen = [by_field[x] for x in names if x in by_field]
        if seen and (name, "one") not in worst:
            worst[name, "one"] = max(seen)
    rows = []
    for twin in twins.TWINS:
        for name in twin.names:
            one, batch = (worst.get((name, what)) for what in ("one", "batch"))
            bar = DIFFERENCES if name.startswith("mjd_") else SURE
            if one or batch:
                largest = max(x for x in (one, batch) if x)
                rows.append([
                    f"`{name}`", *(f"`{twins.first(c)}`" if c else "" for c in twin_cells(twin)),
                    *(number(x[0] if x else None, bar) for x in (one, batch)),
                    largest[1] if largest[0] else "",
                ])  # fmt: skip
    made = table(("MuJoCo", "one world", "batch", "largest", "in a batch", "on"), rows)
    left_out = found.counted("undecided").get(("worlds",), 0)
    worlds = found.counted("decided").get(("worlds",), 0)
    return (
        made + "\n" + undecided(found, "answers", f", in {worlds} worlds with constraints")
        + f"{left_out} worlds more have other contacts or another solution by that much, or have"
        " blown up.\n"
    )  # fmt: skip


def twin_cells(twin: twins.Twin) -> tuple[str, str]:
    return (twin.one or ("",))[0], (twin.batch or ("",))[0]


def batches(found: Findings) -> str:
    counted = found.counted("batch")
    same = sum(n for (_, what), n in counted.items() if what == "same")
    other = {name: n for (name, what), n in counted.items() if what == "other"}
    names = len({name for name, _ in counted})
    text = (
        f"{same} of {same + sum(other.values())} arrays have the same bits: {names} fields of"
        f" {NSIM} worlds of every model, after {STEPS} steps on two threads and alone.\n"
    )
    if other:
        text += "\n" + table(
            ("field", "arrays that differ", "on"),
            ([f"`{n}`", str(k), found.worst["batch", n][1]] for n, k in other.items()),
        )
    return text


TABLES: dict[str, Callable[[Findings], str]] = {
    "sets": sets, "fields": field_rows, "contacts": contacts, "steps": steps,
    "sensors": sensors, "functions": functions, "batches": batches,
}  # fmt: skip


def page(found: Findings, quick: bool, text: str) -> str:
    """The page with its tables, in the places for them."""
    text = between(text, "run", run(found, quick), "make parity")
    for what, made in TABLES.items():
        text = between(text, what, made(found), "make parity")
    return text
