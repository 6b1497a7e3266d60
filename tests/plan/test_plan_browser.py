"""A planner in a real browser: it plans, the mouse pushes, and the tab says how it goes."""

import itertools

import pytest

import lanewise as lw
from lanewise.plan import Pilot, Planner, tasks
from support.browser import CLOSE_NOTES, MINUTES, a_browser, place_on, wait

pytest.importorskip("viser")

WIDTH, HEIGHT = 1000, 500
CART = 1


def test_a_cart_is_pushed_while_it_swings_its_pole_up():
    task = tasks.make("cartpole")
    batch = task.world()
    task.reset(batch)
    pilot = Pilot(Planner(task, "mppi", samples=16))
    complaints: list[str] = []
    with (
        pilot,
        lw.view(batch, control=pilot, port=0, block=False) as viewer,
        a_browser() as browser,
    ):
        session = viewer.session
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(60_000 * MINUTES)
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(viewer.url)
        page.get_by_role("button", name="Play").click()
        wait(lambda: pilot.plans > 5 and session.frame.clock > 0.2, "nothing is planned")

        # take hold of the cart while it stands still, and push it while it is planned for
        session.pause()
        wait(lambda: not session.playing, "it does not stop")
        page.evaluate(CLOSE_NOTES)
        page.wait_for_timeout(1000)
        x, y = place_on(viewer, viewer.eye.xpos[0, CART], WIDTH, HEIGHT)
        page.mouse.move(x, y)
        page.mouse.down()
        moves = itertools.count()

        def held() -> bool:
            page.mouse.move(x + next(moves) % 7, y)  # some of the moves are lost
            return session.hand is not None

        wait(held, "the mouse holds nothing")
        assert session.hand.body == CART
        session.play()

        def pushed() -> bool:
            page.mouse.move(x + 60 + next(moves) % 7, y)
            return abs(batch.xfrc_applied[0, CART, 0]) > 1.0

        wait(pushed, "the cart is not pushed")
        page.mouse.up()
        wait(lambda: session.hand is None, "the mouse does not let go")
        plans = pilot.plans
        wait(lambda: pilot.plans > plans + 5, "plans end with the push")

        page.get_by_role("tab", name="Plan").click()
        page.get_by_text("plans a second").wait_for()
        assert session.error is None
        assert not complaints
