"""What a model can be loaded from, and what is refused."""

import subprocess
import sys

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support.places import MODELS

XML = (MODELS / "crooked.xml").read_text()
SOURCES = ["text", "path", "binary", "MjModel", "MjSpec", "Model"]


@pytest.mark.parametrize("kind", SOURCES)
def test_sources(kind, tmp_path):
    path, mj = tmp_path, mujoco.MjModel.from_xml_string(XML)
    (path / "model.xml").write_text(XML)
    mujoco.mj_saveModel(mj, str(path / "model.mjb"))
    source = {
        "text": XML,
        "path": path / "model.xml",
        "binary": str(path / "model.mjb"),
        "MjModel": mj,
        "MjSpec": mujoco.MjSpec.from_string(XML),
        "Model": lw.load(mj),
    }[kind]
    assert np.array_equal(lw.load(source).body_mass, mj.body_mass)


def test_assets():
    xml = '<mujoco><include file="part.xml"/></mujoco>'
    part = b"<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
    assert lw.load(xml, assets={"part.xml": part}).nv == 1


URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
</robot>"""


def test_urdf(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(URDF)
    with pytest.warns(UserWarning, match="no actuators"):
        assert lw.load(path).nv == 1


def test_bad_sources(tmp_path):
    (tmp_path / "near.xml").write_text(XML)
    with pytest.raises(FileNotFoundError, match="near.xml"):
        lw.load(tmp_path / "neer.xml")
    with pytest.raises(lw.ModelError, match="unrecognized"):
        lw.load("<mujoco><wrong/></mujoco>")
    with pytest.raises(TypeError, match="got int"):
        lw.load(3)
    (tmp_path / "scene.obj").write_text("")
    with pytest.raises(lw.ModelError, match="mjb"):
        lw.load(tmp_path / "scene.obj")


def test_refusals_name_everything_at_once():
    xml = """
    <mujoco>
      <extension><plugin plugin="mujoco.pid"><instance name="pid"/></plugin></extension>
      <option><flag sleep="enable"/></option>
      <worldbody>
        <geom name="floor" type="plane" size="1 1 1"/>
        <body pos="0 0 1">
          <joint name="knee" range="-1 1" limited="true" frictionloss="1"/>
          <geom name="foot" size=".1"/>
        </body>
        <flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" pos="0 0 2"/>
      </worldbody>
      <equality><joint name="gear" joint1="knee"/></equality>
      <actuator><plugin joint="knee" plugin="mujoco.pid" instance="pid"/></actuator>
      <sensor><jointpos name="late" joint="knee" nsample="4" delay="0.01"/></sensor>
    </mujoco>"""
    with pytest.raises(lw.UnsupportedFeature) as caught:
        lw.load(xml)
    text = str(caught.value)
    for word in ("flex", "plugin", "sleep"):
        assert word in text
    for word in ("knee", "gear", "floor", "foot"):  # what these do is simulated
        assert word not in text
    assert {"flex", "plugin", "enable flag sleep"} <= set(caught.value.features)


def test_another_mujoco_is_refused():
    code = "import mujoco; mujoco.__version__ = '4.1.0'; import lanewise; lanewise.load"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode != 0
    assert "IncompatibleMuJoCo" in result.stderr
    assert "found 4.1.0" in result.stderr
