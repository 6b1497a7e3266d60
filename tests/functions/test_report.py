"""lw.report: all numbers are those that the Data or Batch has, and nothing changes by looking."""

import json
import warnings

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support.places import MODELS

FLAGS = int(mujoco.mjtEnableBit.mjENBL_ENERGY | mujoco.mjtEnableBit.mjENBL_FWDINV)
NSIM = 11


def load(flags=FLAGS):
    m = lw.load(MODELS / "contacts_chains.xml")
    m.opt.enableflags = flags
    return m


def spread(x):
    return {"min": x.min(), "mean": pytest.approx(x.mean()), "max": x.max()}


def stepped(timing=True, flags=FLAGS):
    b = lw.Batch(load(flags), NSIM, 2, timing=timing)
    b.qvel[:] = 0.3 * np.random.default_rng(0).normal(size=b.qvel.shape)
    b.step(nstep=60)
    b.qpos[3, 0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        b.step()
    return b


def test_of_a_batch():
    b = stepped()
    state, counted = b.state.copy(), b.timer.number
    facts = lw.report(b).to_dict()
    # nothing was changed, and nothing is copied out from now on
    np.testing.assert_array_equal(b.state, state)
    np.testing.assert_array_equal(b.timer.number, counted)
    assert b.bound == []
    assert (facts["kind"], facts["worlds"], facts["threads"]) == ("Batch", NSIM, 2)
    assert facts["sizes"]["nv"] == b.model.nv
    assert (
        facts["options"]["solver"] == "Newton" and facts["options"]["integrator"] == "implicitfast"
    )
    assert facts["time"] == spread(b.time)
    assert facts["energy"]["potential"] == spread(b.energy[:, 0])
    assert facts["energy"]["kinetic"] == spread(b.energy[:, 1])
    assert facts["contacts"]["now"] == spread(b.ncon)
    assert facts["contacts"]["most"] == spread(b.maxuse_con)
    assert facts["rows"]["room"] == b.njmax and facts["rows"]["now"] == spread(b.nefc)
    niter = b.solver_niter.sum(axis=1)
    assert facts["solver"]["iterations"] == spread(niter)
    assert facts["solver"]["islands"] == spread(b.nisland)
    assert facts["fwdinv"]["applied"] == spread(b.solver_fwdinv[:, 1])
    assert facts["warnings"] == {"BADQPOS": {"number": 1, "worlds": 1}}
    assert facts["resets"] == {"number": 1, "worlds": 1}
    slow = facts["slowest"]
    assert [x["iterations"] for x in slow] == sorted(niter.tolist(), reverse=True)[:5]
    assert all(x["rows"] == b.nefc[x["world"]] for x in slow)
    step = facts["timers"]["step"]
    assert step["number"] == 61 * NSIM and step["share"] == 1
    assert step["each"] * step["number"] == pytest.approx(step["seconds"])
    assert facts["memory"]["total"] >= facts["memory"]["worlds"] >= b.state.nbytes
    # of the last iteration
    improvement = b.solver.improvement
    last = [
        max((improvement[i, k, n - 1] for k, n in enumerate(b.solver_niter[i]) if n), default=0)
        for i in range(NSIM)
    ]
    assert facts["solver"]["improvement"] == spread(np.array(last))
    json.dumps(facts)


@pytest.mark.parametrize("lanes", [1, 3])
def test_of_a_data(lanes):
    m = load()
    d = lw.Data(m, lanes=lanes, timing=True)
    d.qvel[...] = 0.3
    lw.step(m, d, 40)
    state = d.state_lanes.copy()
    facts = lw.report(d).to_dict()
    np.testing.assert_array_equal(d.state_lanes, state)
    assert (facts["kind"], facts["worlds"]) == ("Data", lanes)
    assert facts["contacts"]["now"] == spread(np.atleast_1d(d.ncon))
    assert facts["contacts"]["room"] == d.nconmax
    assert facts["energy"]["kinetic"] == spread(np.atleast_2d(d.energy)[:, 1])
    assert facts["fwdinv"]["constraint"] == spread(np.atleast_2d(d.solver_fwdinv)[:, 0])
    assert facts["timers"]["forward"]["number"] == 40 * lanes
    assert facts["memory"] == {**d.memory(), "total": d.nbytes}
    assert len(facts["slowest"]) == (0 if lanes == 1 else 3)
    json.dumps(facts)


def test_text():
    text = str(lw.report(stepped()))
    for line in (
        f"Batch of {NSIM} worlds on 2 threads", "BADQPOS 1 in 1 world", "resets: 1 in 1 world",
        "most iterations: world ", "potential energy [J]", "fwdinv, applied force",
        "  most since reset", "      pos_collision", "workspaces",
    ):  # fmt: skip
        assert line in text, line
    assert max(map(len, text.splitlines())) <= 100
    assert repr(lw.report(stepped())).splitlines()[0] == text.splitlines()[0]
    m = load(0)
    d = lw.Data(m)
    text = str(lw.report(d))
    assert "Data of 1 world\n" in text and "value" in text and "mean" not in text
    assert "timers: none, `timing` is off" in text and "warnings: none" in text
    assert "energy" not in text and "fwdinv" not in text
    facts = lw.report(d).to_dict()
    assert facts["energy"] is None and facts["fwdinv"] is None and facts["timers"] == {}


def test_a_model_without_anything():
    for of in (lw.Data(lw.load("<mujoco/>")), lw.Batch(lw.load("<mujoco/>"), 3)):
        facts = lw.report(of).to_dict()
        assert facts["rows"]["now"]["max"] == 0 and str(lw.report(of))


def test_flags_of_single_worlds():
    b = stepped(flags=0)
    assert lw.report(b).to_dict()["energy"] is None
    b.expand("opt.enableflags")[2] = FLAGS
    facts = lw.report(b).to_dict()
    assert facts["energy"]["potential"]["max"] != 0 and facts["fwdinv"] is not None


def test_a_dict_is_the_callers():
    report = lw.report(lw.Data(load()))
    report.to_dict()["time"]["min"] = 17
    assert report.to_dict()["time"]["min"] == 0


@pytest.mark.parametrize("wrong", [None, 3, "humanoid", lw.load("<mujoco/>")])
def test_nothing_else(wrong):
    with pytest.raises(TypeError, match=r"lanewise\.Data or lanewise\.Batch, got \w+"):
        lw.report(wrong)
