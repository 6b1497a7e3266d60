"""A small model that everything is tried on, and runs of it."""

import pytest

import lanewise as lw

CART = """
<mujoco model="cart">
  <option timestep="0.01" integrator="implicitfast"/>
  <worldbody>
    <light pos="0 0 3"/>
    <camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>
    <geom name="floor" type="plane" size="3 3 .1"/>
    <body name="cart" pos="0 0 .3">
      <joint name="slide" type="slide" axis="1 0 0" damping=".1"/>
      <geom type="box" size=".1 .05 .05" mass="1" rgba=".8 .3 .2 1"/>
      <body name="pole" pos="0 0 .05">
        <joint name="hinge" axis="0 1 0" damping=".01"/>
        <geom type="capsule" fromto="0 0 0 0 0 .4" size=".02" mass=".2"/>
        <site name="tip" pos="0 0 .4"/>
      </body>
    </body>
    <body name="ball" pos=".5 0 .5">
      <freejoint name="ball"/>
      <geom type="sphere" size=".07" mass=".3"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="slide" gear="5"/>
  </actuator>
  <sensor>
    <framepos name="tip" objtype="site" objname="tip"/>
    <jointpos name="angle" joint="hinge"/>
  </sensor>
  <keyframe>
    <key name="leaning" qpos="0 .3 .5 0 .5 1 0 0 0"/>
  </keyframe>
</mujoco>
"""


@pytest.fixture(scope="session")
def cart():
    return lw.load(CART)


@pytest.fixture
def cart_file(tmp_path):
    file = tmp_path / "cart.xml"
    file.write_text(CART)
    return file


@pytest.fixture(scope="session")
def npz(cart, tmp_path_factory):
    """A run of five worlds in an .npz; nobody writes to it."""
    file = tmp_path_factory.mktemp("run") / "run.npz"
    lw.runs.record(
        cart, file, worlds=5, steps=60, record=("qpos", "ctrl", "sensordata", "xpos"), every=2,
        scatter=0.1, nthread=1,
    )  # fmt: skip
    return file
