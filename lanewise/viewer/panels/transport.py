"""Play, pause, step, reset, speed, keyframes, the time slider, saving; how it goes."""

import html
import io
from typing import Any

import numpy as np

from ..session import SPEEDS
from ..tape import Frame

STEP, RESET, SAVE, ON = "Step", "Reset", "Save", "Simulate from here"
NO_KEY = "choose a keyframe"


class Transport:
    """The upper part of the panel, which is always there."""

    def __init__(self, view: Any):
        self._view, session, gui = view, view.session, view.server.gui
        self._status = gui.add_html("")
        self._error = gui.add_html("", visible=False)
        self._play = gui.add_button("Play", icon="player-play-filled", color="blue",
                                    hint="space bar")  # fmt: skip
        self._play.on_click(lambda _: self.toggle())
        self._moves = gui.add_button_group(
            "Run", (STEP, RESET, SAVE),
            hint="save: what was recorded, with the model, as an npz file",
        )  # fmt: skip
        self._moves.on_click(self._move)
        self._time = gui.add_slider("Time [s]", min=0.0, max=1.0, step=0.01, initial_value=0.0,
                                    hint="drag to see what was recorded")  # fmt: skip
        self._time.on_update(self._scrub)
        self._on = gui.add_button(ON, icon="player-track-next", visible=False)
        self._on.on_click(lambda _: session.simulate_here())
        words = [f"{speed:g}" for speed in SPEEDS]
        speed = gui.add_dropdown("Speed", words, initial_value="1", hint="of real time")
        speed.on_update(lambda event: session.set_speed(float(event.target.value)))
        if view.model.nkey:
            keys = {name or f"key {k}": k for k, name in enumerate(view.names("key"))}
            key = gui.add_dropdown("Keyframe", (NO_KEY, *keys), initial_value=NO_KEY)
            key.on_update(lambda event: self._to_key(event, keys))
        command = gui.add_command("Play or pause", hotkey="space", icon="player-play")
        command.on_trigger(lambda _: self.toggle())

    def toggle(self) -> None:
        session = self._view.session
        session.pause() if session.playing else session.play()

    def _move(self, event: Any) -> None:
        session = self._view.session
        if event.target.value == SAVE:
            self._download(event.client)
        else:
            session.step() if event.target.value == STEP else session.reset()

    def _scrub(self, event: Any) -> None:
        if event.client is not None:
            self._view.session.scrub(float(event.target.value))

    def _to_key(self, event: Any, keys: dict[str, int]) -> None:
        if event.target.value in keys:
            self._view.session.keyframe(keys[event.target.value])
            event.target.value = NO_KEY  # so that it can be chosen again

    def _download(self, client: Any) -> None:
        try:
            file = io.BytesIO()
            np.savez_compressed(file, **self._view.session.clip())
        except ValueError as error:
            client.add_notification("Nothing saved", str(error), color="red")
        else:
            client.send_file_download(
                f"{self._view.name}.npz", file.getvalue(), save_immediately=True
            )

    def refresh(self, frame: Frame) -> None:
        session = self._view.session
        first, last = session.span()
        self._play.label = "Pause" if session.playing else "Play"
        self._play.icon = "player-pause-filled" if session.playing else "player-play-filled"
        back = session.cursor is not None
        self._on.visible = back
        self._time.min, self._time.max = _round(first), max(_round(last), _round(first) + 0.01)
        self._time.value = _round(frame.clock)
        self._status.content = self._line(frame, back)
        self._error.visible = session.error is not None
        self._error.content = _red(session.error or "")

    def _line(self, frame: Frame, back: bool) -> str:
        session = self._view.session
        if session.error is not None:
            state, colour = "stopped", "#e03131"
        elif back:
            state, colour = "playing back" if session.playing else "looking back", "#f08c00"
        else:
            state, colour = ("running", "#2f9e44") if session.playing else ("paused", "#868e96")
        rate = f"{session.factor:.2f} of real time · {self._view.pictures:.0f} fps"
        told = f"{frame.clock:.2f} s" + (f" · {rate}" if session.playing else "")
        return (
            f'<div style="padding:0.2em 0.9em 0.4em;font-size:0.82em">'
            f'<span style="color:{colour}">●</span> <b>{state}</b> · {told}</div>'
        )


def _round(seconds: float) -> float:
    return round(seconds, 2)


def _red(text: str) -> str:
    return (
        '<pre style="margin:0 0.9em 0.6em;padding:0.6em;border-radius:4px;font-size:0.75em;'
        'white-space:pre-wrap;background:#fff0f0;color:#c92a2a;border:1px solid #ffc9c9">'
        f"{html.escape(text)}</pre>"
    )
