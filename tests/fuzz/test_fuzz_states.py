"""Any numbers at all as the state of a world: neighbours keep their bits, and it is reported."""

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import lanewise as lw
from lanewise.lanes import JIT
from support import zoo
from support.budget import examples
from support.soak_cases import Case, to_bytes
from support.soak_work import random_rows

pytestmark = pytest.mark.skipif(not JIT, reason="too many steps for plain Python")

NAMES = ("own/crooked", "own/contacts_primitives", "own/actuation_dynamics", "own/mocap")
NUMBERS = st.one_of(
    st.floats(width=64),
    st.sampled_from((np.nan, np.inf, -np.inf, 1e300, -1e300, 5e-324, 1e10, 1e17, -0.0)),
)


@pytest.fixture(scope="module", params=NAMES)
def model(request):
    mj_model = zoo.ZOO[request.param]()
    return to_bytes(mj_model), random_rows(mj_model, 9, np.random.default_rng(0))


@examples(8)
@given(data=st.data(), world=st.integers(0, 8), nstep=st.integers(1, 3))
def test_states(model, data, world, nstep):
    binary, rows = model
    n = rows.shape[1]
    places = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=8, unique=True))
    sick = rows.copy()
    sick[world, places] = data.draw(npst.arrays(np.float64, len(places), elements=NUMBERS))
    settings = {"nstep": nstep}
    assert Case("poison", binary, "", settings, {"rows": rows, "sick": sick}).run() == ""
    assert Case("alone", binary, "", settings, {"rows": sick}).run() == ""
    assert Case("threads", binary, "", settings, {"rows": np.tile(sick, (2, 1))}).run() == ""


SET = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")


@pytest.mark.parametrize("name", NAMES)
@examples(30)
@given(data=st.data())
def test_bad_numbers_are_mujocos(name, data):
    """What is counted, and where a world goes on from, whatever a user has set."""
    mj_model = zoo.ZOO[name]()
    mj_data = mujoco.MjData(mj_model)
    mujoco.mj_step(mj_model, mj_data, 3)
    fields = [field for field in (*SET, "qacc_warmstart") if getattr(mj_data, field).size]
    field = getattr(mj_data, data.draw(st.sampled_from(fields))).reshape(-1)
    bad = st.one_of(NUMBERS.filter(lambda x: not abs(x) < 1e16))
    field[data.draw(st.integers(0, len(field) - 1))] = data.draw(bad)
    m = lw.load(mj_model)
    d = lw.put_data(m, mj_data)
    lw.step(m, d)
    mujoco.mj_step(mj_model, mj_data)
    counts = [w.number for w in mj_data.warning]
    assert d.warning.number.tolist() == counts
    if np.isfinite(mj_data.qpos).all() and (abs(mj_data.qvel) < 1e6).all():
        np.testing.assert_allclose(d.qpos, mj_data.qpos, rtol=1e-6, atol=1e-6)
