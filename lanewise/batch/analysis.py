"""Questions about the dynamics of all worlds: inertia, constraints."""

from typing import Any

import numpy as np

from ..data import PLACE
from ..engine.calls.efc_product import EFC_PRODUCT
from ..engine.calls.inertia import DENSE, HALF, INERTIA, MULTIPLY, SOLVE
from ..lanes.records import Records
from .arguments import numbers
from .base import BatchBase


class BatchAnalysis(BatchBase):
    """The part of a Batch that analyses its worlds."""

    def mul_m(self, x: Any, ids: Any = None) -> np.ndarray:
        """M x (n, nv) of each world, with the inertia matrix of its present qpos; x is (n, nv) or
        (nv,). State and outputs are untouched."""
        return self._inertia(MULTIPLY, x, ids)

    def solve_m(self, x: Any, ids: Any = None) -> np.ndarray:
        """inverse(M) x (n, nv) of each world, as `mul_m`."""
        return self._inertia(SOLVE, x, ids)

    def solve_m2(self, x: Any, ids: Any = None) -> np.ndarray:
        """D^(-1/2) inverse(L') x (n, nv) of each world, with M = L' D L, as `mul_m`: half of
        `solve_m`. The sum of its squares is x' inverse(M) x."""
        return self._inertia(HALF, x, ids)

    def full_m(self, ids: Any = None) -> np.ndarray:
        """M (n, nv, nv), the inertia matrix of the present qpos of each world [kg, kg m, kg m^2].
        State and outputs are untouched."""
        ids, n = self._chosen(ids)
        y = np.empty((n, self._model.nv, self._model.nv))
        self._with_inertia(DENSE, None, y, ids)
        return y

    def _inertia(self, what: int, x: Any, ids: Any) -> np.ndarray:
        ids, n = self._chosen(ids)
        x = np.ascontiguousarray(numbers(x, (n, self._model.nv), "x"), np.float64)
        y = np.empty((n, self._model.nv))
        self._with_inertia(what, x, y, ids)
        return y

    def _with_inertia(
        self, what: int, x: np.ndarray | None, y: np.ndarray, ids: np.ndarray | None
    ) -> None:
        call = Records(INERTIA)
        call.set(what=what, x=x, y=y, field=PLACE["vector"], rows_of_m=PLACE["dof_rows"])
        self._runner.call("inertia", call, ids)

    def mul_jac_vec(self, x: Any, ids: Any = None) -> np.ndarray:
        """J x (n, njmax) of each world: a number for each row of its constraints, in the order of
        `efc_force`, and zeros beyond; x is (n, nv) or (nv,), as qvel is.

        J is the Jacobian of the constraints that the present qpos has: their number is nefc. State
        and outputs are untouched.
        """
        ids, n = self._chosen(ids)
        x = np.ascontiguousarray(numbers(x, (n, self._model.nv), "x"), np.float64)
        while True:
            room = self._runner.sizes["njmax"]
            y = np.zeros((n, room))
            self._with_constraints(x, y, room, ids, transposed=False)
            if self._runner.sizes["njmax"] == room:  # else some worlds have more rows than that
                return y

    def mul_jac_t_vec(self, x: Any, ids: Any = None) -> np.ndarray:
        """J' x (n, nv) of each world, as `mul_jac_vec`: of forces of constraint rows, `efc_force`,
        the force that they make in the dofs.

        x is (n, r), or (r,) for all worlds, and no world has more than r rows; numbers beyond those
        that it has do not count.
        """
        ids, n = self._chosen(ids)
        if np.ndim(x) not in (1, 2):
            raise ValueError(f"x must have shape ({n}, rows) or (rows,), got {np.shape(x)}")
        x = np.ascontiguousarray(numbers(x, (n, np.shape(x)[-1]), "x"), np.float64)
        y = np.empty((n, self._model.nv))
        nefc = self._with_constraints(x, y, x.shape[1], ids, transposed=True)
        if nefc.max(initial=0) > x.shape[1]:
            raise ValueError(
                f"x must have a number for each of {nefc.max()} constraint rows, got {x.shape[1]}"
            )
        return y

    def _with_constraints(
        self, x: np.ndarray, y: np.ndarray, nrow: int, ids: np.ndarray | None, transposed: bool
    ) -> np.ndarray:
        """y <= a product with J; nrow: numbers for rows in each of its vectors. nefc"""
        call, nefc = Records(EFC_PRODUCT), np.zeros(len(x), np.int32)
        call.set(
            transposed=transposed, nrow=nrow, by_row=PLACE["row_numbers"], by_dof=PLACE["vector"],
            x=x, y=y, nefc=nefc,
        )  # fmt: skip
        self._runner.call("efc_product", call, ids, fields=["efc_J"])
        return nefc
