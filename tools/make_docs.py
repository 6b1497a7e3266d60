"""Write what is generated of the documents, and the type stub; with --check say what is stale.

Pages on fields, stages and conventions are generated whole; of docs/architecture.md, docs/edits.md,
docs/from-mujoco.md and docs/models.md it is the part between two comments. docs/parity.md takes
minutes, and has a command of its own, tools/make_parity.py.
"""

import sys
from pathlib import Path

import conventions_page
import edits_page
import house
import make_stubs
import stages_page
import twins
from lanewise import load, models
from lanewise.fields import DATA, MODEL, Field
from tables import between, is_read, shape

ROOT = Path(__file__).resolve().parent.parent

HEAD = """<!-- written by `make docs` from lanewise/fields -->
# Fields

Every field of `Model` and `Data` that kernels see. Names, shapes, order and meaning are MuJoCo's,
except where a section says "own". A `Model` also answers to every other field of `MjModel`,
through `m.mj`. Letters of frames are explained in [notation](notation.md): W world, B body, I
inertial frame, C the com-based frame, G geom, S site.

A shape is written in the sizes of the model. In a `Data` with several lanes and in a `Batch`
every field has one more axis in front, the worlds. A unit with a bar depends on the joint:
`m|rad` is metres for a slide and radians for a hinge. Numbers are float64 unless the shape says
otherwise. `nconmax` and `njmax` are the contacts and constraint rows that a world has room for:
only as many as `ncon` and `nefc` say are filled.

What an edit of a loaded `Model` does is said beside each field. *safe* acts from the next step on.
*then `set_const`*: likewise, and what follows from it is right after `lw.set_const(m)`, which
writes the fields *by `set_const`*. *checked*: a value without meaning is an error at once, in a
`Batch` when the world is run. *fixed* is structure, made for good when a model is loaded: change an
`mujoco.MjSpec` or an `MjModel`, and load that. See [edits](edits.md).

"""

WORKSPACE = """## Workspace

What kernels hand to each other: here to be looked up by who reads their sources, and not to be
relied on. `plain` (float64) and `index` (int64) stand for what the eight worlds of a gang have
once, not each for itself. `nJmax`, `nAmax`, `nHmax`, `nkeptmax`, `nYmax` and `nhitmax` are
capacities, as `nconmax` is; `nrow` counts the constraints other than contacts that a world could
ever have.
"""


def section(title: str, fields: list[Field]) -> str:
    own = " (own)" if fields[0].own else ""
    edits = ("edit | ", "---|") if fields[0].edit else ("", "")
    lines = [f"### {title}{own}", ""]
    lines += [f"| field | shape | unit | {edits[0]}meaning |", f"|---|---|---|{edits[1]}---|"]
    for f in fields:
        kind = "" if f.dtype == "float" else f" {f.dtype}"
        unit = f.unit.replace("|", "\\|")
        edit = f"{edits_page.said(f.edit)} | " if f.edit else ""
        lines.append(
            f"| `{f.name}` | {shape(f) if f.dims else 'scalar'}{kind} | {unit} | {edit}{f.doc} |"
        )
    return "\n".join([*lines, ""])


def sections(fields: list[Field]) -> dict[str, list[Field]]:
    """Fields by section, in the order in which the sections first appear."""
    found: dict[str, list[Field]] = {}
    for f in fields:
        found.setdefault(f.stage, []).append(f)
    return found


def sizes(fields: list[Field]) -> str:
    def listed(own: bool) -> str:
        return ", ".join(f"`{f.name}`" for f in fields if f.own == own)

    return f"### sizes\n\nAs in `MjModel`: {listed(False)}. Own: {listed(True)}.\n"


def page() -> str:
    parts = [HEAD + "## Model\n"]
    for stage, fields in sections(MODEL).items():
        parts.append(sizes(fields) if stage == "sizes" else section(stage, fields))
    parts.append(edits_page.others())
    parts.append(
        "## Data\n\nA section is the stage that writes its fields; `state` is what a world is.\n"
    )
    read = [f for f in DATA if is_read(f)]
    parts += [section(*item) for item in sections(read).items()]
    parts.append(WORKSPACE)
    work = [f for f in DATA if not is_read(f)]
    parts += [section(*item) for item in sections(work).items()]
    return "\n".join(parts)


def architecture() -> str:
    return filled("architecture", "rooms", house.tables() + "\n")


def edits() -> str:
    return filled("edits", "fields", edits_page.table() + "\n")


def from_mujoco() -> str:
    return filled("from-mujoco", "twins", twins.tables())


def own_models() -> str:
    lines = ["| name | what it is | degrees of freedom | actuators | keyframes |"]
    lines.append("|---|---|---:|---:|---|")
    for name in models.names():
        m = load(models.path(name))
        keys = ", ".join(m.keyframe(k).name for k in range(m.nkey))
        lines.append(f"| `{name}` | {models.about(name)} | {m.nv} | {m.nu} | {keys} |")
    return filled("models", "models", "\n".join(lines) + "\n")


def filled(name: str, what: str, made: str) -> str:
    """A page with what is generated in the place for it."""
    return between((ROOT / "docs" / f"{name}.md").read_text(), what, made, "make docs")


MADE = {
    "docs/fields.md": page,
    "docs/stages.md": stages_page.page,
    "docs/conventions.md": conventions_page.page,
    "docs/architecture.md": architecture,
    "docs/edits.md": edits,
    "docs/from-mujoco.md": from_mujoco,
    "docs/models.md": own_models,
    "lanewise/__init__.pyi": make_stubs.stub,
}


def main() -> int:
    check, stale = "--check" in sys.argv[1:], []
    for name, made in MADE.items():
        file, text = ROOT / name, made()
        if not check:
            file.write_text(text)
        elif not file.is_file() or file.read_text() != text:
            stale.append(name)
    if stale:
        print(f"not up to date: {', '.join(stale)}; run: make docs", file=sys.stderr)
    return len(stale)


if __name__ == "__main__":
    raise SystemExit(main())
