"""MuJoCo's functions and ours: what twins.toml says, and its tables in docs/from-mujoco.md."""

import ast
import fnmatch
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("twins.toml")


@dataclass(frozen=True)
class Twin:
    """A line of the table."""

    group: str
    names: tuple[str, ...]  # of MuJoCo's; mjv_* stands for all that begin so
    one: tuple[str, ...] = ()  # expressions or statements of a Model m and a Data d
    batch: tuple[str, ...] = ()  # of a Batch b
    numpy: str = ""  # of arrays with the names of MuJoCo's arguments
    note: str = ""
    none: str = ""

    def covers(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, known) for known in self.names)


def _listed(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _read() -> tuple[tuple[Twin, ...], dict[str, str]]:
    groups = tomllib.loads(FILE.read_text())
    ours = groups.pop("ours")
    twins = [
        Twin(
            group, tuple(names.split()), _listed(line.pop("one", [])),
            _listed(line.pop("batch", [])), **line,
        )
        for group, lines in groups.items() for names, line in lines.items()
    ]  # fmt: skip
    return tuple(twins), ours


TWINS, OURS = _read()  # OURS: {public name that has no twin: what it does}


def twin_of(name: str) -> Twin | None:
    """The line of a function of MuJoCo's."""
    exact = (twin for twin in TWINS if name in twin.names)
    return next(exact, next((twin for twin in TWINS if twin.covers(name)), None))


# ---- names of ours in the table


def codes(twin: Twin) -> tuple[str, ...]:
    return (*twin.one, *twin.batch, *((twin.numpy,) if twin.numpy else ()))


def dotted(code: str) -> Iterator[str]:
    """Every name with dots in a piece of code, the longest only: lw.frames.mul_quat, b.step, ..."""
    for node in ast.walk(ast.parse(code)):
        for child in ast.iter_child_nodes(node):
            text = ast.unparse(child) if isinstance(child, ast.Attribute) else ""
            inside = isinstance(node, ast.Attribute)
            if text.replace(".", "").replace("_", "").isalnum() and not inside:
                yield text


def first(code: str) -> str:
    """The first name of ours in a piece of code, or the code."""
    return next(
        (name for name in dotted(code) if name.split(".")[0] in ("lw", "m", "d", "b")), code
    )


def calls(code: str) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """(name with dots, number of positional arguments, names of the others) of every call."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield (
                ast.unparse(node.func),
                len(node.args),
                tuple(keyword.arg or "" for keyword in node.keywords),
            )


# ---- the page


def _code(texts: tuple[str, ...]) -> str:
    return "; ".join(f"`{text}`" for text in texts)


def _names(twin: Twin) -> str:
    return ", ".join(f"`{name}`" for name in twin.names)


def _row(twin: Twin, columns: tuple[str, ...]) -> str:
    cells = {
        "one world": _code(twin.one) or (f"`{twin.numpy}`" if twin.numpy else ""),
        "all worlds of a `Batch`": _code(twin.batch),
        "": "; ".join(text for text in (twin.none and f"*none*: {twin.none}", twin.note) if text),
    }
    cells["NumPy"] = cells["one world"]
    return f"| {_names(twin)} | {' | '.join(cells[column] for column in columns)} |"


def _columns(twins: list[Twin]) -> tuple[str, ...]:
    """What a group has to say."""
    first = "NumPy" if all(twin.numpy for twin in twins) else "one world"
    found = [first] if any(twin.one or twin.numpy for twin in twins) else []
    if any(twin.batch for twin in twins):
        found.append("all worlds of a `Batch`")
    if any(twin.none or twin.note for twin in twins):
        found.append("")
    return tuple(found)


def tables() -> str:
    """The groups as docs/from-mujoco.md shows them."""
    lines: list[str] = []
    for group in dict.fromkeys(twin.group for twin in TWINS):
        twins = [twin for twin in TWINS if twin.group == group]
        columns = _columns(twins)
        lines += [f"### {group}", "", f"| MuJoCo | {' | '.join(columns)} |"]
        lines += ["|---" * (len(columns) + 1) + "|", *(_row(twin, columns) for twin in twins), ""]
    lines += ["### What MuJoCo has not", "", "| Lanewise | |", "|---|---|"]
    for name, what in OURS.items():
        lines.append(f"| `{name if name[0].isupper() else f'lw.{name}'}` | {what} |")
    return "\n".join(lines) + "\n"
