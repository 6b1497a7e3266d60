"""Which world and which body; how worlds stand; how other systems read the body."""

from typing import Any

from ..arrangement import ARRANGEMENTS
from ..tape import Frame
from ..wording import ConventionError, Reading, read, systems, table

NOBODY, NONE = "none", "none"


class Choosing:
    """World, body, arrangement, camera, the strength of the hand, readings."""

    def __init__(self, view: Any):
        self._view, gui, n = view, view.server.gui, view.eye.shown
        self._systems = systems()
        self._world = gui.add_slider("World", min=0, max=max(1, n - 1), step=1, initial_value=0,
                                     visible=n > 1)  # fmt: skip
        self._world.on_update(self._choose)
        self._bodies = [NOBODY, *view.names("body")[1:]]
        self._body = gui.add_dropdown("Body", self._bodies, initial_value=NOBODY,
                                      hint="a click in the picture chooses too")  # fmt: skip
        self._body.on_update(self._choose)
        if n > 1:
            how = gui.add_dropdown("Worlds", ARRANGEMENTS)
            how.on_update(lambda event: view.arrange(event.target.value))
        self.follow = gui.add_checkbox("Follow", False, hint="keep the world in the middle")
        self.follow.on_update(lambda event: view.follow(event.target.value))
        home = gui.add_button("Home view", icon="home")
        home.on_click(lambda event: view.go_home(event.client))
        strength = gui.add_slider("Pull", min=0.1, max=10.0, step=0.1, initial_value=1.0,
                                  hint="strength of the spring when you drag a body")  # fmt: skip
        strength.on_update(lambda event: setattr(view, "strength", float(event.target.value)))
        with gui.add_folder("In the words of"):
            system = gui.add_dropdown("System", (NONE, *self._systems), initial_value=NONE)
            system.on_update(self._read)
            self._table = gui.add_markdown("", visible=False)
        self._system: str | None = None

    def _choose(self, event: Any) -> None:
        if event.client is not None:
            body = self._bodies.index(self._body.value)
            self._view.select(int(self._world.value), body)

    def _read(self, event: Any) -> None:
        self._system = self._systems.get(event.target.value)
        self._view.dirty.set()

    def label(self, world: int, body: int) -> str:
        """What stands over a body that is selected."""
        name = self._bodies[body]
        return f"{name}, world {world}" if self._view.eye.shown > 1 else name

    def readings(self, world: int, body: int) -> list[Reading]:
        """The selected body in MuJoCo's words and in those of the chosen system; none if nothing is
        selected."""
        if not body:
            return []
        eye, model = self._view.eye, self._view.model
        given = (model, body, eye.xpos[world, body], eye.xmat[world, body])
        motion = eye.velocity(world, body)
        found = [read("mujoco", *given, motion)]
        if self._system is not None:
            found.append(read(self._system, *given, motion))
        return found

    def refresh(self, frame: Frame) -> None:
        world, body = self._view.selected
        self._world.value, self._body.value = world, self._bodies[body]
        self._table.visible = self._system is not None
        if self._system is None:
            return
        try:
            found = self.readings(world, body)
            self._table.content = table(found) if found else "Click on a body."
        except ConventionError as error:
            self._table.content = str(error)
