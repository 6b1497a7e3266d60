"""Values that carry their meaning: known numbers of one crooked body, and what must not mix."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from lanewise.conventions.state import Body
from lanewise.conventions.systems import SYSTEMS
from lanewise.conventions.values import Pose, Twist, Wrench
from lanewise.errors import ConventionError

com = np.array([0.13, -0.08, 0.21])
half = np.sqrt(0.5)
R_BI = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # a quarter turn about z
BODY = Body(com=com, principal=R_BI)

# a quarter turn about x, then one about z: body x -> world y, y -> z, z -> x
R = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
q = np.array([0.5, 0.5, 0.5, 0.5])
p = np.array([0.7, -1.1, 1.9])
c = np.array([0.21, 0.13, -0.08])  # R com
v = np.array([0.8, -0.5, 0.3])
w = np.array([1.3, 0.9, -1.7])
v_com = np.array([0.949, -0.753, 0.28])  # v + w x c
f = np.array([1.0, -2.0, 0.5])
t = np.array([0.3, 0.4, -3.0])  # about the origin

X_WB = Pose(p, q, order="wxyz", point="origin", basis="body", parent="world", child="B", body=BODY)
V = Twist([*v, *w], order="linear_first", point="origin", basis="world", unit="rad")
F = Wrench([*f, *t], order="force_first", point="origin", basis="world")


def close(a, b, most=1e-13):
    return np.abs(np.asarray(a) - np.asarray(b)).max() < most


def test_numbers_of_this_body():
    """The constants above, by hand and by NumPy."""
    assert close(R @ com, c)
    assert close(v + np.cross(w, c), v_com)


# ---- poses


def test_pose_at_the_centre_of_mass():
    at_com = X_WB.at("com")
    assert close(at_com.position, [0.91, -0.97, 1.82])
    assert close(at_com.quaternion, q)
    assert at_com.point == "com"
    assert close(at_com.at("origin").position, p)


def test_pose_of_principal_axes():
    """R_WI = R R_BI takes x to z, y to -y, z to x."""
    turned = X_WB.in_basis("principal")
    assert close(turned.quaternion, [0.0, half, 0.0, half]) or close(
        turned.quaternion, [0.0, -half, 0.0, -half]
    )
    assert close(turned.position, p)


def test_pose_in_systems():
    assert close(X_WB.to("drake"), [*q, *p])
    order = X_WB.in_order("xyzw")
    assert order.order == "xyzw"
    r = np.array([0.1, -0.2, 0.3, 0.9273618495495703])
    tilted = replace(X_WB, quaternion=r, order="xyzw")
    assert close(tilted.to("mujoco"), [*p, r[3], *r[:3]], 1e-12)
    assert close(tilted.in_order("wxyz").quaternion, [r[3], *r[:3]])
    assert close(tilted.to("ptera")[3:], [r[3], *-r[:3]])


@pytest.mark.parametrize("name", SYSTEMS)
def test_pose_of_a_system_is_what_it_was(name):
    numbers = X_WB.to(name)
    pose = Pose.of(name, numbers, body=BODY)
    assert (pose.point, pose.order) == (SYSTEMS[name].pose_point, SYSTEMS[name].quaternion)
    assert close(pose.to(name), numbers)
    assert close(pose.at("origin").in_basis("body").position, p)


def test_of_keeps_the_numbers_and_says_what_they_mean():
    pose = Pose.of("pybullet", [1, 2, 3, 0, 0, 0, 1])
    assert (pose.point, pose.basis, pose.order, pose.parent) == (
        "com",
        "principal",
        "xyzw",
        "world",
    )
    assert close(pose.position, [1, 2, 3])
    assert close(pose.quaternion, [0, 0, 0, 1])


def frame(parent, child, position, quaternion, **others):
    words = {"order": "wxyz", "point": "origin", "basis": "body", **others}
    return Pose(position, quaternion, parent=parent, child=child, **words)


def test_poses_compose_if_inner_frames_cancel():
    X_BC = frame("B", "C", [1, 2, 3], [half, 0, 0, half])
    X_WC = X_WB @ X_BC
    assert (X_WC.parent, X_WC.child) == ("world", "C")
    assert close(X_WC.position, p + [3, 1, 2])  # R (1, 2, 3)
    assert close(np.abs(X_WC.quaternion), [0.0, half, 0.0, half])
    with pytest.raises(ConventionError, match=r"X\(B <- C\) @ X\(world <- B\)"):
        X_BC @ X_WB
    with pytest.raises(ConventionError, match="inverse"):
        X_WB @ X_WB


def test_inverse():
    X_BW = X_WB.inverse()
    assert (X_BW.parent, X_BW.child) == ("B", "world")
    assert close(X_BW.position, -R.T @ p)
    assert close(X_BW.quaternion, [0.5, -0.5, -0.5, -0.5])
    again = X_BW @ X_WB
    assert close(again.position, 0.0)
    assert close(again.quaternion, [1, 0, 0, 0])


def test_only_frames_have_an_inverse():
    with pytest.raises(ConventionError, match=r"call .at\('origin'\)"):
        X_WB.at("com").inverse()
    with pytest.raises(ConventionError, match=r"call .in_basis\('body'\)"):
        X_WB.in_basis("principal").inverse()
    with pytest.raises(ConventionError, match="the child frame needs a name"):
        replace(X_WB, child=None).inverse()


def test_composition_keeps_the_point_of_the_right_one():
    X_AW = frame("A", "world", [0, 0, 1], [1, 0, 0, 0])
    X_AB = X_AW @ X_WB.at("com")
    assert X_AB.point == "com" and X_AB.body is BODY
    assert close(X_AB.position, [0.91, -0.97, 2.82])
    assert close(X_AB.at("origin").position, p + [0, 0, 1])


@pytest.mark.parametrize(
    ("left", "right", "says"),
    [
        (X_WB.at("com"), frame("B", "C", p, q), r"call .at\('origin'\)"),
        (X_WB.in_basis("principal"), frame("B", "C", p, q), r"call .in_basis\('body'\)"),
        (X_WB, frame("B", "C", p, q, order="xyzw"), r".in_order\('wxyz'\)"),
        (replace(X_WB, child=None), frame("B", "C", p, q), "needs a name"),
        (X_WB, V, "a Pose multiplies a Pose; got Twist"),
        (X_WB, np.eye(4), "a Pose multiplies a Pose; got ndarray"),
    ],
)
def test_poses_that_do_not_compose(left, right, says):
    with pytest.raises(ConventionError, match=says):
        left @ right


# ---- twists


def test_twist_at_other_points():
    assert close(V.at("com", pose=X_WB).values, [*v_com, *w])
    assert close(V.at("world_origin", pose=X_WB).values, [*(v - np.cross(w, p)), *w])
    assert close(V.at("com", pose=X_WB).at("origin", pose=X_WB).values, V.values)


def test_twist_in_other_axes():
    assert close(V.in_basis("body", pose=X_WB).values, [*v[[1, 2, 0]], *w[[1, 2, 0]]])
    mixed = V.in_basis(("world", "body"), pose=X_WB)
    assert close(mixed.values, [*v, *w[[1, 2, 0]]])
    assert mixed.basis == ("world", "body")
    assert V.in_basis(("body", "body"), pose=X_WB).basis == "body"


def test_twist_in_another_order_and_unit_needs_no_pose():
    assert np.array_equal(V.in_order("angular_first").values, [*w, *v])
    assert close(V.in_unit("deg").values, [*v, *np.rad2deg(w)])
    assert np.array_equal(V.at("origin").values, V.values)


def test_twist_in_systems():
    assert close(V.to("mujoco", pose=X_WB), [*v, *w[[1, 2, 0]]])
    assert close(V.to("newton", pose=X_WB), [*v_com, *w])
    assert close(V.to("drake"), [*w, *v])
    assert close(V.to("ptera", pose=X_WB), [*v_com, *np.rad2deg(w[[1, 2, 0]])], 1e-12)
    by_pybullet = Pose.of("pybullet", X_WB.to("pybullet"), body=BODY)
    assert close(V.to("pinocchio", pose=by_pybullet), [*v[[1, 2, 0]], *w[[1, 2, 0]]])


@pytest.mark.parametrize("name", SYSTEMS)
def test_twist_of_a_system(name):
    twist = Twist.of(name, V.to(name, pose=X_WB))
    row = SYSTEMS[name]
    assert (twist.point, twist.order, twist.unit) == (
        row.velocity_point, row.order, row.angular_unit
    )  # fmt: skip
    back = twist.at("origin", pose=X_WB).in_basis("world", pose=X_WB).in_unit("rad")
    assert close(back.in_order("linear_first").values, V.values)


def test_twists_of_one_meaning_add():
    assert close((V + V).values, 2 * V.values)
    assert close((V - V).values, 0.0)
    assert close((-V).values, -V.values)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (V.at("com", pose=X_WB), r"point differs: origin and com; call .at\('origin', pose=...\)"),
        (V.in_basis("body", pose=X_WB), r"basis differs: world and body; call .in_basis\('world'"),
        (V.in_unit("deg"), r"unit differs: rad and deg; call .in_unit\('rad'\)"),
        (V.in_order("angular_first"), r"order differs.*call .in_order\('linear_first'\)"),
        (F, "a Twist goes with a Twist only; got Wrench"),
        (np.ones(6), "a Twist goes with a Twist only; got ndarray"),
        (1.0, "got float"),
    ],
)
def test_twists_that_do_not_add(other, says):
    with pytest.raises(ConventionError, match=says):
        V + other
    with pytest.raises(ConventionError, match=says):
        V - other
    if not isinstance(other, Twist | Wrench):
        with pytest.raises(ConventionError, match=says):
            other + V
        with pytest.raises(ConventionError, match=says):
            other - V


def test_names_of_bodies_are_compared():
    a, b = replace(V, frame="B"), replace(V, frame="hand")
    with pytest.raises(ConventionError, match="frames differ: 'B' and 'hand'"):
        a + b
    with pytest.raises(ConventionError, match="frames differ: 'hand' and 'B'"):
        b.at("com", pose=X_WB)
    assert a.at("com", pose=X_WB).frame == "B"


def test_changes_that_depend_on_the_pose_ask_for_it():
    with pytest.raises(ConventionError, match="point from origin to com.*pose="):
        V.at("com")
    with pytest.raises(ConventionError, match="basis from world to body.*got ndarray"):
        V.in_basis("body", pose=np.r_[p, q])
    with pytest.raises(ConventionError, match=r"Body\(com="):
        V.at("com", pose=replace(X_WB, body=None))
    with pytest.raises(ConventionError, match=r"must be that of the body in 'world'.*A <- B"):
        V.at("com", pose=replace(X_WB, parent="A"))
    turned = replace(X_WB.in_basis("principal"), body=None)
    with pytest.raises(ConventionError, match="principal"):
        V.in_basis("body", pose=turned)


# ---- wrenches and power


def test_wrench_at_other_points():
    t_com = t - np.cross(c, f)
    assert close(t_com, [0.395, 0.585, -2.45])
    assert close(F.at("com", pose=X_WB).values, [*f, *t_com])
    assert close(F.at("world_origin", pose=X_WB).values, [*f, *(t + np.cross(p, f))])


def test_wrench_in_axes_order_and_systems():
    assert close(F.in_basis("body", pose=X_WB).values, [*f[[1, 2, 0]], *t[[1, 2, 0]]])
    assert np.array_equal(F.in_order("torque_first").values, [*t, *f])
    assert close(F.to("drake"), [*t, *f])
    assert close(F.to("mujoco", pose=X_WB), [*f, 0.395, 0.585, -2.45])
    assert close(F.to("pinocchio", pose=X_WB.at("com")), [*f[[1, 2, 0]], *t[[1, 2, 0]]])
    assert Wrench.of("mujoco", np.ones(6)).point == "com"
    assert Wrench.of("pinocchio", np.ones(6)).basis == "body"
    assert Wrench.of("drake", np.ones(6)).order == "torque_first"


def test_wrenches_of_one_meaning_add():
    assert close((F + F - F).values, F.values)
    assert close((-F).values, -F.values)
    for other, word in (
        (F.at("com", pose=X_WB), "point differs: origin and com"),
        (F.in_basis("body", pose=X_WB), "basis differs: world and body"),
        (F.in_order("torque_first"), "order differs: force_first and torque_first"),
    ):
        with pytest.raises(ConventionError, match=word):
            F + other


def test_power():
    power = f @ v + t @ w
    assert close(F @ V, power)
    assert close(V @ F, power)
    assert close(F.in_order("torque_first") @ V, power)
    for point in ("com", "world_origin"):
        assert close(F.at(point, pose=X_WB) @ V.at(point, pose=X_WB), power)
    assert close(F.in_basis("body", pose=X_WB) @ V.in_basis("body", pose=X_WB), power)


@pytest.mark.parametrize(
    ("wrench", "twist", "says"),
    [
        (F, V.at("com", pose=X_WB), r"point.*origin.*com; call .at\('origin', pose=...\) on the t"),
        (F, V.in_basis("body", pose=X_WB), r"basis.*call .in_basis\('world', pose=...\)"),
        (F, Twist.of("mujoco", np.ones(6)), r"basis.*call .in_basis\('world', pose=...\)"),
        (F, V.in_unit("deg"), "radians"),
        (F, np.ones(6), "a Wrench times a Twist is power; got ndarray"),
        (F, F, "got Wrench"),
        (replace(F, frame="a"), replace(V, frame="b"), "frames differ"),
    ],
)
def test_no_power(wrench, twist, says):
    with pytest.raises(ConventionError, match=says):
        wrench @ twist


def test_arrays_do_not_multiply_values():
    with pytest.raises(TypeError):
        np.eye(6) @ V
    with pytest.raises(ConventionError, match="a Twist times a Wrench"):
        V @ np.ones(6)
    with pytest.raises(ConventionError, match="goes with a Wrench only"):
        F + V


# ---- arrays of any library and shape


def test_leading_axes():
    rng = np.random.default_rng(3)
    quaternions = rng.normal(size=(4, 1, 4))
    quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
    pose = replace(X_WB, position=rng.normal(size=(4, 1, 3)), quaternion=quaternions)
    twist = replace(V, values=rng.normal(size=(5, 6)))
    got = twist.at("com", pose=pose).in_basis("body", pose=pose)
    assert got.values.shape == (4, 5, 6)
    for i in range(4):
        one = replace(X_WB, position=pose.position[i, 0], quaternion=quaternions[i, 0])
        for k in range(5):
            alone = replace(V, values=twist.values[k]).at("com", pose=one)
            assert close(got.values[i, k], alone.in_basis("body", pose=one).values)


def test_float32_stays():
    x = Twist.of("drake", np.ones(6, np.float32)).in_unit("deg").in_order("linear_first")
    assert x.values.dtype == np.float32


def test_torch_keeps_gradients():
    torch = pytest.importorskip("torch")
    values = torch.tensor([*v, *w], dtype=torch.float64, requires_grad=True)
    pose = replace(X_WB, position=torch.tensor(p), quaternion=torch.tensor(q))
    twist = replace(V, values=values)
    out = twist.at("com", pose=pose).in_basis("body", pose=pose)
    assert close(out.values.detach(), [*v_com[[1, 2, 0]], *w[[1, 2, 0]]])
    wrench = replace(F, values=torch.tensor([*f, *t])).at("com", pose=pose)
    (wrench @ twist.in_order("angular_first").at("com", pose=pose)).backward()
    assert close(values.grad, [*f, *t])  # power = F . V at every point


def test_jax_traces():
    jax = pytest.importorskip("jax")

    def power(values):
        twist = replace(V, values=values).at("com", pose=X_WB)
        return replace(F, values=jax.numpy.asarray([*f, *t])).at("com", pose=X_WB) @ twist

    gradient = jax.jit(jax.grad(power))(jax.numpy.asarray([*v, *w]))
    assert close(gradient, [*f, *t], 1e-5)


# ---- no defaults, no nonsense


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (Pose, ("order", "point", "basis", "parent", "child")),
        (Twist, ("order", "point", "basis", "unit")),
        (Wrench, ("order", "point", "basis")),
    ],
)
def test_no_word_has_a_default(cls, words):
    values = {Pose: X_WB, Twist: V, Wrench: F}[cls]
    given = {name: getattr(values, name) for name in words}
    arrays = (p, q) if cls is Pose else (np.ones(6),)
    cls(*arrays, **given)
    for name in words:
        with pytest.raises(TypeError, match=name):
            cls(*arrays, **{k: x for k, x in given.items() if k != name})


@pytest.mark.parametrize(
    ("value", "word", "says"),
    [
        (X_WB, "order", "wxyz, xyzw"),
        (X_WB, "point", "origin, com"),
        (X_WB, "basis", "body, principal"),
        (V, "order", "linear_first, angular_first"),
        (V, "point", "origin, com, world_origin"),
        (V, "basis", "world, body"),
        (V, "unit", "rad, deg"),
        (F, "order", "force_first, torque_first"),
        (F, "point", "origin, com, world_origin"),
        (F, "basis", "world, body"),
    ],
)
def test_unknown_words_list_the_known(value, word, says):
    with pytest.raises(ConventionError, match=f"{word} must be one of {says}; got 'middle'"):
        replace(value, **{word: "middle"})


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: replace(X_WB, quaternion=[1, 1, 0, 0]), "length 1.41421"),
        (lambda: replace(X_WB, quaternion=[0, 0, 0, 0]), "zero"),
        (lambda: replace(X_WB, position=[np.nan, 0, 0]), "nan"),
        (lambda: replace(X_WB, position=[0, 0]), r"\(..., 3\)"),
        (lambda: replace(X_WB, body=com), "must be a Body"),
        (lambda: replace(V, values=[1, 2, 3]), r"\(..., 6\)"),
        (lambda: replace(F, values=[1, 2, 3, 4, 5, np.inf]), "inf"),
        (lambda: replace(V, basis=("world", "body", "world")), "basis is a word, or two"),
        (lambda: Pose.of("drake", np.ones(6)), "drake"),
        (lambda: Twist.of("dark", np.ones(6)), "did you mean 'drake'"),
    ],
)
def test_bad_values_are_refused(make, says):
    with pytest.raises(ConventionError, match=says):
        make()


def test_values_are_frozen():
    with pytest.raises(FrozenInstanceError):
        V.point = "com"
