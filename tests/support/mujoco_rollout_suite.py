"""MuJoCo's own tests of mujoco.rollout, run on lanewise.rollout.

    python tests/support/mujoco_rollout_suite.py

The tests are those of the installed MuJoCo (mujoco/rollout_test.py), with the module exchanged;
what they compare bit by bit is held to 1e-10. Those that cannot apply are in `NOT_APPLICABLE` with
the reason, and are run too: one that passes does not belong there.
"""

import sys
import unittest

import mujoco.rollout_test as suite
import numpy as np

import lanewise.rollout
from support.mujoco_batch_suite import _Instead, _nearly_equal, outcome

NOT_APPLICABLE: dict[str, str] = {
    "test_intercept_mj_errors": "wants MuJoCo's words for an unknown solver",
    "test_threadpool_rejected": "MjData are not used, so they may have a thread pool",
}


def adapt():
    suite.rollout = lanewise.rollout
    suite.np = _Instead(np, testing=_Instead(np.testing, assert_array_equal=_nearly_equal))


def cases():
    """Every test of the suite, with its name."""
    for test in unittest.defaultTestLoader.loadTestsFromTestCase(suite.MuJoCoRolloutTest):
        yield test._testMethodName, test


def main():
    adapt()
    wrong = 0
    for name, test in cases():
        text = outcome(test)
        last = text.strip().splitlines()[-1] if text else ""
        reason = next((why for key, why in NOT_APPLICABLE.items() if name.startswith(key)), None)
        if reason is None:
            wrong += bool(text)
            print(f"{'FAIL' if text else 'pass'}  {name}  {last}")
            if text and "-v" in sys.argv:
                print(text)
        else:
            wrong += not text
            print(f"{'n/a ' if text else 'pass, although listed'}  {name}: {reason} {last}")
    print(f"{wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
