"""How the last call of each world of a Batch ended."""

import numpy as np

from ..errors import LanewiseError


class SimulationError(LanewiseError, RuntimeError):
    """Some worlds of a call could not be run. They keep their state; the others ran to completion.

    `ids` lists them, and Batch.error(i) says what was wrong.
    """

    def __init__(self, ids: np.ndarray, message: str, ncall: int):
        self.ids = ids
        shown = ", ".join(str(i) for i in ids[:5]) + (", ..." if len(ids) > 5 else "")
        super().__init__(
            f"errors in {len(ids)} of {ncall} simulations ({shown}); simulation {ids[0]}: {message}"
        )


class Outcome:
    """Status and message of every world: 0 and nothing, or 1 and what was wrong."""

    def __init__(self, nsim: int):
        self.messages: dict[int, str] = {}
        self._status = np.zeros(nsim, np.int32)
        self.status = self._status[:]
        self.status.flags.writeable = False

    def clear(self, sims: np.ndarray | None) -> None:
        """These worlds, or all, are about to be run."""
        if self.messages:
            self._status[slice(None) if sims is None else sims] = 0
            for sim in list(self.messages) if sims is None else sims.tolist():
                self.messages.pop(sim, None)

    def fail(self, sim: int, message: str) -> None:
        self._status[sim] = 1
        self.messages[sim] = message

    def raise_for(self, sims: np.ndarray) -> None:
        """Raise if any of these worlds failed."""
        if self.messages:
            failed = np.unique(sims[self._status[sims] != 0])
            if len(failed):
                ncall = len(np.unique(sims))
                raise SimulationError(failed, self.messages[int(failed[0])], ncall)
