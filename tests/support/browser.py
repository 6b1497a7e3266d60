"""A real browser for tests of pages, or a reason to skip them.

It draws in software, and others use the machine: every wait has minutes before it fails.
"""

import contextlib
import time

import numpy as np
import pytest

from browsing import CHROMIUM, browsing

MINUTES = 2
# one says that it draws in software, and lies over the picture
CLOSE_NOTES = (
    "document.querySelectorAll('.mantine-Notification-closeButton').forEach(x => x.click())"
)


@contextlib.contextmanager
def a_browser():
    pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with browsing() as browser:
        yield browser


def wait(condition, what):
    end = time.monotonic() + 60 * MINUTES
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def place_on(viewer, point, width, height) -> tuple[float, float]:
    """Where a point of the picture [m] is on a page of so many pixels [pixels]."""
    import viser.transforms

    camera = next(iter(viewer.server.get_clients().values())).camera
    seen = viser.transforms.SO3(camera.wxyz).as_matrix().T @ (np.asarray(point) - camera.position)
    focal = 0.5 * height / np.tan(0.5 * camera.fov)
    return 0.5 * width + focal * seen[0] / seen[2], 0.5 * height + focal * seen[1] / seen[2]
