"""The pages on conventions: none is left out, and each says what it is about."""

import re

import pytest

from support.places import DOCS

PAGES = [DOCS / "conventions.md", *sorted((DOCS / "conventions").glob("*.md"))]


def test_every_page_is_listed():
    text = (DOCS / "conventions.md").read_text()
    listed = re.findall(r"^- \[.*?\]\(conventions/([\w-]+\.md)\)", text, re.MULTILINE)
    assert sorted(listed) == sorted(p.name for p in PAGES[1:])


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda p: p.stem)
def test_page_has_a_title_and_says_at_once_what_it_is_about(page):
    title, blank, first = page.read_text().splitlines()[:3]
    assert title.startswith("# ") and not blank and re.match(r'["A-Z]', first)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("wrench", ["tau_new = tau - r x f", "tau_new = tau + r x f", "The sign is wrong"]),
        ("velocity-point", ["R v_b + p x w_s", "R v_b + w_s x p", "The sign is wrong"]),
        ("up-axis", ["C (J0 + transl) - J0"]),
    ],
)
def test_mistakes_of_the_documents_are_named(page, words):
    text = (DOCS / "conventions" / f"{page}.md").read_text()
    assert all(w in text for w in words)
