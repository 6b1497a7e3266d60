"""Write docs/fields.md from the field table, or with --check say whether it is up to date."""

import sys
from itertools import groupby
from pathlib import Path

from lanewise.fields import DATA, MODEL, Field

PAGE = Path(__file__).resolve().parent.parent / "docs" / "fields.md"

HEAD = """<!-- written by `make docs` from lanewise/fields.py -->
# Fields

Every field of `Model` and `Data` that kernels see. Names, shapes, order and meaning are MuJoCo's,
except where a section says "own". A `Model` also answers to every other field of `MjModel`,
through `m.mj`. Letters of frames are explained in [notation](notation.md): W world, B body, I
inertial frame, C the com-based frame, G geom, S site.

A shape is written in the sizes of the model. In a `Data` with several lanes and in a `Batch`
every field has one more axis in front, the worlds. A unit with a bar depends on the joint:
`m|rad` is metres for a slide and radians for a hinge. Numbers are float64 unless the shape says
otherwise.

"""


def section(title: str, fields: list[Field]) -> str:
    own = " (own)" if fields[0].own else ""
    lines = [f"### {title}{own}", "", "| field | shape | unit | meaning |", "|---|---|---|---|"]
    for f in fields:
        shape = "(" + ", ".join(map(str, f.dims)) + ("," if len(f.dims) == 1 else "") + ")"
        kind = "" if f.dtype == "float" else f" {f.dtype}"
        unit = f.unit.replace("|", "\\|")
        lines.append(f"| `{f.name}` | {shape if f.dims else 'scalar'}{kind} | {unit} | {f.doc} |")
    return "\n".join([*lines, ""])


def sizes(fields: list[Field]) -> str:
    def listed(own: bool) -> str:
        return ", ".join(f"`{f.name}`" for f in fields if f.own == own)

    return f"### sizes\n\nAs in `MjModel`: {listed(False)}. Own: {listed(True)}.\n"


def page() -> str:
    parts = [HEAD + "## Model\n"]
    for stage, group in groupby(MODEL, key=lambda f: f.stage):
        fields = list(group)
        parts.append(sizes(fields) if stage == "sizes" else section(stage, fields))
    parts.append(
        "## Data\n\nA section is the stage that writes its fields; `state` is what a world is.\n"
    )
    for stage, group in groupby(DATA, key=lambda f: f.stage):
        parts.append(section(stage, list(group)))
    return "\n".join(parts)


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.is_file() and PAGE.read_text() == text:
            return 0
        print(
            f"docs/{PAGE.name} does not match lanewise/fields.py; run: make docs", file=sys.stderr
        )
        return 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
