"""What a Data and a Model answer to: completion, fields, and names that do not exist."""

import numpy as np
import pytest

import lanewise as lw
from lanewise import fields
from lanewise.constraint_rows import SPARSE
from lanewise.lanes import JIT
from lanewise.named import PARTS


@pytest.fixture(scope="module")
def m():
    return lw.load(lw.models.path("humanoid"))


@pytest.fixture
def d(m):
    return lw.Data(m)


def offered(thing) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


# ---- what completion offers


ALSO = {"timing", "nconmax", "njmax"}  # attributes as well as workspace


def test_a_data_offers_what_users_read(d):
    shown = {name for name in fields.READ_FIELDS if "." not in name} | {*SPARSE, *PARTS}
    more = {"arrays", "bind", "lanes", "model", "reset", "sizes", "state_lanes", "user", "view"}
    more |= {"contact", "warning", "solver", "timer", "cam", "jnt", "ten", *ALSO}
    more |= {"nbytes", "memory"}
    assert offered(d) == shown | more


def test_everything_offered_is_there(m, d):
    lw.forward(m, d)
    for thing in (m, d, m.opt, d.contact):
        for name in dir(thing):
            getattr(thing, name)


def test_workspace_is_no_attribute(d):
    for f in fields.WORKSPACE:
        assert f.name in d.arrays and (f.name not in dir(d) or f.name in ALSO)
    for name in ("ccd_near", "con_force", "H_made_for"):
        with pytest.raises(AttributeError, match=rf"d\.arrays\['{name}'\]"):
            getattr(d, name)
        with pytest.raises(AttributeError, match=rf"d\.arrays\['{name}'\]"):
            setattr(d, name, 1)


def test_a_model_offers_its_fields(m):
    shown = offered(m)
    assert {"body_mass", "nv", "geom_rgba", "nstate", "opt", "mj", "body", "reset_row"} <= shown
    assert {f.name for f in fields.MODEL if not f.own and "." not in f.name} <= shown
    assert not {"row_colind", "made_by", "pointer", "address"} & shown


# ---- assignment


def test_unknown_names_cannot_be_assigned(m, d):
    with pytest.raises(AttributeError, match="did you mean 'qpos'"):
        d.qposs = 1
    with pytest.raises(AttributeError, match="did you mean 'body_mass'"):
        m.body_mas = 1
    with pytest.raises(AttributeError, match="did you mean 'timestep'"):
        m.opt.timestp = 1
    with pytest.raises(AttributeError, match="did you mean 'dist'"):
        d.contact.dst = 1


@pytest.mark.parametrize("name", ["model", "lanes", "arrays", "pointer", "contact", "reset"])
def test_what_makes_a_data_stays(d, name):
    with pytest.raises(AttributeError, match=f"{name} cannot be assigned"):
        setattr(d, name, 1)


@pytest.mark.parametrize("name", ["mj", "opt", "arrays", "sizes", "body", "reset_row", "names"])
def test_what_makes_a_model_stays(m, name):
    with pytest.raises(AttributeError, match=f"{name} cannot be assigned"):
        setattr(m, name, 1)


@pytest.mark.parametrize("name", ["nv", "nbody", "nstate"])
def test_sizes_stay(m, name):
    with pytest.raises(AttributeError, match=f"{name} is a size"):
        setattr(m, name, 3)


def test_computed_numbers_stay(m, d):
    lw.forward(m, d)
    for name in ("ncon", "efc_type", "efc_J_rownnz", "ten_wrapnum"):
        with pytest.raises(AttributeError, match="is computed"):
            setattr(d, name, 1)


def test_fields_of_a_model_are_assigned_in_place():
    m = lw.load(lw.models.path("humanoid"))
    for name in ("body_mass", "geom_rgba"):  # one that kernels read, one that they do not
        view = getattr(m, name)
        setattr(m, name, 0.5)
        assert np.all(view == 0.5) and np.all(getattr(m.mj, name) == 0.5)


@pytest.mark.parametrize("lanes", [1, 3])
def test_contacts_and_rows_are_assigned_as_far_as_there_are_any(m, lanes):
    d = lw.Data(m, lanes=lanes)
    lw.reset_data(m, d, "crouch")
    d.qpos[..., 2] -= 0.1
    lw.forward(m, d)
    for name in ("contact.dist", "efc_pos"):
        numbers = np.arange(getattr(d, name).shape[-1]) + 0.5
        setattr(d, name, numbers)
        assert numbers.size and np.all(getattr(d, name) == numbers)
        assert not d.arrays[name][numbers.size :].any()


# ---- plain Python


@pytest.mark.skipif(not JIT, reason="without compiled kernels all lanes are eight wide")
def test_plain_python_takes_eight_lanes(m, d):
    with pytest.raises(ValueError, match="lanes=2 or more"):
        _ = d.struct
    assert lw.Data(m, lanes=2).struct.qpos is not None


# ---- arguments


@pytest.mark.parametrize("nstep", [-1, 1.5, "2", None])
def test_wrong_number_of_steps(m, d, nstep):
    with pytest.raises((ValueError, TypeError), match="nstep"):
        lw.step(m, d, nstep)
    with pytest.raises((ValueError, TypeError), match="times"):
        lw.kinematics(m, d, nstep)
    assert d.time == 0


def test_right_number_of_steps(m, d):
    lw.step(m, d, 0)
    assert d.time == 0
    lw.step(m, d, np.int32(2))
    assert d.time == 2 * m.opt.timestep


def test_arguments_of_the_wrong_kind_say_what_would_be_right(m, d):
    mj_data = lw.get_data(m, d)
    for call in (lw.step, lw.get_state, lw.reset_data, lw.full_m, lw.contact_force, lw.get_data):
        with pytest.raises(TypeError, match=r"Batch: .*b\.step"):
            call(m, lw.Batch(m, 2, 1))
        with pytest.raises(TypeError, match=r"MjModel: lanewise\.load"):
            call(m.mj, mj_data)
        with pytest.raises(TypeError, match=r"MjData: lanewise\.put_data"):
            call(m, mj_data)
        with pytest.raises(TypeError, match=r"NoneType: lanewise\.load"):
            call(None, None)
        with pytest.raises(TypeError, match=r"NoneType: lanewise\.Data"):
            call(m, None)
        with pytest.raises(TypeError, match="the Model comes first"):
            call(d, m)
    with pytest.raises(TypeError, match=r"MjModel: lanewise\.load"):
        lw.put_data(m.mj, mj_data)
    with pytest.raises(TypeError, match=r"MjModel: lanewise\.load"):
        lw.state_size(m.mj)
