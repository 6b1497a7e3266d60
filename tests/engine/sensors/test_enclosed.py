"""Sensors of whether all of an object is inside a site, beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import lanewise as lw

SIZES = {
    "sphere": ".4", "capsule": ".2 .3", "ellipsoid": ".2 .3 .4", "cylinder": ".25 .3",
    "box": ".2 .3 .25", "mesh": "",
}  # fmt: skip
SMALL = {
    "sphere": ".1", "capsule": ".07 .1", "ellipsoid": ".05 .1 .07", "cylinder": ".06 .09",
    "box": ".05 .1 .07", "mesh": "",
}  # fmt: skip
MESHES = """
  <mesh name="rock" vertex="-.5 -.4 -.5  .9 -.5 -.6  -.5 .9 -.5  -.5 -.6 .9  0 0 0  .9 .8 .3"/>
  <mesh name="chip" vertex="0 0 0  .2 0 0  0 .3 0  0 0 .1  .1 .1 .05"/>
  <mesh name="ball" builtin="sphere" params="2" scale=".1 .2 .15"/>
"""


def _shape(kind, sizes, mesh):
    return f'type="{kind}" ' + (f'mesh="{mesh}"' if kind == "mesh" else f'size="{sizes[kind]}"')


def _model(bodies, sensors):
    sites = "".join(f'<site name="{k}" {_shape(k, SIZES, "rock")}/>' for k in SIZES)
    return lw.load(f"""
    <mujoco>
      <asset>{MESHES}</asset>
      <worldbody><body name="zone" mocap="true">{sites}</body>{bodies}</worldbody>
      <sensor>{sensors}</sensor>
    </mujoco>""")


def _sensor(kind, name, site, more=""):
    attributes = f'objtype="{kind}" objname="{name}" site="{site}" enclosed="true"'
    return f"<insidesite {attributes} {more}/>"


def _worlds(m, n, spread, seed=0):
    rng, worlds = np.random.default_rng(seed), []
    for _ in range(n):
        data = mujoco.MjData(m.mj)
        data.mocap_pos[0], data.mocap_quat[0] = rng.normal(size=3), rng.normal(size=4)
        data.qpos[:] = rng.normal(size=m.nq)
        for j in np.flatnonzero(m.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
            data.joint(j).qpos[:3] = data.mocap_pos[0] + spread * rng.normal(size=3)
        mujoco.mj_forward(m.mj, data)
        worlds.append(data)
    return worlds


def _check(m, worlds, atol=1e-9):
    d = lw.put_data(m, worlds[0] if len(worlds) == 1 else worlds)
    d.sensordata = np.nan
    lw.forward(m, d)
    expected = np.stack([data.sensordata for data in worlds])
    np.testing.assert_allclose(np.atleast_2d(d.sensordata), expected, atol=atol)
    return expected


@pytest.mark.parametrize("kind", SMALL)
def test_every_pair_of_shapes(kind):
    """In all sites at once; inside and outside."""
    body = f'<body><freejoint/><geom name="thing" {_shape(kind, SMALL, "chip")}/></body>'
    m = _model(body, "".join(_sensor("geom", "thing", site) for site in SIZES))
    near, far = (_check(m, _worlds(m, 8, spread)) for spread in (0.08, 0.4))
    assert (near < 0).any(axis=0).all() and (far > 0).all(axis=1).any()
    _check(m, _worlds(m, 1, 0.2))


def test_bodies_subtrees_sites_and_hulls():
    bodies = f"""
      <body name="trunk">
        <freejoint/>
        <geom {_shape("box", SMALL, "")}/>
        <geom {_shape("sphere", SMALL, "")} pos=".1 0 .1"/>
        <site name="mark" {_shape("mesh", SMALL, "chip")} pos=".1 .1 0" euler="10 20 30"/>
        <body name="twig" pos=".2 0 0">
          <joint type="ball"/>
          <geom {_shape("cylinder", SMALL, "")} pos=".1 0 0"/>
          <geom name="fruit" {_shape("mesh", SMALL, "ball")} pos="0 .2 0"/>
        </body>
      </body>"""
    sensors = "".join(
        _sensor(kind, name, site, 'cutoff=".2"' if site == "box" else "")
        for kind, name in (("body", "trunk"), ("xbody", "trunk"), ("body", "twig"),
                           ("site", "mark"), ("geom", "fruit"))
        for site in ("ellipsoid", "box")
    )  # fmt: skip
    m = _model(bodies, sensors)
    readings = _check(m, _worlds(m, 8, 0.1))
    assert (readings < 0).any() and abs(readings[:, 1::2]).max() == 0.2


def test_tolerance_and_iterations_are_the_models():
    body = f'<body><freejoint/><geom name="thing" {_shape("box", SMALL, "")}/></body>'
    m = _model(body, _sensor("geom", "thing", "capsule") + _sensor("geom", "thing", "cylinder"))
    fine = _check(m, _worlds(m, 3, 0.2))
    m.opt.ccd_iterations = 7
    rough = _check(m, _worlds(m, 3, 0.2))
    m.opt.ccd_tolerance = 0.1
    rougher = _check(m, _worlds(m, 3, 0.2))
    assert (fine != rough).any() and (rough != rougher).any()


def test_every_world_of_a_batch():
    body = f'<body><freejoint/><geom name="thing" {_shape("capsule", SMALL, "")}/></body>'
    m = _model(body, _sensor("geom", "thing", "box") + _sensor("geom", "thing", "mesh"))
    worlds = _worlds(m, 11, 0.1)
    b = lw.Batch(m, 11)
    b.qpos[:] = [data.qpos for data in worlds]
    b.mocap_pos[:] = [data.mocap_pos for data in worlds]
    b.mocap_quat[:] = [data.mocap_quat for data in worlds]
    size = b.expand("site_size")
    size[:, m.site("box").id] *= np.linspace(0.5, 1.5, 11)[:, None]
    for sim, data in enumerate(worlds):
        m.site_size[:] = size[sim]
        mujoco.mj_forward(m.mj, data)
    np.testing.assert_allclose(b.sensordata, [data.sensordata for data in worlds], atol=1e-9)
