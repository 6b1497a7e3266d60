"""The page in a real browser: what a hand does there reaches the worlds, and is seen.

It is Debian's chromium without a screen, which draws in software: slow, so the scene is small, and
every wait has minutes before it fails.
"""

import io
import itertools

import numpy as np
import pytest

import lanewise as lw
from support.browser import CLOSE_NOTES, MINUTES, a_browser, place_on, wait

pytest.importorskip("viser")
Image = pytest.importorskip("PIL.Image")

WIDTH, HEIGHT = 680, 400
MODEL = """
<mujoco model="a box and an arm">
  <option timestep="0.005"/>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="box" pos="0 0 .2">
      <freejoint/>
      <geom type="box" size=".2 .2 .2" rgba=".9 .2 .1 1" mass="2"/>
    </body>
    <body name="arm" pos="-.6 0 .6">
      <joint name="hinge" axis="0 1 0" damping="1"/>
      <geom type="capsule" size=".06" fromto="0 0 0 0 0 -.4" rgba=".1 .3 .9 1"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge" ctrlrange="-5 5"/></actuator>
</mujoco>
"""
BOX = 1


@pytest.fixture(scope="module")
def viewer():
    batch = lw.Batch(lw.load(MODEL), nsim=2)
    with lw.view(batch, port=0, block=False) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def complaints():
    return []


@pytest.fixture(scope="module")
def page(viewer, complaints):
    with a_browser() as browser:
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(60_000 * MINUTES)
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(viewer.url)
        page.wait_for_selector("canvas")
        page.get_by_role("button", name="Play").wait_for()
        wait(lambda: box_is_red(picture(page), viewer), "the box is not in the picture")
        page.evaluate(CLOSE_NOTES)
        yield page


def on_screen(viewer, point) -> tuple[float, float]:
    return place_on(viewer, point, WIDTH, HEIGHT)


def picture(page) -> np.ndarray:
    """What is seen, (height, width, 3)."""
    return np.array(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), int)


def red(pixels: np.ndarray) -> np.ndarray:
    return (pixels[..., 0] > 90) & (pixels[..., 1:].max(axis=-1) < 0.6 * pixels[..., 0])


def moved(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether red things are in other places than they were."""
    return int((red(before) != red(after)).sum()) > 300


def box_is_red(pixels: np.ndarray, viewer) -> bool:
    if not viewer.server.get_clients():
        return False
    x, y = on_screen(viewer, viewer.eye.xpos[0, BOX] + viewer.bodies.offsets[0])
    return bool(red(pixels[int(y), int(x)]))


def test_the_hand_in_the_page(viewer, page, complaints):
    session, batch = viewer.session, viewer.session.batch
    first = picture(page)

    # play
    page.get_by_role("button", name="Play").click()
    wait(lambda: session.frame.clock > 0.2, "play does not run")

    # drag the box of the first world upwards, and hold it there
    x, y = on_screen(viewer, viewer.eye.xpos[0, BOX] + viewer.bodies.offsets[0])
    page.mouse.move(x, y)
    page.mouse.down()
    moves = itertools.count()

    def lifted() -> bool:
        """The page is slow, and takes some of the moves only: so there are many."""
        k = next(moves)
        page.mouse.move(x - min(8 * k, 40) + k % 3, y - min(20 * k, 140))
        return session.hand is not None and batch.qpos[0, 2] > 0.26

    wait(lifted, "the box is not lifted")
    assert (session.hand.world, session.hand.body) == (0, BOX)
    wait(lambda: moved(first, picture(page)), "the picture stays as it was")
    page.mouse.up()
    wait(lambda: session.hand is None, "the mouse does not let go")
    assert viewer.selected == (0, BOX)
    assert abs(batch.qpos[1, 2] - 0.2) < 0.01  # the other world feels nothing

    # pause, and scrub back to the beginning
    page.get_by_role("button", name="Pause").click()
    wait(lambda: not session.playing, "pause does not stop")
    end = picture(page)
    page.get_by_role("slider").first.press("Home")
    wait(lambda: session.cursor == 0, "scrubbing does not go back")
    wait(lambda: box_is_red(picture(page), viewer), "the box is not where it began")
    assert moved(end, picture(page))

    # save what was recorded
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    with np.load(download.value.path(), allow_pickle=False) as clip:
        assert clip["qpos"].shape == (len(session.tape), 2, batch.qpos.shape[1])

    # a slider of a control
    page.get_by_role("tab", name="Move").click()
    sliders = page.get_by_role("slider")
    wait(lambda: sliders.count() >= 3, "there are no sliders")
    before = batch.ctrl[0, 0]
    sliders.nth(1).press("ArrowRight")
    wait(lambda: batch.ctrl[0, 0] > before, "the slider does not reach the control")
    assert batch.ctrl[1, 0] == before

    assert not complaints
