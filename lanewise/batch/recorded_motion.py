"""Inverse dynamics of recorded motions: the forces of every frame in one call.

Where a log has positions only, velocities and accelerations are differences between frames. With
h_i the time from frame i to the next, and (-) the difference of two positions in their tangent
space, which for a rotation is the vector that turns one into the other, in the axes of the body,

    v(i + 1/2) = (q_(i+1) (-) q_i) / h_i                         between frames             (1)
    v_i = (h_i v(i - 1/2) + h_(i-1) v(i + 1/2)) / (h_(i-1) + h_i)           central         (2)
    a_i = 2 (v(i + 1/2) - v(i - 1/2)) / (h_(i-1) + h_i)                                     (3)

which have errors of second order in h. At the ends v is continued in a straight line through (1),
and a is that of the next frame. If velocities are given, a_i is (2) of their differences.

A simulator's own log is exact under another stencil, for its step is q_(i+1) = q_i (+) h v_(i+1)
with v_(i+1) = v_i + h a_i:

    v_i = v(i - 1/2),     a_i = (v_(i+1) - v_i) / h_i                       step            (4)

Frames become worlds of a Batch, some thousands at a time.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine import stages
from ..errors import did_you_mean
from ..fields import DATA_FIELDS as _TABLE
from ..fields import STATE_FIELDS
from ..functions import check_model
from ..model import Model
from ..motions import differentiate_pos
from .arguments import numbers
from .batch import Batch
from .field_names import DATA_FIELDS, MORE_FIELDS, not_bindable
from .outputs import count_of

_MOST = 4096  # frames at a time
_OTHERS = [name for name in STATE_FIELDS if name not in ("qpos", "qvel", "time")]


def inverse_motion(
    m: Model, qpos: Any, qvel: Any = None, qacc: Any = None, dt: Any = None, times: Any = None,
    stencil: str = "central", record: Iterable[str] = (), nthread: int = 0, **inputs: Any,
) -> dict[str, np.ndarray]:  # fmt: skip
    """The generalized forces that recorded motions take: {name: (..., T, ...) array}.

    qpos is (..., T, nq), the positions of T frames in any number of motions [m|rad]; quaternions
    are wxyz and need not be continuous in sign. Without qvel (..., T, nv) or qacc (..., T, nv),
    these are differences of frames, dt seconds apart or at the times (T,) or (..., T): by default
    central ones, with errors of second order in dt; the first and last qacc are those of the frames
    beside them. stencil="step" takes differences as an integrator makes them,
    v_i = (q_i - q_(i-1)) / dt and a_i = (v_(i+1) - v_i) / dt, so that a log of a simulation gives
    its own forces back, but for the ends; where there is damping, or an implicit integrator, the
    model's flag invdiscrete makes this exact.

    The answer has qfrc_inverse (..., T, nv) [N|Nm], as `Batch.inverse` has it: what actuators,
    qfrc_applied and xfrc_applied did together. Besides, it has qvel and qacc; residual, which is
    qfrc_inverse on dofs that no actuator moves, such as those of a floating base, and 0 on others;
    and what `record` names, such as qfrc_constraint, sensordata or contact_force. Of fields that
    are as long as contacts or constraint rows there is as much as the fullest frame has, zeros
    beyond the ncon or nefc of a frame.

    inputs are other components of the state (mocap_pos, mocap_quat, eq_active, userdata, ...),
    (..., T, ...) or the same for all frames. nthread is that of a Batch.
    """
    check_model(m)
    qpos = _frames(qpos, None, m.nq, "qpos")
    lead = qpos.shape[:-1]
    given = {
        k: _frames(x, lead, m.nv, k) for k, x in (("qvel", qvel), ("qacc", qacc)) if x is not None
    }
    seconds, h = _intervals(dt, times, lead)
    qvel, qacc = rates(m, qpos, given.get("qvel"), given.get("qacc"), h, stencil)
    state = {"qpos": qpos, "qvel": qvel, **_check_inputs(m, inputs, lead)}
    if seconds is not None:
        state["time"] = seconds
    names = _check_record(record)
    count = int(np.prod(lead))
    rows = {name: x.reshape(count, *x.shape[len(lead) :]) for name, x in state.items()}
    found = _invert(m, rows, qacc.reshape(count, m.nv), names, nthread)
    answer = {name: x.reshape(*lead, *x.shape[1:]) for name, x in found.items()}
    moved = np.isin(np.arange(m.nv), m.trn_colind)
    residual = np.where(moved, 0.0, answer["qfrc_inverse"])
    return {"qfrc_inverse": answer.pop("qfrc_inverse"), "residual": residual,
            "qvel": qvel, "qacc": qacc, **answer}  # fmt: skip


def _invert(m: Model, rows: dict, qacc: np.ndarray, names: list, nthread: int) -> dict:
    """Inverse dynamics of all frames, some at a time: {name: (frames, ...)}"""
    count = len(qacc)
    pieces: dict[str, list[np.ndarray]] = {name: [] for name in ("qfrc_inverse", *names)}
    b = Batch(m, max(min(count, _MOST), 1), nthread)
    for start in range(0, count, _MOST):
        n = min(_MOST, count - start)
        for name, values in rows.items():
            b.bind(name)[:n] = values[start : start + n]
        for name in names:
            b.bind(name)
        force = b.inverse(qacc[start : start + n], ids=None if n == b.nsim else np.arange(n))
        pieces["qfrc_inverse"].append(force)
        for name in names:
            pieces[name].append(_filled_part(b, name, n))
    return {name: _joined(m, name, parts) for name, parts in pieces.items()}


def _filled_part(b: Batch, name: str, n: int) -> np.ndarray:
    """What the first n worlds have of a field, as far as it is filled."""
    values = b.bind(name)[:n]
    for counter in count_of(name):
        values = values[:, : max(b.bind(counter)[:n], default=0)]
    return values.copy()


def _joined(m: Model, name: str, parts: list[np.ndarray]) -> np.ndarray:
    """The frames of all parts, which may have contacts or rows in different numbers."""
    if not parts:
        return np.zeros((0, *_TABLE[name].shape({**m.sizes, "nconmax": 0, "njmax": 0, "nJmax": 0})))
    if not _TABLE[name].capacity:
        return np.concatenate(parts)
    most = max(part.shape[1] for part in parts)
    out = np.zeros((sum(map(len, parts)), most, *parts[0].shape[2:]), parts[0].dtype)
    start = 0
    for part in parts:
        out[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return out


# ---------------------------------------------------------------------------------------- arguments


def _frames(value: Any, lead: tuple[int, ...] | None, n: int, name: str) -> np.ndarray:
    """Numbers (..., T, n), all finite; lead: the shape of the frames, if it is known."""
    x = np.asarray(value)
    wanted = f"(..., T, {n})" if lead is None else f"{(*lead, n)}"
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} takes numbers, got {type(value).__name__}")
    if x.ndim < 2 or x.shape[-1] != n or (lead is not None and x.shape[:-1] != lead):
        raise ValueError(f"{name} takes shape {wanted}, got {x.shape}")
    bad = np.argwhere(~np.isfinite(x).all(axis=-1))
    if len(bad):
        *motion, frame = bad[0].tolist()
        which = f" of motion {tuple(motion)}" if motion else ""
        raise ValueError(f"{name} of frame {frame}{which} is not finite: leave such frames out")
    return np.ascontiguousarray(x, np.float64)


def _intervals(dt: Any, times: Any, lead: tuple[int, ...]) -> tuple[Any, np.ndarray | None]:
    """The times of frames and the intervals between them; None if neither is known."""
    if times is not None:
        if dt is not None:
            raise ValueError("give dt or times, not both")
        seconds = numbers(times, lead, "times").astype(float)
        h = np.diff(seconds)
        if not (h > 0.0).all():
            k = int(np.argwhere(~(h > 0.0))[0][-1])
            raise ValueError(f"times must increase, and those of frames {k} and {k + 1} do not")
        return seconds, h
    if dt is None:
        return None, None
    step = float(numbers(dt, (), "dt"))
    if not 0.0 < step < np.inf:
        raise ValueError(f"dt must be a positive number of seconds, got {dt}")
    return np.broadcast_to(step * np.arange(lead[-1]), lead), np.full((max(lead[-1] - 1, 0),), step)


def _check_inputs(m: Model, inputs: dict[str, Any], lead: tuple[int, ...]) -> dict[str, np.ndarray]:
    out = {}
    for name, value in inputs.items():
        if name not in _OTHERS:
            raise TypeError(
                f"inverse_motion has no argument {name!r}{did_you_mean(name, _OTHERS)}; other"
                f" components of the state are {', '.join(_OTHERS)}"
            )
        out[name] = numbers(value, (*lead, *_TABLE[name].shape(m.sizes)), name)
    return out


def _check_record(record: Any) -> list[str]:
    """Names of fields that inverse dynamics compute, with the counters of those that need them."""
    if isinstance(record, str) or not isinstance(record, Iterable):
        raise TypeError(f"record takes a sequence of names, such as ({record!r},)")
    names = dict.fromkeys(record)
    for name in names:
        if name not in DATA_FIELDS and name not in MORE_FIELDS:
            raise not_bindable(name)
        if name in STATE_FIELDS or not stages.is_written(_TABLE[name].stage, stages.STAGE_INVERSE):
            raise ValueError(f"inverse dynamics do not compute {name}")
    counters = [counter for name in names for counter in count_of(name)]
    return [n for n in dict.fromkeys((*names, *counters)) if n not in ("qacc", "qfrc_inverse")]


# -------------------------------------------------------------------------------------- differences


def rates(m: Model, qpos: np.ndarray, qvel: Any, qacc: Any, h: Any, stencil: str) -> tuple:
    """qvel and qacc (..., T, nv), by differences where they are not given; h (T - 1,) [s]."""
    if stencil not in ("central", "step"):
        raise ValueError(f'stencil must be "central" or "step", got {stencil!r}')
    if qvel is not None and qacc is not None:
        return qvel, qacc
    missing = "qacc" if qvel is not None else "qvel"
    frames, least = qpos.shape[-2], 2 if qvel is not None or qacc is not None else 3
    if h is None:
        raise ValueError(f"without {missing}, give dt or times, by which frames are apart")
    if frames < least:
        raise ValueError(f"{missing} by differences takes at least {least} frames, got {frames}")
    h = h[..., None]
    if qvel is None:
        between = differentiate_pos(m, 1.0, qpos[..., :-1, :], qpos[..., 1:, :]) / h  # (1)
    if stencil == "central":
        if qvel is None and qacc is None:
            inner = 2.0 * np.diff(between, axis=-2) / (h[..., :-1, :] + h[..., 1:, :])  # (3)
            qacc = np.concatenate([inner[..., :1, :], inner, inner[..., -1:, :]], axis=-2)
        qvel = _at_frames(between, h) if qvel is None else qvel  # (2)
        return qvel, _at_frames(np.diff(qvel, axis=-2) / h, h) if qacc is None else qacc
    if qvel is None:  # (4)
        first = 2.0 * between[..., :1, :] - between[..., 1:2, :] if frames > 2 else between
        qvel = np.concatenate([first, between], axis=-2)
    if qacc is None:
        slopes = np.diff(qvel, axis=-2) / h
        qacc = np.concatenate([slopes, slopes[..., -1:, :]], axis=-2)
    return qvel, qacc


def _at_frames(between: np.ndarray, h: np.ndarray) -> np.ndarray:
    """(2): values at frames from those in the middle between them"""
    if between.shape[-2] == 1:
        return np.concatenate([between, between], axis=-2)
    before, after = h[..., :-1, :], h[..., 1:, :]
    inner = (after * between[..., :-1, :] + before * between[..., 1:, :]) / (before + after)
    first = 2.0 * between[..., :1, :] - inner[..., :1, :]
    last = 2.0 * between[..., -1:, :] - inner[..., -1:, :]
    return np.concatenate([first, inner, last], axis=-2)
