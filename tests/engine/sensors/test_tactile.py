"""Tactile sensors, beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support.tactile import PLAIN, PLATE, THINGS, WEDGE, XML, model, worlds


def _check(m, datas):
    d = lw.put_data(m, datas[0] if len(datas) == 1 else datas)
    d.sensordata = np.nan
    lw.forward(m, d)
    expected = np.stack([data.sensordata for data in datas])
    np.testing.assert_allclose(np.atleast_2d(d.sensordata), expected, atol=1e-9)
    return expected[:, 1:].reshape(len(datas), 3, -1)


@pytest.mark.parametrize("thing", THINGS)
def test_every_shape_is_felt(thing):
    m = model(thing)
    felt = _check(m, worlds(m, 8))
    assert (felt.any(axis=(0, 2))).all() and (felt[:, 0] > 0).sum() > 30


def test_one_world():
    m = model("box")
    assert _check(m, worlds(m, 1, seed=3)).any()


@pytest.mark.parametrize("mesh", [WEDGE, PLAIN])
def test_other_skins(mesh):
    m = model("box", mesh)
    felt = _check(m, worlds(m, 8))
    assert felt[:, 0].any() and felt[:, 1:].any() == (mesh is WEDGE)


def test_floors_are_felt():
    m = model()
    datas = worlds(m, 3)
    for data in datas:
        data.qpos[2] = -1.03
        data.qpos[3:7] = 1, 0.01, 0.02, 0
        mujoco.mj_forward(m.mj, data)
    assert _check(m, datas)[:, 0].any()


def test_cutoff_history_and_no_contacts():
    m = model(attributes='cutoff=".2" nsample="3" delay=".004"')
    datas = worlds(m, 2)
    b = lw.Batch(m, 2)
    b.state[:] = lw.get_state(m, lw.put_data(m, datas))
    readings = b.sensordata
    b.step(nstep=4)
    for data in datas:
        mujoco.mj_step(m.mj, data, 4)
    np.testing.assert_allclose(readings, [data.sensordata for data in datas], atol=1e-9)
    assert readings.max() == 0.2
    m = model(option='<option><flag contact="disable"/></option>')
    assert not _check(m, worlds(m, 2)).any()


def test_octrees_are_refused():
    spec = mujoco.MjSpec.from_string(
        XML.format(thing="sphere", size=THINGS["sphere"], mesh=PLATE, attributes="", option="")
    )
    spec.mesh("cube").needsdf = 1
    with pytest.raises(lw.UnsupportedFeature, match="tactile sensor among meshes with an octree"):
        lw.load(spec)
