"""What a controller shows of itself: a tab for one that has a `title` and a method `panel`.

`panel(gui)` adds what it wants to viser's gui, and returns a function that is called a few times a
second with the time since the last reset [s].
"""

from typing import Any

from ..tape import Frame


class Own:
    """The panel of a controller's own."""

    def __init__(self, view: Any, control: Any):
        self._refresh = control.panel(view.server.gui)

    def refresh(self, frame: Frame) -> None:
        self._refresh(frame.clock)
