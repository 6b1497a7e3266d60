"""Build the documentation site into build/site. Warnings and dead links are errors.

    make site                                  # or: python tools/make_site.py
    python -m http.server -d build/site -b 127.0.0.1 8000

build/pages has what Sphinx reads: see site_pages.py. It is always built anew: every page shows the
contents, and what Sphinx had read before would show old ones.
"""

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx

import site_pages
from dead_links import dead_links

BUILD = site_pages.ROOT / "build"


def run_sphinx(pages: Path, site: Path, trees: Path) -> int:
    """The exit status of Sphinx, which is not 0 if it warned of anything."""
    options = ["-b", "html", "-E", "-W", "-q", "-j", "2", "-d", str(trees)]
    return sphinx([*options, "-c", str(site_pages.DOCS / "site"), str(pages), str(site)])


def build(folder: Path = BUILD) -> int:
    """The exit status: 0 if all is well."""
    pages, site = folder / "pages", folder / "site"
    for old in (pages, site):
        shutil.rmtree(old, ignore_errors=True)
    site_pages.write(pages)
    status = run_sphinx(pages, site, folder / "doctrees")
    dead = dead_links(site) if status == 0 else []
    for link in dead:
        print(f"dead link: {link}", file=sys.stderr)
    if not status and not dead:
        print(f"{len(list(site.rglob('*.html')))} pages in {site / 'index.html'}")
    return status or len(dead)


if __name__ == "__main__":
    raise SystemExit(build())
