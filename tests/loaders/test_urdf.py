"""URDF: a base that floats, files of ROS packages, and the note on actuators."""

import shutil
import warnings

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support.places import MODELS

BOT = MODELS / "bot_description"  # a ROS package: urdf/bot.urdf, meshes/
URDF = BOT / "urdf" / "bot.urdf"

pytestmark = pytest.mark.filterwarnings("ignore:.*no actuators")


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    for name in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def lonely(tmp_path):
    """The URDF away from its package."""
    return shutil.copy(URDF, tmp_path / "bot.urdf")


def test_free_base():
    """The root link is a body with its own inertia and a free joint; the rest is as before."""
    m, fixed = lw.load(URDF, base="free"), lw.load(URDF)
    assert fixed.nv == 1 and m.nv == 7 and m.nq == 8
    assert m.mj.joint(0).name == "trunk_free" and m.mj.joint(0).type == mujoco.mjtJoint.mjJNT_FREE
    assert m.mj.body("trunk").mass == 3.0
    np.testing.assert_allclose(m.mj.body("trunk").ipos, [0.01, 0.02, 0.03])
    np.testing.assert_array_equal(m.mj.body("leg").inertia, fixed.mj.body("leg").inertia)
    np.testing.assert_array_equal(m.mj.body("leg").pos, fixed.mj.body("leg").pos)
    d = lw.Data(m)
    lw.step(m, d, 10)
    assert d.qpos[2] < -1e-4


def test_fixed_base_is_what_mujoco_makes_of_it():
    a, b = lw.load(URDF), lw.load(URDF, base="fixed")
    assert a.nv == b.nv == 1
    np.testing.assert_array_equal(a.body_mass, b.body_mass)


LINK = (
    '<link name="{}"><inertial><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/></joint>'


def robot(*parts):
    return f"<robot name='r'>{''.join(parts)}</robot>"


@pytest.mark.parametrize("kind", ["fixed", "floating"])
def test_a_link_that_stands_for_the_world(kind):
    """Its joint is what floats or not, whatever the file says."""
    text = robot(
        '<link name="world"/>', LINK.format("base"), JOINT.format("j", kind, "world", "base")
    )
    assert lw.load(text, base="free").nv == 6
    assert lw.load(text, base="free").mj.joint(0).name == "j"
    assert lw.load(text, base="fixed").nv == 0
    assert lw.load(text).nv == (6 if kind == "floating" else 0)


def test_names_that_are_taken():
    joint = JOINT.format("base_free", "continuous", "base", "arm")
    m = lw.load(robot(LINK.format("base"), LINK.format("arm"), joint), base="free")
    assert m.nv == 7 and m.mj.joint(0).name == "base_free_"


def test_bases_that_cannot_be():
    text = robot(LINK.format("a"))
    with pytest.raises(ValueError, match="did you mean 'free'"):
        lw.load(text, base="fre")
    with pytest.raises(lw.ModelError, match="one root link.*\\['a', 'b'\\]"):
        lw.load(robot(LINK.format("a"), LINK.format("b")), base="free")
    with pytest.raises(lw.ModelError, match="lacks a parent"):
        lw.load(robot(LINK.format("a"), '<joint name="j" type="fixed"/>'), base="free")
    turning = JOINT.format("turn", "continuous", "world", "b")
    with pytest.raises(lw.ModelError, match="'turn'"):
        lw.load(robot('<link name="world"/>', LINK.format("b"), turning), base="free")
    with pytest.raises(lw.ModelError, match="mass"):
        lw.load(robot('<link name="a"/>'), base="free")
    for source in (
        "<mujoco/>",
        mujoco.MjModel.from_xml_string("<mujoco/>"),
        lw.models.path("pendulum"),
    ):
        with pytest.raises(ValueError, match="URDF"):
            lw.load(source, base="free")


def test_packages_around_the_file():
    """A file in its own package needs nothing said."""
    m = lw.load(URDF)
    assert m.nmesh == 1 and m.mj.mesh(0).name == "wedge"


def test_packages_by_argument(lonely):
    for packages in ({"bot_description": BOT}, BOT.parent, [str(BOT.parent)], BOT):
        assert lw.load(lonely, packages=packages).nmesh == 1
    assert lw.load(lonely, packages={"bot_description": BOT}, base="free").nv == 7


def test_packages_by_environment(lonely, tmp_path, monkeypatch):
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{BOT.parent}")
    assert lw.load(lonely).nmesh == 1
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    shutil.copytree(BOT, tmp_path / "install" / "share" / "bot_description")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    assert lw.load(lonely).nmesh == 1


def test_packages_that_are_missing(lonely):
    with pytest.raises(lw.ModelError, match="packages={'bot_description': folder}"):
        lw.load(lonely)
    with pytest.raises(lw.ModelError, match="no such folder"):
        lw.load(lonely, packages={"bot_description": "/nowhere"})
    with pytest.raises(lw.ModelError, match="no such folder"):
        lw.load(lonely, packages="/nowhere")
    with pytest.raises(TypeError, match="got int"):
        lw.load(lonely, packages=3)


def test_files_where_mujoco_finds_them(lonely, tmp_path):
    """Beside the URDF without their folders, or as assets."""
    wedge = (BOT / "meshes" / "wedge.stl").read_bytes()
    assert lw.load(lonely, assets={"wedge.stl": wedge}).nmesh == 1
    (tmp_path / "wedge.stl").write_bytes(wedge)
    assert lw.load(lonely).nmesh == 1


def test_files_by_relative_path(tmp_path):
    shutil.copytree(BOT / "meshes", tmp_path / "meshes")
    text = URDF.read_text().replace("package://bot_description/", "")
    (tmp_path / "bot.urdf").write_text(text)
    assert lw.load(tmp_path / "bot.urdf").nmesh == 1


def test_no_actuators_is_said():
    with pytest.warns(UserWarning, match=r"bot\.urdf.* no actuators") as caught:
        lw.load(URDF)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.load(robot(LINK.format("a")))
        lw.load(MODELS / "ballchain.xml")
