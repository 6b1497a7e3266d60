"""MuJoCo's own tests of its rollout, on lanewise.rollout."""

import pytest

from support import mujoco_rollout_suite as suite


@pytest.fixture(scope="module", autouse=True)
def _exchanged():
    suite.adapt()


@pytest.mark.parametrize(("name", "test"), list(suite.cases()), ids=lambda x: str(x)[:60])
def test_as_in_mujoco(name, test):
    text = suite.outcome(test)
    reason = next((why for key, why in suite.NOT_APPLICABLE.items() if name.startswith(key)), None)
    if reason is None:
        assert not text, text
    else:
        assert text, f"{name} passes, although it is listed: {reason}"
        pytest.skip(reason)
