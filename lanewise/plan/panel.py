"""What a Pilot shows of itself beside the picture of the viewer: rate, cost, weights.

`gui` is viser's; nothing of viser is imported here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .costs import Terms

MOST_POINTS = 300
LINES = ({"label": "s"}, {"label": "cost", "stroke": "#1971c2", "width": 1.5})


def panel(pilot: Any, gui: Any) -> Callable[[float], None]:
    """Add it to the gui; what is returned brings it up to date, at a time of the world [s]."""
    task, planner = pilot.task, pilot.planner
    words = gui.add_html("")
    on = gui.add_checkbox("Plan", True, hint="if not, the last plan is followed to its end")
    on.on_update(lambda event: setattr(pilot, "planning", event.target.value))
    chart = gui.add_uplot(
        (np.array([0.0, 1.0]), np.array([0.0, 1.0])), LINES, title="cost of the plan", aspect=1.7,
        scales={"x": {"time": False}},
    )  # fmt: skip
    if hasattr(planner.optimizer, "noise"):
        _slider(gui, "Noise", planner.optimizer.noise,
                lambda value: setattr(planner.optimizer, "noise", max(value, 1e-6)))  # fmt: skip
    if isinstance(task.cost, Terms):
        with gui.add_folder("Weights"):
            for k, name in enumerate(task.cost.names):
                _slider(gui, name, task.cost.weights[k], _setter(task.cost.weights, k))
    history: list[tuple[float, float]] = []

    def refresh(clock: float) -> None:
        words.content = _words(pilot)
        if history and history[-1][0] > clock:
            history.clear()
        if np.isfinite(pilot.cost) and (not history or history[-1][0] < clock):
            history.append((clock, pilot.cost))
            del history[:-MOST_POINTS]
        if len(history) > 1:
            chart.data = tuple(np.array(column) for column in zip(*history))

    return refresh


def _setter(weights: np.ndarray, k: int) -> Callable[[float], None]:
    return lambda value: weights.__setitem__(k, value)


def _slider(gui: Any, name: str, value: float, write: Callable[[float], None]) -> None:
    """From zero to four times what it is."""
    most = float(4.0 * value) or 1.0
    slider = gui.add_slider(name, min=0.0, max=most, step=most / 400.0, initial_value=float(value))
    slider.on_update(lambda event: write(float(event.target.value)))


def _words(pilot: Any) -> str:
    planner, task = pilot.planner, pilot.task
    return (
        '<div style="padding:0 1em .5em;font-size:.85em">'
        f"<b>{pilot.rate:.0f}</b> plans a second, {1e3 * pilot.took:.0f} ms each:"
        f" {planner.nsample} samples of {task.nstep} steps<br>cost <b>{pilot.cost:.4g}</b></div>"
    )
