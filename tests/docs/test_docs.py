"""The documents: the generated page is that of the table, links lead somewhere, commands exist."""

import re
import subprocess
import sys

import pytest

from lanewise import fields
from support.places import ROOT

PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]


def test_generated_pages_are_up_to_date():
    run = subprocess.run(
        [sys.executable, "tools/make_docs.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_fields_page_has_every_field():
    text = (ROOT / "docs" / "fields.md").read_text()
    missing = [f.name for f in [*fields.MODEL, *fields.DATA] if f"`{f.name}`" not in text]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if not target.startswith(("http://", "https://", "#")):
            assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_make_targets_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    used = set(re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(), re.MULTILINE))
    assert used <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_named_files_exist(page):
    """Files of the repository that are named in running text."""
    names = re.findall(
        r"`((?:lanewise|tests|docs|bench|examples|tools)/[\w/.]+)`", page.read_text()
    )
    missing = [name for name in names if not (ROOT / name).exists()]
    assert not missing


@pytest.mark.parametrize(
    "lock", ["requirements.lock", "requirements-engines.lock", "requirements-learning.lock"]
)
def test_lock_is_plain(lock):
    """Name and version only: no addresses, no paths, no hashes."""
    for line in (ROOT / lock).read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.]+", line), line
