"""The line to a cluster: waiting for answers without waiting for a cluster that is gone.

If the head of a cluster dies, Ray's calls wait for it, and after a minute Ray ends the process. So
whoever asks here looks, now and then, whether anybody listens at the head's address, also while
answers still come; after `PATIENCE` seconds without, the cluster counts as lost.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..errors import ClusterError
from .nodes import answers, connect

PATIENCE = 10.0  # seconds without an answer of the head
LOOK = 2.0  # seconds between two looks


class HeadLost(ClusterError):
    """Nobody answers where the head of the cluster was."""


class Line:
    """This process's connection to a cluster."""

    def __init__(self) -> None:
        self.ray = connect()
        self._looked = time.monotonic()
        context = self.ray.get_runtime_context()
        self.head: str = context.gcs_address
        self._job = context.get_job_id()
        errors = self.ray.exceptions
        # errors of Ray's that mean: the actor, or where its answer was, is gone
        self.losses: tuple[type[Exception], ...] = (
            errors.RayActorError, errors.ObjectLostError, errors.WorkerCrashedError,
            errors.NodeDiedError, errors.ObjectFetchTimedOutError, errors.OutOfMemoryError,
            errors.ActorUnschedulableError,
        )  # fmt: skip

    def check(self) -> None:
        """Refuse to go on with another cluster than the first, or with none."""
        if not self.ray.is_initialized():
            raise HeadLost("Ray was shut down")
        if self.ray.get_runtime_context().get_job_id() != self._job:
            raise HeadLost("Ray was shut down, and started again")

    def some(self, refs: Sequence[Any], seconds: float = float("inf")) -> list[Any]:
        """Those of the references that are there, one at least; none if it takes longer."""
        end = time.monotonic() + seconds
        while True:
            if time.monotonic() - self._looked >= LOOK:
                self.look()
            wait = min(LOOK, max(end - time.monotonic(), 0.0))
            done, _ = self.ray.wait(list(refs), num_returns=1, timeout=wait)
            if done or time.monotonic() >= end:
                return done

    def get(self, ref: Any, seconds: float = float("inf")) -> Any:
        """What a reference leads to; TimeoutError if it takes longer."""
        if not self.some([ref], seconds):
            raise TimeoutError
        return self.ray.get(ref)

    def look(self) -> None:
        """See whether the head is there, or wait for it to come back."""
        end = time.monotonic() + PATIENCE
        while not answers(self.head):
            if time.monotonic() >= end:
                raise HeadLost(f"nobody answers at {self.head}, where the cluster's head was")
            time.sleep(0.2)
        self._looked = time.monotonic()

    def let_go(self) -> None:
        """Leave a cluster that is lost: Ray ends processes that do not."""
        with suppress(Exception):
            if self.ray.is_initialized():
                self.ray.shutdown()
