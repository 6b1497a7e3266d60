"""Free flight: what only dynamics can tell.

A pose and a velocity that both belong to the origin move just like a pose and a velocity that both
belong to the centre of mass. In free flight they do not: the centre of mass has a constant
acceleration, gravity, and no other point of a body that turns does. So the log is searched for
stretches in which the logged point p, or the point p + R c, follows a parabola.

A parabola by itself proves little. Any smooth motion is one for a short while, and a wheel's hub
moves straight. A stretch counts as free flight if the acceleration is that of the Earth, along an
axis; or if the body tumbles as nothing but a free body does: R I R'w is constant for some inertia
I, and w is not. A body that is shaken has the acceleration of the Earth now and then, too, between
others that are as smooth; so flight must be more than the others.
"""

from dataclasses import dataclass, field

import numpy as np

LONGEST = 4096  # rows in a stretch
STRETCHES = 6
BLOCKS = 32  # points that a segment is reduced to
SEGMENTS = 24  # of one length, in a stretch
SHORTEST = 8  # rows
SHORTER = 0.7  # each length beside the one before
EARTH = np.array([9.81, 981.0, 9810.0])  # in metres, centimetres, millimetres
EARTH_SHARE = 0.02
ALONG_AXIS = 0.035  # sine of the angle between gravity and an axis
MISFIT = 0.02  # share of the acceleration that a parabola may be off
CHANGE = 0.08  # share by which acceleration may change along a segment
WORSE = 5.0  # times the misfit that excludes the other point
FLYING = 0.1  # least share of segments of one length that must be flight: fewer may be chance
SMOOTH = 0.2  # the same of a motion that is not flight, and has no impacts
HELD = 0.1  # of the Earth's acceleration; less is no motion to compare with flight
ONE_SIDED = 10  # times as many segments must show one point as the other
TUMBLING = 0.05  # of w: least that it varies, and most that R I R'w may
VARIES = 2.0  # times the error of w that it must vary
HEAVY = 0.2  # least that R I R'w must be, of w times the middle moment of inertia
FREE_TURN = 2.0  # radians that a body must turn for its tumbling to show
FITTED_TURN = 0.7  # radians that a body must turn for an offset to be fitted
CERTAIN = 5.0  # standard errors
SHOWS = 0.03  # an offset that must have shown if there is said to be none
CURVE = 12.0 * np.sqrt(5.0)  # rms of a parabola without its best line is a D^2 / CURVE


@dataclass
class Flight:
    """What flight says.

    points    number of segments that show the centre of mass to be the logged point ("com"), or
              the point an offset away from it ("origin": that is what is logged then)
    gravity   of the longest segment, and the offset if that was fitted
    """

    points: dict[str, int] = field(default_factory=lambda: {"com": 0, "origin": 0})
    gravity: np.ndarray | None = None
    offset: np.ndarray | None = None
    seconds: float = 0.0  # length of the longest segment
    logged_is_com: bool = False  # where it would show: no offset makes the motion more like flight

    @property
    def seen(self) -> bool:
        return self.gravity is not None

    @property
    def point(self) -> str | None:
        """The pose point, if segments agree."""
        com, origin = self.points["com"], self.points["origin"]
        if com > ONE_SIDED * origin:
            return "com"
        return "origin" if origin > ONE_SIDED * com and not self.logged_is_com else None


@dataclass(frozen=True)
class Segments:
    """Segments of the same number of rows, reduced to blocks; axes (segment, block).

    Everything is linear in an offset c (S, 3): what is true of p + R c is that of p plus that of R
    times c.
    """

    duration: np.ndarray  # (S,)
    acceleration: tuple[np.ndarray, np.ndarray]  # of p (S, 3) and of R (S, 3, 3)
    change: tuple[np.ndarray, np.ndarray]  # of acceleration, along the segment
    left: tuple[np.ndarray, np.ndarray]  # without the best parabola: (S, B, 3) and (S, B, 3, 3)
    R: np.ndarray  # (S, B, 3, 3)
    w: np.ndarray  # (S, B, 3)
    t: np.ndarray  # (S, B)
    spin_error: float  # of w

    def gravity(self, c: np.ndarray) -> np.ndarray:
        return self.acceleration[0] + _times(self.acceleration[1], c)

    def jerk(self, c: np.ndarray) -> np.ndarray:
        """Change of acceleration along the segment."""
        return np.linalg.norm(self.change[0] + _times(self.change[1], c), axis=-1)

    def misfit(self, c: np.ndarray) -> np.ndarray:
        """Of a parabola, as an acceleration."""
        return self._as_acceleration(self.left[0] + self._swing(c))

    def lever(self, c: np.ndarray) -> np.ndarray:
        """What an offset adds to the misfit."""
        return self._as_acceleration(self._swing(c))

    def _swing(self, c: np.ndarray) -> np.ndarray:
        return np.einsum("sbij,sj->sbi", self.left[1], c)

    def _as_acceleration(self, x: np.ndarray) -> np.ndarray:
        return np.sqrt((x**2).sum(-1).mean(-1)) * CURVE / self.duration**2

    def turn(self) -> np.ndarray:
        return np.trapezoid(np.linalg.norm(self.w, axis=-1), self.t, axis=-1)


def _times(matrix: np.ndarray, c: np.ndarray) -> np.ndarray:
    return np.einsum("sij,sj->si", matrix, c)


def find_flight(
    t: np.ndarray, p: np.ndarray, R: np.ndarray, w: np.ndarray, broken: np.ndarray,
    offset: np.ndarray | None, flight: Flight, spin_error: float,
) -> None:  # fmt: skip
    """Search one stretch of rows, long segments first, and add to `flight`.

    `offset` is where the centre of mass is if it is not the logged point; None if that is to be
    fitted. `broken` marks steps that no segment may cross. `spin_error` is that of w.
    """
    length, found = len(t), False
    while length >= SHORTEST and not found:
        segments = _segments(t, p, R, w, broken, length, spin_error)
        if segments is not None:
            found = _judge(segments, offset, flight)
        length = int(SHORTER * length)


def _segments(t, p, R, w, broken, length: int, spin_error: float) -> Segments | None:
    number = 3 * len(t) // length - 2  # neighbours share two thirds
    begins = np.unique(np.linspace(0, len(t) - length, number).astype(int))
    breaks = np.concatenate([[0], np.cumsum(broken)])
    begins = begins[breaks[begins + length - 1] == breaks[begins]]
    if len(begins) > SEGMENTS:
        begins = begins[np.linspace(0, len(begins) - 1, SEGMENTS).astype(int)]
    if not len(begins):
        return None
    blocks = min(BLOCKS, length)
    each = min(16, length // blocks)
    spread = np.arange(each) * (length // blocks) // each
    index = (np.arange(blocks) * length // blocks)[:, None] + spread
    rows = begins[:, None, None] + index  # (S, B, each)
    times = t[rows].mean(-1)
    begin, end = times[:, :1], times[:, -1:]
    x = 2.0 * (times - begin) / (end - begin) - 1.0
    Q, factor = np.linalg.qr(np.stack([np.ones_like(x), x, x**2, x**3], -1))
    y = np.concatenate([p[rows].mean(2), R[rows].mean(2).reshape(*x.shape, 9)], -1)
    on = np.swapaxes(Q, -1, -2) @ y  # (S, 4, 12)
    left = y - Q[..., :3] @ on[:, :3]
    unit = (2.0 / (end - begin)) ** 2
    acceleration = 2.0 * unit * on[:, 2] / factor[:, 2, 2, None]
    change = 12.0 * unit * on[:, 3] / factor[:, 3, 3, None]
    middle = rows[..., each // 2]
    return Segments((end - begin)[:, 0], _apart(acceleration), _apart(change), _apart(left),
                    R[middle], w[middle], times, spin_error)  # fmt: skip


def _apart(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return x[..., :3], x[..., 3:].reshape(*x.shape[:-1], 3, 3)


def _judge(s: Segments, offset: np.ndarray | None, flight: Flight) -> bool:
    """Add what segments of one length show; whether they show which point it is."""
    zero = np.zeros((len(s.duration), 3))
    if offset is None:
        away, there, shows = _fitted(s)
    else:
        away, there, shows = zero + offset, np.ones(len(zero), bool), np.zeros(len(zero), bool)
    away = np.where(there[:, None], away, 0.0)
    lever = s.lever(away)
    flies = _flies(s, zero, lever), _flies(s, away, lever) & there
    fits = s.misfit(zero), s.misfit(away)
    earth = s.gravity(zero), s.gravity(away)
    clear = []
    for a, b in ((0, 1), (1, 0)):
        unlike = _like_earth(earth[a], EARTH_SHARE) & ~_like_earth(earth[b], 0.1)
        clear.append(there & flies[a] & (
            (fits[b] > WORSE * fits[a]) & ((fits[a] <= fits[b]) | ~flies[b]) | unlike & ~flies[b]
        ))  # fmt: skip
    com, origin = clear[0] & ~clear[1], clear[1] & ~clear[0]
    both = flies[0] & ~com & ~origin
    found = com | origin | both
    if found.mean() < FLYING or found.sum() < _driven(s, zero, found).sum():
        return False
    flight.logged_is_com |= bool((flies[0] & shows & ~there).any())
    flight.points["com"] += int(com.sum())
    flight.points["origin"] += int(origin.sum())
    for mask, c in ((origin, away), (com | both, zero)):
        for k in np.flatnonzero(mask & (s.duration > flight.seconds)):
            g = s.gravity(c)[k]
            noise = max(WORSE * s.misfit(c)[k], s.jerk(c)[k], MISFIT * lever[k])
            real = np.linalg.norm(g) > noise or _like_earth(g[None], EARTH_SHARE)[0]
            flight.seconds = float(s.duration[k])
            flight.gravity = g if real else np.zeros(3)
            flight.offset = away[k] if c is away else None
    return bool((com | origin).any())


def _fitted(s: Segments) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The c for which p + R c is most like a parabola; whether it helps; and whether one of a few
    centimetres would have."""
    Z = s.left[1].reshape(len(s.duration), -1, 3)
    y = s.left[0].reshape(len(s.duration), -1, 1)
    values, vectors = np.linalg.eigh(np.swapaxes(Z, -1, -2) @ Z)
    turns = (s.turn() >= FITTED_TURN) & (values[:, 0] > 1e-12 * values[:, 2])
    values[~turns] = 1.0
    right = np.swapaxes(vectors, -1, -2) @ (np.swapaxes(Z, -1, -2) @ y)
    c = -(vectors @ (right / values[..., None]))[..., 0]
    error = CERTAIN * s.misfit(c) * s.duration**2 / CURVE / np.sqrt(values[:, 0])
    return (
        c,
        turns & (np.linalg.norm(c, axis=-1) > np.maximum(SHOWS, error)),
        turns & (error < SHOWS),
    )


def _driven(s: Segments, c: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Whether something drives a body that does not turn freely, smoothly as impacts do not."""
    g = np.linalg.norm(s.gravity(c), axis=-1)
    near = (g[:, None] > HELD * EARTH).any(-1)
    driven = near & ~found & (s.misfit(c) <= SMOOTH * g) & (s.jerk(c) <= g / SMOOTH)
    if not driven.any() or any(_tumbles_freely(s, int(k)) for k in np.flatnonzero(found)):
        return np.zeros_like(driven)
    return driven


def _flies(s: Segments, c: np.ndarray, lever: np.ndarray) -> np.ndarray:
    """Whether p + R c follows the parabola of a free body."""
    g = s.gravity(c)
    size = np.maximum(np.linalg.norm(g, axis=-1), lever)
    steady = (s.misfit(c) <= MISFIT * size) & (s.jerk(c) <= CHANGE * size)
    flies = steady & _like_earth(g, EARTH_SHARE)
    for k in np.flatnonzero(steady & ~flies):
        flies[k] = _tumbles_freely(s, int(k))
    return flies


def _like_earth(g: np.ndarray, share: float) -> np.ndarray:
    size = np.linalg.norm(g, axis=-1)
    along = np.abs(g).max(-1)
    aside = np.sqrt(np.maximum(size**2 - along**2, 0.0))
    near = np.abs(size[:, None] / EARTH - 1.0).min(-1) < share
    return near & (aside < max(ALONG_AXIS, share) * size)


def _tumbles_freely(s: Segments, k: int) -> bool:
    """Whether R I R'w is constant for an inertia I that a body can have, though w is not."""
    R, w, t = s.R[k], s.w[k], s.t[k]
    speed = np.linalg.norm(w, axis=-1)
    size = float(np.sqrt((speed**2).mean()))
    varies = float(np.sqrt(((w - w.mean(0)) ** 2).sum(-1).mean()))
    if np.trapezoid(speed, t) < FREE_TURN or varies < max(TUMBLING * size, VARIES * s.spin_error):
        return False
    # I = 1 + five deviators; the mean of each column is the constant
    columns = R @ (_DEVIATORS[:, None] @ (np.swapaxes(R, -1, -2) @ w[..., None]))
    X = np.moveaxis(columns[..., 0] - columns[..., 0].mean(1, keepdims=True), 0, -1).reshape(-1, 5)
    y = (w - w.mean(0)).reshape(-1)
    x, *_ = np.linalg.lstsq(X, -y, rcond=None)
    left = float(np.sqrt(((y + X @ x) ** 2).sum() / len(w)))
    moments = np.linalg.eigvalsh(np.eye(3) + np.einsum("i,ijk->jk", x, _DEVIATORS))
    possible = moments[0] > 0.0 and moments[2] < 1.1 * (moments[0] + moments[1])
    # about an axis without inertia a body turns as it likes, on a hinge for one
    momentum = w.mean(0) + columns[..., 0].mean(1).T @ x
    possible &= np.linalg.norm(momentum) > HEAVY * moments[1] * size
    return left < TUMBLING * varies and bool(possible)


_DEVIATORS = np.array([
    [[1, 0, 0], [0, -1, 0], [0, 0, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, -1]],
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]], [[0, 0, 1], [0, 0, 0], [1, 0, 0]],
    [[0, 0, 0], [0, 0, 1], [0, 1, 0]],
], float)  # fmt: skip
