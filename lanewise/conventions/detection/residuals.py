"""How far each reading of a log is from agreeing with itself.

Velocities are integrated and compared with how the pose changed, over windows of the log. That is
kinder to noise than differentiating poses, and no window is too long for it:

    R(t2) - R(t1) = integral of [w_W] R                    the angular half, any reading of it
    p(t2) - p(t1) + (R(t2) - R(t1)) d = integral of v_W    the linear half, of a point d away
    p(t2) - p(t1) = integral of (v_W + w_W x p)            the same, of the point at W's origin

Each is linear in the velocities, and only poses stand on the left. So an unknown offset d is a
linear least-squares problem, and the linear half does not depend on how the angular half is read,
but for the last line, which takes the reading that fits best. Divided by the length of the window
both are velocities, in m/s and rad/s.

Engines differ in the instant that a logged velocity belongs to: some integrate poses with the
velocity at the end of a step, some at its start. A shift of up to a step is fitted to every reading
before it is judged.

The passive reading of a rotation needs nothing new. If M is the logged matrix, then R = M', and
dR = [w] R is dM = -M [w]: passive with world axes is active with body axes and the other sign.
"""

from dataclasses import dataclass

import numpy as np

from .bias import Bias
from .readings import ARRANGEMENTS, VALUES
from .samples import GAP, Rows, as_wxyz, matrices

DEGREE = np.pi / 180.0
MOST_WINDOWS = 600
FARTHEST = 100.0  # longest offset that is fitted, in the unit of positions
SHIFT = 1.0  # most that velocities may be off in time, in steps


Judged = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Table:
    """Residuals of one half, an entry a reading.

    residual   root mean square over windows [rad/s or m/s]
    moved      size of the motion as poses have it
    size       the same, or as velocities have it, whichever is larger
    shift      in steps: 1/2 is a velocity at the end of its step
    slack      residual that a reading may have because nobody knows whether an integrator holds a
               velocity in world or in body axes for a step
    offset     of the point of the velocity from the point of the position (linear half)
    """

    residual: np.ndarray
    moved: np.ndarray
    size: np.ndarray
    shift: np.ndarray
    slack: np.ndarray
    offset: np.ndarray
    window: float  # [s]
    windows: float  # number that do not overlap
    fitted: int  # numbers of a bias that was fitted to them
    leverage: np.ndarray  # of offsets: mean (dR)'(dR) / window^2, of each reading of the rotation

    @property
    def relative(self) -> np.ndarray:
        """Residuals as a share of the motion; 0 where nothing moves, infinite if not tried."""
        out = np.where(np.isfinite(self.residual), 0.0, np.inf)
        moves = np.isfinite(self.residual) & (self.size > 0.0)
        return np.divide(self.residual, self.size, out=out, where=moves)


@dataclass(frozen=True)
class Windows:
    """Windows in chunks of rows: which chunk, from which row, to which; how long they are [s]."""

    chunk: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    duration: np.ndarray
    independent: float

    def rate(self, x: np.ndarray) -> np.ndarray:
        """Change over time of arrays (..., chunk, row, components)."""
        change = x[..., self.chunk, self.end, :] - x[..., self.chunk, self.begin, :]
        change /= self.duration[:, None]
        return change


class Motion:
    """Chunks of a log with everything integrated along them.

    Arrays end with the axes chunk, row, component. Integrals have an axis of two before them: of
    the mean of both ends of a step, and of the difference between them.
    """

    def __init__(self, rows: Rows):
        self.t, self.p = rows.t, rows.p
        M = np.stack([matrices(as_wxyz(rows.q, order)) for order in VALUES["quaternion"]])
        self.R = np.stack([M, np.swapaxes(M, -1, -2)], 1)  # axes quaternion, rotation
        self.dt = np.diff(rows.t, axis=1)
        self.broken = self.dt > GAP * np.median(self.dt)

        x = rows.halves
        ends = np.stack([0.5 * (x[..., 1:, :] + x[..., :-1, :]), np.diff(x, axis=-2)], 1)
        between = 0.5 * (self.R[..., 1:, :, :] + self.R[..., :-1, :, :])
        # axes: quaternion, rotation; integrals of R
        self.held = self._along(_flat(between))
        # axes: half
        self.moving = self._along(ends)
        # axes: quaternion, rotation, half; integrals of R v
        in_world = (between[:, :, None, None] @ ends[..., None])[..., 0]
        self.rotated = self._along(in_world)
        # axes: quaternion, rotation, half; integrals of what R changes of R v in a step
        swing = np.diff(self.R, axis=-3)
        self.swung = self._along((swing[:, :, None] @ ends[:, 0, ..., None])[..., 0])
        # axes: basis, quaternion, rotation, half; integrals of w x p
        middle = 0.5 * (rows.p[..., 1:, :] + rows.p[..., :-1, :])
        both = np.stack(np.broadcast_arrays(ends, in_world))
        self.carried = self._along(np.cross(both, middle))
        # axes: quaternion, half, side; integrals of [w] M and of M [w]
        M, S = between[:, 0, None, None], _skew(ends)
        turning = np.stack([S @ M, M @ S], 2)
        self.turning = self._along(turning.reshape(*turning.shape[:-2], 9))

    def _along(self, steps: np.ndarray) -> np.ndarray:
        out = np.zeros((*steps.shape[:-2], steps.shape[-2] + 1, steps.shape[-1]))
        np.cumsum(steps * self.dt[..., None], axis=-2, out=out[..., 1:, :])
        return out

    # ---- windows

    @property
    def longest(self) -> int:
        return max(1, (self.t.shape[1] - 1) // 2)

    def windows(self, length: int) -> Windows | None:
        """Windows of some steps that have no break in them; None if there are too few."""
        number = self.t.shape[1]
        apart = max(1, length // 2)
        begin = np.arange(0, number - length, apart)
        breaks = np.zeros(self.t.shape, int)
        np.cumsum(self.broken, axis=1, out=breaks[:, 1:])
        chunk, k = np.nonzero(breaks[:, begin + length] == breaks[:, begin])
        if len(chunk) > MOST_WINDOWS:
            some = np.linspace(0, len(chunk) - 1, MOST_WINDOWS).astype(int)
            chunk, k = chunk[some], k[some]
        if len(chunk) < 2:
            return None
        return self._windows(chunk, begin[k], length, len(chunk) * apart / length)

    def _windows(self, chunk, begin, length: int, independent: float) -> Windows:
        end = begin + length
        return Windows(chunk, begin, end, self.t[chunk, end] - self.t[chunk, begin], independent)

    def turned(self, at: Windows) -> float:
        """How much windows turn, as a chord."""
        change = at.rate(_flat(self.R[0, 0])) * at.duration[:, None]
        return float(np.sqrt(0.5 * (change**2).sum(-1).mean()))

    def not_shown(self) -> np.ndarray:
        """Radians that velocities claim, of either order, and that the orientation does not show"""
        claimed = np.linalg.norm(self.moving[::-1, 0], axis=-1).max(axis=(-1, -2))
        R = self.R[0, 0]
        shown = np.sqrt(0.5 * ((R - R[:, :1]) ** 2).sum(axis=(-1, -2)).max())
        alike = [np.maximum(claimed * unit, shown) < 2.0 * np.minimum(claimed * unit, shown)
                 for unit in (1.0, DEGREE)]  # fmt: skip
        return np.where(alike[0] | alike[1], 0.0, claimed)

    # ---- tables

    def angular(self, at: Windows, robust: bool, bias: Bias | None = None) -> Table:
        """A table with axes ANGULAR; `bias` is what is left out of account."""
        D = at.rate(_flat(self.R[:, 0]))[:, None, None, None, None]
        GH = at.rate(self.turning)[:, ::-1]  # quaternion, order, side, (G, H)
        # the side is that of the basis if active, and the other one if passive
        GH = np.stack([GH, -GH[:, :, ::-1]], 1)[:, :, :, :, None]
        GH = GH * np.array([1.0, DEGREE])[:, None, None, None]  # unit
        if bias is not None:
            D, GH = bias.out_of_turning(np.repeat(D, 2, 1)), bias.out_of_turning(GH)
        judged = _judge(D, GH[..., 0, :, :], GH[..., 1, :, :], robust, 0.5)
        return self._table(at, *judged, fitted=0 if bias is None else bias.numbers)

    def linear(
        self, at: Windows, robust: bool, com: np.ndarray | None, angular: Table,
        bias: Bias | None = None,
    ) -> Table:  # fmt: skip
        """A table with axes LINEAR; `angular` is that of the same windows."""
        dp, GH = np.broadcast_to(at.rate(self.p), (2, 2, len(at.chunk), 3)), self._moved(at)
        carried = self._carried(at, angular)
        dR = at.rate(_flat(self.R))  # quaternion, rotation
        dR = dR.reshape(*dR.shape[:-1], 3, 3)
        if bias is not None:
            dp, GH, carried = map(bias.out_of_moving, (dp, GH, carried))
            dR = np.moveaxis(bias.out_of_moving(np.moveaxis(dR, -1, 2)), 2, -1)
        leverage = np.einsum("qrnki,qrnkj->qrij", dR, dR) / dR.shape[2]
        shape = (2, 2, 2, 2, len(ARRANGEMENTS))
        residual, moved, size, shift = (np.full(shape, np.inf) for _ in range(4))
        offset = np.zeros((*shape, 3))
        if com is None:
            k = ARRANGEMENTS.index("ahead")
            for entry in np.ndindex(shape[:-1]):
                G, H = GH[entry]
                offset[entry][k] = _fitted(dR[entry[:2]], dp[entry[:2]], G, H, robust)
        else:
            offset[..., ARRANGEMENTS.index("ahead"), :] = com
            offset[..., ARRANGEMENTS.index("behind"), :] = -com
        for k, name in enumerate(ARRANGEMENTS):
            arm = np.einsum("qrnij,qrhbj->qrhbni", dR, offset[..., k, :])
            D, G, H = dp[:, :, None, None] + arm, GH[..., 0, :, :], GH[..., 1, :, :]
            if name == "world":
                D, H = D - carried[..., 0, :, :], H + carried[..., 1, :, :]
            tried = {"same": True, "world": True, "ahead": com is None or com.any(),
                     "behind": com is not None and com.any()}  # fmt: skip
            if tried[name]:
                residual[..., k], moved[..., k], size[..., k], shift[..., k] = (
                    _judge(D, G, H, robust)
                )  # fmt: skip
        fitted = 0 if bias is None else bias.numbers
        slack = self._slack(at) if com is None else 0.0  # a fitted offset makes use of it
        return self._table(at, residual, moved, size, shift, fitted, slack, offset, leverage)

    def _moved(self, at: Windows) -> np.ndarray:
        """Integrals of v_W. Axes: quaternion, rotation, order, basis, (G, H)."""
        plain, rotated = at.rate(self.moving), at.rate(self.rotated)
        return np.stack(np.broadcast_arrays(plain, rotated), 3)

    def _carried(self, at: Windows, angular: Table) -> np.ndarray:
        """Integrals of w_W x p, of the basis and unit that fit best. Axes as of _moved."""
        best = angular.residual.reshape(2, 2, 2, 4).argmin(-1)
        basis, unit = best // 2, best % 2
        found = at.rate(self.carried)[:, :, :, ::-1]  # basis, quaternion, rotation, order
        quaternion, rotation, order = np.ogrid[:2, :2, :2]
        found = found[basis, quaternion, rotation, order]
        return (found * np.where(unit, DEGREE, 1.0)[..., None, None, None])[:, :, :, None]

    def _slack(self, at: Windows) -> np.ndarray:
        """Axes as of LINEAR."""
        swung = np.sqrt((at.rate(self.swung) ** 2).sum(-1).mean(-1))  # quaternion, rotation, order
        return np.stack([0.0 * swung, 0.5 * swung], -1)[..., None]

    def _table(
        self, at, residual, moved, size, shift, fitted: int, slack=0.0, offset=None, leverage=None
    ) -> Table:  # fmt: skip
        offset = np.zeros((*residual.shape, 3)) if offset is None else offset
        leverage = np.zeros((2, 2, 3, 3)) if leverage is None else leverage
        return Table(residual, moved, size, shift, np.broadcast_to(slack, residual.shape), offset,
                     float(np.median(at.duration)), at.independent, fitted, leverage)  # fmt: skip

    # ---- single steps

    def step_errors(self, angular: tuple, linear: tuple, tables: tuple[Table, Table]):
        """For each half: errors of single steps and the motion in them, of one reading."""
        chunk, k = np.nonzero(np.ones_like(self.dt, bool))
        at = self._windows(chunk, k, 1, len(k))
        quaternion, passive, order, basis, unit = angular
        D = at.rate(_flat(self.R[quaternion, 0])) * np.sqrt(0.5)
        factor = (-1.0 if passive else 1.0) * (DEGREE if unit else 1.0) * np.sqrt(0.5)
        G, H = factor * at.rate(self.turning[quaternion, 1 - order, basis ^ passive])
        out = [step_errors(D, G, H)]

        GH = self._moved(at)
        if ARRANGEMENTS[linear[-1]] == "world":
            GH = GH + self._carried(at, tables[0])
        dR = at.rate(_flat(self.R[linear[:2]])).reshape(-1, 3, 3)
        D, (G, H) = at.rate(self.p) + dR @ tables[1].offset[linear], GH[linear[:4]]
        out.append(step_errors(D, G, H))
        return [tuple(x.reshape(self.dt.shape) for x in half) for half in out]


def _flat(R: np.ndarray) -> np.ndarray:
    return R.reshape(*R.shape[:-2], 9)


def _skew(w: np.ndarray) -> np.ndarray:
    S = np.zeros((*w.shape, 3))
    S[..., 2, 1], S[..., 0, 2], S[..., 1, 0] = np.moveaxis(w, -1, 0)
    return S - np.swapaxes(S, -1, -2)


def _judge(D, G, H, robust: bool, scale: float = 1.0) -> Judged:
    """(residual, moved, size, shift) of D = G + shift H, over windows and components.

    Robust: mean of lengths, which outliers cannot turn; else root mean square. Squares are scaled.
    """
    E = D - G
    HH = np.einsum("...ni,...ni->...", H, H)
    EH = np.einsum("...ni,...ni->...", E, H)
    shift = np.clip(np.divide(EH, HH, out=np.zeros_like(EH), where=HH > 0.0), -SHIFT, SHIFT)
    E -= shift[..., None, None] * H
    means = []
    for x in (E, D, G):
        squares = scale * np.einsum("...ni,...ni->...n", x, x)
        means.append(np.sqrt(squares).mean(-1) if robust else np.sqrt(squares.mean(-1)))
    moved = np.broadcast_to(means[1], means[0].shape)
    return means[0], moved, np.maximum(moved, means[2]), shift


def step_errors(D, G, H) -> tuple[np.ndarray, np.ndarray]:
    """Of single steps: length of D - G - shift H, with the shift that suits most; and the motion"""
    shifts = np.linspace(-SHIFT, SHIFT, 9)
    lengths = [np.linalg.norm(D - G - shift * H, axis=1) for shift in shifts]
    best = min(lengths, key=lambda e: float(e.mean()))
    return best, np.maximum(np.linalg.norm(D, axis=1), np.linalg.norm(G, axis=1))


def _fitted(dR, dp, G, H, robust: bool) -> np.ndarray:
    """The offset d, and a shift, that make dp + dR d = G + shift H; robust by reweighting."""
    X = np.concatenate([dR, -H[..., None]], -1).reshape(-1, 4)
    y = (G - dp).reshape(-1)
    x = _solved(X.T @ X, X.T @ y)
    for _ in range(4 if robust else 0):
        e = np.linalg.norm((y - X @ x).reshape(-1, 3), axis=1)
        middle = float(np.median(e))
        if middle == 0.0:
            break
        weighted = X * np.repeat(1.0 / np.maximum(e / middle, 1e-3), 3)[:, None]
        x = _solved(weighted.T @ X, weighted.T @ y)
    return x[:3]


def _solved(normal: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Least squares, without the directions that the data say nothing of."""
    values, vectors = np.linalg.eigh(normal)
    along = vectors.T @ right
    kept = (values > 1e-12 * values[-1]) & (np.abs(along) <= FARTHEST * values)
    return vectors @ np.divide(along, values, out=np.zeros_like(along), where=kept)
