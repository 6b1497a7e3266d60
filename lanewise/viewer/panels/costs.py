"""What a step takes, stage by stage, and how many iterations the solver needed."""

import time
from typing import Any

import numpy as np

from ...mjconst import TIMERSTRING
from ..tape import Frame

STAGES = ("step", "position", "pos_kinematics", "pos_inertia", "pos_collision", "pos_make",
          "pos_project", "velocity", "actuation", "constraint", "advance")  # fmt: skip
MOST_POINTS = 240
EVERY = 0.5  # seconds


class Costs:
    """Times of stages in microseconds for a world and step, on one thread."""

    def __init__(self, view: Any):
        self._view, gui = view, view.server.gui
        measure = gui.add_checkbox("Measure stages", True)
        measure.on_update(lambda event: self._measure(event.target.value))
        self._stages = gui.add_html("")
        self._solver = gui.add_html("")
        points = tuple(np.array([0.0, 1.0]) for _ in range(3))
        self._chart = gui.add_uplot(
            points,
            ({"label": "s"}, {"label": "mean", "stroke": "#1971c2", "width": 1.5},
             {"label": "most", "stroke": "#e8590c", "width": 1.5}),
            title="solver iterations", aspect=1.7, scales={"x": {"time": False}},
        )  # fmt: skip
        self._history: list[tuple[float, float, float]] = []
        self._before = (np.zeros(len(TIMERSTRING)), np.zeros(len(TIMERSTRING), np.int64))
        self._shown = 0.0

    def _measure(self, on: bool) -> None:
        with self._view.session.lock:
            self._view.session.batch.timing = on

    def refresh(self, frame: Frame) -> None:
        session = self._view.session
        if not session.playing or session.cursor is not None:
            return
        iterations = self._view.iterations.max(axis=1)
        if self._history and self._history[-1][0] > frame.clock:
            self._history.clear()
        self._history.append((frame.clock, float(iterations.mean()), float(iterations.max())))
        del self._history[:-MOST_POINTS]
        if time.monotonic() - self._shown < EVERY:
            return
        self._shown = time.monotonic()
        self._show_stages()
        steps = session.batch.nsim * session.speed / float(session.model.opt.timestep)
        self._solver.content = _box(
            f"<b>{iterations.mean():.1f}</b> iterations in the mean, <b>{iterations.max():.0f}</b>"
            f" at most<br>{steps:,.0f} world steps a second for real time at this speed"
        )
        if len(self._history) > 1:
            self._chart.data = tuple(np.array(column) for column in zip(*self._history))

    def _show_stages(self) -> None:
        timer = self._view.session.batch.timer
        duration, number = timer.duration, timer.number
        spent, ran = duration - self._before[0], number - self._before[1]
        self._before = (duration, number)
        if ran.min() < 0 or not ran.max():  # after a reset, or not measured
            return
        times = {name: 1e6 * spent[k] / ran[k] for k, name in enumerate(TIMERSTRING) if ran[k] > 0}
        whole = max(times.get("step", 0.0), 1e-9)
        rows = "".join(_row(name, times[name], whole) for name in STAGES if name in times)
        self._stages.content = _box(
            f'<table style="width:100%;border-spacing:0 2px">{rows}</table>'
            "µs for each world and step, of a thread"
        )


def _row(name: str, time: float, whole: float) -> str:
    part = min(100.0, 100.0 * time / whole)
    inset = "padding-left:1em;opacity:.8" if name.startswith("pos_") else ""
    return (
        f'<tr><td style="{inset}">{name}</td><td style="text-align:right">{time:.2f}</td>'
        f'<td style="width:38%;padding-left:.6em"><div style="background:#4dabf7;height:.55em;'
        f'border-radius:2px;width:{part:.0f}%"></div></td></tr>'
    )


def _box(text: str) -> str:
    return f'<div style="padding:0.3em 0.9em;font-size:0.8em;line-height:1.35">{text}</div>'
