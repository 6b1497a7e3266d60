"""What actuators with a delay and sensors with a history remember: reading and setting it.

The buffers are part of the state, in `history`; engine/forces/history.py has their layout.
"""

from typing import Any

import numpy as np

from .engine.forces.history import CURSOR, LAST, TIMES
from .functions import check_arguments
from .naming import number_of
from .running import runner

_query = runner("history_query")


def read_ctrl(m: Any, d: Any, actuator: Any, time: Any, interp: int = -1) -> np.ndarray:
    """The control (controls,) of an actuator (number or name) that takes effect at a time [s], as
    `mj_readCtrl`; most actuators have one.

    It is the one of `actuator_delay` earlier; without a history, the present one. interp: 0 the
    last sample, 1 straight lines, 2 cubic splines, -1 as the actuator says. With several worlds the
    result has a row for each, and time may be (worlds,).
    """
    return _read(m, d, "actuator", actuator, time, interp)


def read_sensor(m: Any, d: Any, sensor: Any, time: Any, interp: int = -1) -> np.ndarray:
    """What a sensor (number or name) shows at a time [s], (n,) with the n numbers that it has, as
    `mj_readSensor`; interp and several worlds as in `read_ctrl`."""
    return _read(m, d, "sensor", sensor, time, interp)


def init_ctrl_history(m: Any, d: Any, actuator: Any, times: Any, values: Any) -> None:
    """Set what an actuator remembers: times (n,) [s], oldest first, or None for those that it has,
    and values (n, controls). With several worlds, both may have a leading axis.
    mj_initCtrlHistory"""
    _init(m, d, "actuator", actuator, times, values)


def init_sensor_history(
    m: Any, d: Any, sensor: Any, times: Any, values: Any, phase: Any = 0.0
) -> None:
    """Set what a sensor remembers: times (n,) [s] and values (n, k), k being how many numbers it
    has, as `init_ctrl_history`; phase [s] is when one with an interval was last due.
    mj_initSensorHistory"""
    adr = _init(m, d, "sensor", sensor, times, values)
    d.arrays["history"][adr + LAST, : d.lanes] = phase


def _buffer(m: Any, kind: str, key: Any) -> tuple[int, int, int, int]:
    """(number, place in history, samples, numbers of each); no samples without a history."""
    i, mj = number_of(m.mj, kind, key), m.mj
    dim = mj.actuator_ctrlnum[i] if kind == "actuator" else mj.sensor_dim[i]
    place, kept = getattr(mj, f"{kind}_historyadr")[i], getattr(mj, f"{kind}_history")[i]
    return i, int(place), int(kept[0]), int(dim)


def _read(m: Any, d: Any, kind: str, key: Any, time: Any, interp: Any) -> np.ndarray:
    check_arguments(m, d)
    if interp not in (-1, 0, 1, 2):
        raise ValueError(f"interp must be -1, 0, 1 or 2 (mujoco.mjtInterp), got {interp!r}")
    i, place, samples, dim = _buffer(m, kind, key)
    if not samples:
        now = getattr(d, kind)(i)
        return (now.ctrl if kind == "actuator" else now.data).copy()
    if interp == -1:
        interp = getattr(m.mj, f"{kind}_history")[i, 1]
    time = _of_worlds(d, time, (), "time") - getattr(m.mj, f"{kind}_delay")[i]
    d.arrays["query_history"][:] = place, samples, dim, interp
    d.arrays["query_time"].reshape(-1)[: d.lanes] = time
    _query(m, d)
    past = d.arrays["query_past"][:dim, : d.lanes].T.copy()
    return past[0] if d.lanes == 1 else past


def _init(m: Any, d: Any, kind: str, key: Any, times: Any, values: Any) -> int:
    check_arguments(m, d)
    i, place, n, dim = _buffer(m, kind, key)
    if not n:
        name = getattr(m.mj, kind)(i).name or i
        raise ValueError(f"{kind} {name!r} has no history: give it nsample in the model")
    values = _of_worlds(d, values, (n, dim), "values")
    history = d.arrays["history"][place:, : d.lanes]
    if times is not None:
        times = _of_worlds(d, times, (n,), "times")
        if (np.diff(times, axis=-1) <= 0.0).any() or np.isnan(times).any():
            raise ValueError("times must increase from sample to sample, the oldest first")
        history[CURSOR] = n - 1
        history[TIMES : TIMES + n] = times.T
    for w in range(d.lanes):
        # the slot after the newest sample has the oldest
        newest = history[CURSOR, w] if 0 <= history[CURSOR, w] < n else n - 1
        slots = (int(newest) + 1 + np.arange(n)) % n
        samples = history[TIMES + n : TIMES + n + n * dim, w].reshape(n, dim)
        samples[slots] = values[w]
        history[TIMES + n : TIMES + n + n * dim, w] = samples.reshape(-1)
    return place


def _of_worlds(d: Any, x: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Numbers of a shape for each world: (lanes, *shape)."""
    x = np.asarray(x)
    if x.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be numbers, got {x.dtype}")
    if x.shape not in (shape, (d.lanes, *shape)):
        raise ValueError(
            f"{name} must have shape {shape}, or {(d.lanes, *shape)} with a leading axis of worlds,"
            f" got {x.shape}"
        )
    return np.broadcast_to(x.astype(float), (d.lanes, *shape))
