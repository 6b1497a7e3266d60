"""Which convention logged numbers are in, told from the numbers alone.

Every reading of the log is tried: both orders of the quaternion, active and passive, linear or
angular velocity first, each of them in world or body axes, radians or degrees, of the origin, the
centre of mass or the point at the world's origin. The right one agrees with itself: its velocities,
integrated, are how its poses change (residuals). Readings that disagree clearly more than
the best are out (kinematics). Free flight tells which point is the centre of mass, and where
up is (flight). An attribute on which all remaining readings agree is decided. For any other
the verdict is "undecided", with the reason.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...errors import ConventionError, did_you_mean
from ..systems import AXES, SYSTEMS, System
from . import report
from .decoded import Decoded, decode
from .flight import LONGEST, STRETCHES, Flight, find_flight
from .kinematics import (
    SEEN,
    Kinematics,
    Reading,
    angular_part,
    kinematics,
    linear_part,
    ranked,
)
from .readings import (
    ARRANGEMENTS,
    DETECTED,
    PAIRS,
    index_of,
    named,
    possible_values,
    with_pairs,
)
from .samples import Samples, known_com, samples
from .words import manner, reason

UNDECIDED = "undecided"
UP_ANGLE = 0.1  # sine of the angle that gravity may have to an axis


@dataclass(frozen=True, eq=False)
class Detection:
    """The verdict. An attribute is one of its words, or "undecided".

    gravity        vector in world axes, in the log's unit of length; None if no flight was seen
    com            offset of the centre of mass in the body frame: as given, or found; or None
    systems        names of the rows of SYSTEMS that mean the same
    residual       share of the motion that the best reading leaves unexplained: 0 is all explained
    next_residual  of the next reading that is another motion; `next` says which it is
    residuals      all of them, best first
    undecided      attribute -> why the log cannot tell it
    possible       attribute -> values that remain
    best           the likeliest value of each attribute, decided or not
    notes          what else was seen
    """

    quaternion: str
    rotation: str
    pose_point: str
    order: str
    velocity_point: str
    linear_basis: str
    angular_basis: str
    angular_unit: str
    up: str
    gravity: np.ndarray | None
    com: np.ndarray | None
    systems: tuple[str, ...]
    residual: float
    next_residual: float
    next: dict[str, str]
    residuals: tuple[Reading, ...] = field(repr=False)
    undecided: dict[str, str]
    possible: dict[str, tuple[str, ...]] = field(repr=False)
    best: dict[str, str] = field(repr=False)
    notes: tuple[str, ...] = ()

    def decided(self, attribute: str) -> bool:
        """Whether the log decides an attribute."""
        if attribute not in DETECTED:
            raise ConventionError(
                f"unknown attribute {attribute!r}{did_you_mean(attribute, DETECTED)};"
                f" detected are {', '.join(DETECTED)}"
            )
        return attribute not in self.undecided

    def row(self, name: str = "log") -> System:
        """The log as a row, to convert with; undecided attributes have their likeliest value.

        Poses are [position, quaternion] in it. What cannot be detected is as in MuJoCo's row.
        """
        words: dict[str, Any] = {k: v for k, v in self.best.items() if v != UNDECIDED}
        return replace(SYSTEMS["mujoco"], name=name, title="what was detected in a log", **words)

    def code(self, target: str) -> str:
        """The line of code that converts pos, quat and twist to a system."""
        return report.code(self, target)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and words, for JSON."""
        return report.as_dict(self)

    def report(self, *, colour: bool = False, width: int = 78, target: str = "mujoco") -> str:
        """The verdict as text, with the residuals drawn and the line that converts the log."""
        return report.report(self, colour=colour, width=width, target=target)

    def __str__(self) -> str:
        return self.report()


def detect(pos: Any, quat: Any, twist: Any, dt: Any, com: Any = None) -> Detection:
    """Tell the convention of a log of one body.

    pos     (T, 3) positions
    quat    (T, 4) quaternions of length one, of either order; signs may flip
    twist   (T, 6) velocities, linear and angular in either order
    dt      seconds between two rows, or the (T,) times of the rows
    com     (3,) offset of the centre of mass in the body frame, if it is known. It helps to tell
            points apart; without it, the offset is found where the motion shows it.

    Rows with NaN are left out. Dropped frames, noise, impacts and resets are coped with.
    """
    log, c = samples(pos, quat, twist, dt), known_com(com)
    k = kinematics(log, c)
    readings = with_pairs(k.possible, fitted=c is None, zero=c is not None and not c.any())
    offset = k.linear.offset[linear_part(k.best)]
    decoded, flight = _fly(log, k, c, offset)
    notes = [*log.notes, *_noticed(k, decoded, log)]
    readings, objection = _with_flight(readings, flight)
    return _verdict(log, k, readings, decoded, flight, c, offset, [*notes, *objection])


# ---- dynamics


def _fly(
    log: Samples, k: Kinematics, com: np.ndarray | None, offset: np.ndarray
) -> tuple[Decoded, Flight]:
    """Search some stretches of the log for free flight; the first of them decoded."""
    arrangement = ARRANGEMENTS[k.best[-1]]
    if com is not None:
        away = com if com.any() else None
    else:
        away = offset if arrangement == "ahead" else None
    flight = Flight()
    number = min(STRETCHES, -(-len(log) // LONGEST))
    size = min(LONGEST, len(log))
    decoded = []
    for begin in np.linspace(0, len(log) - size, number).astype(int):
        part = decode(log.rows(np.arange(begin, begin + size)), k.best, offset)
        find_flight(part.t, part.p, part.R, part.w, part.broken, away, flight, k.spin_error)
        decoded.append(part)
    return max(decoded, key=lambda part: float(np.abs(part.w).sum())), flight


def _with_flight(readings: np.ndarray, flight: Flight) -> tuple[np.ndarray, list[str]]:
    if flight.point is None:
        return readings, []
    fits = np.array([pair[0] == flight.point for pair in PAIRS])
    if not (readings & fits).any():
        return readings, [
            f"free flight says that positions are of the {flight.point}, the velocities do not:"
            " is com right?"
        ]
    return readings & fits, []


def _up(flight: Flight) -> str:
    g = flight.gravity
    if g is None or not np.any(g):
        return UNDECIDED
    k = int(np.argmax(np.abs(g)))
    aside = np.linalg.norm(np.delete(g, k)) / np.linalg.norm(g)
    if aside > UP_ANGLE:
        return UNDECIDED
    return AXES[k] if g[k] < 0.0 else AXES[k + 3]


# ---- the verdict


def _verdict(
    log: Samples, k: Kinematics, readings: np.ndarray, decoded: Decoded, flight: Flight,
    com: np.ndarray | None, offset: np.ndarray, notes: list[str],
) -> Detection:  # fmt: skip
    possible = possible_values(readings)
    up = _up(flight)
    possible["up"] = AXES if up == UNDECIDED else (up,)
    names = list(DETECTED)
    moves = manner(decoded)
    open_ = [name for name in names if len(possible[name]) > 1]
    undecided = {name: reason(name, k, moves, flight, com) for name in open_}
    systems = _matching(readings, up)
    best = _likeliest(k, readings)
    best["up"] = up
    table = ranked(k)
    following = table[1]
    return Detection(
        **{name: possible[name][0] if len(possible[name]) == 1 else UNDECIDED for name in names},
        gravity=flight.gravity, com=_found_com(com, k, flight, offset, possible), systems=systems,
        residual=table[0].residual, next_residual=following.residual,
        next={**following.words, "points": following.points}, residuals=table,
        undecided=undecided, possible=possible, best=best, notes=tuple(notes),
    )  # fmt: skip


def _matching(readings: np.ndarray, up: str) -> tuple[str, ...]:
    """Rows that are one of the readings. The axis up is a matter of the scene as much as of the
    system: it chooses only if some of the rows agree with it."""
    rows = [row for row in SYSTEMS.values() if readings[index_of(row)]]
    upright = [row for row in rows if row.up == up]
    return tuple(row.name for row in (upright or rows))


def _likeliest(k: Kinematics, readings: np.ndarray) -> dict[str, str]:
    """Of what is possible, what most systems use; then what fits best."""
    users = np.zeros(readings.shape)
    for row in SYSTEMS.values():
        users[index_of(row)] += 1.0
    fit = k.residuals.min(axis=-1)[..., None]
    score = np.where(readings, users - fit / (fit + 1.0), -np.inf)
    return named(tuple(int(i) for i in np.unravel_index(np.argmax(score), score.shape)))


def _found_com(com, k: Kinematics, flight: Flight, offset, possible) -> np.ndarray | None:
    if com is not None:
        return com
    told = all(len(possible[name]) == 1 for name in ("pose_point", "velocity_point"))
    if ARRANGEMENTS[k.best[-1]] == "ahead" and told:
        return offset if possible["pose_point"] == ("origin",) else -offset
    return flight.offset if flight.point == "origin" else None


def _noticed(k: Kinematics, decoded: Decoded, log: Samples) -> list[str]:
    notes = []
    if decoded.dropped:
        notes.append(f"{decoded.dropped} frames seem to be missing in {len(decoded.t)} rows")
    if k.wrong_steps > 0.0:
        notes.append(
            f"{100 * k.wrong_steps:.2g} % of the steps fit no reading (impacts, resets or missing"
            " frames) and were left out"
        )
    for half, table, part, unit, biased in (
        ("angular", k.angular, angular_part(k.best), " rad/s", k.biased[0]),
        ("linear", k.linear, linear_part(k.best), "", k.biased[1]),
    ):
        if biased and table.relative[part] > SEEN:
            size = float(table.residual[part])
            notes.append(f"the {half} velocity seems to have a bias, of about {size:.1g}{unit}")
    shift = float(k.linear.shift[linear_part(k.best)])
    if abs(abs(shift) - 0.5) < 0.1:
        end = "end" if shift > 0 else "beginning"
        notes.append(f"velocities are those of the {end} of a step")
    return notes
