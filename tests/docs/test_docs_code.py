"""Python in the documents: every block runs, and prints what the page shows.

The blocks of a page run one after the other, as a reader would type them, in the folder of the
repository. Lines with >>> have to print what follows them; a block without has to print the block
of ```text after it, if there is one. What is marked ```py is an excerpt of a source, and not run.
Kernels in a block are compiled from its source, as in a notebook.
"""

import contextlib
import doctest
import io
import linecache
import re

import pytest

from support.places import DOCS, ROOT

PAGES = [
    page
    for page in (*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")))
    if "```python" in page.read_text()
]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def sessions(block: str, names: dict, page: str) -> None:
    """Lines with >>> and what they print"""
    test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
    said: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    runner.run(test, out=said.append, clear_globs=False)
    names |= test.globs
    assert not said, "".join(said)


def program(block: str, shown: str, names: dict, page: str) -> None:
    printed = io.StringIO()
    file = f"<{page}: {len(linecache.cache)}>"
    linecache.cache[file] = len(block), None, block.splitlines(keepends=True), file
    with contextlib.redirect_stdout(printed):
        exec(compile(block, file, "exec"), names)
    same = doctest.OutputChecker().check_output(shown, printed.getvalue(), FLAGS)
    assert same or not shown, f"the page shows\n{shown}\nand it prints\n{printed.getvalue()}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_blocks_of_a_page(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    names: dict = {"__name__": "page"}
    for block, shown in BLOCK.findall(page.read_text()):
        if ">>>" in block:
            sessions(block, names, page.name)
        else:
            program(block, shown, names, page.name)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_no_block_is_overlooked(page):
    text = page.read_text()
    assert len(BLOCK.findall(text)) == text.count("```python")
