"""Write what is generated of the documents, and the type stub; with --check say what is stale.

Pages on fields and conventions are generated whole; of docs/architecture.md it is the part between
two comments.
"""

import sys
from pathlib import Path

import conventions_page
import house
import make_stubs
import stages_page
from lanewise.fields import DATA, MODEL, Field
from lanewise.limits import change
from tables import is_read, shape

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

How a field of `Model` may change is said beside it. *fixed* is structure, made for good when a
model is loaded: change an `mujoco.MjSpec` or an `MjModel`, and load that. *checked* may be written,
and a value without meaning is an error at once, in a `Batch` when the world is run. Of all others
any value has a meaning: see [edits](edits.md).

"""

WORKSPACE = """## Workspace

What kernels hand to each other: here to be looked up by who reads their sources, and not to be
relied on. `plain` (float64) and `index` (int64) stand for what the eight worlds of a gang have
once, not each for itself. `nJmax`, `nAmax`, `nHmax`, `nYmax` and `nhitmax` are capacities, as
`nconmax` is; `nrow` counts the constraints other than contacts that a world could ever have.
"""


def section(title: str, fields: list[Field]) -> str:
    own = " (own)" if fields[0].own else ""
    lines = [f"### {title}{own}", "", "| field | shape | unit | meaning |", "|---|---|---|---|"]
    for f in fields:
        kind = "" if f.dtype == "float" else f" {f.dtype}"
        unit = f.unit.replace("|", "\\|")
        says = "" if f.own or f in DATA or change(f.name) == "free" else f" *{change(f.name)}*"
        lines.append(
            f"| `{f.name}` | {shape(f) if f.dims else 'scalar'}{kind} | {unit} | {f.doc}{says} |"
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
    """The page with the rooms of tools/house.py in the place for them."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    before, begin, rest = text.partition("<!-- rooms written by `make docs` -->\n")
    _, end, after = rest.partition("<!-- end of rooms -->\n")
    assert begin and end, "docs/architecture.md has no place for the rooms"
    return before + begin + house.tables() + "\n" + end + after


MADE = {
    "docs/fields.md": page,
    "docs/stages.md": stages_page.page,
    "docs/conventions.md": conventions_page.page,
    "docs/architecture.md": architecture,
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
