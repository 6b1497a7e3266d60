"""Sliders for controls and joints, of the selected world or of all worlds."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...mjconst import JNT_HINGE, JNT_SLIDE
from ..tape import Frame

MOST = 80  # sliders of a kind
REST = 0.6  # seconds for which a slider that was moved is left alone


@dataclass(eq=False)
class Slider:
    """A slider and the number in the state that it shows."""

    handle: Any
    address: int
    low: float
    high: float
    moved: float = 0.0


class Sliders:
    """Controls, then joints: hinges [rad] and slides [m]."""

    def __init__(self, view: Any):
        self._view, gui = view, view.server.gui
        self._all = gui.add_checkbox("All worlds", False, visible=view.eye.shown > 1)
        self._ctrl: list[Slider] = []
        self._joints: list[Slider] = []
        m, session = view.model, view.session
        if m.nu:
            driven = view.controlled
            with gui.add_folder("Controls, by the controller" if driven else "Controls"):
                for i, (name, low, high) in enumerate(_controls(view)[:MOST]):
                    self._ctrl.append(
                        self._slider(name, i, low, high, session.set_ctrl, i, disabled=driven)
                    )
                if not driven:
                    gui.add_button("All to zero").on_click(lambda _: self._zero())
        joints = [j for j in range(m.njnt) if m.jnt_type[j] in (JNT_HINGE, JNT_SLIDE)]
        if joints:
            names = view.names("joint")
            with gui.add_folder("Joints"):
                for j in joints[:MOST]:
                    low, high = _range(m, j)
                    name, address = names[j] or f"joint {j}", int(m.jnt_qposadr[j])
                    self._joints.append(
                        self._slider(name, address, low, high, session.set_joint, j)
                    )

    def _slider(
        self, name: str, address: int, low: float, high: float, write: Callable, number: int,
        disabled: bool = False,
    ) -> Slider:  # fmt: skip
        handle = self._view.server.gui.add_slider(
            name, min=low, max=high, step=_step(low, high),
            initial_value=float(np.clip(0.0, low, high)), disabled=disabled,
        )  # fmt: skip
        slider = Slider(handle, address, low, high)

        def moved(event: Any) -> None:
            if event.client is not None:
                slider.moved = time.monotonic()
                world = None if self._all.value else self._view.selected[0]
                write(world, number, float(event.target.value))

        handle.on_update(moved)
        return slider

    def _zero(self) -> None:
        world = None if self._all.value else self._view.selected[0]
        for slider in self._ctrl:
            self._view.session.set_ctrl(world, slider.address, 0.0)

    def refresh(self, frame: Frame) -> None:
        eye, world, now = self._view.eye, self._view.selected[0], time.monotonic()
        for sliders, field in ((self._ctrl, "ctrl"), (self._joints, "qpos")):
            if not sliders:
                continue
            values = eye.state(field)[world]
            for slider in sliders:
                if now - slider.moved > REST:
                    value = float(np.clip(values[slider.address], slider.low, slider.high))
                    step = slider.handle.step
                    if abs(value - slider.handle.value) > 0.5 * step:
                        slider.handle.value = round(value / step) * step


def _controls(view: Any) -> list[tuple[str, float, float]]:
    """(name, low, high) of each control."""
    m, names = view.model, view.names("actuator")
    found = []
    for i in range(m.nu):
        limited = bool(m.actuator_ctrllimited[i])
        low, high = m.actuator_ctrlrange[i] if limited else (-1.0, 1.0)
        found.append((names[i] or f"control {i}", float(low), float(high)))
    return found


def _range(m: Any, j: int) -> tuple[float, float]:
    if m.jnt_limited[j] and m.jnt_range[j, 1] > m.jnt_range[j, 0]:
        return float(m.jnt_range[j, 0]), float(m.jnt_range[j, 1])
    reach = np.pi if m.jnt_type[j] == JNT_HINGE else max(1.0, float(m.mj.stat.extent))
    return -float(reach), float(reach)


def _step(low: float, high: float) -> float:
    """About two hundred steps, of a round size."""
    return float(10.0 ** np.floor(np.log10((high - low) / 100.0)))
