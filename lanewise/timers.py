"""What stages take, under the names of MuJoCo's mjtTimer: of a Data, or of a Batch's threads."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import UnknownName, no_such, whole_number
from .mjconst import NTIMER, TIMERSTRING

# MuJoCo has two spellings of two of them
_NUMBER = {name: k for k, name in enumerate(TIMERSTRING)}
_NUMBER |= {name.removesuffix("phase"): k for name, k in _NUMBER.items()}
_FIELDS = ("timer.duration", "timer.number")


@dataclass(frozen=True)
class TimerStat:
    """Seconds that a stage took, and how often it ran, as MjTimerStat: once for each world."""

    duration: float
    number: int


class Timers:
    """What stages took since the last reset, while `timing` was on: `timer["step"].duration`.

    A timer is given by its name (step, forward, inverse, position, velocity, actuation, constraint,
    advance, pos_kinematics, pos_inertia, pos_collision, pos_make, pos_project, col_broad,
    col_narrow), by mujoco.mjtTimer or by its number. Durations are in seconds. Where worlds run
    side by side, `number` counts each of them and `duration` the gang once, in every thread: so
    duration / number is the time that a thread takes for one world.
    """

    __slots__ = ("_workspaces",)

    def __init__(self, workspaces: Callable[[], Iterable[Any]]):
        self._workspaces = workspaces

    @property
    def duration(self) -> np.ndarray:
        """(15,) seconds in each stage, summed over threads."""
        return sum((d.arrays["timer.duration"] for d in self._workspaces()), np.zeros(NTIMER))

    @property
    def number(self) -> np.ndarray:
        """(15,) how often each stage ran, once for each world."""
        zeros = np.zeros(NTIMER, np.int64)
        return sum((d.arrays["timer.number"] for d in self._workspaces()), zeros)

    def clear(self) -> None:
        """Begin again from zero, as a reset does."""
        for d in self._workspaces():
            for name in _FIELDS:
                d.arrays[name][...] = 0

    def __getitem__(self, key: Any) -> TimerStat:
        k = _number_of(key)
        return TimerStat(float(self.duration[k]), int(self.number[k]))

    def __len__(self) -> int:
        return NTIMER

    def __iter__(self) -> Iterator[TimerStat]:
        return (self[k] for k in range(NTIMER))

    def __repr__(self) -> str:
        both = zip(_NUMBER, self.duration, self.number, strict=False)
        ran = [f"  {name}: {s:.6g} s, {n} times" for name, s, n in both if n]
        return "\n".join(["<timers", *ran, ">"])


def _number_of(key: Any) -> int:
    if isinstance(key, str):
        name = key.lower().removeprefix("mjtimer_")
        if name not in _NUMBER:
            raise UnknownName(no_such("timer", key, TIMERSTRING))
        return _NUMBER[name]
    k = whole_number(key, "the number of a timer")
    if not -NTIMER <= k < NTIMER:
        raise IndexError(f"timer {k} does not exist: there are {NTIMER}")
    return k % NTIMER
