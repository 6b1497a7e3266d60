"""Joint and body orders: against tables of real robots, and against engines that read one file.

engines/orders.json has what ten engines said about engines/tree.urdf, whose siblings, links and
names are in three different orders; engines/orders.py asked them.
"""

import json
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from engines import orders
from lanewise import conventions as cv
from lanewise.conventions import Joint, Link, Tree
from lanewise.conventions.order import OrderRule
from lanewise.errors import ConventionError
from support.places import MODELS

KNOWN = json.loads(orders.KNOWN.read_text())

# of SONIC, gear_sonic/envs/manager_env/robots/g1.py: x_mujoco = x_isaaclab[..., array]
G1_ISAACLAB_TO_MUJOCO_DOF = [
    0, 3, 6, 9, 13, 17, 1, 4, 7, 10, 14, 18, 2, 5, 8, 11, 15, 19, 21, 23, 25, 27, 12, 16, 20, 22,
    24, 26, 28,
]  # fmt: skip
G1_MUJOCO_TO_ISAACLAB_DOF = [
    0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 22, 4, 10, 16, 23, 5, 11, 17, 24, 18, 25, 19, 26, 20,
    27, 21, 28,
]  # fmt: skip


def chain(names, end=None):
    """{first: {second: {... end}}}"""
    nested = end or {}
    for name in reversed(names):
        nested = {name: nested}
    return nested


def g1():
    """The 29 joints of a G1, in the order of its MJCF file."""
    legs, arms = {}, {}
    for side in ("left", "right"):
        leg = "hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll"
        arm = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll",
               "wrist_pitch", "wrist_yaw")  # fmt: skip
        legs |= chain([f"{side}_{name}_joint" for name in leg])
        arms |= chain([f"{side}_{name}_joint" for name in arm])
    waist = chain(["waist_yaw_joint", "waist_roll_joint", "waist_pitch_joint"], arms)
    return {"pelvis": legs | waist}


def anymal():
    """Legs in the order of the file, LF RF LH RH."""
    legs = {}
    for leg in ("LF", "RF", "LH", "RH"):
        legs |= chain([f"{leg}_{joint}" for joint in ("HAA", "HFE", "KFE")])
    return {"base": legs}


def mjcf_of(tree, free=True):
    """A model with the joints of a tree of hinges."""

    def body(i):
        joints = "".join(f'<joint name="{j.name}" type="{j.kind}"/>' for j in tree.links[i].joints)
        inner = "".join(map(body, tree.children[i]))
        name = f'name="{tree.links[i].name}"' if tree.links[i].name else ""
        return f'<body {name}>{joints}<geom size=".1"/>{inner}</body>'

    bodies = "".join(map(body, tree.roots))
    if free:
        bodies = bodies.replace(">", "><freejoint/>", 1)
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")


# ---- robots


@pytest.mark.parametrize(
    "make", [lambda t: t, Tree.from_nested, lambda t: mjcf_of(Tree.from_nested(t))]
)
@pytest.mark.parametrize("isaac", ["isaaclab-2", "isaaclab-3", "isaacsim", "physx", "usd"])
def test_g1_is_as_sonic_has_it(make, isaac):
    robot = make(g1())
    perm = cv.joint_permutation(robot, isaac, "mujoco")
    assert perm.tolist() == G1_ISAACLAB_TO_MUJOCO_DOF
    assert cv.joint_permutation(robot, "mujoco", isaac).tolist() == G1_MUJOCO_TO_ISAACLAB_DOF
    bodies = cv.body_permutation(robot, isaac, "mujoco")
    assert bodies.tolist() == [0] + [i + 1 for i in G1_ISAACLAB_TO_MUJOCO_DOF]
    assert cv.body_order(robot, isaac)[:4] == [
        "pelvis", "left_hip_pitch_joint", "right_hip_pitch_joint", "waist_yaw_joint"]  # fmt: skip
    # what the permutation means, with leading axes
    isaac_names = np.array(cv.joint_order(robot, isaac))
    assert isaac_names[perm].tolist() == cv.joint_order(robot, "mujoco")
    x = np.arange(2 * 3 * 29).reshape(2, 3, 29)
    assert np.array_equal(x[..., perm][1, 2], x[1, 2][G1_ISAACLAB_TO_MUJOCO_DOF])


def test_anymal_in_isaac_is_not_in_the_order_of_its_file():
    legs = ("LF", "LH", "RF", "RH")
    by_name = [f"{leg}_{joint}" for joint in ("HAA", "HFE", "KFE") for leg in legs]
    assert cv.joint_order(anymal(), "isaaclab-2") == by_name
    by_leg = [f"{leg}_{joint}" for leg in legs for joint in ("HAA", "HFE", "KFE")]
    assert cv.joint_order(anymal(), "isaacgym") == by_leg
    assert cv.joint_order(anymal(), "isaaclab-3", backend="newton") == by_leg
    assert cv.joint_order(anymal(), "drake")[3] == "RF_HAA"


# of {"base": {"m": {"z": {}, "c": {}}, "a": {"y": {}, "b": {}}}}, by what a row may say
SMALL = {"base": {"m": {"z": {}, "c": {}}, "a": {"y": {}, "b": {}}}}
ORDERS = {
    ("depth_first", "file"): list("mzcayb"),
    ("depth_first", "joint_name"): list("abymcz"),
    ("breadth_first", "file"): list("mazcyb"),
    ("breadth_first", "joint_name"): list("ambycz"),
}
RULE_OF = {
    "mujoco": ("depth_first", "file"),
    "newton": ("depth_first", "file"),
    "isaaclab-2": ("breadth_first", "joint_name"),
    "isaaclab-3": ("breadth_first", "joint_name"),
    "isaacsim": ("breadth_first", "joint_name"),
    "isaacgym": ("depth_first", "joint_name"),
    "physx": ("breadth_first", "joint_name"),
    "sapien": ("breadth_first", "file"),
    "drake": ("depth_first", "file"),
    "pinocchio": ("depth_first", "joint_name"),
    "pybullet": ("depth_first", "file"),
    "genesis": ("depth_first", "file"),
    "modern-robotics-body": ("depth_first", "file"),
    "modern-robotics-spatial": ("depth_first", "file"),
    "ros": ("depth_first", "file"),
    "scipy": ("depth_first", "file"),
    "usd": ("breadth_first", "joint_name"),
    "smpl": ("breadth_first", "file"),
    "bvh": ("depth_first", "file"),
    "sonic": ("depth_first", "file"),
    "ptera": ("depth_first", "file"),
}


@pytest.mark.parametrize("system", cv.SYSTEMS)
def test_every_system(system):
    tree = Tree.from_nested(SMALL, file="urdf")
    order = ORDERS[RULE_OF[system]]
    assert cv.joint_order(tree, system) == order
    drake = ["base", *ORDERS["depth_first", "file"]]
    assert cv.body_order(tree, system) == (drake if system == "drake" else ["base", *order])
    for other in cv.SYSTEMS:
        perm = cv.joint_permutation(tree, system, other)
        assert [order[i] for i in perm] == ORDERS[RULE_OF[other]]


def test_a_rule_may_stand_for_a_system():
    for words, order in ORDERS.items():
        assert cv.joint_order(SMALL, OrderRule(*words)) == order
    with pytest.raises(ConventionError, match="siblings must be one of file, joint_line"):
        OrderRule("depth_first", "alphabetical")
    assert cv.order_rule("sapien") == OrderRule("breadth_first", "file")
    assert cv.order_rule("physx") == OrderRule("breadth_first", "joint_kind_and_name")
    assert cv.order_rule("drake") == OrderRule("depth_first", "file", floating_last=True)


# ---- engines that read engines/tree.urdf


@pytest.mark.parametrize(
    ("engine", "system", "options"),
    [
        ("mujoco", "mujoco", {}),
        ("drake", "drake", {}),
        ("pinocchio", "pinocchio", {}),
        ("pybullet", "pybullet", {}),
        ("sapien", "sapien", {}),
        ("newton", "newton", {}),
        ("newton_usd", "newton", {"file": "usd"}),
        ("newton_usd", "isaaclab-3", {"backend": "newton", "fixed": "keep"}),
        ("physx", "physx", {"fixed": "keep"}),
        ("physx", "usd", {"file": "usd"}),
        ("genesis", "genesis", {"fixed": "merge"}),
        ("genesis_keep", "genesis", {"fixed": "keep"}),
    ],
)
def test_engines_agree(engine, system, options):
    known = KNOWN[engine]
    assert cv.joint_order(orders.TREE, system, **options) == known["joints"]
    merged = {"fixed": "merge" if engine in ("mujoco", "genesis") else "keep"}
    bodies = cv.body_order(orders.TREE, system, **{**merged, **options})
    if engine == "mujoco":  # the base, which is held, has become part of the world
        assert bodies.pop(0) == "base"
    assert bodies == known["bodies"]


@pytest.mark.parametrize("engine", orders.LIGHT)
def test_engines_still_say_so(engine):
    found = orders.dump(orders.TREE.read_text(), [engine])
    if not found:
        pytest.skip(f"{engine} is not installed")
    for what in ("joints", "bodies"):
        assert found[engine][what] == KNOWN[engine][what]


def test_merged_links_of_isaac():
    """Children of a merged link move up, and are sorted among their new siblings."""
    first = cv.joint_order(orders.TREE, "isaaclab-2", fixed="merge")
    assert first[:7] == ["J_upper", "b_first", "j_alpha", "j_beta", "j_mid", "j_zeta", "x_under"]
    kept = cv.joint_order(orders.TREE, "isaaclab-2", fixed="keep")
    assert kept[:6] == ["J_upper", "j_alpha", "j_mid", "j_zeta", "j_beta", "x_under"]
    bodies = cv.body_order(orders.TREE, "isaaclab-2", fixed="merge")
    assert bodies[:3] == ["base", "upper", "first"] and not {"plate", "rod"} & set(bodies)
    with pytest.raises(ConventionError, match="fixed joints .* fixed='keep' or fixed='merge'"):
        cv.joint_order(orders.TREE, "isaaclab-2")
    with pytest.raises(ConventionError, match="fixed='keep' or fixed='merge'"):
        cv.body_order(orders.TREE, "pybullet")
    # pinocchio numbers joints with the fixed ones in their places, whoever merges them later
    perm = cv.joint_permutation(orders.TREE, "isaaclab-2", "pinocchio", fixed="merge")
    assert [first[i] for i in perm] == KNOWN["pinocchio"]["joints"]
    perm = cv.body_permutation(orders.TREE, "isaaclab-2", "pinocchio", fixed="merge")
    assert [bodies[i] for i in perm] == [b for b in KNOWN["pinocchio"]["bodies"] if b in bodies]
    # leaves on fixed joints change nothing, and nobody has to say what became of them
    rows = [("j1", "base", "a"), ("sensor", "a", "imu", "fixed"), ("j0", "base", "b")]
    tree = Tree.from_joints(rows, file="urdf")
    assert cv.joint_order(tree, "isaaclab-2") == ["j0", "j1"]


def test_drake_and_mujoco_of_several_trees():
    """Measured with drake 1.51.1: trees that float come after those that stand."""
    tree = Tree(
        (
            Link("f1", -1, (Joint("free1", "free"),)), Link("f2", 0, (Joint("jf2", "hinge"),)),
            Link("a", -1, (Joint("ja", "hinge"),)), Link("c", 2, (Joint("jc", "hinge"),)),
            Link("g1", -1, (Joint("free2", "free"),)), Link("g2", 4, (Joint("jg2", "hinge"),)),
            Link("b", -1), Link("d", 6, (Joint("jd", "hinge"),)),
        ), "mjcf",
    )  # fmt: skip
    assert cv.joint_order(tree, "mujoco") == ["jf2", "ja", "jc", "jg2", "jd"]
    assert cv.joint_order(tree, "drake") == ["ja", "jc", "jd", "jf2", "jg2"]
    assert cv.body_order(mjcf_of(tree, free=False), "drake") == [
        "f1", "f2", "a", "c", "g1", "g2", "b", "d"]  # fmt: skip
    assert cv.joint_order(tree, "isaaclab-2", roots="apart") == ["jf2", "ja", "jc", "jg2", "jd"]
    held = cv.joint_order(tree, "isaaclab-2", roots="together")
    assert held == ["jf2", "ja", "jd", "jc", "jg2"]
    with pytest.raises(ConventionError, match="roots='apart' or roots='together'"):
        cv.joint_order(tree, "isaaclab-2")
    assert cv.joint_order(tree, "sapien", roots="apart") == ["jf2", "ja", "jc", "jg2", "jd"]
    assert cv.joint_order(tree, "sapien", roots="together") == ["jf2", "ja", "jc", "jd", "jg2"]
    assert cv.joint_order(tree.subtree("a"), "isaaclab-2") == ["ja", "jc"]
    with pytest.raises(ConventionError, match="no link 'ff1' .did you mean 'f1'"):
        tree.subtree("ff1")


# ---- what is not in a tree


def test_pinocchio_sorts_urdf_and_not_mjcf():
    tree = Tree.from_nested(SMALL)
    with pytest.raises(ConventionError, match="file='urdf' or file='mjcf'"):
        cv.joint_order(tree, "pinocchio")
    assert cv.joint_order(tree, "pinocchio", file="urdf") == list("abymcz")
    assert cv.joint_order(tree, "pinocchio", file="mjcf") == list("mzcayb")
    model = mjcf_of(tree)
    assert cv.joint_order(model, "pinocchio") == list("mzcayb")
    assert cv.joint_order(model, "pinocchio", file="urdf") == list("abymcz")
    usd = Tree.from_nested(SMALL, file="usd")
    with pytest.raises(ConventionError, match="file='urdf' or file='mjcf'"):
        cv.joint_order(usd, "pinocchio")
    assert cv.joint_order(usd, "newton") == list("abymcz")
    assert cv.joint_order(tree, "newton", file="urdf") == list("mzcayb")
    with pytest.raises(ConventionError, match="file='mjcf' or file='urdf' or file='usd'"):
        cv.joint_order(tree, "newton")
    with pytest.raises(ConventionError, match="depends on the kind of file"):
        cv.order_rule("newton")
    sorted_already = Tree.from_nested({"base": {"a": {}, "b": {}}})
    assert cv.joint_order(sorted_already, "pinocchio") == ["a", "b"]


def test_physx_takes_kinds_of_joints_in_turn():
    """Measured with ovphysx 0.7.0 on 27 random articulations."""
    rows = [
        ("a", "base", "1", "slide"), ("b", "base", "2", "ball"), ("c", "base", "3"),
        ("d", "base", "4", "fixed"), ("e", "4", "5"), ("Z", "base", "6"), ("g", "3", "7"),
        ("_", "base", "8", "planar"),
    ]  # fmt: skip
    tree = Tree.from_joints(rows, file="usd")
    assert cv.body_order(tree, "physx") == ["base", "4", "6", "3", "1", "2", "8", "5", "7"]
    assert cv.joint_order(tree, "physx") == ["Z", "c", "a", "b", "_", "e", "g"]
    assert cv.joint_order(tree, "isaaclab-2") == ["Z", "_", "a", "b", "c", "g", "e"]
    # two joints on one link are one D6
    two = (Joint("a", "hinge"), Joint("b", "hinge"))
    tree = Tree((Link("base", -1), Link("1", 0, two), Link("2", 0, (Joint("c", "ball"),))), "usd")
    assert cv.joint_order(tree, "physx") == ["c", "a", "b"]


def test_names_are_compared_byte_by_byte():
    names = ["j_2", "j_10", "é", "a-b", "a_b", "Z", "aB", "ab"]
    tree = Tree.from_nested({"base": {name: {} for name in names}}, file="urdf")
    sorted_names = ["Z", "a-b", "aB", "a_b", "ab", "j_10", "j_2", "é"]
    assert cv.joint_order(tree, "isaaclab-2") == sorted_names
    assert sorted_names == sorted(names, key=lambda name: name.encode())


MIXED = """<mujoco><worldbody>
  <body name="torso"><freejoint/><geom size=".1"/>
    <body name="waist"><joint name="z2"/><joint name="a1" axis="0 1 0"/><geom size=".1"/></body>
    <body name="lid"><geom size=".1"/>
      <body name="eye"><joint name="pan" type="ball"/><geom size=".1"/></body></body>
    <body name="arm"><joint name="k" type="slide"/><geom size=".1"/>
      <body name="hand"><joint name="b"/><geom size=".1"/></body></body>
    <body><geom size=".1"/></body>
  </body></worldbody></mujoco>"""


def test_several_joints_welded_bodies_and_ball_joints():
    m = mujoco.MjModel.from_xml_string(MIXED)
    assert cv.joint_order(m, "mujoco") == ["z2", "a1", "pan", "k", "b"]
    # siblings: arm by k, lid by its own name, waist by z2; the body without a name holds nothing
    assert cv.joint_order(m, "isaaclab-2") == ["k", "z2", "a1", "b", "pan"]
    assert cv.joint_order(m, "isaaclab-2", fixed="merge") == ["k", "pan", "z2", "a1", "b"]
    assert cv.joint_permutation(m, "isaaclab-2", "mujoco").tolist() == [1, 2, 4, 0, 3]
    # velocities in MuJoCo: z2 a1 pan pan pan k b; in Isaac Lab: k z2 a1 b pan pan pan
    assert cv.dof_permutation(m, "isaaclab-2", "mujoco").tolist() == [1, 2, 4, 5, 6, 0, 3]
    assert cv.dof_permutation(m, "mujoco", "isaaclab-2").tolist() == [5, 0, 1, 6, 2, 3, 4]
    with pytest.raises(ConventionError, match="a body has no name"):
        cv.body_order(m, "mujoco")
    assert cv.body_permutation(m, "mujoco", "drake").tolist() == list(range(7))


@pytest.mark.parametrize("name", ["multijoint", "walker", "crooked", "aligned"])
def test_order_of_mujoco_is_that_of_its_joints(name):
    m = mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
    names = [m.joint(j).name for j in range(m.njnt) if m.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE]
    assert cv.joint_order(m, "mujoco") == names
    fields = ("nbody", "njnt", "names", "name_bodyadr", "name_jntadr", "body_parentid",
              "jnt_bodyid", "jnt_type")  # fmt: skip
    alike = SimpleNamespace(**{field: getattr(m, field) for field in fields})
    assert cv.joint_order(alike, "mujoco") == names


# ---- trees, and what is none


def test_trees_of_urdf():
    tree = Tree.from_urdf(str(orders.TREE))
    assert tree == Tree.from_urdf(orders.TREE.read_text()) and tree.file == "urdf"
    assert [link.name for link in tree.links[:4]] == ["base", "mid", "tip", "tap"]
    by_name = {link.name: link for link in tree.links}
    assert by_name["upper"].joints == (Joint("J_upper", "slide"),)
    assert by_name["zeta"].joints == (Joint("j_zeta", "hinge"),)
    assert by_name["rod"].welded and not by_name["copy"].welded and not by_name["base"].welded
    assert [Joint("", kind).nv for kind in ("hinge", "ball", "planar", "free", "fixed")] == [
        1, 3, 3, 6, 0]  # fmt: skip


URDF = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>
  <joint name="k" type="revolute"><parent link="b"/><child link="c"/></joint></robot>"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<link name="b"/>', '<link name="b2"/>', "joint 'j' names link 'b' .*'b2'.* not there"),
        ('<child link="c"/>', '<child link="b"/>', "link 'b' has two parents, 'a' and 'b'"),
        ('<parent link="a"/>', '<parent link="c"/>', "hang in a loop, on no root: .*'b', 'c'"),
        ('<child link="c"/>', "", "joint 'k' has no <parent> or no <child>"),
        ('name="k"', 'name="j"', "two joints are called 'j'"),
        ('<link name="c"/>', '<link name="c"/><link name="c"/>', "two links are called 'c'"),
        ('<link name="c"/>', '<link name="c"/><link name="d"/>', "one root; .*'a', 'd'"),
        ('"revolute"', '"revolut"', "type 'revolut' .did you mean 'revolute'"),
        ('name="k" ', "", "a <joint> has no name"),
        ("<robot", "<robots", "not a URDF file"),
        ("robot", "mujoco", "has a <robot>; got <mujoco>; load MJCF with MuJoCo"),
        ("<link", '<x:xacro xmlns:x="http://xacro"/><link', "expand it first"),
    ],
)
def test_urdf_that_is_wrong(old, new, message):
    count = -1 if old == "robot" else 1
    with pytest.raises(ConventionError, match=message):
        Tree.from_urdf(URDF.replace(old, new, count))


def test_what_is_no_tree():
    with pytest.raises(ConventionError, match="cannot read URDF file 'nowhere.urdf'"):
        cv.joint_order("nowhere.urdf", "mujoco")
    with pytest.raises(ConventionError, match="need an MjModel, .* got int"):
        cv.joint_order(3, "mujoco")
    with pytest.raises(ConventionError, match="'a' must hold a dictionary of joints; got 3"):
        cv.joint_order({"base": {"a": 3}}, "mujoco")
    with pytest.raises(ConventionError, match=r"a row is .joint, parent, child.*; got 'abc'"):
        Tree.from_joints(["abc"])
    with pytest.raises(ConventionError, match="file must be one of mjcf, urdf, usd; got 'sdf'"):
        Tree.from_nested(SMALL, file="sdf")
    with pytest.raises(ConventionError, match="kind of joint 'j' must be one of hinge, .*'screw'"):
        Tree.from_joints([("j", "a", "b", "screw")])
    with pytest.raises(ConventionError, match="link 0, 'a', has parent 1: parents must come"):
        Tree((Link("a", 1), Link("b", -1)))
    with pytest.raises(ConventionError, match="link 0, 'a', has parent -2"):
        Tree((Link("a", -2),))
    with pytest.raises(ConventionError, match="a row is .* got .'j', 'a', 'b', 'hinge', 'x'."):
        Tree.from_joints([("j", "a", "b", "hinge", "x")])
    with pytest.raises(ConventionError, match="two links are called 'x': .* a prefix for each"):
        Tree.from_nested({"base": {"a": {"x": {}}, "b": {"x": {}}}})


def test_words_that_nobody_knows():
    with pytest.raises(ConventionError, match="unknown system 'isaaclab2'"):
        cv.joint_order(SMALL, "isaaclab2")
    with pytest.raises(ConventionError, match="fixed must be one of keep, merge; got 'drop'"):
        cv.joint_order(SMALL, "physx", fixed="drop")
    with pytest.raises(ConventionError, match="roots must be one of apart, together"):
        cv.joint_order(SMALL, "physx", roots="both")
    with pytest.raises(ConventionError, match="file must be one of mjcf, urdf, usd; got 'sdf'"):
        cv.joint_order(SMALL, "physx", file="sdf")
    with pytest.raises(ConventionError, match="backend must be one of physx, newton"):
        cv.joint_order(SMALL, "isaaclab-3", backend="mujoco")
    with pytest.raises(ConventionError, match="only isaaclab-3 can run on several backends"):
        cv.joint_order(SMALL, "isaaclab-2", backend="newton")
    assert cv.joint_permutation(SMALL, "isaaclab-3", "mujoco", backend="newton").tolist() == [
        3, 5, 4, 0, 2, 1]  # fmt: skip


def test_names_that_are_missing():
    links = (Link("base", -1), Link("a", 0, (Joint("", "hinge"),)))
    with pytest.raises(ConventionError, match="a joint on body 'a' has no name: name it in"):
        cv.joint_order(Tree(links, "urdf"), "mujoco")
    more = (*links, Link("b", 0, (Joint("j", "hinge"),)))
    with pytest.raises(ConventionError, match="sorted by name, and a joint has none .on body 'a'"):
        cv.joint_permutation(Tree(more, "urdf"), "mujoco", "isaaclab-2")
    assert cv.joint_permutation(Tree(more, "urdf"), "mujoco", "sapien").tolist() == [0, 1]
    welded = (Link("base", -1), Link("", 0), Link("a", 1, (Joint("j", "hinge"),)), Link("b", 0))
    with pytest.raises(ConventionError, match="sorted by name, and a body has none: name it"):
        cv.joint_order(Tree(welded, "usd"), "isaaclab-2")
    with pytest.raises(ConventionError, match="^a joint has no name"):
        cv.joint_order(Tree((Link("", -1, (Joint("", "hinge"),)),)), "mujoco")
