"""Forward dynamics of each world at many inputs: Batch.sample

Stages that the varied inputs cannot change are computed once for a world. This is what skipping
stages is for: derivatives by finite differences, clouds of controls about a plan.
"""

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ..engine import stages
from ..engine.calls.sample import SAMPLE
from ..engine.occasions import CALL_ACT_BIAS, CALL_ACT_DYN, CALL_ACT_GAIN, CALL_CONTROL
from ..errors import did_you_mean
from ..fields import DATA_FIELDS, STATE, STATE_FIELDS
from ..lanes import W
from ..lanes.records import Records
from ..mjconst import SENS_E_KINETIC, STAGE_ACC, STAGE_NONE
from ..model import Model
from .arguments import numbers
from .base import BatchBase
from .outputs import level_of
from .recording import Recording
from .rollout import pieces_of

# user code that runs when positions and velocities are known
_LATE = {CALL_CONTROL, CALL_ACT_DYN, CALL_ACT_GAIN, CALL_ACT_BIAS}
_MOST = 64  # samples of a place: Python looks for interrupts between gangs of places


class BatchSampling(BatchBase):
    """The part of a Batch that evaluates worlds at many inputs."""

    def sample(
        self, inputs: Mapping[str, Any], record: Any = ("qacc",), ids: Any = None,
        out: dict | None = None,
    ) -> dict:  # fmt: skip
        """Forward dynamics of each world at k variations of its state: {item: (n, k, ...) array}.

        inputs has the components of the state that vary, by name (qpos, qvel, ctrl, act,
        qfrc_applied, xfrc_applied, mocap_pos, ...), each of shape (n, k, ...) or (k, ...) for all
        worlds; the others are those of the world. A record is the name of a field of fixed size,
        computed as `forward` would if the world had that state, to the bit. `out` has arrays to
        record into.

        What the inputs cannot change is computed once: nothing but forces is computed anew if
        ctrl, act or applied forces vary, and positions are not if qvel varies. With user code that
        does more than control, all is computed for each sample.

        Every sample starts the solver from the same qacc_warmstart, that of its world unless it is
        varied. States, outputs and warnings stay as they are; a bad state is not reset.
        """
        ids, n = self._chosen(ids)
        names = _check_inputs(inputs)
        values, k = self._gather(inputs, names, n)
        recording = Recording(self._model, self._runner.outputs, n, k, record, out, True)
        stage = max(map(_stage_of, recording.names), default=STAGE_NONE)
        common = min(common_stage(self._model, names, recording.names), stage)
        parts, start = [], 0
        for name in names:
            place = self._model.state_slices[name]
            parts.append((start, place.start, place.stop - place.start))
            start += place.stop - place.start
        constrained = self._runner.has_constraints()
        nplace, share = shares(n, k, common, constrained, self._runner.threads.nthread)
        pieces, call = pieces_of(parts), Records(SAMPLE)
        call.set(
            common=common, stage=stage, nsample=k, nplace=nplace, share=share, ninput=start,
            inputs=values, npiece=len(pieces), pieces=pieces,
            nrecord=len(recording.records), records=recording.records,
        )  # fmt: skip
        worlds = ids
        if nplace > 1:
            worlds = np.repeat(np.arange(n) if ids is None else ids, nplace)
        if n and k:
            self._runner.sample(worlds, call, recording.names)
        recording.finish()
        return recording.buffers

    def _gather(self, inputs: Mapping[str, Any], names: list[str], n: int) -> tuple:
        """The inputs of all samples in a row each, (n, k, numbers), and k."""
        outputs = self._runner.outputs
        shapes = {name: outputs.shape(DATA_FIELDS[name]) for name in names}
        counts = {}
        for name in names:
            lead = np.shape(inputs[name])[: np.ndim(inputs[name]) - len(shapes[name])]
            if lead:
                counts[name] = lead[-1]
        most = max(counts.values(), default=0)
        if not counts:
            name = names[0]
            wanted = ", ".join(map(str, ("k", *shapes[name])))
            raise ValueError(
                f"{name} takes k samples, of shape ({n}, {wanted}) or ({wanted}), got"
                f" {np.shape(inputs[name])}"
            )
        k = next((c for c in counts.values() if c != 1), most)
        rows = np.concatenate([
            numbers(inputs[name], (n, k, *shape), name).reshape(n, k, math.prod(shape))
            for name, shape in shapes.items()
        ], axis=2)  # fmt: skip
        return np.ascontiguousarray(rows, np.float64), k


def _check_inputs(inputs: Any) -> list[str]:
    """The names of inputs, in the order of the state."""
    if not isinstance(inputs, Mapping):
        raise TypeError(
            f"inputs are {{name: array}} of what varies, such as {{'ctrl': array}}, got"
            f" {type(inputs).__name__}"
        )
    for name in inputs:
        if name not in STATE_FIELDS:
            raise ValueError(
                f"{name!r} is no component of the state{did_you_mean(name, STATE_FIELDS)};"
                f" there are {', '.join(STATE_FIELDS)}"
            )
    if not inputs:
        raise ValueError("inputs is empty: name what varies, such as {'ctrl': array}")
    return [field.name for field in STATE if field.name in inputs]


def _stage_of(name: str) -> int:
    """The stage that computes a field that is recorded."""
    level = STAGE_NONE if name in STATE_FIELDS else level_of(name)
    if level > STAGE_ACC:
        raise ValueError(f"{name} follows from a step or from inverse dynamics, not from a state")
    return level


def common_stage(model: Model, names: list[str], recorded: Iterable[str] = ("qacc",)) -> int:
    """The last stage whose results do not depend on these components of the state."""
    common = min(stages.read_from(name) for name in names) - 1
    # this sensor belongs to the positions
    if "sensordata" in recorded and "qvel" in names and SENS_E_KINETIC in model.mj.sensor_type:
        return STAGE_NONE
    if model.user is not None:
        # its code may read anything: what a stage has that comes later must begin as zero each time
        early = set(model.user.called) - _LATE
        later = any(level_of(name) > common for name in model.user.read)
        return STAGE_NONE if early or later else common
    return common


@lru_cache
def shares(
    n: int, k: int, common: int, constrained: bool, nthread: int
) -> tuple[int, int]:  # fmt: skip
    """In how many places n worlds have k samples each, and how many a place has.

    A gang of places takes as long as one of them. It computes first what samples have in common,
    which takes about as long as one or two of them; and where constraints are solved, it takes
    longer if it has samples of several worlds, which touch elsewhere.
    """
    before = min(common, 1) if constrained else common

    def cost(option: tuple[int, int]) -> float:
        nplace, share = option
        gangs = -(-n * nplace // W)
        mixed = constrained and n > 1 and nplace % W > 0
        return -(-gangs // nthread) * (before + share) * (1.5 if mixed else 1.0)

    each = range(1, min(k, _MOST) + 1)
    options = [(-(-k // share), share) for share in each]
    options += [(-(-nplace // W) * W, share) for nplace, share in options]
    return min(options, key=cost, default=(1, 1))
