"""docs/stages.md: the stages of the pipeline, from the table of them."""

from lanewise.engine.stages import SECTIONS, STAGES

HEAD = """<!-- written by `make docs` from lanewise/engine/stages.py -->
# Stages

Every stage of the step is a function `lanewise.NAME(m, d)` on a `Model` and a `Data`. Its section
is the part of [the table of fields](fields.md) that it writes, and its level the first stage of
`mjtStage` (position, velocity, acceleration) up to which a `Batch` must compute to have them. A
batch runs what is on demand only if somebody reads the fields.

| stage | level | section | what it does |
|---|---|---|---|
"""
LEVELS = ("", "position", "velocity", "acceleration", "step", "inverse")


def page() -> str:
    rows = []
    for stage in STAGES.values():
        level = LEVELS[stage.level] + (", on demand" if "demand" in stage.words else "")
        doc = " ".join((stage.kernel.__doc__ or "").split("\n\n")[0].split()).replace("|", "\\|")
        section = f"`{stage.section}`" if stage.section in SECTIONS else ""
        rows.append(f"| `{stage.name}` | {level} | {section} | {doc} |")
    return HEAD + "\n".join(rows) + "\n"
