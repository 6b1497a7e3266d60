"""What a Batch says of itself: what stages take, what solvers did, room and memory."""

import sys
from collections.abc import Callable, Iterable

import numpy as np

from ..errors import did_you_mean
from ..timers import Timers
from .base import BatchBase
from .field_names import MORE_FIELDS
from .reading import way_of


class BatchDiagnostics(BatchBase):
    """The part of a Batch that speaks of its own work."""

    @property
    def timing(self) -> bool:
        """Whether stages are timed, which costs some nanoseconds each; can be assigned. What
        `timer` has by then stays, until a reset of all worlds."""
        return self._runner.threads.timing

    @timing.setter
    def timing(self, value: bool) -> None:
        self._runner.threads.timing = value

    @property
    def timer(self) -> Timers:
        """What stages took in step, rollout, forward, reset and inverse, while `timing` was on,
        since the last reset of all worlds: `b.timer["step"].duration`, in seconds.

        A gang of eight worlds counts eight times and takes its thread's time once: duration /
        number is the time of a thread for one world and step, and with n threads at work n steps
        are made in that time.
        """
        return Timers(self._runner.threads.workspaces)

    @property
    def solver(self) -> "BatchSolver":
        """Iterations of the solver: `b.solver.improvement` is (nsim, nisland, 200)."""
        return BatchSolver(self._read)

    @property
    def nconmax(self) -> int:
        """Room: how many contacts a world may have, a number."""
        return self._runner.sizes["nconmax"]

    @property
    def njmax(self) -> int:
        """Room: how many constraint rows a world may have, a number."""
        return self._runner.sizes["njmax"]

    @property
    def nbytes(self) -> int:
        """Bytes of all worlds, of outputs in use, and of the threads' workspaces; `memory` has the
        parts."""
        return sum(self.memory().values())

    def memory(self) -> dict[str, int]:
        """{part: bytes}. Of the room that threads have for contacts, constraint rows, iterations
        and convex collision, the operating system provides only what was used so far."""
        runner = self._runner
        threads = [d.memory() for d in runner.threads.workspaces()]
        rows = (*runner.variation.all_rows().values(), *runner.variation.own.values())
        return {
            "worlds": sum(x.nbytes for x in runner.arrays()),
            "outputs": sum(x.nbytes for x in runner.outputs.rows.values()),
            "expanded fields": sum(x.nbytes for x in rows),
            "workspaces": sum(x["fields"] for x in threads),
            "room": sum(x["room"] for x in threads),
        }


class BatchSolver:
    """Iterations of the solver in a Batch's worlds: arrays (nsim, nisland, 200), bound when first
    asked for.

    They are of the first 20 islands and the first 200 iterations. World i took
    `b.solver_niter[i, k]` of island k; what stands beyond is zero.
    """

    def __init__(self, read: Callable[[str, int], np.ndarray]):
        self._read = read

    def __getattr__(self, name: str) -> np.ndarray:
        if f"solver.{name}" not in MORE_FIELDS:
            raise AttributeError(f"iterations have no {name!r}{did_you_mean(name, dir(self))}")
        return self._read(f"solver.{name}", way_of(sys._getframe(1)))

    def __dir__(self) -> Iterable[str]:
        return [name.partition(".")[2] for name in MORE_FIELDS if name.startswith("solver.")]
