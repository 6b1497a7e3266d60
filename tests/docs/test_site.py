"""The site: every page is in the contents, every public name in the reference, no link is dead."""

import importlib
import inspect
import re
from types import ModuleType

import pytest

import api_pages
import lanewise as lw
import prose
import site_pages
from dead_links import dead_links
from lanewise import bridges, conventions, frames, public, rollout
from support.browser import a_browser

# MyST calls what Sphinx is going to drop
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated:PendingDeprecationWarning")

PAGES = site_pages.pages()
API = "\n".join(text for page, text in PAGES.items() if page.startswith("api/"))
TREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def contents(page: str) -> list[str]:
    """The pages below a page."""
    trees = "\n".join(TREE.findall(PAGES[page]))
    return [f"{name}.md" for name in re.findall(r"^.+ </(.+)>$", trees, re.MULTILINE)]


def test_every_page_is_in_the_contents_once():
    found, pages = [], ["index.md"]
    while pages:
        page = pages.pop()
        found.append(page)
        pages += contents(page)
    assert sorted(found) == sorted(PAGES)


def test_contents_begin_with_first_steps():
    assert contents("index.md")[:2] == ["first-steps.md", "guide.md"]
    assert "api/index.md" in contents("index.md")


def described(module: str, name: str) -> bool:
    """Whether the reference has a name, in the part about its module."""
    parts = re.split(r"^```\{py:currentmodule\} (\S+)$", API, flags=re.MULTILINE)
    texts = [text for where, text in zip(parts[1::2], parts[2::2]) if where == module]
    directive = rf"^`````\{{py:\w+\}} {re.escape(name)}\b"
    return any(re.search(directive, text, re.MULTILINE) for text in texts)


@pytest.mark.parametrize("name", public.__all__)
def test_reference_has_every_public_name(name):
    assert described("lanewise", name)


@pytest.mark.parametrize("kind", ["Batch", "Data", "Model"])
def test_reference_has_every_method_and_property(kind):
    m = lw.load("<mujoco/>")
    thing = {"Batch": lambda: lw.Batch(m, 1, 1), "Data": lambda: lw.Data(m), "Model": lambda: m}[
        kind
    ]()
    for member in set(dir(thing)) & set(dir(type(thing))):
        value = inspect.getattr_static(type(thing), member)
        made = isinstance(value, property) and "<locals>" not in value.fget.__qualname__
        if not member.startswith("_") and (made or inspect.isfunction(value)):
            assert described("lanewise", f"{kind}.{member}"), member


@pytest.mark.parametrize("name", conventions.__all__)
def test_reference_has_conventions(name):
    if not isinstance(getattr(conventions, name), ModuleType):
        assert described("lanewise.conventions", name)


@pytest.mark.parametrize(
    "module", [frames, rollout, *(getattr(bridges, n) for n in bridges.__all__)]
)
def test_reference_has_modules(module):
    own = set(getattr(module, "__all__", ())) or {
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
    }
    assert own and all(described(module.__name__, name) for name in own)


def test_everything_in_the_reference_says_something():
    silent = [name for name, e in api_pages.ALL.items() if len(e.doc) < 8]
    assert not silent


# ---- docstrings as Markdown


def test_signs_of_a_docstring_are_no_markup():
    text = prose.markdown("xi* and geom_x* of <body> [m|rad], (nsim, nq) of `qpos`")
    assert r"xi\* and" in text and r"\<body\>" in text and r"\[m\|rad\]" in text
    assert "`(nsim, nq)` of `qpos`" in text


def test_columns_and_indented_lines_keep_their_shape():
    text = prose.markdown(
        "Arrays:\n\n    q = f(x)\n\nname   (3,) a *point*\nother  that goes on\n  here"
    )
    assert "```python\nq = f(x)\n```" in text
    assert "```text\nname   (3,) a *point*\nother  that goes on\n  here\n```" in text


def test_names_lead_to_what_they_mean():
    link = api_pages.finder(api_pages.ALL["lanewise.Batch.rollout"])
    assert link("step") == "lanewise.Batch.step" and link("load") == "lanewise.load"
    assert api_pages.finder(api_pages.ALL["lanewise.load"])("passive") == ""  # a parameter
    assert "{py:obj}`step <lanewise.Batch.step>`" in prose.markdown("see `step`", link)


# ---- links


def test_links_are_those_of_the_site():
    text = "[a](../examples/policy.py), [b](names.md#x), [c](#y), `[d](e)`, [f](https://f.org)"
    moved = site_pages.moved(text, "docs/guide.md", "guide.md")
    assert moved == text.replace("../examples/policy.py", "examples/policy.md")
    deeper = site_pages.moved(
        "[a](../../examples), [b](../rays.md)", "docs/howto/rl.md", "howto/rl.md"
    )
    assert deeper == "[a](../examples/index.md), [b](../rays.md)"
    with pytest.raises(ValueError, match="Makefile, which is not on the site"):
        site_pages.moved("[a](../Makefile)", "docs/guide.md", "guide.md")


def test_dead_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#there"></a><a href="b.html#gone"></a>')
    (tmp_path / "b.html").write_text('<p id="there"><img src="c.png"><a href="https://c.org">')
    assert dead_links(tmp_path) == ["a.html: b.html#gone", "b.html: c.png"]


# ---- building


def build(folder, **pages: str) -> int:
    make_site = importlib.import_module("make_site")
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text)
    return make_site.run_sphinx(folder, folder / "site", folder / "trees")


INDEX = "# A\n\n```{toctree}\nother\n```\n"


@pytest.mark.parametrize(
    ("what", "pages"),
    {
        "a page in no list": {"index": "# A\n", "other": "# B\n"},
        "a link to no page": {"index": INDEX, "other": "# B\n\n[x](nothing.md)\n"},
        "a link to no heading": {"index": INDEX, "other": "# B\n\n[x](index.md#nothing)\n"},
    }.items(),
)
def test_warnings_are_errors(tmp_path, capsys, what, pages):
    pytest.importorskip("sphinx")
    assert build(tmp_path, **pages) != 0, what
    capsys.readouterr()


def test_search_finds_a_page(tmp_path, serve):
    """In a real browser: a query is typed, and the page with the word is offered."""
    pytest.importorskip("sphinx")
    assert build(tmp_path, index=INDEX, other="# Pendulum\n\nIt oscillates.\n") == 0
    with a_browser() as browser:
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(serve(tmp_path / "site"))
        page.fill("input[name=q]", "oscillates")
        page.press("input[name=q]", "Enter")
        page.wait_for_selector("#search-results li a", timeout=60_000)
        assert page.inner_text("#search-results li a") == "Pendulum"
        assert not errors


@pytest.fixture
def serve():
    """A function that serves a folder on loopback and says where."""
    import functools
    import threading
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    servers = []

    def start(folder) -> str:
        handler = functools.partial(Quiet, directory=str(folder))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/index.html"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
