"""A clip: frames of a body with a root and joints by name, and what is known about its meaning.

Whatever file it is from, a Clip has one meaning: SI units and radians, z up, quaternions wxyz and
active, joints by name. `meaning` says what the file had instead, and where that was taken from.

Velocities are differences on the manifold of positions, as lanewise.inverse_motion has them: a
rotation's is the vector that turns one frame into the next, in the axes of the body.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..batch.recorded_motion import rates
from ..conventions.motion_forms import Clip as RootAndJoints
from ..errors import no_such
from ..mjconst import DSBL_CONTACT, JNT_BALL
from ..public import inverse_motion
from .kinematics_of_clips import body_states, without
from .meaning import Meaning
from .motion_errors import MotionError
from .robot import Robot, as_robot

EVEN = 1e-3  # part of a frame by which times may be uneven and still have a rate


@dataclass(frozen=True, eq=False)
class Bodies:
    """Bodies of a clip, as its file had them: names, pos (T, n, 3) [m] and quat (T, n, 4), wxyz."""

    names: tuple[str, ...]
    pos: np.ndarray
    quat: np.ndarray | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Clip:
    """Frames of a motion.

    times        (T,) [s]
    p_WB         position of the root's frame (T, 3) [m], z up
    q_WB         its orientation (T, 4), wxyz, active
    joints       (T, n) [rad, m]: a number for a hinge or slide, a quaternion wxyz for a ball joint
    joint_names  a name for each joint
    widths       how many columns each joint has: 1, or 4
    root         the name of the root, if it is known
    bodies       bodies as the file had them, or None
    skeleton     parents and offsets of the joints, of a file that has them (BVH)
    meaning      what was decided about the file, and by what
    extras       what else the file said: betas, gender ...
    robot        the model that it was loaded with, for forms that need one
    """

    times: np.ndarray
    p_WB: np.ndarray
    q_WB: np.ndarray
    joints: np.ndarray
    joint_names: tuple[str, ...]
    widths: tuple[int, ...] = ()
    root: str | None = None
    bodies: Bodies | None = None
    skeleton: Any = None
    meaning: Meaning = field(default_factory=Meaning)
    extras: dict[str, Any] = field(default_factory=dict)
    robot: Robot | None = None

    def __post_init__(self) -> None:
        widths = self.widths or (1,) * len(self.joint_names)
        object.__setattr__(self, "joint_names", tuple(self.joint_names))
        object.__setattr__(self, "widths", tuple(widths))
        T = len(self.times)
        for name, shape in (("times", (T,)), ("p_WB", (T, 3)), ("q_WB", (T, 4)),
                            ("joints", (T, sum(widths)))):  # fmt: skip
            x = np.ascontiguousarray(getattr(self, name), float)
            if x.shape != shape:
                raise MotionError(f"{name} must have shape {shape}; got {x.shape}")
            if not np.isfinite(x).all():
                frame = int(np.argwhere(~np.isfinite(x))[0][0])
                raise MotionError(f"{name} of frame {frame} is not finite: leave such frames out")
            object.__setattr__(self, name, x)
        if T < 1:
            raise MotionError("a clip has at least one frame; got none")
        if len(set(self.joint_names)) < len(self.joint_names):
            raise MotionError("names of joints must differ; got " + ", ".join(self.joint_names))
        if T > 1 and not (np.diff(self.times) > 0).all():
            k = int(np.argmin(np.diff(self.times) > 0))
            raise MotionError(f"times must increase; those of frames {k} and {k + 1} do not")

    # ------------------------------------------------------------------------------------- about

    def __len__(self) -> int:
        return len(self.times)

    @property
    def fps(self) -> float:
        """Frames a second."""
        if len(self) < 2:
            said = self.meaning.get("fps")
            if said is None:
                raise MotionError("a clip of one frame has no rate")
            return float(said.value)
        h = np.diff(self.times)
        rate = float((len(self) - 1) / (self.times[-1] - self.times[0]))
        if np.abs(h * rate - 1.0).max() > EVEN:
            raise MotionError(
                f"frames are {h.min():.6g} to {h.max():.6g} s apart, and have no rate:"
                f" clip.resample(fps={round(rate)}) gives them one"
            )
        return round(rate, 6)

    @property
    def duration(self) -> float:
        """From the first frame to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def joint(self, name: str) -> np.ndarray:
        """The numbers of one joint: (T,), or (T, 4) of a ball joint."""
        if name not in self.joint_names:
            raise MotionError(no_such("joint", name, self.joint_names))
        x = self.joints[:, self.columns(name)]
        return x[:, 0] if x.shape[1] == 1 else x

    def columns(self, name: str) -> slice:
        """Where a joint has its numbers in `joints`."""
        k = self.joint_names.index(name)
        begin = sum(self.widths[:k])
        return slice(begin, begin + self.widths[k])

    def __repr__(self) -> str:
        rate = f"{self.fps:g} fps" if len(self) > 1 and self._even() else "uneven times"
        long = f"{len(self)} frames, {self.duration:.3f} s, {rate}"
        what = [f"Clip: {long if len(self) > 1 else 'one frame'}"]
        what += [f"{len(self.joint_names)} joints, root {self.root or 'without a name'}"
                 + (f", {len(self.bodies.names)} bodies" if self.bodies else "")]  # fmt: skip
        return "\n".join([*what, *(f"  {line}" for line in self.meaning.lines())])

    def _even(self) -> bool:
        h = np.diff(self.times)
        return bool(np.abs(h / h.mean() - 1.0).max() <= EVEN)

    # ------------------------------------------------------------------------------ of a model

    def qpos(self, m: Any, *, partial: bool = False) -> np.ndarray:
        """(T, nq) in the order of a model, joints by their names.

        Joints that only one of the two has are refused. With partial=True, those of the model stay
        where it has them (qpos0), and those of the clip are left out.
        """
        robot = as_robot(m)
        self._check_joints(robot, partial)
        m = robot.model
        out = np.tile(m.qpos0, (len(self), 1))
        if robot.free is not None:
            k = int(m.jnt_qposadr[robot.free])
            out[:, k : k + 3], out[:, k + 3 : k + 7] = self.p_WB, self.q_WB
        for j, name in zip(robot.joints, robot.joint_names, strict=True):
            if name in self.joint_names:
                k, width = int(m.jnt_qposadr[j]), 4 if m.jnt_type[j] == JNT_BALL else 1
                out[:, k : k + width] = self.joints[:, self.columns(name)]
        return out

    def qvel(self, m: Any, *, partial: bool = False) -> np.ndarray:
        """(T, nv) in the order of a model: central differences on the manifold of positions."""
        robot = as_robot(m)
        if len(self) < 2:
            return np.zeros((len(self), robot.model.nv))
        qpos = self.qpos(robot, partial=partial)
        qacc = np.zeros((len(self), robot.model.nv))  # not wanted
        return rates(robot.model, qpos, None, qacc, np.diff(self.times), "central")[0]

    def body_states(self, m: Any, *, point: str = "origin", partial: bool = False) -> "BodyStates":
        """Poses and velocities of the model's bodies in all frames.

        point: velocities are those of the body's "origin", or of its centre of mass, "com".
        """
        if point not in ("origin", "com"):
            raise MotionError(f"point must be origin or com; got {point!r}")
        robot = as_robot(m)
        qpos, qvel = (f(robot, partial=partial) for f in (self.qpos, self.qvel))
        found = body_states(robot.model, qpos, qvel, robot.bodies, point)
        return BodyStates(tuple(robot.body_names), *found)

    def inverse(self, m: Any, *, contacts: bool = True, **options: Any) -> dict[str, np.ndarray]:
        """The forces that the motion takes, of all frames at once: lanewise.inverse_motion.

        "residual" are those on dofs that no actuator moves, such as those of the root: what the
        world would have to push with besides contacts; or, with contacts=False, all that it has to
        push with. `motion.plot_residuals` draws them.
        """
        robot = as_robot(m)
        own = robot.model if contacts else without(robot.model, DSBL_CONTACT)
        return inverse_motion(own, self.qpos(robot), times=self.times, **options)

    def track(self, batch: Any, **options: Any) -> Any:
        """The clip as a reference for the worlds of a Batch: see Tracker."""
        from .tracking import Tracker

        return Tracker(self, batch, **options)

    def _check_joints(self, robot: Robot, partial: bool) -> None:
        names = dict(zip(robot.joint_names, robot.balls, strict=True))
        only_clip = [n for n in self.joint_names if n not in names]
        only_model = [n for n in names if n not in self.joint_names]
        if not any(n in names for n in self.joint_names) and self.joint_names:
            raise MotionError(
                f"no joint of the clip is one of the model: the clip has {_some(self.joint_names)};"
                f" the model {_some(list(names))}. Motions of another body would have to be"
                " retargeted, which is not done here"
            )
        for who, missing in (("the clip", only_clip), ("the model", only_model)):
            if missing and not partial:
                raise MotionError(
                    f"joints that only {who} has: {_some(missing)}. With partial=True, those of"
                    " the model stay at qpos0 and those of the clip are left out"
                )
        for name, width in zip(self.joint_names, self.widths, strict=True):
            if name in names and bool(names[name]) != (width == 4):
                kinds = ("a ball joint", "one number")
                mine, other = kinds if width == 4 else kinds[::-1]
                raise MotionError(f"{name} is {mine} in the clip and {other} in the model")

    # ------------------------------------------------------------------------------- other clips

    def named(self, names: Sequence[str]) -> "Clip":
        """The joints in the order of a list of their names."""
        missing = [n for n in names if n not in self.joint_names]
        if missing or len(names) != len(self.joint_names):
            raise MotionError(
                f"the clip has {_some(self.joint_names)}; asked for are {_some(list(names))}"
            )
        pick = [k for n in names for k in range(*self.columns(n).indices(self.joints.shape[1]))]
        widths = tuple(self.widths[self.joint_names.index(n)] for n in names)
        return replace(self, joints=self.joints[:, pick], joint_names=tuple(names), widths=widths)

    def in_order(self, order: Any, m: Any = None) -> "Clip":
        """The joints in the order of a system, which the tree of a model gives."""
        if m is None:
            raise MotionError(f"the order {order!r} is one of a tree: give the model, model=m")
        robot = as_robot(m)
        self._check_joints(robot, partial=False)
        return self.named(robot.joint_order(order))

    def resample(self, fps: float) -> "Clip":
        """At another rate: see resampling.py."""
        from .resampling import resample

        return resample(self, fps)

    def part(self, start: float, stop: float) -> "Clip":
        """From one time to another [s], frames of both ends included."""
        from .resampling import part

        return part(self, start, stop)

    def mirror(self, m: Any = None) -> "Clip":
        """Left and right exchanged; the model of a robot says how: see mirroring.py."""
        from .mirroring import mirror

        return mirror(self, m)

    def loop(self, times: int = 2, blend: float = 0.2) -> "Clip":
        """Repeated, each time from where it ended: see editing.py."""
        from .editing import loop

        return loop(self, times, blend)

    def then(self, other: "Clip", blend: float = 0.2) -> "Clip":
        """Followed by another, which begins where this ends: see editing.py."""
        from .editing import concatenate

        return concatenate(self, other, blend)

    def on_ground(self, m: Any, height: float = 0.0) -> "Clip":
        """Shifted up or down so that what touches the ground does: see clip_ground.py."""
        from .clip_ground import on_ground

        return on_ground(self, m, height)

    def save(self, path: Any, form: str | None = None, **options: Any) -> Path:
        """Write it in a form: see lanewise.motion.FORMS. Most need a model, that which the clip was
        loaded with or model=m."""
        from .clip_writing import save

        return save(self, path, form, **options)

    # ------------------------------------------------------------------------------ for forms

    def as_conventions(self) -> RootAndJoints:
        """As lanewise.conventions.motion_forms has it: hinges only."""
        if 4 in self.widths:
            balls = [n for n, w in zip(self.joint_names, self.widths) if w == 4]
            raise MotionError(f"this form has one number a joint; {_some(balls)} are ball joints")
        return RootAndJoints(self.p_WB, self.q_WB, self.joints, self.fps)


@dataclass(frozen=True, eq=False)
class BodyStates:
    """names of bodies; pos (T, n, 3) [m], quat (T, n, 4) wxyz, lin_vel [m/s] and ang_vel [rad/s]
    (T, n, 3) in world axes"""

    names: tuple[str, ...]
    pos: np.ndarray
    quat: np.ndarray
    lin_vel: np.ndarray
    ang_vel: np.ndarray


def _some(names: Sequence[str], most: int = 8) -> str:
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "none"
