"""Docstrings as Markdown: they are plain text, and none of their signs may be taken for markup.

Indented lines and lines with columns keep their shape. In the rest `code` stays code and leads to
what it names; names with an underscore, and shapes such as (nsim, nq), become code.
"""

import ast
import inspect
import re
from collections.abc import Callable
from itertools import groupby

from lanewise.fields import DATA, MODEL

# fields and sizes that are no words of running text
SIZES = {f.name for f in MODEL if f.stage == "sizes"}
FIELDS = {f.name for f in DATA if re.fullmatch(r"[qx][A-Za-z]+|c(acc|dof|inert|vel|trl)", f.name)}
OTHERS = {"nsim", "nstep", "nthread", "nconmax", "njmax", "ncon", "nefc", "ids", "sensordata"}
KNOWN = sorted({name for name in SIZES if re.fullmatch("n[A-Za-z]+", name)} | FIELDS | OTHERS)

SPECIAL = re.compile(r"([\\*_<>\[\]|#~$])")
COLUMNS = re.compile(r"\S {2,}\S")
SIZE = r"(?:\d+|\d* ?n\w*|k|T|worlds|lanes|size|controls|steps|\.\.\.)"
CODE = re.compile(
    rf"\({SIZE},\)|\((?:{SIZE}, )+{SIZE}\)"  # a shape
    r"|(?<![\w*./])(?:[A-Za-z]\w*\.)*[A-Za-z]\w*_\w+(?:\.\w+)*(?![\w*/])"  # a name
    r"|(?<![\w*./])[bdm]\.[A-Za-z]\w*(?:\.\w+)*(?![\w*/])"  # of a Batch, a Data, a Model
    r"|(?<![\w*./])[a-z]\w*=\w+(?![\w*/])"  # an argument
    rf"|(?<![\w*./])(?:opt\.)?(?:{'|'.join(KNOWN)})(?![\w*/])"
)
PAGE = re.compile(r"\bdocs/([\w/-]+)\.md")
NAME = re.compile(r"[A-Za-z_][\w.]*")

Link = Callable[[str], str]  # what a name in backticks becomes; "" if it names nothing


def code(text: str) -> str:
    return f"``{text}``" if "`" in text else f"`{text}`"


def plain(text: str) -> str:
    """Running text without code in it."""
    made, at = [], 0
    for found in re.finditer(f"{PAGE.pattern}|{CODE.pattern}", text):
        made.append(SPECIAL.sub(r"\\\1", text[at : found.start()]))
        page = found.group(1)
        made.append(f"[{page}](../{page}.md)" if page else code(found.group()))
        at = found.end()
    return "".join([*made, SPECIAL.sub(r"\\\1", text[at:])])


def running(text: str, link: Link) -> str:
    """Running text: what is between backticks is code, or leads to what it names."""
    parts = re.split(r"`([^`]+)`", text)
    for k, part in enumerate(parts):
        if k % 2 == 0:
            parts[k] = plain(part)
        else:
            found = link(part) if NAME.fullmatch(part) else ""
            parts[k] = f"{{py:obj}}`{part} <{found}>`" if found else code(part)
    return "".join(parts)


def is_python(text: str) -> bool:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    told = (ast.Assign, ast.Import, ast.ImportFrom, ast.For)
    return any(
        isinstance(x, told) or isinstance(getattr(x, "value", None), ast.Call) for x in tree.body
    )


def block(lines: list[str]) -> str:
    text = inspect.cleandoc("\n" + "\n".join(lines))
    return f"```{'python' if is_python(text) else 'text'}\n{text}\n```"


def kinds(lines: list[str]) -> list[str]:
    """Of each line of a paragraph: "block", "item" of a list, or "text"."""
    found: list[str] = []
    for line in lines:
        before = found[-1] if found else ""
        if line.startswith(("- ", "* ")) or (before == "item" and line.startswith("  ")):
            found.append("item")
        elif before == "block" or line.startswith("    ") or COLUMNS.search(line):
            found.append("block")
        else:
            found.append("text")
    return found


def markdown(text: str, link: Link = lambda name: "") -> str:
    """The Markdown of a docstring."""
    made = []
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text))
    for paragraph in paragraphs:
        lines = paragraph.splitlines()
        for kind, group in groupby(zip(kinds(lines), lines), key=lambda pair: pair[0]):
            some = [line for _, line in group]
            if kind == "block":
                made.append(block(some))
            elif kind == "item":
                made.append("\n".join(item(line, link) for line in some))
            else:
                made.append(running("\n".join(some), link))
    return "\n\n".join(made)


def item(line: str, link: Link) -> str:
    mark = line[:2]
    return mark + running(line[2:], link)
