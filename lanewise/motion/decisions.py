"""What a file does not say, decided by its numbers; or refused, with what would decide it.

Each question is asked of the sources in the same order. What the caller says comes first; then
what the file says in words; then what its own numbers show:

    joint order    bodies must come out where the file has them, by forward kinematics (1);
                   axes that a file has with its angles must be those of the joints (2);
                   angles must be within the limits of the joints (3)
    root rotation  another part of the file has it too (4); bodies must come out (1);
                   the robot must be upright in one reading and not in the other (5), or its
                   lowest body stand while the root moves (6)
    frame rate     velocities of the file must be its differences times the rate (7)

In (1) and (2) all readings are tried, with left and right exchanged too, and one of them must stand
out: where two fit and give different motions, the file is undecided. (3), (5) and (6) decide only
where one reading alone is possible.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..conventions.rotations import QUATERNIONS
from .kinematics_of_clips import body_states
from .meaning import Meaning
from .motion_errors import MotionError, UndecidedMotion, spelled
from .robot import Robot, other_side

FRAMES = 48  # of a clip that tests look at
NEAR = 0.02  # [m] bodies that come out; models of one robot differ by millimetres
SAME = 1e-3  # [m] residuals that are round-off of single precision, on paths of many metres
AXIS = 5e-3  # [rad] between an angle times its axis and what the file has
BEYOND = 0.1  # [rad] by which retargeted motions overstep limits
UPRIGHT, APART = 0.6, 0.3  # cosines of tilts
STEPS, TRAVEL, SLIP = 600, 0.3, 0.5  # frames; [m] of the root; part of the other's slip
LENGTH = 1e-2  # how far from one the length of a quaternion may be
RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 200.0, 240.0, 500.0, 1000.0)
SMOOTHED = 0.015  # part by which velocities of a usual rate may be off
RATE, ALIKE = 0.15, 0.9  # part by which a rate may be off; correlation that makes it a test


@dataclass
class Said:
    """What the caller said: arguments of `load`. None is nothing."""

    robot: Robot | None = None
    form: str | None = None
    order: Any = None
    up: str | None = None
    unit: str | None = None
    fps: float | None = None
    root_rot: str | None = None
    clip: str | None = None
    joint_names: Any = None
    body_names: Any = None
    pelvis: Any = None
    translations: str | None = None


@dataclass
class Case:
    """A file whose meaning is being decided."""

    name: str
    said: Said
    meaning: Meaning = field(default_factory=Meaning)

    def note(self, what: str, value: Any, source: str, why: str = "") -> None:
        """Write down a decision."""
        self.meaning = self.meaning.with_(what, value, source, why)

    def refuse(self, why: str) -> MotionError:
        """The error for what is wrong."""
        return MotionError(f"{self.name}: {why}")

    def undecided(self, why: str, *arguments: str) -> UndecidedMotion:
        """The error for what nothing decides, with the arguments that would."""
        return UndecidedMotion(f"{self.name}: {why}. Say {' or '.join(map(spelled, arguments))}")

    def needs_model(self, n: int) -> Robot:
        """The robot; without one, joints have no names."""
        if self.said.robot is None:
            raise self.undecided(
                f"{n} joints without names: a model names them", "model=m", "joint_names=[...]"
            )
        return self.said.robot


# ---- frame rate


def decide_fps(
    case: Case, file: Any = None, pos: Any = None, vel: Any = None, by_form: float | None = None,
    where: str = "fps",
) -> float:  # fmt: skip
    """Frames a second. pos and vel (T, n) are positions and what the file has as their rates."""
    fps = None
    if case.said.fps is not None:
        fps = _positive(case, case.said.fps, "fps=")
        case.note("fps", f"{fps:g}", "argument")
    elif file is not None:
        fps = _positive(case, file, where)
        case.note("fps", f"{fps:g}", "file", where)
    elif by_form is not None and case.said.form is not None:
        fps = by_form
        case.note("fps", f"{fps:g}", "argument", f"form={case.said.form!r}")
    measured = _measured_rate(pos, vel)
    if fps is None:
        near = min(RATES, key=lambda r: abs(r - (measured or 0.0)))
        if measured is not None and abs(measured / near - 1.0) < SMOOTHED:
            case.note("fps", f"{near:g}", "test", f"velocities are those of {measured:.4g}")
            return near
        usual = f" (files of this form have {by_form:g})" if by_form else ""
        if measured is not None:
            usual += f", and velocities, which may be smoothed, are those of {measured:.4g}"
        raise case.undecided(f"nothing tells its frame rate{usual}", f"fps={by_form or 30:g}")
    if measured is not None and abs(measured / fps - 1.0) > RATE and case.said.fps is None:
        raise case.refuse(
            f"{where} is {fps:g}, but its velocities are those of {measured:.4g} frames a second:"
            f" one of them is wrong. Say {spelled(f'fps={measured:.4g}')} or"
            f" {spelled(f'fps={fps:g}')}"
        )
    return fps


def _positive(case: Case, value: Any, where: str) -> float:
    try:
        rate = float(np.asarray(value).reshape(-1)[0]) if np.size(value) == 1 else np.nan
    except (TypeError, ValueError):
        rate = np.nan
    if not 0.0 < rate < 1e6:
        raise case.refuse(f"{where} must be frames a second, a positive number; got {value!r}")
    return rate


def _measured_rate(pos: Any, vel: Any) -> float | None:
    """The rate that makes differences of positions what the file has as velocities; None if the
    two are not alike."""
    if pos is None or vel is None or np.shape(pos) != np.shape(vel) or len(pos) < 8:
        return None
    d = 0.5 * (np.asarray(pos, float)[2:] - np.asarray(pos, float)[:-2])
    v = np.asarray(vel, float)[1:-1]
    dd, vv, dv = (d * d).sum(), (v * v).sum(), (d * v).sum()
    if not (dd > 1e-12 and vv > 1e-12) or dv / np.sqrt(dd * vv) < ALIKE:
        return None
    return float(dv / dd)


# ---- root rotation


def unit_rows(case: Case, q: Any, where: str) -> np.ndarray:
    """Quaternions (..., 4) at unit length; refused if they are far from it."""
    q = np.asarray(q, float)
    if q.shape[-1] != 4:
        raise case.refuse(f"{where} must have four numbers a rotation; got shape {q.shape}")
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    off = np.abs(length - 1.0).max(initial=0.0)
    if not off < LENGTH:
        raise case.refuse(
            f"{where} are no quaternions: their lengths are from {np.nanmin(length):.4g} to"
            f" {np.nanmax(length):.4g}, and rotations have 1"
        )
    return q / length


def to_wxyz(q: np.ndarray, order: str) -> np.ndarray:
    """Quaternions in the order of MuJoCo."""
    return q if order == "wxyz" else q[..., [3, 0, 1, 2]]


def decide_root_rot(
    case: Case, q: np.ndarray, twin: np.ndarray | None = None, by_form: str | None = None,
    where: str = "root_rot", moving: "Moving | None" = None,
) -> np.ndarray:  # fmt: skip
    """The root's rotation (T, 4), wxyz. `twin` is the same rotation, wxyz, of another part."""
    q = unit_rows(case, q, where)
    said = case.said.root_rot
    if said is not None:
        if said not in QUATERNIONS:
            raise case.refuse(f"root_rot must be wxyz or xyzw; got {said!r}")
        case.note("root_rot", said, "argument")
        return to_wxyz(q, said)
    if twin is not None:
        away = {order: _apart(to_wxyz(q, order), twin) for order in QUATERNIONS}
        fits = [order for order in QUATERNIONS if away[order] < AXIS]
        if not fits:
            raise case.refuse(
                f"{where} is the root's rotation of pose_aa in neither order: as wxyz it is up to"
                f" {away['wxyz']:.3g} rad away, as xyzw {away['xyzw']:.3g}"
            )
        case.note("root_rot", fits[-1], "test", "it agrees with pose_aa")
        return to_wxyz(q, fits[-1])
    if by_form is not None and case.said.form is not None:
        case.note("root_rot", by_form, "argument", f"form={case.said.form!r}")
        return to_wxyz(q, by_form)
    tilt = {order: float(_up(case, to_wxyz(q, order)).mean()) for order in QUATERNIONS}
    best, other = sorted(QUATERNIONS, key=lambda order: -tilt[order])
    if tilt[best] > UPRIGHT and tilt[best] - tilt[other] > APART:
        case.note("root_rot", best, "test", f"upright; as {other} the robot would not be")
        return to_wxyz(q, best)
    stands = None if moving is None or tilt[other] < 0.0 else moving.stands(q, case.said.robot)
    if stands is None:
        raise case.undecided(
            f"{where} may be wxyz or xyzw: the robot would be upright in both or in neither (its"
            f" up axis has a mean height of {tilt['wxyz']:.2f} or {tilt['xyzw']:.2f})",
            'root_rot="wxyz"', 'root_rot="xyzw"',
        )  # fmt: skip
    case.note("root_rot", stands, "test", "the lowest body stands while the root moves")
    return to_wxyz(q, stands)


@dataclass(frozen=True)
class Moving:
    """What else is known of a robot when the rotation of its root is in question."""

    p: np.ndarray
    joints: np.ndarray
    names: list[str]

    def stands(self, q: np.ndarray, robot: Robot | None) -> str | None:
        """The order of quaternions in which feet stand; None if that does not tell."""
        if robot is None or robot.free is None or set(self.names) - set(robot.joint_names):
            return None
        n = min(len(q), STEPS)
        if n < 8 or np.linalg.norm(np.diff(self.p[:n, :2], axis=0), axis=1).sum() < TRAVEL:
            return None
        slips = {}
        for order in QUATERNIONS:
            where = placed(robot, self.names, self.p[:n], to_wxyz(q[:n], order), self.joints[:n])
            own = where[:, robot.bodies]
            low = own[:-1, :, 2].argmin(1)
            step = np.diff(own[..., :2], axis=0)[np.arange(n - 1), low]
            slips[order] = float(np.linalg.norm(step, axis=1).mean())
        best, other = sorted(slips, key=lambda order: slips[order])
        return best if slips[best] < SLIP * slips[other] else None


def _up(case: Case, q: np.ndarray) -> np.ndarray:
    """How far up the axis of the root points (T,) that points up in the model's own pose."""
    axis = np.array([0.0, 0.0, 1.0])
    robot = case.said.robot
    if robot is not None and robot.free is not None:
        k = int(robot.model.jnt_qposadr[robot.free]) + 3
        axis = _matrix(robot.model.qpos0[None, k : k + 4])[0].T @ axis
    return _matrix(q)[:, 2] @ axis


def _matrix(q: np.ndarray) -> np.ndarray:
    from ..frames import quat_to_mat

    return quat_to_mat(q).reshape(*q.shape[:-1], 3, 3)


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    """The largest angle between rotations [rad]."""
    chord = np.minimum(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    return float(4.0 * np.arcsin(np.minimum(0.5 * chord, 1.0)).max(initial=0.0))


# ---- order of joints


def decide_joints(
    case: Case, joints: np.ndarray, *, names: Any = None, aa: np.ndarray | None = None,
    by_form: str | None = None,
) -> list[str]:  # fmt: skip
    """Names of the joints (T, n), of a file without bodies. aa (T, n, 3) are axes times angles."""
    n = joints.shape[1]
    given = _given_names(case, n, names)
    if given is not None:
        check_sides(case, given, joints)
        return given
    robot = case.needs_model(n)
    _check_number(case, robot, n)
    candidates = robot.candidates()
    if by_form is not None and case.said.form is not None:
        case.note("joints", f"order of {by_form}", "argument", f"form={case.said.form!r}")
        return robot.joint_order(by_form)
    if aa is not None:
        fits = [o for o, found in candidates.items() if _off_axis(robot, found, joints, aa) < AXIS]
        how, source = "axes of pose_aa are those of the joints", "test"
        if not fits:
            raise case.refuse(
                "angles and axes of pose_aa belong to the joints in no known order: another robot,"
                " or dof and pose_aa of different clips"
            )
        fits = [o for o in fits if _within(robot, candidates[o], joints)] or fits
        _check_sides(case, robot, candidates[fits[0]], joints)
    elif len(candidates) == 1:
        fits, how, source = list(candidates), "all orders are the same for this tree", "form"
        _check_sides(case, robot, candidates[fits[0]], joints)
    else:
        fits = [o for o, found in candidates.items() if _within(robot, found, joints)]
        how, source = "angles are within limits in this order alone", "test"
        if by_form in candidates:  # another order may fit by chance what has its sides exchanged
            _check_sides(case, robot, candidates[by_form], joints)
        if not fits:
            for found in candidates.values():
                _check_sides(case, robot, found, joints)
            raise case.undecided(
                f"{n} joints without names, beyond the limits of the model in every order",
                'order="mujoco"', 'order="isaaclab-2"',
            )  # fmt: skip
    first = candidates[fits[0]]
    rivals = [o for o in fits[1:] if not _same_motion(first, candidates[o], joints)]
    if rivals:
        raise case.undecided(
            f"{n} joints without names, and nothing tells their order: "
            + " and ".join([fits[0], *rivals]) + " are all possible",
            *(f'order="{o}"' for o in [fits[0], *rivals]),
        )  # fmt: skip
    case.note("joints", f"order of {fits[0]}", source, how)
    return first


def _given_names(case: Case, n: int, names: Any) -> list[str] | None:
    """Names by argument, by the file, or by an order that was said."""
    said, robot = case.said, case.said.robot
    if said.joint_names is not None:
        case.note("joints", "by name", "argument", "joint_names=")
        return _checked(case, list(said.joint_names), n, "joint_names=")
    if said.order is not None:
        if not isinstance(said.order, str):
            case.note("joints", "by name", "argument", "order=")
            return _checked(case, list(said.order), n, "order=")
        robot = case.needs_model(n)
        _check_number(case, robot, n)
        case.note("joints", f"order of {said.order}", "argument")
        return robot.joint_order(said.order)
    if names is not None:
        found = _checked(case, [str(x) for x in np.ravel(names)], n, "its list of joints")
        strange = [] if robot is None else [x for x in found if x not in robot.joint_names]
        if strange and robot is not None and len(strange) == len(found):
            raise case.refuse(
                f"none of its joints is one of the model: it has {', '.join(found[:6])} ...;"
                f" the model {', '.join(robot.joint_names[:6])} ..."
            )
        case.note("joints", "by name", "names" if robot is not None else "file")
        return found
    return None


def _checked(case: Case, names: list[str], n: int, where: str) -> list[str]:
    if len(names) != n or len(set(names)) < n:
        twice = "" if len(set(names)) == len(names) else ", some of them twice"
        raise case.refuse(f"{where} has {len(names)} names{twice}; there are {n} joints")
    return names


def _check_number(case: Case, robot: Robot, n: int) -> None:
    if robot.balls.any():
        raise case.refuse("a file with one number a joint, and a model with ball joints")
    if n != len(robot.joint_names):
        raise case.refuse(
            f"it has {n} joints without names, and the model {len(robot.joint_names)}: another"
            " variant of the robot? joint_names=[...] says which of its joints they are"
        )


def _of_candidate(robot: Robot, names: list[str], x: np.ndarray) -> np.ndarray:
    """Columns in the order of the model."""
    place = {name: k for k, name in enumerate(names)}
    return x[:, [place[name] for name in robot.joint_names]]


def _off_axis(robot: Robot, names: list[str], joints: np.ndarray, aa: np.ndarray) -> float:
    x, v = _of_candidate(robot, names, joints), _of_candidate(robot, names, aa)
    return float(np.abs(v - x[..., None] * robot.axes).max(initial=0.0))


def _within(robot: Robot, names: list[str], joints: np.ndarray) -> bool:
    low, high = robot.ranges.T
    x = _of_candidate(robot, names, joints)
    return bool(((x > low - BEYOND) & (x < high + BEYOND)).all())


def _same_motion(a: list[str], b: list[str], joints: np.ndarray) -> bool:
    place = {name: k for k, name in enumerate(b)}
    return bool(np.allclose(joints, joints[:, [place[name] for name in a]], atol=1e-6))


def exchanged(names: list[str]) -> list[str] | None:
    """Names with left and right exchanged; None if there are no sides."""
    other = [other_side(name) for name in names]
    return other if set(other) == set(names) and other != names else None


def check_sides(case: Case, names: Sequence[str], joints: np.ndarray) -> None:
    """Of a file with names or an order of its own: refuse sides that limits contradict, unless
    somebody has said the names."""
    robot, said = case.said.robot, case.said
    if robot is None or said.joint_names is not None or said.order is not None:
        return
    if set(names) == set(robot.joint_names) and joints.shape[1] == len(names):
        _check_sides(case, robot, list(names), joints)


def _check_sides(case: Case, robot: Robot, names: list[str], joints: np.ndarray) -> None:
    """Refuse what is within limits only with left and right exchanged."""
    other = exchanged(names)
    if other and not _within(robot, names, joints) and _within(robot, other, joints):
        raise case.undecided(
            "angles are within the limits of the joints only if left and right are exchanged",
            "joint_names=[...] with the sides as they are", "order=NAME if limits are overstepped",
        )  # fmt: skip


# ---- bodies


@dataclass(frozen=True)
class _Reading:
    """One way to read a file, and how far bodies are then from where it has them [m]."""

    root_rot: str
    order: str
    names: list[str]
    bodies: list[str]
    away: float


def decide_by_bodies(
    case: Case, joints: np.ndarray, pos: np.ndarray, quat: np.ndarray, *, names: Any = None,
    body_names: Any = None, indexes: list[int] | None = None,
) -> tuple[list[str], list[str], np.ndarray]:  # fmt: skip
    """(names of joints, names of bodies, quaternions wxyz) of a file with bodies, whose first is
    the root: pos (T, B, 3), quat (T, B, 4), joints (T, n).

    names and body_names are the file's own, if it has any. indexes: which bodies they are, if not
    all, by their numbers in the order of the joints.
    """
    quat = unit_rows(case, quat, "quaternions of bodies")
    robot = case.needs_model(joints.shape[1])
    if robot.free is None:
        raise case.refuse("the model has no free joint, and the file moves the root")
    given = _given_names(case, joints.shape[1], names)
    if given is None:
        _check_number(case, robot, joints.shape[1])
        lists = robot.candidates()
    else:
        missing = [x for x in given if x not in robot.joint_names]
        if missing:
            raise case.refuse(f"the model has no joints {', '.join(missing[:6])}")
        lists = {"names": given}
    for order, found in list(lists.items()):
        other = exchanged(found)
        if other:
            lists[f"{order}, left and right exchanged"] = other
    bodies = _body_lists(case, robot, pos.shape[1], body_names, indexes)
    pick = np.unique(np.linspace(0, len(joints) - 1, min(len(joints), FRAMES)).astype(int))
    readings = []
    orders = QUATERNIONS if case.said.root_rot is None else (case.said.root_rot,)
    for root_rot in orders:
        root = to_wxyz(quat[pick, 0], root_rot)
        for order, found in lists.items():
            where = placed(robot, found, pos[pick, 0], root, joints[pick])
            readings += [_reading(root_rot, order, found, b, where, pos[pick], robot)
                         for b in bodies]  # fmt: skip
    best = _stands_out(case, readings, joints)
    why = f"bodies come out to {best.away:.1e} m"
    if case.said.root_rot is not None:
        case.note("root_rot", best.root_rot, "argument")
    else:
        case.note("root_rot", best.root_rot, "forward kinematics", why)
    if given is None:
        case.note("joints", f"order of {best.order}", "forward kinematics", why)
    elif best.names != given:
        raise case.refuse(
            f"bodies come out only if left and right are exchanged ({best.away:.1e} m), against"
            f" what {case.meaning['joints']} says of its joints"
        )
    case.note("bodies", f"{len(best.bodies)}, by name", "names" if body_names is not None
              else "forward kinematics", why)  # fmt: skip
    return best.names, best.bodies, to_wxyz(quat, best.root_rot)


def _body_lists(
    case: Case, robot: Robot, number: int, names: Any, indexes: list[int] | None
) -> list[list[str]]:
    """Lists of bodies that a file may have, by name."""
    if case.said.body_names is not None:
        names = case.said.body_names
    if names is not None:
        found = [str(x) for x in np.ravel(names)]
        missing = [x for x in found if x not in robot.body_names]
        if missing or len(found) != number:
            raise case.refuse(
                f"{number} bodies and {len(found)} names of bodies; the model does not have"
                f" {', '.join(missing[:6]) or 'so many'}"
            )
        return [found]
    lists: list[list[str]] = []
    for order in robot.candidates():
        for whole in robot.body_orders(order):
            if indexes is not None:
                if max(indexes, default=0) >= len(whole):
                    continue
                whole = [whole[i] for i in indexes]
            if len(whole) == number and whole not in lists:
                lists.append(whole)
    if not lists:
        raise case.undecided(
            f"it has {number} bodies, and the model {len(robot.body_names)}", "body_names=[...]"
        )
    other = [x for found in lists if (x := exchanged(found)) and x not in lists]
    return lists + other


def placed(
    robot: Robot, names: list[str], p: np.ndarray, q: np.ndarray, joints: np.ndarray
) -> np.ndarray:
    """Where bodies are (T, nbody, 3) in one reading."""
    m = robot.model
    qpos = np.tile(m.qpos0, (len(p), 1))
    k = int(m.jnt_qposadr[robot.free])
    qpos[:, k : k + 3], qpos[:, k + 3 : k + 7] = p, q
    place = dict(zip(robot.joint_names, m.jnt_qposadr[robot.joints], strict=True))
    qpos[:, [place[name] for name in names]] = joints
    return body_states(m, qpos)[0]


def _reading(
    root_rot: str, order: str, names: list[str], bodies: list[str], where: np.ndarray,
    pos: np.ndarray, robot: Robot,
) -> _Reading:  # fmt: skip
    number = dict(zip(robot.body_names, robot.bodies, strict=True))
    own = where[:, [number[name] for name in bodies]]
    away = float(np.linalg.norm(own - pos, axis=-1).max(initial=0.0))
    return _Reading(root_rot, order, names, bodies, away)


def _stands_out(case: Case, readings: list[_Reading], joints: np.ndarray) -> _Reading:
    readings = sorted(readings, key=lambda r: r.away)
    best = readings[0]
    if not best.away < NEAR:
        raise case.refuse(
            "bodies come out where the file has them in no order of joints and bodies: the best"
            f" ({best.order}, {best.root_rot}) is {best.away:.3g} m away. Is it the same robot, and"
            " are lengths in metres?"
        )
    for other in readings[1:]:
        if other.away > max(3.0 * best.away, SAME):
            break
        if other.root_rot != best.root_rot or not _same_motion(best.names, other.names, joints):
            raise case.undecided(
                f"bodies come out in several readings: joints in the order of {best.order} with"
                f" {best.root_rot}, and {other.order} with {other.root_rot}",
                f'order="{best.order}"', f'order="{other.order}"', "root_rot=ORDER",
            )  # fmt: skip
    return best
