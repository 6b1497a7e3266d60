"""Structure of a loaded model cannot be written, by any door, and the error says why."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.fields import EDITS
from lanewise.limits import CHECKED, FIXED
from support import zoo


@pytest.fixture
def m():
    return lw.load(zoo.load("own/tendons"))


def doors(m, name):
    """Ways to write a field of integers."""
    value = getattr(m, name).copy() + 1
    return {
        "item": lambda: getattr(m, name).__setitem__(0, 10**6),
        "part": lambda: getattr(m, name)[:1].__setitem__(0, 10**6),
        "mask": lambda: getattr(m, name).__setitem__(getattr(m, name) >= 0, 77),
        "whole": lambda: setattr(m, name, value),
        "in place": lambda: np.add(getattr(m, name), 5, out=getattr(m, name)),
        "fill": lambda: getattr(m, name).fill(3),
        "copyto": lambda: np.copyto(getattr(m, name), value),
        "at": lambda: np.add.at(getattr(m, name), [0], 1),
        "flat": lambda: getattr(m, name).flat.__setitem__(0, 3),
        "MjModel": lambda: getattr(m.mj, name).__setitem__(0, 10**6),
        "MjModel, whole": lambda: setattr(m.mj, name, value),
    }


@pytest.mark.parametrize("name", ["body_parentid", "geom_type", "jnt_qposadr", "wrap_objid"])
def test_structure_is_read_only(m, name):
    before = getattr(m.mj, name).copy()
    for door, write in doors(m, name).items():
        with pytest.raises(ValueError, match=f"{name} is fixed|read-only|by an index"):
            write()
        np.testing.assert_array_equal(getattr(m.mj, name), before, err_msg=door)
        np.testing.assert_array_equal(getattr(m, name), before, err_msg=door)


def test_every_integer_is_fixed_checked_or_known_to_be_free(m):
    """Bits, groups, priorities, what is on if not zero; of what only draws it does not matter."""
    for name, words in EDITS.items():
        array = getattr(m.mj, name, None)
        if not isinstance(array, np.ndarray) or array.dtype.kind == "f" or "unused" in words:
            continue
        if not words & {"fixed", "checked"}:
            bits = ("contype", "affinity", "priority", "group", "sleep_policy")
            assert array.dtype.itemsize == 1 or name.endswith(bits), name
    for name in FIXED | CHECKED:
        assert not getattr(m.mj, name).flags.writeable, name


def test_the_error_says_what_to_do(m):
    with pytest.raises(ValueError, match="body_parentid is fixed.*MjSpec or MjModel instead"):
        m.body_parentid[2] = 10**6
    with pytest.raises(ValueError, match="geom_type is fixed"):
        m.geom_type = 77
    with pytest.raises(ValueError, match="geom_type is fixed"):
        m.geom(1).type[0] = 77
    with pytest.raises(ValueError, match="geom_type is fixed"):
        m.geom(1).type = 77


def test_views_by_name_write_what_may_be_written(m):
    m.body(1).mass = 3.5
    assert m.body_mass[1] == m.body(1).mass == 3.5
    m.geom(0).condim = 4
    assert m.geom_condim[0] == 4
    with pytest.raises(ValueError, match=r"geom_condim\[0\] is 5; it must be one of"):
        m.geom(0).condim = 5
    assert m.geom(0).condim == 4 and m.body(1).name == m.mj.body(1).name


def test_structure_behaves_as_an_array(m):
    """It can be computed with, and what is made of it is free."""
    ids = m.body_parentid
    for made in (ids + 1, ids * ids, ids.copy(), ids.astype(float), np.concatenate([ids, ids])):
        assert type(made) is np.ndarray and made.flags.writeable
    assert m.body_mass[ids].shape == ids.shape
    assert ids.sum() == m.mj.body_parentid.sum() and ids[1] == m.mj.body_parentid[1]
    assert type(pickle.loads(pickle.dumps(ids))) is np.ndarray
    assert type(copy.deepcopy(ids)) is np.ndarray
    assert repr(ids) == repr(m.mj.body_parentid)
    ids = ids.copy()
    ids[0] = 5
    np.testing.assert_array_equal(np.where(m.body_parentid > 0, 1, 0), m.mj.body_parentid > 0)


def test_kernels_do_not_follow_what_is_written_past_the_model(m):
    """MuJoCo's own views by name can write; kernels have a copy."""
    d = lw.Data(m)
    lw.step(m, d)
    expected = lw.Data(m)
    m.mj.geom(1).type = 77
    m.mj.body(2).parentid = 10**6
    lw.step(m, expected)
    np.testing.assert_array_equal(d.qpos, expected.qpos)
    with pytest.raises(lw.ModelError, match="body_parentid.* is 1000000"):
        lw.load(m)


def test_a_copy_of_the_MjModel_is_free(m):
    mj = copy.copy(m.mj)
    mj.body_parentid[1] = 0
    mj.geom_condim[0] = 3
    assert lw.load(mj).geom_condim[0] == 3


# ---- checked


CHECKED_CASES = [
    ("jnt_actuatorid", 10**6, -1),
    ("jnt_actuatorid", -3, 0),
    ("tendon_actuatorid", 99, 0),
    ("geom_condim", 2, 6),
    ("geom_sameframe", 9, 0),
    ("actuator_gaintype", 5, 1),
    ("actuator_biastype", 4, 1),
]


@pytest.mark.parametrize(("name", "bad", "good"), CHECKED_CASES)
def test_checked_fields(m, name, bad, good):
    before = getattr(m, name).copy()
    for write in (
        lambda: getattr(m, name).__setitem__(0, bad),
        lambda: setattr(m, name, bad),
        lambda: getattr(m, name)[:1].__setitem__(slice(None), bad),
    ):
        with pytest.raises(ValueError, match=rf"{name}\[0\] is {bad}; it must be"):
            write()
        np.testing.assert_array_equal(getattr(m, name), before)
    getattr(m, name)[0] = good
    assert getattr(m.mj, name)[0] == good
    lw.step(m, lw.Data(m))


def test_kinds_of_actuators_change_within_a_family():
    """A motor becomes a servo, as in MuJoCo."""
    mj = zoo.load("own/crooked")
    m = lw.load(mj)
    d, mj_data = lw.Data(m), mujoco.MjData(mj)
    for model in (m, mj):
        model.actuator_biastype[0] = mujoco.mjtBias.mjBIAS_AFFINE
        model.actuator_biasprm[0, :3] = 0.1, -2, -0.3
    for data in (d, mj_data):
        data.ctrl[:] = 0.3
    for _ in range(5):
        lw.step(m, d)
        mujoco.mj_step(mj, mj_data)
    np.testing.assert_allclose(d.qpos, mj_data.qpos, rtol=1e-10, atol=1e-12)


def test_side_sites_among_numbers():
    m = lw.load(zoo.load("own/tendon_wrap"))
    with pytest.raises(ValueError, match=r"wrap_prm\[\d+\] is 1000000000.0; it must be in \[-1, "):
        m.wrap_prm[:] = 1e9
    with pytest.raises(ValueError, match="wrap_prm"):
        m.wrap_prm[:] = np.nan
    fixed = np.flatnonzero(m.wrap_type == mujoco.mjtWrap.mjWRAP_JOINT)
    m.wrap_prm[fixed] = 0.25
    lw.step(m, lw.Data(m))


def test_armature_of_a_tendon_that_wraps():
    """MuJoCo would stop at the next step."""
    mj = zoo.load("own/tendon_wrap")
    m = lw.load(mj)
    geoms = [mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER]
    places = np.flatnonzero(np.isin(m.wrap_type, geoms))
    wraps = (np.searchsorted(m.tendon_adr, places, "right") - 1).tolist()
    match = rf"tendon_armature\[{wraps[0]}\] is 0.1; it must be 0, since the tendon wraps"
    with pytest.raises(ValueError, match=match):
        m.tendon_armature[wraps[0]] = 0.1
    assert not m.tendon_armature.any()
    straight = [t for t in range(m.ntendon) if t not in wraps]
    m.tendon_armature[straight] = 0.1
    mj.tendon_armature[wraps[0]] = 0.1
    with pytest.raises(lw.ModelError, match=match):
        lw.load(mj)
    b = lw.Batch(m, 3, 1)
    b.expand("tendon_armature")[1, wraps[0]] = 0.1
    with pytest.raises(lw.SimulationError, match=f"simulation 1: {match}"):
        b.step()
    assert b.time[0] > 0 and b.time[1] == 0


def test_sizes_cannot_be_changed(m):
    with pytest.raises(AttributeError, match="nv is a size"):
        m.nv = 3
    with pytest.raises(TypeError):
        m.sizes["nv"] = 10**6
    with pytest.raises(ValueError, match="read-only"):
        m.arrays["nv"][0] = 10**6
    with pytest.raises(AttributeError, match="model cannot be assigned"):
        lw.Data(m).model = m


# ---- at load


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("body_parentid", 10**6), ("geom_type", 77), ("wrap_objid", -5), ("wrap_prm", 1e9),
        ("actuator_trnid", 10**6), ("jnt_actuatorid", 10**6), ("tendon_actuatorid", 10**6),
        ("body_weldid", 3), ("dof_parentid", 5), ("M_rownnz", 9), ("D_colind", 2**31 - 1),
        ("name_bodyadr", 2**31 - 1), ("tendon_num", 1000), ("jnt_type", 0),
    ],
)  # fmt: skip
def test_an_edited_MjModel_is_refused(name, value):
    mj = zoo.load("own/tendon_wrap" if name == "wrap_prm" else "own/tendons")
    getattr(mj, name)[0 if name != "wrap_prm" else slice(None)] = value
    with pytest.raises(lw.ModelError, match=f"cannot be run.*\n.*{name.partition('_')[0]}"):
        lw.load(mj)
    with pytest.raises(lw.ModelError):
        lw.Batch(zoo.load("own/tendons"), 2).set_models(mj)


def test_expanded_fields_are_looked_at():
    mj = zoo.load("own/actuation_delay")
    for name in ("actuator_history", "jnt_actuatorid", "actuator_trnid", "geom_type"):
        for call in (lw.Batch.set_const, lw.Batch.step):
            b = lw.Batch(mj, 3, 1)
            b.expand(name)[1] = 10**6
            if call is lw.Batch.set_const:
                b.expand("body_mass")
            with pytest.raises(lw.SimulationError, match=name):
                call(b)
            assert b.status[1] != 0 and b.status[0] == b.status[2] == 0
