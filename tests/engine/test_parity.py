"""Every stage of the smooth pipeline against MuJoCo, on the zoo and on random models.

LANEWISE_SEEDS is the number of random models, 100 unless set.
"""

import os

import mujoco
import numpy as np
import pytest

from support import generator, parity, zoo

SEEDS = int(os.environ.get("LANEWISE_SEEDS", "100"))


def _worlds(mj_model, seed: int, number: int, scale: float = 1.0):
    rng = np.random.default_rng([seed, 7])
    return [parity.random_state(mj_model, rng, scale) for _ in range(number)]


def check(mj_model, mj_datas, label: str) -> None:
    """All stages alone, then all of them in one forward; the first wrong stage comes first."""
    parity.settle_round_off(mj_model)
    context = parity.prepare(mj_model, mj_datas)
    lines = []
    for stage in parity.FORWARD_STAGES:
        worst = parity.compare_stage(mj_model, mj_datas, stage, label=label, context=context)
        lines += [f"{stage}: {line}" for line in parity.failures(worst)]
    worst = parity.compare_forward(mj_model, mj_datas, label=label, context=context)
    lines += [f"forward: {line}" for line in parity.failures(worst)]
    assert not lines, f"{label} differs from MuJoCo\n  " + "\n  ".join(lines)


@pytest.mark.parametrize("name", list(zoo.ZOO))
def test_zoo(name):
    mj_model = zoo.load(name)
    check(mj_model, _worlds(mj_model, 1, 5), name)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_model(seed):
    mj_model = mujoco.MjModel.from_xml_string(generator.generate(seed))
    # the number of worlds differs, so that lanes without a world are there too
    check(mj_model, _worlds(mj_model, seed, 1 + seed % 8), f"seed {seed}")


@pytest.mark.parametrize("seed", range(1000, 1000 + SEEDS // 20))
def test_large_random_model(seed):
    mj_model = mujoco.MjModel.from_xml_string(generator.generate(seed, bodies=60))
    check(mj_model, _worlds(mj_model, seed, 3), f"seed {seed}, up to 60 bodies")


@pytest.mark.parametrize("name", [name for name in zoo.ZOO if name.startswith("own/")])
def test_states_at_rest_and_in_haste(name):
    """Symmetric states take other branches: the reset, the keyframes, almost zero, very fast."""
    mj_model = zoo.load(name)
    mj_datas = [mujoco.MjData(mj_model)]
    for key in range(min(mj_model.nkey, 3)):
        mj_datas.append(mujoco.MjData(mj_model))
        mujoco.mj_resetDataKeyframe(mj_model, mj_datas[-1], key)
    mj_datas += _worlds(mj_model, 2, 2, scale=1e-9)
    mj_datas += _worlds(mj_model, 3, 2)
    for mj_data in mj_datas[-2:]:
        mj_data.qvel *= 10
    check(mj_model, mj_datas, f"{name} at rest and in haste")


def test_the_harness_sees_a_wrong_number_and_a_missing_one():
    mj_model = zoo.load("own/crooked")
    mj_datas = _worlds(mj_model, 4, 2)
    unwritten = parity.compare_stage(mj_model, mj_datas, "com_vel", ("xpos",), label="missing")
    assert unwritten == {"xpos": np.inf}
    m, references, masks = parity.prepare(mj_model, mj_datas)
    references[1].cvel[2, 4] += 1e-8
    wrong = parity.compare_stage(mj_model, mj_datas, "com_vel", context=(m, references, masks))
    assert parity.failures(wrong) == [f"cvel: {wrong['cvel']:.3g}"]
    for key in (("com_vel", "xpos"), ("com_vel", "cvel")):
        parity.RESIDUALS.pop(key)


def test_random_models_are_what_was_asked():
    """The generator covers what it claims to cover, and hardly ever has to leave something out."""
    seen = set()
    for seed in range(60):
        mj_model = mujoco.MjModel.from_xml_string(generator.generate(seed))
        for prefix in ("jnt_type", "actuator_trntype", "actuator_dyntype", "actuator_gaintype"):
            seen |= {(prefix, int(value)) for value in getattr(mj_model, prefix)}
        for prefix in ("actuator_biastype", "wrap_type", "cam_mode", "light_mode", "geom_type"):
            seen |= {(prefix, int(value)) for value in getattr(mj_model, prefix)}
        seen.add(("integrator", mj_model.opt.integrator))
    number = {"jnt_type": 4, "actuator_trntype": 7, "actuator_dyntype": 7, "actuator_gaintype": 6}
    number |= {"actuator_biastype": 5, "wrap_type": 5, "cam_mode": 5, "light_mode": 5}
    number |= {"integrator": 5, "geom_type": 7}
    for prefix, least in number.items():
        assert len([pair for pair in seen if pair[0] == prefix]) >= least, prefix
    assert not generator.REDUCED
