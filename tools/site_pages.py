"""The pages of the site: those of docs as they are, and what is made for the site alone.

docs/index.md is the one list of pages: each section with a list of links is a part of the contents,
in its order. Pages in a folder beside a page of that name, docs/conventions/, are in the order in
which docs/conventions.md links to them. A page that is in no list is an error.

Made for the site are the API reference (api_pages.py), a page for each example, and copies of the
pages outside of docs that others link to.
"""

import ast
import posixpath
import re
import shutil
from pathlib import Path

import api_pages

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"

# pages from outside of docs, and where they are on the site
OTHERS = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "tests/engines/README.md": "engines.md",
}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
ENTRY = re.compile(r"^- \[(?P<title>[^]]+)\]\((?P<page>[^)#]+\.md)\)", re.MULTILINE)
API = "Every public name, with its signature and what it takes and gives."
SOME = 8  # names of a page in the list of pages
# what only the site has, in front of the list of a section
FIRST = {"Reference": f"- [API](api/index.md): {API[0].lower()}{API[1:-1]}\n"}


def toctree(entries: dict[str, str], caption: str = "") -> str:
    """A hidden part of the contents: {page: title}"""
    lines = ["```{toctree}", ":hidden:"]
    lines += [f":caption: {caption}"] if caption else []
    lines += ["", *(f"{title} </{page.removesuffix('.md')}>" for page, title in entries.items())]
    return "\n".join([*lines, "```", ""])


def title_of(text: str) -> str:
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    if found is None:
        raise ValueError("a page has no title")
    return found.group(1).replace("`", "")


# ---- what is made for the site


def api() -> dict[str, str]:
    found = api_pages.pages()
    lines = ["# API reference", "", API, "", "| page | what is on it |", "|---|---|"]
    for name, (title, text) in found.items():
        names = dict.fromkeys(re.findall(r"^`````\{py:\w+\} (\w+)", text, re.MULTILINE))
        if len(names) == 1:  # of a class alone, what is in it
            names = dict.fromkeys(re.findall(r"^`````\{py:\w+\} \w+\.(\w+)", text, re.MULTILINE))
        some = [f"`{x}`" for x in names][:SOME]
        more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
        lines.append(f"| [{title}]({name}.md) | {', '.join(some)}{more} |")
    lines += ["", "[Fields](../fields.md) has the fields of models and worlds.", ""]
    titles = {f"api/{name}.md": title for name, (title, _) in found.items()}
    pages = {f"api/{name}.md": text for name, (_, text) in found.items()}
    return {"api/index.md": "\n".join([*lines, toctree(titles)]), **pages}


def examples() -> dict[str, str]:
    """A page for each program, and one that lists them by the first lines of their docstrings."""
    made, titles = {}, {}
    lines = ["# Examples", "", "Programs to start from, each of them whole.", ""]
    for file in sorted(EXAMPLES.glob("*.py")):
        text = file.read_text()
        doc = ast.get_docstring(ast.parse(text)) or file.stem
        page, title = f"examples/{file.stem}.md", file.name
        made[page] = f"# {title}\n\n````python\n{text}````\n"
        titles[page] = title
        lines.append(f"- [{title}]({file.stem}.md): {doc.splitlines()[0]}")
    for file in sorted(EXAMPLES.glob("*.ipynb")):
        lines.append(f"- [{file.name}]({file.name}): a notebook")
    made["examples/index.md"] = "\n".join([*lines, "", toctree(titles)])
    return made


# ---- where things are on the site


def place(path: str) -> str:
    """Where a file of the repository is on the site; "" if it is not there."""
    if path in OTHERS:
        return OTHERS[path]
    if path in ("README.md", "docs"):
        return "index.md"
    if path == "examples":
        return "examples/index.md"
    if path.startswith("examples/"):
        return f"{path.removesuffix('.py')}.md" if path.endswith(".py") else path
    return path.removeprefix("docs/") if path.startswith("docs/") else ""


def moved(text: str, source: str, page: str) -> str:
    """A page with its links as they are on the site; it came from source."""

    def link(found: re.Match) -> str:
        target, mark, anchor = found.group(2).partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return found.group()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        there = place(path)
        if not there:
            raise ValueError(f"{source} links to {target}, which is not on the site")
        new = posixpath.relpath(there, posixpath.dirname(page) or ".")
        return f"{found.group(1)}{new}{mark}{anchor}{found.group(3)}"

    # code is left alone: what is in it is no link
    parts = re.split(r"(^```.*?^```$|`[^`\n]+`)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if k % 2 else LINK.sub(link, part) for k, part in enumerate(parts))


def contents(text: str) -> str:
    """docs/index.md with its lists as parts of the contents."""
    head, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    made, trees = [head], []
    for part in parts:
        caption = part.splitlines()[0].removeprefix("## ")
        part = part.replace("\n- ", f"\n{FIRST.get(caption, '')}- ", 1)
        found = {entry["page"]: entry["title"] for entry in ENTRY.finditer(part)}
        if found:
            part = part.replace("\n- ", "\n{.cards}\n- ", 1).replace("): ", ") ")
            trees.append(toctree(found, caption))
        made.append(part)
    return "".join(made) + "\n" + "\n".join(trees)


def inside(text: str, folder: str) -> str:
    """A page with those of its folder in the contents, in the order of its links."""
    links = re.findall(rf"\]\(({re.escape(folder)}/[\w-]+\.md)\)", text)
    titles = {page: title_of((DOCS / page).read_text()) for page in dict.fromkeys(links)}
    return f"{text}\n{toctree(titles)}" if titles else text


def pages() -> dict[str, str]:
    """{page: text}, all that Sphinx reads."""
    made = {**api(), **examples()}
    for file in sorted(DOCS.rglob("*.md")):
        page = file.relative_to(DOCS).as_posix()
        text = moved(file.read_text(), f"docs/{page}", page)
        folder = page.removesuffix(".md")
        if page == "index.md":
            text = contents(text)
        elif (DOCS / folder).is_dir():
            text = inside(text, folder)
        made[page] = text
    for source, page in OTHERS.items():
        made[page] = moved((ROOT / source).read_text(), source, page)
    return made


def others() -> dict[str, Path]:
    """{place on the site: file}: pictures, notebooks and whatever else pages show or offer."""
    found = {}
    for file in DOCS.rglob("*"):
        at = file.relative_to(DOCS)
        if file.is_file() and file.suffix != ".md" and at.parts[0] != "site":
            found[at.as_posix()] = file
    for file in EXAMPLES.glob("*"):
        if file.is_file() and file.suffix != ".py":
            found[f"examples/{file.name}"] = file
    return found


def write(folder: Path) -> None:
    """All of it into an empty folder."""
    for page, text in pages().items():
        at = folder / page
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)
    for page, file in others().items():
        at = folder / page
        at.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, at)
