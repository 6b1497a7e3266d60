"""The rows: every cell against a table written by hand, and every system against its formula.

KNOWN is not read from systems.toml. It says a second time, column by column, which systems have
which value, so that a slip in any cell of either is noticed. STATES says, system by system and with
no rows at all, what the numbers of one crooked body are.
"""

from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest

from lanewise.conventions.spatial import shift_twist, shift_wrench
from lanewise.conventions.state import Body, convert_free_force, convert_free_state, convert_wrench
from lanewise.conventions.systems import (
    ATTRIBUTES,
    KINDS_OF_EVIDENCE,
    SYSTEMS,
    System,
    read_rows,
)
from lanewise.errors import ConventionError
from support.places import DOCS, PACKAGE

TEXT = (PACKAGE / "conventions" / "systems.toml").read_text()

NAMES = [
    "mujoco", "newton", "isaaclab-2", "isaaclab-3", "isaacsim", "isaacgym", "physx", "sapien",
    "drake", "pinocchio", "pybullet", "genesis", "modern-robotics-body", "modern-robotics-spatial",
    "ros", "scipy", "usd", "smpl", "bvh", "sonic", "ptera",
]  # fmt: skip

ISAAC = "isaaclab-2 isaaclab-3 isaacsim"
BOOK = "modern-robotics-body modern-robotics-spatial"
SHAPELESS = f"{BOOK} scipy smpl bvh sonic ptera"

# column -> value -> the systems that have it; "*" stands for all others
KNOWN = {
    "quaternion": {"xyzw": "newton isaaclab-3 isaacgym physx pinocchio pybullet ros scipy usd",
                   "wxyz": "*"},
    "quaternion_text": {"xyzw": "newton isaaclab-3 isaacgym physx pybullet ros scipy", "wxyz": "*"},
    "rotation": {"passive": "ptera", "active": "*"},
    "matrix": {"rows": "usd", "columns": "*"},
    "pose_layout": {"rotation_first": "drake", "position_first": "*"},
    "pose_point": {"com": "pybullet ptera", "origin": "*"},
    "pose_axes": {"principal": "pybullet", "body": "*"},
    "order": {"angular_first": f"drake scipy {BOOK}", "linear_first": "*"},
    "velocity_point": {"com": f"newton {ISAAC} isaacgym physx sapien pybullet usd ptera",
                       "world_origin": "modern-robotics-spatial", "origin": "*"},
    "linear_basis": {"body": "pinocchio modern-robotics-body ros", "world": "*"},
    "angular_basis": {"body": "mujoco genesis pinocchio modern-robotics-body ros ptera",
                      "world": "*"},
    "angular_unit": {"deg": "usd bvh ptera", "rad": "*"},
    "wrench_order": {"torque_first": f"drake scipy {BOOK}", "force_first": "*"},
    "wrench_point": {"com": f"mujoco newton {ISAAC} isaacgym physx sapien pybullet usd ptera",
                     "world_origin": "modern-robotics-spatial", "origin": "*"},
    "wrench_basis": {"body": "isaaclab-2 isaaclab-3 pinocchio modern-robotics-body ros",
                     "world": "*"},
    "angle_unit": {"deg": "usd bvh ptera", "rad": "*"},
    "length_unit": {"cm": "usd bvh", "m": "*"},
    "up": {"y": "usd smpl bvh", "-z": "ptera", "z": "*"},
    "handedness": {"right": "*"},
    "traversal": {"breadth_first": f"{ISAAC} physx sapien usd smpl", "depth_first": "*"},
    "siblings": {"joint_name": f"{ISAAC} isaacgym physx usd pinocchio", "file": "*"},
    "box": {"half_extents": "mujoco newton physx sapien pybullet", "none": SHAPELESS,
            "full_extents": "*"},
    "capsule": {"half_length": "mujoco newton physx sapien", "none": f"ros {SHAPELESS}",
                "full_length": "*"},
    "cylinder": {"half_length": "mujoco newton physx sapien", "none": SHAPELESS,
                 "full_length": "*"},
    "cone": {"half_length": "newton", "full_length": f"{ISAAC} usd pinocchio ros", "none": "*"},
    "ellipsoid": {"semi_axes": "mujoco newton drake pinocchio genesis", "none": "*"},
    "shape_axis": {"x": "physx sapien", "z": "*"},
    "plane_normal": {"x": "physx sapien", "none": SHAPELESS, "z": "*"},
    "mesh": {"triangles": "newton pinocchio ros usd smpl",
             "none": f"{BOOK} scipy bvh sonic ptera", "hull": "*"},
}  # fmt: skip


def known(column, name):
    values = KNOWN[column]
    found = [value for value, names in values.items() if name in names.split()]
    assert len(found) < 2, (column, name)
    return found[0] if found else next(v for v, names in values.items() if names == "*")


CELLS = {(name, column): known(column, name) for name in NAMES for column in KNOWN}


def wrong_cells(rows):
    """(system, column) of every cell that is not what the table says."""
    return [(n, c) for (n, c), value in CELLS.items() if getattr(rows[n], c) != value]


def test_systems_and_their_order():
    assert list(SYSTEMS) == NAMES
    assert [SYSTEMS[name].name for name in NAMES] == NAMES


def test_table_has_every_column():
    assert list(KNOWN) == list(ATTRIBUTES)
    named = {
        name for values in KNOWN.values() for names in values.values() for name in names.split()
    }
    assert named - {"*"} <= set(NAMES)


def test_every_cell():
    assert wrong_cells(SYSTEMS) == []


def test_any_wrong_cell_is_noticed():
    for name, column in product(NAMES, ATTRIBUTES):
        for value in ATTRIBUTES[column][0]:
            if value != getattr(SYSTEMS[name], column):
                broken = {**SYSTEMS, name: replace(SYSTEMS[name], **{column: value})}
                assert wrong_cells(broken) == [(name, column)]


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_has_evidence(name):
    row = SYSTEMS[name]
    assert list(row.evidence) == list(ATTRIBUTES)
    for words in row.evidence.values():
        kind, _, what = words.partition(":")
        assert kind in KINDS_OF_EVIDENCE and what.strip()
    assert row.title and row.version
    assert all(note.endswith(".") for note in row.notes)


def test_what_was_measured_is_not_assumed():
    """Engines that were run have no assumed cell among poses, velocities and wrenches."""
    for name in (
        "mujoco",
        "newton",
        "physx",
        "sapien",
        "drake",
        "pinocchio",
        "pybullet",
        "genesis",
    ):
        columns = list(ATTRIBUTES)[: list(ATTRIBUTES).index("angle_unit")]
        kinds = {c: SYSTEMS[name].evidence[c].partition(":")[0] for c in columns}
        assert "assumed" not in kinds.values(), kinds
        assert all(kinds[c] == "run" for c in ("quaternion", "velocity_point", "wrench_point"))


def test_defines():
    assert SYSTEMS["usd"].defines("quaternion")
    assert not SYSTEMS["usd"].defines("wrench_point")
    assert not SYSTEMS["smpl"].defines("quaternion")


# ---- one crooked body, by formulas that know no rows


def rotation(r):
    """Matrix and quaternion (w, x, y, z) of an axis-angle vector."""
    angle = np.linalg.norm(r)
    n = r / angle
    K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    return R, np.r_[np.cos(angle / 2), np.sin(angle / 2) * n]


def product_of(a, b):
    return np.r_[a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]


com = np.array([0.13, -0.08, 0.21])
R_BI, q_BI = rotation(np.array([0.4, -0.7, 0.3]))
BODY = Body(com=com, mass=2.7, inertia=R_BI @ np.diag([0.021, 0.034, 0.048]) @ R_BI.T,
            principal=R_BI)  # fmt: skip

p = np.array([0.7, -1.1, 1.9])
R, q_wxyz = rotation(np.array([1.1, -0.6, 0.9]))
q_xyzw = q_wxyz[[1, 2, 3, 0]]
p_com = p + R @ com
w = np.array([1.3, 0.9, -1.7])
v = np.array([0.8, -0.5, 0.3])  # of the origin
v_com = v + np.cross(w, R @ com)
w_B, v_B = R.T @ w, R.T @ v

# three forces at three points of the body; a torque is by definition the sum of (x - point) x f
forces = np.array([[1.0, -2.0, 0.5], [0.3, 0.4, -3.0], [-0.7, 1.1, 0.2]])
points = p + np.array([[0.3, 0.1, -0.2], [-0.25, 0.2, 0.15], [0.05, -0.35, 0.1]]) @ R.T
f = forces.sum(axis=0)


def torque(about):
    return np.cross(points - about, forces).sum(axis=0)


t, t_com, t_world = torque(p), torque(p_com), torque(np.zeros(3))
q_I = product_of(q_wxyz, q_BI)
inverse = q_wxyz * [1, -1, -1, -1]

# system -> pose, velocity, wrench
STATES = {
    "mujoco": ([p, q_wxyz], [v, w_B], [f, t_com]),
    "newton": ([p, q_xyzw], [v_com, w], [f, t_com]),
    "isaaclab-2": ([p, q_wxyz], [v_com, w], [R.T @ f, R.T @ t_com]),
    "isaaclab-3": ([p, q_xyzw], [v_com, w], [R.T @ f, R.T @ t_com]),
    "isaacsim": ([p, q_wxyz], [v_com, w], [f, t_com]),
    "isaacgym": ([p, q_xyzw], [v_com, w], [f, t_com]),
    "physx": ([p, q_xyzw], [v_com, w], [f, t_com]),
    "sapien": ([p, q_wxyz], [v_com, w], [f, t_com]),
    "drake": ([q_wxyz, p], [w, v], [t, f]),
    "pinocchio": ([p, q_xyzw], [v_B, w_B], [R.T @ f, R.T @ t]),
    "pybullet": ([p_com, q_I[[1, 2, 3, 0]]], [v_com, w], [f, t_com]),
    "genesis": ([p, q_wxyz], [v, w_B], [f, t]),
    "modern-robotics-body": ([p, q_wxyz], [w_B, v_B], [R.T @ t, R.T @ f]),
    "modern-robotics-spatial": ([p, q_wxyz], [w, v + np.cross(w, -p)], [t_world, f]),
    "ros": ([p, q_xyzw], [v_B, w_B], [R.T @ f, R.T @ t]),
    "scipy": ([p, q_xyzw], [w, v], [t, f]),
    "usd": ([p, q_xyzw], [v_com, np.rad2deg(w)], [f, t_com]),
    "smpl": ([p, q_wxyz], [v, w], [f, t]),
    "bvh": ([p, q_wxyz], [v, np.rad2deg(w)], [f, t]),
    "sonic": ([p, q_wxyz], [v, w], [f, t]),
    "ptera": ([p_com, inverse], [v_com, np.rad2deg(w_B)], [f, t_com]),
}
STATES = {name: [np.concatenate(x) for x in parts] for name, parts in STATES.items()}


def same_pose(a, b, row):
    """The difference, where q and -q are the same rotation."""
    quaternion = slice(3, 7) if row.pose_layout == "position_first" else slice(0, 4)
    sign = np.sign(a[..., quaternion] @ b[quaternion])
    b = np.broadcast_to(b, a.shape).copy()
    b[..., quaternion] *= sign[..., None] if a.ndim > 1 else sign
    return np.abs(a - b).max()


@pytest.mark.parametrize("source", NAMES)
def test_states_and_wrenches_of_all_pairs(source):
    q, qd, F = STATES[source]
    for target in NAMES:
        q2, v2, F2 = STATES[target]
        got_q, got_v = convert_free_state(q, qd, source, target, body=BODY)
        assert same_pose(got_q, q2, SYSTEMS[target]) < 1e-12, target
        assert np.abs(got_v - v2).max() < 1e-12 * (
            60 if SYSTEMS[target].angular_unit == "deg" else 1
        )
        got_F = convert_wrench(F, source, target, pose=q2, body=BODY)
        assert np.abs(got_F - F2).max() < 1e-12, target


@pytest.mark.parametrize("source", NAMES)
def test_pose_of_a_wrench_in_any_layout(source):
    for layout in NAMES:
        got = convert_wrench(STATES[source][2], source, "modern-robotics-spatial",
                             pose=STATES[layout][0], pose_system=layout, body=BODY)  # fmt: skip
        assert np.abs(got - STATES["modern-robotics-spatial"][2]).max() < 1e-12, layout


@pytest.mark.parametrize("name", NAMES)
def test_generalized_forces_do_the_same_work(name):
    """The power of a system's own force on its own velocity is that of the forces at the points."""
    velocities = v + np.cross(w, points - p)
    power = (forces * velocities).sum()
    drake = convert_free_force(STATES["drake"][2], "drake", name, pose=STATES[name][0], body=BODY)
    assert abs(drake @ STATES[name][1] - power) < 1e-12 * 60


def test_velocity_at_the_world_origin_is_that_of_the_point_there():
    """By differences: the point of the moving body that is at the world's origin right now."""
    x_B = R.T @ (0.0 - p)
    dt = 1e-5
    places = []
    for s in (-dt, dt):
        turned, _ = rotation(w * s)
        places.append(p + v * s + turned @ R @ x_B)
    found = (places[1] - places[0]) / (2 * dt)
    v_s = STATES["modern-robotics-spatial"][1][3:]
    assert np.abs(found - v_s).max() < 1e-8
    # what seed 003 prints is far from it
    assert np.abs(R @ v_B + np.cross(w, p) - v_s).max() > 1.0
    assert np.abs(R @ v_B + np.cross(p, w) - v_s).max() < 1e-12


def test_shift_of_a_wrench_is_that_of_its_forces():
    got = shift_wrench(np.r_[f, t], p_com - p, "force_first")
    assert np.abs(got - np.r_[f, t_com]).max() < 1e-12
    # what seed 003 prints is the shift to the other side
    assert np.abs(t + np.cross(p_com - p, f) - t_com).max() > 0.5


def test_power_is_the_same_at_every_point():
    r = np.array([0.4, -0.3, 0.9])
    F, V = np.r_[f, t], np.r_[v, w]
    moved = shift_wrench(F, r, "force_first") @ shift_twist(V, r, "linear_first")
    assert abs(moved - F @ V) < 1e-12


# ---- rows of one's own


def test_rows_of_ones_own_convert():
    ours = replace(
        SYSTEMS["mujoco"], name="ours", quaternion="xyzw", order="angular_first",
        angular_basis="world", angular_unit="deg", wrench_point="world_origin",
    )  # fmt: skip
    q, qd = convert_free_state(*STATES["newton"][:2], "newton", ours, body=BODY)
    assert np.abs(q - np.r_[p, q_xyzw]).max() < 1e-12
    assert np.abs(qd - np.r_[np.rad2deg(w), v]).max() < 1e-10
    F = convert_wrench(STATES["mujoco"][2], "mujoco", ours, pose=q, body=BODY)
    assert np.abs(F - np.r_[f, t_world]).max() < 1e-12


def test_both_poses_of_principal_axes_still_need_the_body():
    """The axes cancel in the pose, but a velocity in body axes depends on them."""
    local = replace(SYSTEMS["pybullet"], name="local", linear_basis="body", angular_basis="body")
    with pytest.raises(ConventionError, match="principal"):
        convert_free_state(*STATES["pybullet"][:2], "pybullet", local)
    _, got = convert_free_state(*STATES["pybullet"][:2], "pybullet", local, body=BODY)
    assert np.abs(got - np.r_[R.T @ v_com, w_B]).max() < 1e-12


def test_rows_of_ones_own_are_checked():
    with pytest.raises(ConventionError, match="quaternion must be one of wxyz, xyzw; got 'xwyz'"):
        replace(SYSTEMS["mujoco"], quaternion="xwyz")


def test_row_has_a_field_for_every_column():
    assert set(ATTRIBUTES) < {f.name for f in fields(System)}


# ---- bad names and bad files


@pytest.mark.parametrize("name", ["bullet", "isaaclab", "MuJoCo", "", None, 3])
def test_unknown_system_lists_the_known(name):
    with pytest.raises(ConventionError) as error:
        SYSTEMS[name]
    assert all(known in str(error.value) for known in NAMES)


def test_close_names_are_offered():
    with pytest.raises(ConventionError, match="did you mean"):
        convert_free_state(*STATES["drake"][:2], "drake", "isaaclab")


ONE = TEXT[TEXT.index("[mujoco]") : TEXT.index("[newton]")]


def test_one_row_alone_is_read():
    assert read_rows(ONE) == {"mujoco": SYSTEMS["mujoco"]}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('up = ["z"', 'up = ["w"', "up must be one of x, y, z"),
        ('up = ["z"', 'upp = ["z"', "mujoco has no up"),
        ('up = ["z"', 'roll = ["z", "run: x"]\nup = ["z"', "unknown column 'roll'"),
        ('matrix = ["columns", "run: ', 'matrix = ["columns", "hearsay: ', "evidence of matrix"),
        ('quaternion = ["wxyz", "run: ', 'quaternion = ["wxyz", "run", "', r"\[value, evidence\]"),
        ("title = ", "name = ", "mujoco has no title"),
        ("[mujoco]", "[mujoco", "no TOML"),
        ("[mujoco]", "mujoco = 1\n[other]", "must be a table"),
    ],
)
def test_bad_rows_are_refused(old, new, says):
    assert old in ONE
    with pytest.raises(ConventionError, match=says):
        read_rows(ONE.replace(old, new, 1))


@pytest.mark.parametrize("column", ATTRIBUTES)
def test_no_cell_may_be_missing(column):
    lines = [line for line in ONE.splitlines() if not line.startswith(f"{column} = ")]
    with pytest.raises(ConventionError, match=f"has no {column}"):
        read_rows("\n".join(lines))


# ---- the page


def test_page_has_every_row_and_every_column():
    """In a section with its value and evidence, and in one of the tables."""
    page = (DOCS / "conventions.md").read_text()
    tables = page[page.index("## Tables") : page.index("## Columns")]
    for column in ATTRIBUTES:
        assert f" {column} |" in tables
        assert f"| `{column}` |" in page[page.index("## Columns") : page.index("## Evidence")]
    for name, row in SYSTEMS.items():
        assert tables.count(f"| [{name}](#{name}) |") == 6
        section = page[page.index(f"\n### {name}\n") :]
        section = section[: section.find("\n### ", 5)]
        for column in ATTRIBUTES:
            value = getattr(row, column)
            value = value if row.defines(column) else f"*{value}*"
            assert f"| `{column}` | {value} | {row.evidence[column]} |" in section
        assert all(note in section for note in row.notes)
