"""Random models with random options, through all the checks of a soak.

What hypothesis draws are the features that a model may have, so a failure shrinks to those that it
needs.
"""

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanewise.lanes import JIT
from support import generator
from support.budget import examples
from support.soak_models import Source
from support.soak_work import Work

pytestmark = pytest.mark.skipif(not JIT, reason="too many steps for plain Python")

FEATURES = (
    *("mocap", "mesh", "hollow", "plain", "fluid", "plastic", "tendons", "wrapping", "actuators"),
    *("muscle", "dcmotor", "pid", "orientation", "adhesion", "delay", "flags", "keyframes"),
    *("constraints", "hfield", "extras"),
)
MODELS = st.fixed_dictionaries(
    {name: st.booleans() for name in FEATURES}
    | {"bodies": st.integers(1, 6), "integrator": st.sampled_from(generator.INTEGRATORS)}
)
OPTIONS = st.fixed_dictionaries({
    "solver": st.integers(0, 2), "cone": st.integers(0, 1), "jacobian": st.integers(0, 2),
    "noslip_iterations": st.sampled_from((0, 0, 3)), "iterations": st.sampled_from((100, 3, 1)),
})  # fmt: skip


@examples(20)
@given(st.integers(0, 2**31 - 1), MODELS, OPTIONS)
def test_models(tmp_path_factory, number, switches, options):
    mj_model = mujoco.MjModel.from_xml_string(generator.generate(number, **switches))
    for name, value in options.items():
        setattr(mj_model.opt, name, value)
    file = tmp_path_factory.getbasetemp() / "fuzz_models.npz"
    work = Work(number, file, seconds=0.05)
    work.visit(Source(f"generate({number}, **{switches}), {options}", lambda: mj_model))


def test_models_have_what_they_claim():
    """Every section of MJCF that the generator knows besides bodies occurs among few models."""
    seen: set[str] = set()
    refused = 0
    rng = np.random.default_rng(0)
    for number in rng.integers(2**31, size=60):
        text = generator.generate(int(number), constraints=True, extras=True, bodies=4)
        for word in ("frame", "replicate", "default", "sensor", "euler", "fromto", "tuple"):
            seen |= {word} if f"<{word}" in text or f"{word}=" in text else set()
        refused += "<flexcomp" in text or 'sleep="enable"' in text or "nsample" in text
    assert len(seen) == 7
    assert refused
