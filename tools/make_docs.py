"""Write the generated pages of docs; with --check say whether they are up to date."""

import sys
from pathlib import Path

import conventions_page
import stages_page

from lanewise.fields import DATA, MODEL, Field

DOCS = Path(__file__).resolve().parent.parent / "docs"

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

"""

WORKSPACE = """## Workspace

What kernels hand to each other: here to be looked up by who reads their sources, and not to be
relied on. `plain` (float64) and `index` (int64) stand for what the eight worlds of a gang have
once, not each for itself. `nJmax`, `nAmax`, `nHmax`, `nYmax` and `nhitmax` are capacities, as
`nconmax` is; `nrow` counts the constraints other than contacts that a world could ever have.
"""

READ = ("alias", "contact_force", "diagnostics")  # Lanewise's own sections that users read


def section(title: str, fields: list[Field]) -> str:
    own = " (own)" if fields[0].own else ""
    lines = [f"### {title}{own}", "", "| field | shape | unit | meaning |", "|---|---|---|---|"]
    for f in fields:
        shape = "(" + ", ".join(map(str, f.dims)) + ("," if len(f.dims) == 1 else "") + ")"
        kind = "" if f.dtype == "float" else f" {f.dtype}"
        unit = f.unit.replace("|", "\\|")
        lines.append(f"| `{f.name}` | {shape if f.dims else 'scalar'}{kind} | {unit} | {f.doc} |")
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
    read = [f for f in DATA if not f.own or f.stage in READ]
    parts += [section(*item) for item in sections(read).items()]
    parts.append(WORKSPACE)
    work = [f for f in DATA if f.own and f.stage not in READ]
    parts += [section(*item) for item in sections(work).items()]
    return "\n".join(parts)


PAGES = {
    "fields.md": page,
    "stages.md": stages_page.page,
    "conventions.md": conventions_page.page,
}


def main() -> int:
    check, stale = "--check" in sys.argv[1:], []
    for name, made in PAGES.items():
        file, text = DOCS / name, made()
        if not check:
            file.write_text(text)
        elif not file.is_file() or file.read_text() != text:
            stale.append(name)
    if stale:
        print(f"not up to date in docs: {', '.join(stale)}; run: make docs", file=sys.stderr)
    return len(stale)


if __name__ == "__main__":
    raise SystemExit(main())
