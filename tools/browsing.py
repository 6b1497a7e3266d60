"""Debian's chromium without a screen, which draws in software, for tests and pictures of pages."""

import contextlib
import shutil
from collections.abc import Iterator
from typing import Any

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextlib.contextmanager
def browsing() -> Iterator[Any]:
    """A browser of playwright's; ImportError or FileNotFoundError where there is none."""
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        raise FileNotFoundError("chromium is not installed: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
