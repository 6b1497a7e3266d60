"""A real browser for tests of pages, or a reason to skip them."""

import contextlib

import pytest

from browsing import CHROMIUM, browsing


@contextlib.contextmanager
def a_browser():
    pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with browsing() as browser:
        yield browser
