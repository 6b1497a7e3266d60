"""Parts of a step: its halves, and the stages after those that are known already.

A stage that is skipped has the results of when it was last computed: by `forward`, `forward_skip`,
`inverse`, `inverse_skip` or `step1`. A Batch remembers the state that each world had then, not the
results; a skipped stage is computed from it again, to the same bits (engine/calls/kept.py). So
skipping has MuJoCo's meaning, and saves what MuJoCo saves only within a call: see Batch.sample.
"""

from typing import Any

import numpy as np

from ..data import PLACE
from ..engine.calls.inverse import INVERSE
from ..engine.stages import STAGE_INVERSE
from ..lanes.records import Records
from ..mjconst import ENBL_INVDISCRETE, INT_RK4, STAGE_NONE, STAGE_POS, STAGE_VEL
from .arguments import check_skipstage, make_ids, numbers
from .base import BatchBase

_STAGES = {STAGE_POS: "positions", STAGE_VEL: "positions and velocities"}


class BatchStages(BatchBase):
    """The part of a Batch that computes parts of a step."""

    def step1(self, ids: Any = None) -> None:
        """The first half of a step, as mj_step1: what follows from positions and velocities.

        Then read outputs and write ctrl, qfrc_applied or xfrc_applied, and call `step2`. Outputs of
        accelerations stay as they were, also in a Batch with fresh=True.
        """
        ids = make_ids(ids, self.nsim)
        self._unread = False
        self._runner.half(ids, second=False)

    def step2(self, ids: Any = None) -> None:
        """The second half of a step, as mj_step2: forces, accelerations, and the state moves on.

        Positions and velocities count as they were when they were last computed: by `step1`, by
        `forward` or another call that `forward_skip` names. What was written to qpos since then is
        moved on, but felt only by the next step. Runge-Kutta becomes Euler's method. With the
        controls set before, both halves together are a `step`, to the bit.
        """
        ids = make_ids(ids, self.nsim)
        self._check_known(ids, STAGE_VEL, "step2", "step1()")
        self._unread = False
        self._runner.half(ids, second=True)
        if self.fresh:
            self._run(ids, 0, STAGE_NONE)

    def forward_skip(self, skipstage: int = 0, skipsensor: bool = False, ids: Any = None) -> None:
        """`forward`, but for positions (skipstage 1, mjSTAGE_POS), or velocities too (2,
        mjSTAGE_VEL); skipsensor: sensordata stays as it was. As mj_forwardSkip.

        Stages that are skipped have the results of when they were last computed for a world: by
        `forward`, `forward_skip`, `inverse`, `inverse_skip` or `step1`, at the state that it had
        then. Later stages are those of the present state. `step`, `rollout` and `reset` leave
        nothing that could be skipped. A change of the model counts from the first stage on.

        To evaluate one world at many inputs, `sample` is faster.
        """
        ids, skipstage = make_ids(ids, self.nsim), check_skipstage(skipstage)
        self._check_known(ids, skipstage, f"skipstage={skipstage}", f"forward(stage={skipstage})")
        self._unread = False
        self._runner.skip(ids, skipstage, bool(skipsensor))

    def inverse(self, qacc: Any, ids: Any = None) -> np.ndarray:
        """The generalized force (n, nv) [N|Nm] that gives each world an acceleration qacc, (n, nv)
        or (nv,) [m/s^2|rad/s^2].

        As `lanewise.inverse`: with the forces of constraints that follow from qacc, without those
        of actuators, qfrc_applied and xfrc_applied, which are a part of the answer. States stay as
        they are, and outputs that are bound (qfrc_constraint, contact_force, ...) get the values
        that belong to qacc.
        """
        return self.inverse_skip(qacc, ids=ids)

    def inverse_skip(
        self, qacc: Any, skipstage: int = 0, skipsensor: bool = False, ids: Any = None
    ) -> np.ndarray:
        """`inverse`, but for positions (skipstage 1), or velocities too (2), as in `forward_skip`;
        skipsensor: sensordata stays as it was. As mj_inverseSkip."""
        (ids, n), skipstage = self._chosen(ids), check_skipstage(skipstage)
        qacc = np.ascontiguousarray(numbers(qacc, (n, self._model.nv), "qacc"), np.float64)
        self._check_discrete(ids)
        self._check_known(ids, skipstage, f"skipstage={skipstage}", f"forward(stage={skipstage})")
        self._unread = False
        force = self._read("qfrc_inverse")
        call = Records(INVERSE)
        call.set(qacc=qacc, field=PLACE["qacc"], skip=skipstage, blind=bool(skipsensor))
        self._runner.kept.open(apart=skipstage == STAGE_POS)
        self._runner.call("inverse", call, ids, STAGE_INVERSE, blind=bool(skipsensor))
        return force.copy() if ids is None else force[ids]

    def _check_known(self, ids: np.ndarray | None, skip: int, call: str, first: str) -> None:
        """Refuse to skip what was never computed."""
        unknown = self._runner.unknown(ids, skip)
        if skip != STAGE_NONE and len(unknown):
            others = f" and {len(unknown) - 1} others" if len(unknown) > 1 else ""
            raise ValueError(
                f"{call} needs {_STAGES[skip]} that were computed before, and of world"
                f" {unknown[0]}{others} they were not, or its state was moved on since: call"
                f" {first} first"
            )

    def _check_discrete(self, ids: np.ndarray | None) -> None:
        flags, kinds = (self._variation.option(n, ids) for n in ("enableflags", "integrator"))
        if np.any((flags & ENBL_INVDISCRETE != 0) & (kinds == INT_RK4)):
            raise ValueError(
                "discrete inverse dynamics (invdiscrete) does not exist for RK4:"
                " use Euler, implicit, implicitfast or discrete"
            )
