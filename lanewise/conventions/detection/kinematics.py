"""Which readings of a log agree with the motion, as well as the best of them does.

Tables of residuals are made for windows of many lengths, and the length counts at which the best
reading leaves the least of the motion unexplained: short windows where poses are exact, long ones
where they are noisy. It is done twice. The first time any single step may be wrong (a dropped
frame, a reset, an impact), so the mean of lengths decides, which such steps cannot turn. Steps that
the best reading of it does not explain at all are then taken out, and the root mean square decides.

A reading is excluded if one of its halves is off by clearly more than that of the best reading:
twice as much (more if there are few windows), and by a share of the motion that calibration or an
integrator cannot explain. If the error of the best reading is one that a bias makes, a reading must
be off by as much without any bias, too. Everything else stays possible. So what is undecided comes
out by itself: if the motion cannot tell two readings apart, both stay.

A half that no reading explains tells nothing, whatever its velocities are: they may be noise, a
bias, or those of a motion that the poses do not show. Poses are believed a little more. A reading
that makes a motion of poses at rest, and finds no velocity for it, is out.
"""

from dataclasses import dataclass, replace

import numpy as np

from ...errors import ConventionError
from ..systems import BASES
from .bias import Bias
from .readings import ANGULAR, ARRANGEMENTS, joined, named_arrangement
from .residuals import Motion, Table
from .samples import CHUNK, Samples, chunks

RATIO = 2.0  # times the residual of the best that a reading may have
FEW = 8.0  # the ratio grows by this over the number of independent components
ENOUGH = 6.0  # windows to fit an offset to
BIASED = 0.5  # share of the error that is left without a bias, if there is one
CLEAR = 0.1  # of those shares; a bias below this moves no reading across a limit
SEEN = 0.02  # of the motion; smaller biases are not spoken of
SLIGHT = 0.05  # of the motion; if the best reading has a bias below this, ...
ALIKE = 10.0  # ... biases of other readings are at most so many times larger
TURNED = 0.05  # radians that an orientation must have shown if it is not stuck
SHORTEST = 0.1  # share of an offset that noise leaves of it
STILL = 10.0  # times what is at rest that a reading must move to be a motion
SHARES = (0.02, 3e-4)  # of the motion, angular and linear, that a residual may be in any case
UNFIT = 0.3  # of the motion; a best reading that leaves more says nothing
CERTAIN = 4.0  # standard errors of a fitted offset
SAME_POINT = 0.03  # an offset shorter than this is none, in the unit of positions
LENGTHS = (1, 3, 9, 27, 81)  # of windows, in steps
TURN = 1.2  # most that a window may turn, as a chord
WRONG_STEP = 8.0  # times the median that a step's error must be to be taken out ...
WRONG_SHARE = 0.25  # ... and this share of the motion
MOST_WRONG = 0.3  # if more steps than this are wrong, it is the reading that is


@dataclass(frozen=True)
class Kinematics:
    """Tables of both halves, the best reading, and the mask of those that fit as well.

    best and possible have axes CHOICES. `informed` says of each half whether there is a motion and
    its best reading explains it; if not, nearly every reading stays. `biased`: whether the velocity
    of that half has an error such as a bias makes.
    """

    angular: Table
    linear: Table
    best: tuple[int, ...]
    possible: np.ndarray
    informed: tuple[bool, bool]
    biased: tuple[bool, bool]
    wrong_steps: float  # share of steps that the best reading does not explain

    @property
    def spin_error(self) -> float:
        """Of angular velocities as the best reading has them [rad/s]; infinite if it is unfit."""
        return float(self.angular.residual[angular_part(self.best)]) if self.informed[0] else np.inf

    @property
    def residuals(self) -> np.ndarray:
        """Share of the motion that is not explained, of every reading: mean square of the halves"""
        angular, linear = joined(self.angular.relative, self.linear.relative)
        return np.sqrt(0.5 * (angular**2 + linear**2))


def angular_part(index: tuple[int, ...]) -> tuple[int, ...]:
    return index[: len(ANGULAR)]


def linear_part(index: tuple[int, ...]) -> tuple[int, ...]:
    return (*index[:3], *index[-2:])


def kinematics(log: Samples, com: np.ndarray | None) -> Kinematics:
    motions = _motions(log)
    floors = _floors(log)
    tables = _survey(motions, com, floors, robust=True)
    wrong = _take_out(motions, _best(tables, floors), tables)
    angular, linear = _survey(motions, com, floors, robust=False)
    if com is None:
        linear = _one_point(linear, floors[1])
    tables = angular, linear
    best = _best(tables, floors)
    unbiased = _unbiased(motions, com, floors, tables, best)
    return _decided(tables, unbiased, best, floors, wrong, motions[-1].not_shown(), _far(log))


def _motions(log: Samples) -> list[Motion]:
    """Of every row; and of long logs of every 4th, 16th, ... for windows that are long in time."""
    motions, stride = [Motion(chunks(log))], 4
    while len(log) // stride >= CHUNK // 2:
        motion = Motion(chunks(log, stride))
        at = motion.windows(LENGTHS[-2])
        if at is None or motion.turned(at) > TURN:
            break
        motions.append(motion)
        stride *= 4
    return motions


def _floors(log: Samples) -> tuple[float, float]:
    """What rounding of the numbers alone makes of a residual in a window of one second."""
    p, q, V = log.smallest
    return 4.0 * q + 2.0 * V, 2.0 * p + 2.0 * V


def _survey(
    motions: list[Motion], com: np.ndarray | None, floors: tuple[float, float], robust: bool,
) -> tuple[Table, Table]:  # fmt: skip
    """The tables of both halves, each at the length of window that leaves least unexplained."""
    first, second = _tables(motions, com, robust, None)
    return (
        min(first, key=lambda table: _unexplained(table, floors[0])),
        min(second, key=lambda table: _unexplained(table, floors[1])),
    )


def _tables(
    motions: list[Motion], com: np.ndarray | None, robust: bool, bias: tuple[str, bool] | None
) -> tuple[list[Table], list[Table]]:
    """Tables of both halves, of all lengths; without a bias that has some axes and may drift."""
    pairs: list[tuple[Table, Table]] = []
    for motion in motions:
        for length in LENGTHS if motion is motions[0] else LENGTHS[-2:]:
            at = motion.windows(length) if length <= motion.longest else None
            if at is None or (pairs and motion.turned(at) > TURN):
                break
            without = None if bias is None else Bias(motion, at, *bias)
            angular = motion.angular(at, robust, without)
            pairs.append((angular, motion.linear(at, robust, com, angular, without)))
    if not pairs:
        raise ConventionError("no two samples in a row agree with any reading: is dt right?")
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if com is None:  # few windows would fit any offset
        enough = min(ENOUGH, max(table.windows for table in second))
        second = [table for table in second if table.windows >= enough]
    return first, second


def _unexplained(table: Table, floor: float) -> float:
    """Share of the motion that the best reading leaves; a bit more if there are few windows."""
    finite = np.isfinite(table.residual)
    size = float(table.size[finite].max())
    left = max(float(table.residual[finite].min()), floor / table.window)
    return left / size * _few(table) if size > 0.0 else 0.0


def _few(table: Table) -> float:
    """A factor for residuals of few windows: offset and shift were fitted to them."""
    return 1.0 + FEW / max(3.0 * table.windows - 3.0 - table.fitted, 1.0)


def _best(tables: tuple[Table, Table], floors: tuple[float, float]) -> tuple[int, ...]:
    """The reading with the least product of residuals: most likely if both noises are unknown."""
    logs = []
    for table, floor, share in zip(tables, floors, SHARES):
        least = max(floor / table.window, 0.1 * share * _size(table), 1e-300)
        logs.append(np.log(np.maximum(table.residual, least)))
    logs[1][..., ARRANGEMENTS.index("ahead")] += np.log(RATIO)  # it may have been fitted
    angular, linear = joined(*logs)
    total = angular + linear
    return tuple(int(i) for i in np.unravel_index(np.argmin(total), total.shape))


def _size(table: Table) -> float:
    """Size of the motion in the reading that fits best."""
    return float(table.size.flat[np.argmin(table.residual)])


def _one_point(table: Table, floor: float) -> Table:
    """Without the readings of two points that differ by an offset too small to be one.

    A fitted offset never fits worse than none. It counts as none if none fits as well, and if the
    motion would have shown one of SAME_POINT in any direction. If it is that small but none fits
    worse, it may be an offset or the error of an integrator: both stay.
    """
    same, ahead = ARRANGEMENTS.index("same"), ARRANGEMENTS.index("ahead")
    residual = table.residual.copy()
    for entry in np.ndindex(residual.shape[:-1]):
        fit = (*entry, ahead)
        least = max(float(np.linalg.eigvalsh(table.leverage[entry[:2]])[0]), 1e-300)
        noise = CERTAIN * residual[fit] / np.sqrt(table.windows)
        error = (noise + SHARES[1] * table.size[fit] + floor / table.window) / np.sqrt(least)
        none = np.linalg.norm(table.offset[fit]) <= SAME_POINT + error
        fits = residual[(*entry, same)] <= _limit(table, fit, floor, SHARES[1])
        if none and not fits:
            residual[(*entry, same)] = residual[fit]
        elif none and error <= SAME_POINT:
            residual[fit] = np.inf
    return replace(table, residual=residual)


def _limit(table: Table, best: tuple[int, ...], floor: float, share: float) -> float:
    """Largest residual of readings that fit as well as the best one."""
    return max(RATIO * _few(table) * table.residual[best], share * table.size[best],
               4.0 * floor / table.window)  # fmt: skip


def _take_out(motions: list[Motion], best: tuple[int, ...], tables: tuple[Table, Table]) -> float:
    """Mark steps that the best reading does not explain as breaks; their share of all."""
    share = 0.0
    for motion in motions:
        wrong = np.zeros_like(motion.broken)
        halves = motion.step_errors(angular_part(best), linear_part(best), tables)
        for error, size in halves:
            wrong |= unexplained_steps(error, size)
        if wrong.mean() <= MOST_WRONG:
            motion.broken |= wrong
            share = max(share, float(wrong.mean()))
    return share


def unexplained_steps(error: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Steps whose error is unlike that of the others, and large beside the motion."""
    return (error > WRONG_STEP * np.median(error)) & (
        error > WRONG_SHARE * np.maximum(size, np.median(size))
    )


def _unbiased(
    motions: list[Motion], com: np.ndarray | None, floors: tuple[float, float],
    tables: tuple[Table, Table], best: tuple[int, ...],
) -> tuple[list[Table], list[Table]]:  # fmt: skip
    """Of each half the tables without a bias, if the best reading has one."""
    parts = (angular_part(best), linear_part(best))
    errs = [_matters(*half) for half in zip(tables, parts, floors, SHARES)]
    found: tuple[list[Table], list[Table]] = [], []
    for drifts in (False, True):
        wanted = [half for half in (0, 1) if errs[half] and not found[half]]
        if not wanted:
            break
        for basis in BASES:
            lengths = _tables(motions, com, False, (basis, drifts))
            for half in wanted:
                arm = half == 1 and _may_be_bias(tables[1], parts[1])
                if arm or any(_is_bias(tables[half], x, parts[half]) for x in lengths[half]):
                    floor = floors[half]
                    least = min(lengths[half], key=lambda table: _unexplained(table, floor))
                    fitted = half == 1 and com is None
                    found[half].append(_one_point(least, floor) if fitted else least)
    return found


def _is_bias(table: Table, without: Table, part: tuple[int, ...]) -> bool:
    """Whether the error of a reading is such as a bias makes, more than it would be by chance."""
    left = 1.0 - without.fitted / (3.0 * without.windows)
    return bool(
        without.window == table.window
        and without.residual[part] < BIASED * np.sqrt(max(left, 0.0)) * table.residual[part]
    )


def _matters(table: Table, best: tuple[int, ...], floor: float, share: float) -> bool:
    """Whether a bias of the best reading would be seen, or would bring other readings back."""
    if _may_be_bias(table, best):
        return True
    error = table.residual[best]
    limit = _limit(table, best, floor, share)
    again = (table.residual > limit) & (table.residual <= _most_biased(table, best))
    clear = error > max(CLEAR * share * table.size[best], 4.0 * floor / table.window)
    return bool(clear and (again.any() or error > SEEN * table.size[best]))


def _may_be_bias(table: Table, best: tuple[int, ...]) -> bool:
    """Whether the best reading has most of its motion from an offset that was fitted to velocities.

    A body that spins in place shows no other: w x d and a bias in body axes are the same then.
    """
    same, ahead, behind = (ARRANGEMENTS.index(name) for name in ("same", "ahead", "behind"))
    if table.residual.shape[-1] != len(ARRANGEMENTS) or best[-1] not in (same, ahead):
        return False
    logged = (*best[:-1], same)
    claimed = table.moved[logged] < UNFIT * table.size[logged]
    return bool(claimed and np.isinf(table.residual[..., behind]).all())


def _most_biased(table: Table, best: tuple[int, ...]) -> float:
    """Largest residual of a reading that is like the best one, but for a bias."""
    if _may_be_bias(table, best):
        return np.inf
    slight = table.residual[best] <= SLIGHT * table.moved[best]
    return float(ALIKE * table.residual[best] if slight else np.inf)


def _decided(
    tables: tuple[Table, Table], unbiased: tuple[list[Table], list[Table]], best: tuple[int, ...],
    floors: tuple[float, float], wrong: float, not_shown: np.ndarray, far: float,
) -> Kinematics:  # fmt: skip
    parts = (angular_part(best), linear_part(best))
    angular, linear = tables
    turns = _informed(angular, parts[0], floors[0])
    if not turns:
        linear = _without_turning(linear)
        unbiased = unbiased[0], [_without_turning(table) for table in unbiased[1]]
        parts = parts[0], _least(linear)
    hidden = 0.0 * not_shown if turns else not_shown
    linear, *others = (_with_noise_of_turning(table, angular, parts[0], far, hidden)
                       for table in (linear, *unbiased[1]))  # fmt: skip
    unbiased = unbiased[0], others
    masks = [_staying(*half) for half in zip((angular, linear), unbiased, parts, floors, SHARES)]
    if not turns:
        masks[1] = _whatever_turns(masks[1], hidden > TURNED)
    possible = np.logical_and(*joined(*masks))
    possible |= not possible.any()  # halves that contradict each other tell nothing
    informed = turns, _informed(linear, parts[1], floors[1])
    biased = bool(unbiased[0]), bool(unbiased[1])
    return Kinematics(*tables, best, possible, informed, biased, wrong)


def _staying(
    table: Table, unbiased: list[Table], best: tuple[int, ...], floor: float, share: float
) -> np.ndarray:
    """The readings of one half that stay, with the bias that the best of them may have."""
    mask = _fitting(table, best, floor, share)
    alike = table.residual <= _most_biased(table, best)
    for other in unbiased:
        fits = _fitting(other, _least(other), floor, share)
        mask = mask | (fits & alike if fits[best] else fits)  # else the best was so by its bias
    return mask


def _least(table: Table) -> tuple[int, ...]:
    index = np.unravel_index(np.argmin(table.residual), table.residual.shape)
    return tuple(int(i) for i in index)


def _with_noise_of_turning(
    linear: Table, angular: Table, best: tuple[int, ...], far: float, hidden: np.ndarray
) -> Table:
    """With slack for readings that use orientations and angular velocities: those have errors.

    `hidden` [rad] is by how much orientations may be wrong all the time, of either order.
    """
    spin = float(angular.residual[best])  # [rad/s]
    turn = spin * angular.window  # [rad]
    noise = turn / linear.window
    # noise of rotations makes a fitted offset short: it is longer by as much as they are noise
    lever = 0.5 * np.trace(linear.leverage, axis1=-2, axis2=-1)[:, :, None, None, None]
    kept = 1.0 - np.divide(noise**2, lever, out=np.ones_like(lever), where=lever > 0.0)
    arm = np.linalg.norm(linear.offset, axis=-1) * noise / np.maximum(kept, SHORTEST)
    arm[..., ARRANGEMENTS.index("world")] = spin * far
    size = np.where(np.isfinite(linear.size), linear.size, 0.0)
    basis = np.array([0.0, 1.0])[:, None] * (turn + hidden[:, None, None]) * size
    return replace(linear, slack=linear.slack + arm + basis)


def _far(log: Samples) -> float:
    """How far positions are from the world's origin."""
    some = log.pos[:: max(1, len(log) // 1000)].astype(float)
    return float(np.sqrt((some**2).sum(-1).mean()))


def _without_turning(linear: Table) -> Table:
    """Without velocities at the world's origin, which tell nothing if turning is not understood."""
    residual = linear.residual.copy()
    residual[..., ARRANGEMENTS.index("world")] = np.inf
    return replace(linear, residual=residual)


def _informed(table: Table, best: tuple[int, ...], floor: float) -> bool:
    """Whether the best reading explains how the pose moves, and the pose does move."""
    moved = table.moved[best]
    return bool(
        moved > 4.0 * floor / table.window and table.residual[best] * _few(table) <= UNFIT * moved
    )


def _fitting(table: Table, best: tuple[int, ...], floor: float, share: float) -> np.ndarray:
    """The readings of one half that stay."""
    if _informed(table, best, floor):
        return table.residual <= np.maximum(_limit(table, best, floor, share), table.slack)
    still = max(table.residual[best], table.moved[best], 4.0 * floor / table.window)
    invented = (table.moved > STILL * still) & (table.residual > UNFIT * table.moved)
    return np.isfinite(table.residual) & ~invented


def _whatever_turns(linear: np.ndarray, stuck: np.ndarray) -> np.ndarray:
    """Readings of the linear half, if orientations are not explained.

    If they may be `stuck` (in either order of velocities), the linear half tells the order of
    velocities, and nothing that needs rotations.
    """
    linear = linear.copy()
    linear[..., ARRANGEMENTS.index("world")] = linear.any(-1)
    anyhow = np.broadcast_to(linear.any(axis=(0, 1, 3, 4), keepdims=True), linear.shape)
    return np.where(stuck[:, None, None], anyhow, linear)


@dataclass(frozen=True)
class Reading:
    """One reading and how well it fits. `points` says how the two points lie to each other: "same",
    "ahead" (the velocity is that of the point `com` away from the logged one), "behind" (-com) or
    "world"."""

    words: dict[str, str]
    points: str
    residual: float  # share of the motion
    angular: float  # [rad/s]
    linear: float  # [m/s, or the log's unit of length]
    possible: bool


def ranked(k: Kinematics) -> tuple[Reading, ...]:
    """All readings that are different motions, the best first."""
    residuals = k.residuals
    out = []
    for flat in np.argsort(residuals, axis=None, kind="stable"):
        index = tuple(int(i) for i in np.unravel_index(flat, residuals.shape))
        if np.isfinite(residuals[index]):
            words, points = named_arrangement(index)
            out.append(Reading(
                words, points, float(residuals[index]),
                float(k.angular.residual[angular_part(index)]),
                float(k.linear.residual[linear_part(index)]), bool(k.possible[index]),
            ))  # fmt: skip
    return tuple(out)
