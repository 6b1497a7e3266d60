"""The crooked body, the states and wrenches it is given, and what any engine must say about them.

Its centre of mass is off the origin, its principal axes are no axes of its frame, and its three
moments differ: so no two conventions have the same numbers. Everything here is plain physics in one
meaning, written with matrices: p_WBo_W, R_WB, v_WBo_W, w_WB_W, f_W and t_Bcm_W, the torque about
the centre of mass. It imports nothing of Lanewise.

A script dump_<engine>.py puts the body into the engine through the engine's own interface and
returns a fixture: the numbers in the engine's layout, beside what the engine itself says of four
points of the body (where they are, how fast they move, how a wrench accelerates them). `agrees`
compares the second part with the physics above, so a state that was written in a wrong convention
is refused when it is dumped.

    python tests/engines/dump_drake.py             # writes fixtures/drake.json
    python tests/engines/dump_drake.py -           # prints it
"""

import json
import sys
from pathlib import Path

import numpy as np

FIXTURES = Path(__file__).with_name("fixtures")


def rotation(rotvec):
    """R of a rotation vector"""
    angle = np.linalg.norm(rotvec)
    x, y, z = np.asarray(rotvec) / angle
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def quaternion(rotvec):
    """(w, x, y, z) of a rotation vector"""
    angle = np.linalg.norm(rotvec)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * np.asarray(rotvec) / angle)])


def quaternion_of(R):
    """(w, x, y, z) of a matrix, w >= 0: the eigenvector of Bar-Itzhack's matrix"""
    K = np.array([
        [R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[2, 1] - R[1, 2]],
        [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1], R[0, 2] - R[2, 0]],
        [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)],
    ])  # fmt: skip
    x, y, z, w = np.linalg.eigh(K)[1][:, -1]
    return np.array([w, x, y, z]) * (1.0 if w >= 0.0 else -1.0)


# ---- the body, in its own frame B

MASS = 2.7
COM = np.array([0.13, -0.08, 0.21])
MOMENTS = np.array([0.021, 0.034, 0.048])  # about the centre of mass
PRINCIPAL_ROTVEC = np.array([0.4, -0.7, 0.3])
R_BI = rotation(PRINCIPAL_ROTVEC)
INERTIA = R_BI @ np.diag(MOMENTS) @ R_BI.T
SIX = INERTIA[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]  # xx, yy, zz, xy, xz, yz
POINTS = np.array(
    [[0.3, 0.1, -0.2], [-0.25, 0.2, 0.15], [0.05, -0.35, 0.1], [0.2, 0.25, 0.4]]
)  # p_BoP_B


class State:
    """One state: p_WBo_W, q_WB (w, x, y, z) and R_WB, v_WBo_W, w_WB_W; and a wrench on it at rest.

    The wrench is f_W with the torque t_Bcm_W about the centre of mass.
    """

    def __init__(self, p, rotvec, v, w, f, t):
        self.p, self.v, self.w, self.f, self.t = (np.array(x) for x in (p, v, w, f, t))
        self.q, self.R = quaternion(np.array(rotvec)), rotation(np.array(rotvec))
        self.rotvec = np.array(rotvec)
        self.arm = self.R @ COM  # p_BoBcm_W
        self.p_com = self.p + self.arm
        self.v_com = self.v + np.cross(self.w, self.arm)
        self.t_origin = self.t + np.cross(self.arm, self.f)  # t_Bo_W
        self.T = np.block([[self.R, self.p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    def points(self):
        return self.p + POINTS @ self.R.T

    def point_velocities(self):
        return self.v + np.cross(self.w, POINTS @ self.R.T)

    def point_accelerations(self):
        """Of the points, by the wrench on the body at rest: Newton and Euler."""
        alpha = np.linalg.solve(self.R @ INERTIA @ self.R.T, self.t)
        return self.f / MASS + np.cross(alpha, (POINTS - COM) @ self.R.T)


# the last turns by more than a right angle, the third by almost half a turn
STATES = [
    State((0.7, -1.1, 1.9), (1.1, -0.6, 0.9), (0.8, -0.5, 0.3), (1.3, 0.9, -1.7),
          (1.1, -2.3, 0.7), (0.31, 0.22, -0.41)),
    State((-0.4, 0.25, 0.6), (-0.35, 0.8, 0.2), (-0.9, 1.4, 0.15), (-0.7, 2.1, 0.6),
          (-0.6, 0.4, 1.9), (0.12, -0.53, 0.27)),
    State((1.6, 0.9, -0.8), (1.9, 1.7, -1.6), (0.2, 0.65, -1.2), (0.45, -1.25, 2.2),
          (2.2, 1.5, -0.3), (-0.25, 0.18, 0.36)),
    State((-1.2, -0.7, 0.35), (-0.9, -1.3, -1.1), (1.1, 0.35, 0.9), (-1.6, -0.8, -0.5),
          (0.9, -1.2, -1.6), (0.44, 0.29, 0.15)),
]  # fmt: skip


# ---- fixtures


def record(q, v, points, velocities, **more):
    """One state of a fixture: pose and velocity in the engine's layout, beside its own points.

    `more` may have "wrench" and "free_force", each [numbers in the engine's meaning, accelerations
    of the points that the engine has from them]. What an engine does not know is None.
    """
    out = {"q": q, "v": v, "points": points, "point_velocities": velocities, **more}
    return {name: _plain(x) for name, x in out.items() if x is not None}


def _plain(x):
    if x is None or isinstance(x, dict):
        return x
    return [_plain(part) for part in x] if isinstance(x, tuple) else np.asarray(x, float).tolist()


def fixture(
    engine, version, system, states, *, tolerance=1e-12, placed=None, difference=None, written=(),
    **more,
):  # fmt: skip
    """What a script returns.

    engine, version  the package on PyPI that was run
    system           the row that the numbers are of
    tolerance        what the numbers are good to, relative to 1: single or double precision
    placed           what the places of points are good to, if that is something else
    difference       what velocities and accelerations of points are good to, if they are finite
                     differences
    written          columns of the row in which the engine has no say: numbers that it does not
                     have, or does nothing with, are written as the row's evidence says
    more             whatever else the engine was asked; "gravity", "solver" ...
    """
    body = {"mass": MASS, "com": COM.tolist(), "inertia": INERTIA.tolist(),
            "points": POINTS.tolist()}  # fmt: skip
    made = {"engine": engine, "version": version, "system": system, "tolerance": tolerance,
            "placed": placed or tolerance, "difference": difference or tolerance,
            "written": list(written), "body": body, **more, "states": states}  # fmt: skip
    wrong = agrees(made)
    if wrong:
        raise SystemExit(f"{engine} {version} does not say what physics says:\n" + "\n".join(wrong))
    return made


def residuals(made):
    """{what: largest difference of the engine's points from the physics of STATES}"""
    worst: dict[str, float] = {}
    for record, state in zip(made["states"], STATES, strict=True):
        said = {
            "points": (record.get("points"), state.points()),
            "velocities": (record.get("point_velocities"), state.point_velocities()),
            "wrench": (record.get("wrench", (0, None))[1], state.point_accelerations()),
            "free_force": (record.get("free_force", (0, None))[1], state.point_accelerations()),
        }
        for what, (a, b) in said.items():
            if a is None:
                continue
            scale = max(1.0, float(np.abs(b).max()))
            worst[what] = max(worst.get(what, 0.0), float(np.abs(np.array(a) - b).max()) / scale)
    return worst


def agrees(made):
    """What of a fixture differs from the physics of STATES by more than it may; [] if nothing."""
    most = {"points": made["placed"]}
    return [f"{what}: {x:.1e}" for what, x in residuals(made).items()
            if not x <= most.get(what, made["difference"])]  # fmt: skip


def load(name):
    return json.loads((FIXTURES / f"{name}.json").read_text())


def names():
    """The fixtures that there are"""
    return sorted(path.stem for path in FIXTURES.glob("*.json"))


def _text(x, indent=0):
    """JSON with one row of numbers a line."""
    pad = "  " * (indent + 1)
    if isinstance(x, dict):
        lines = [f"{pad}{json.dumps(k)}: {_text(v, indent + 1)}" for k, v in x.items()]
        return "{\n" + ",\n".join(lines) + "\n" + pad[2:] + "}"
    if isinstance(x, list) and x and isinstance(x[0], list | dict):
        lines = [pad + _text(v, indent + 1) for v in x]
        return "[\n" + ",\n".join(lines) + "\n" + pad[2:] + "]"
    return json.dumps(x)


def main(dump, name):
    """Write the fixtures of a script, or print them."""
    made = dump()
    for key, value in (made if "states" not in made else {name: made}).items():
        value = {"script": Path(sys.argv[0]).name, **value}
        text = _text(value) + "\n"
        if sys.argv[1:] == ["-"]:
            print(text)
        else:
            FIXTURES.mkdir(exist_ok=True)
            (FIXTURES / f"{key}.json").write_text(text)
            worst = ", ".join(f"{what} {x:.1e}" for what, x in residuals(value).items())
            print(f"{key}: {value['engine']} {value['version']}: {worst}")
