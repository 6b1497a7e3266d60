"""Take docs/viewer.png: sixteen humanoids in the viewer, in Debian's chromium, one of them held."""

import io
import time
from pathlib import Path

import numpy as np
from PIL import Image

import lanewise as lw
from browsing import browsing
from lanewise.viewer.opening import open_viewer

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "viewer.png"
STEPS = 110
PATIENCE = 30  # seconds: without a graphics processor a picture takes long
COLOURS = 256  # for a small file


def held_worlds() -> lw.Batch:
    b = lw.Batch(lw.load(lw.models.path("humanoid")), 16)
    rng = np.random.default_rng(3)
    b.qvel[:, 6:] += 0.5 * rng.standard_normal(b.qvel[:, 6:].shape)
    b.ctrl[:] = 0.25 * rng.standard_normal(b.ctrl.shape)
    return b


def main() -> None:
    viewer = open_viewer(held_worlds(), port=0, name="humanoid")
    try:
        session, body = viewer.session, viewer.names("body").index("right_forearm")
        session.grab(0, body, [0.18, 0.18, 0.18])
        while session.hand is None:
            time.sleep(0.05)
        session.pull(session.hand.place() + [0.1, -0.25, 0.75])
        viewer.select(0, body)
        for _ in range(STEPS):
            session.step()
        with browsing() as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.goto(viewer.url)
            page.wait_for_selector("canvas")
            time.sleep(PATIENCE)
            close = "document.querySelectorAll('.mantine-Notification-closeButton')"
            page.evaluate(f"{close}.forEach(x => x.click())")
            time.sleep(PATIENCE / 2)
            taken = page.screenshot(timeout=180_000)
    finally:
        viewer.close()
    image = Image.open(io.BytesIO(taken)).convert("RGB")
    image.quantize(COLOURS).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
