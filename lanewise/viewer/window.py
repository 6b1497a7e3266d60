"""A window on a session: the server, the picture, the panels, and the thread that draws.

The thread that draws waits for frames, looks at each of them (observing.py), and sends what has
changed to the browsers. Panels are brought up to date less often. `drawing` is its lock: who
changes the picture or the plots from another thread holds it.
"""

import copy
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from .observing import Eye
from .pages import stop_server
from .panels.choosing import Choosing
from .panels.costs import Costs
from .panels.live_plots import Plots
from .panels.looks import Looks
from .panels.own import Own
from .panels.sliders import Sliders
from .panels.transport import Transport
from .scene import cameras
from .scene.bodies import Bodies
from .scene.marks import Marks
from .session import PERIOD, Session
from .tape import Frame, save

PANELS_EVERY = 0.12  # seconds
COLOUR = (38, 110, 200)


class Viewer:
    """What `lanewise.view(..., block=False)` returns. Closing it ends the server and its threads,
    and leaves the worlds as they are then."""

    def __init__(self, session: Session, server: viser.ViserServer, name: str, controlled: bool):
        self.session, self.server, self.name = session, server, name
        self.model, self.controlled = session.model, controlled
        self.drawing, self.dirty = threading.RLock(), threading.Event()
        self.selected = (0, 0)  # world and body; body 0 is none
        self.strength = 1.0
        self._interval = PERIOD  # seconds from picture to picture
        batch = session.batch
        self._own = ["solver_niter"] if "solver_niter" not in batch.bound else []
        self.iterations = batch.bind("solver_niter")
        self._timed, batch.timing = batch.timing, True
        self.eye = Eye(batch)
        self.eye.look(session.frame)
        self.bodies = Bodies(server, copy.deepcopy(self.model.mj), self.eye)
        self.marks = Marks(server, self.bodies.size)
        self._add_panels()
        cameras.aim(server, *self._home())
        self.bodies.on_click(self.select)
        self.bodies.on_drag(self._drag)
        self.on_close: Callable[[], None] | None = None
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._draw_loop, name="lanewise-draw", daemon=True)
        self._draw(session.frame)
        self._thread.start()
        session.start()

    # ------------------------------------------------------------------------------ for the user

    @property
    def url(self) -> str:
        """Where the page is."""
        host = self.server.get_host()
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        return f"http://{shown}:{self.server.get_port()}"

    @property
    def lock(self) -> threading.RLock:
        """To be held while the worlds are changed from another thread."""
        return self.session.lock

    def play(self) -> None:
        """Run on, or play back from where the time slider is."""
        self.session.play()

    def pause(self) -> None:
        """Stand still. What others do to the worlds is shown."""
        self.session.pause()

    def save(self, path: Any) -> None:
        """Write what was recorded to an npz file, which `lanewise replay` reads: see docs/viewer.md
        for its arrays."""
        save(path, self.session.clip())

    def wait(self) -> None:
        """Until it is closed, or Ctrl-C."""
        while not self._closed.wait(0.2):
            pass

    def close(self) -> None:
        """End the server and its threads."""
        if self._closed.is_set():
            return
        self._closed.set()
        self.dirty.set()
        self.session.stop()
        self._thread.join()
        stop_server(self.server)
        self.session.batch.timing = self._timed
        del self.iterations
        for name in self._own:
            self.session.batch.unbind(name)
        if self.on_close is not None:
            self.on_close()

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<lanewise viewer of {self.name} at {self.url}>"

    # ------------------------------------------------------------------------------- for panels

    @property
    def pictures(self) -> float:
        """How many are made in a second, at present."""
        return 1.0 / max(self._interval, 1e-3)

    def names(self, kind: str) -> list[str]:
        """Names of all bodies, joints, actuators, sensors or keys; what has none has its number."""
        mj = self.model.mj
        count = {"body": mj.nbody, "joint": mj.njnt, "actuator": mj.nu, "sensor": mj.nsensor,
                 "key": mj.nkey}[kind]  # fmt: skip
        return [getattr(mj, kind)(k).name or f"{kind} {k}" for k in range(count)]

    def select(self, world: int, body: int) -> None:
        self.selected = (world, body)
        self.dirty.set()

    def arrange(self, arrangement: str) -> None:
        """Side by side or as ghosts; the camera looks at all of it again."""
        with self.drawing:
            self.bodies.arrange(arrangement)
            cameras.aim(self.server, *self._home())
        for client in self.server.get_clients().values():
            self.go_home(client)
        self.dirty.set()

    def follow(self, on: bool) -> None:
        """Keep the selected world in the middle; pictures do not jump when that begins or ends."""
        with self.drawing:
            before = self.bodies.shift
            self.bodies.drawn.camera_tracking_enabled = on
            self._draw(self.session.frame)
            moved = self.bodies.shift - before
            cameras.aim(self.server, *(x + self.bodies.shift for x in self._home()))
        if self.choosing.follow.value != on:
            self.choosing.follow.value = on
        for client in self.server.get_clients().values():
            look_at = client.camera.look_at + moved
            client.camera.position = client.camera.position + moved
            client.camera.look_at = look_at

    def go_home(self, client: Any) -> None:
        """A client's camera to where it began."""
        position, look_at = self._home()
        shift = self.bodies.shift
        client.camera.position, client.camera.look_at = position + shift, look_at + shift

    def theme(self, dark: bool) -> None:
        """Light or dark."""
        self.server.gui.configure_theme(
            dark_mode=dark, show_logo=False, show_share_button=False, brand_color=COLOUR,
            control_width="medium",
        )  # fmt: skip
        self.bodies.grounds.theme(dark)

    def _home(self) -> tuple[np.ndarray, np.ndarray]:
        many = bool(self.bodies.offsets.any())
        return cameras.place(*self.bodies.whole(), many)

    def _add_panels(self) -> None:
        gui = self.server.gui
        self.theme(dark=False)
        gui.set_panel_label(f"Lanewise · {self.name}")
        transport = Transport(self)
        tabs = gui.add_tab_group()
        with tabs.add_tab("World"):
            self.choosing = Choosing(self)
        with tabs.add_tab("Move"):
            sliders = Sliders(self)
        self.plots_tab = tabs.add_tab("Plot")
        with self.plots_tab:
            self.plots = Plots(self)
        with tabs.add_tab("Look"):
            looks = Looks(self)
        with tabs.add_tab("Cost"):
            costs = Costs(self)
        self._panels: tuple[Any, ...] = (
            transport, self.choosing, sliders, self.plots, looks, costs,
        )  # fmt: skip
        control: Any = self.session.control
        if hasattr(control, "panel"):
            with tabs.add_tab(control.title):
                self._panels += (Own(self, control),)

    # ------------------------------------------------------------------------------ the mouse

    def _drag(self, phase: str, world: int, body: int, start: np.ndarray, end: np.ndarray) -> None:
        """Take hold of a body, pull, let go. Points are in the picture, where worlds are shifted.

        `world` and `body` are those at the start, and so is the point that is held; it moves with
        the body, whatever the browser takes `start` for later.
        """
        session = self.session
        if phase == "end":
            session.let_go()
            return
        away = self.bodies.offsets[world] + self.bodies.shift
        if phase == "start":
            with self.drawing:
                R, p = self.eye.xmat[world, body], self.eye.xpos[world, body]
                point = R.T @ (start - away - p)
            self.select(world, body)
            session.grab(world, body, point, self.strength)
        session.pull(end - away)

    # ------------------------------------------------------------------------------ drawing

    def _draw_loop(self) -> None:
        serial, panels, last = -1, 0.0, time.perf_counter()
        while not self._closed.is_set():
            frame = self.session.wait(serial, timeout=0.05)
            if frame.serial == serial and not self.dirty.is_set() and not self._stale(panels):
                continue
            self.dirty.clear()
            try:
                with self.drawing:
                    self._draw(frame)
                    if time.perf_counter() - panels > PANELS_EVERY:
                        panels = time.perf_counter()
                        with self.server.atomic():
                            for panel in self._panels:
                                panel.refresh(frame)
            except Exception:  # a picture that fails must not end the others
                traceback.print_exc()
                self._closed.wait(1.0)
            now = time.perf_counter()
            if frame.serial != serial:
                self._interval += 0.1 * (now - last - self._interval)
                last = now
            serial = frame.serial

    def _stale(self, panels: float) -> bool:
        """Whether panels should be looked after, though nothing moves: states such as pausing."""
        return time.perf_counter() - panels > 3 * PANELS_EVERY

    def _draw(self, frame: Frame) -> None:
        world, body = self.selected
        self.eye.look(frame)
        with self.server.atomic():
            self.bodies.draw(world)
            self._mark(world, body)

    def _mark(self, world: int, body: int) -> None:
        at = self.bodies.offsets[world] + self.bodies.shift
        ring = None
        if self.eye.shown > 1 and self.bodies.offsets.any():
            middle = 0.5 * (self.bodies.low + self.bodies.high)
            ring = at + np.array([middle[0], middle[1], self.bodies.low[2] + 0.002])
        text = ""
        if body:
            text = self.choosing.label(world, body)
        radius = 0.46 * float(self.bodies.spacing.min())
        self.marks.select(text, self.eye.xpos[world, body] + at, ring, radius)
        home, other = (*self.choosing.readings(world, body), None, None)[:2]
        self.marks.show_frames(home, other, at)
        hand = self.session.hand
        if hand is None:
            self.marks.hold(None, None)
        else:
            there = self.bodies.offsets[hand.world] + self.bodies.shift
            R, p = self.eye.xmat[hand.world, hand.body], self.eye.xpos[hand.world, hand.body]
            self.marks.hold(p + R @ hand.point + there, hand.goal + there)
