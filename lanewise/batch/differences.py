"""Derivatives of steps and of inverse dynamics in all worlds of a Batch; see ../derivatives.py."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..derivatives import (
    EPS,
    InverseColumns,
    InverseSlopes,
    Transition,
    TransitionColumns,
    check_eps,
    check_options,
)
from .arguments import numbers
from .base import BatchBase
from .parameter_slopes import Slopes, parameter_slopes


class BatchDerivatives(BatchBase):
    """The part of a Batch that differentiates."""

    def transition_fd(
        self, eps: float = EPS, centered: bool = False, ids: Any = None, sensors: bool = True,
        wrt: Sequence[Any] = ("state", "ctrl"),
    ) -> Transition:  # fmt: skip
        """Derivatives of a step in every world, by finite differences: A, B, C, D.

        A world is a knot of a trajectory: with x = (qpos, qvel, act) and u = ctrl as it has them, y
        the state one step later and s what sensors read in that step,

            A = dy/dx (n, nx, nx), B = dy/du (n, nx, nu), C = ds/dx (n, nsensordata, nx), D = ds/du

        where nx = 2 nv + na, positions in the tangent space. eps is the size of a nudge, in the
        units of what is nudged; centered takes differences both ways. Controls are not nudged out
        of their range. sensors=False leaves C and D empty. States and outputs are untouched.

        wrt says by what to differentiate: "state", "ctrl", and real-valued fields of the model, by
        name or as a pair of a name and an index: wrt=("state", "body_mass"), or
        ("geom_friction", (3, 0)). Their derivatives are in `.state` and `.sensor` of what is
        returned, by name: (n, nx, k) and (n, nsensordata, k) for k numbers in the order of memory.
        What mj_setConst computes from a field follows it. Options are named "opt.gravity" and so
        on, parameters of user code "parameters.NAME".

            A, B, C, D = b.transition_fd()
            dy_dmass = b.transition_fd(wrt=("body_mass",)).state["body_mass"]
        """
        ids, n = self._chosen(ids)
        check_options("transition_fd", self._variation.option("integrator", ids))
        if isinstance(wrt, str):
            raise TypeError(f"wrt takes a sequence of names, such as ({wrt!r},)")
        model, fields = self._model, [x for x in wrt if not _is_input(x)]
        columns = TransitionColumns(
            model, n, self._runner.threads.nthread, eps, centered, sensors,
            "state" in wrt, "ctrl" in wrt,
        )  # fmt: skip
        slopes = Slopes(self, fields, check_eps(eps), centered) if fields else None
        result = self._differentiate(columns, ids)
        if slopes is not None:
            result.state, result.sensor = parameter_slopes(self, ids, slopes, sensors)
        return result

    def inverse_fd(
        self, qacc: Any, eps: float = EPS, actuation: bool = False, ids: Any = None,
        sensors: bool = True,
    ) -> InverseSlopes:  # fmt: skip
        """Derivatives of inverse dynamics at accelerations qacc, (n, nv) or (nv,), in every world.

        As `lanewise.inverse_fd`, with a leading axis of worlds: DfDq (n, nv, nv), ... States and
        outputs are untouched.
        """
        ids, n = self._chosen(ids)
        option = self._variation.option
        check_options("inverse_fd", option("integrator", ids), option("noslip_iterations", ids))
        qacc = numbers(qacc, (n, self._model.nv), "qacc")
        nthread = self._runner.threads.nthread
        columns = InverseColumns(self._model, n, nthread, eps, actuation, sensors)
        columns.qacc[...] = qacc
        return self._differentiate(columns, ids)

    def _differentiate(self, columns: Any, ids: np.ndarray | None) -> Any:
        if columns.total > 1:
            self._runner.call(
                columns.call, columns.record, ids, fields=columns.fields, share=columns.share
            )
        return columns.result()


def _is_input(x: Any) -> bool:
    return isinstance(x, str) and x in ("state", "ctrl")
