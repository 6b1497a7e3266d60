"""MuJoCo's own tests of mujoco.batch, run on lanewise.Batch.

    python tests/support/mujoco_batch_suite.py

The tests are those of the installed MuJoCo (mujoco/batch_test.py), with Batch exchanged. Two
things are adapted, and nothing else:

* where MuJoCo's batch equals MuJoCo's step bit by bit, Lanewise is held to 1e-10;
* what MuJoCo raises as mujoco.FatalError is a ValueError here.

Tests that cannot apply are listed in `NOT_APPLICABLE` with the reason. They are run too: one that
passes does not belong in the list. Those in `UP_TO` must come to the line that cannot apply.
"""

import sys
import types
import unittest

import mujoco
import mujoco.batch_test as suite
import numpy as np

import lanewise as lw
import lanewise.batch
from lanewise.batch.arguments import make_ids
from lanewise.limits import FIXED

_BINDING = "tests MuJoCo's private C++ binding, Batch._b"
_CALLBACK = "wants a C function to be called, which is refused as a Python function is"

NOT_APPLICABLE = {
    "test_private_binding_does_not_convert": _BINDING,
    "test_rollout_checks_buffers": _BINDING,
    "test_sleep_needs_persistent": "sleeping is refused by name at load",
}

# tests that apply up to their last lines: what these say, and why they cannot apply
UP_TO = {
    "test_integer_arguments_checked": ("'Batch' object has no attribute '_b'", _BINDING),
    "test_python_callbacks_rejected": ("mjcb_control is installed", _CALLBACK),
    "test_callbacks_checked_on_construction": ("mjcb_control is installed", _CALLBACK),
    "test_error_messages": ("'Batch' object has no attribute '_b'", _BINDING),
    "test_count_outputs": ("scalars bind", "wants MuJoCo's list of scalars, nA first"),
    "test_field_sets_and_attributes": ("AttributeError not raised", "wants no Batch.contact"),
}


def _nearly_equal(actual, expected, err_msg="", **_):
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.dtype.kind == "f" or expected.dtype.kind == "f":
        np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10, err_msg=err_msg)
    else:
        np.testing.assert_array_equal(actual, expected, err_msg)


class _Instead:
    """A module or class with some of its attributes exchanged."""

    def __init__(self, original, **attributes):
        self.__dict__.update(attributes, _original=original)

    def __getattr__(self, name):
        return getattr(self._original, name)

    def __call__(self, *args, **kwargs):
        return self._original(*args, **kwargs)


def adapt():
    """Exchange what the tests call."""
    suite.batch = types.SimpleNamespace(
        Batch=lw.batch.Batch,
        SimulationError=lw.batch.SimulationError,
        DATA_FIELDS=lw.batch.DATA_FIELDS,
        MODEL_FIELDS=lw.batch.MODEL_FIELDS,
        _ids=make_ids,
        _structural=lambda name, part: name in FIXED,
    )
    suite.mujoco = _Instead(mujoco, FatalError=ValueError)
    testing = _Instead(np.testing, assert_array_equal=_nearly_equal)
    suite.np = _Instead(np, testing=testing)


def cases():
    """Every test of the suite, by its name without parameters."""
    for test in unittest.defaultTestLoader.loadTestsFromTestCase(suite.BatchTest):
        yield test._testMethodName.rstrip("0123456789").removesuffix("_"), test


def outcome(test):
    """'' or how the test failed."""
    result = unittest.TestResult()
    test.run(result)
    found = [*result.errors, *result.failures]
    return found[0][1] if found else ""


def main():
    adapt()
    wrong = 0
    passed = []
    for name, test in cases():
        text = outcome(test)
        reason = NOT_APPLICABLE.get(name)
        if not text:
            passed.append(name)
        last = text.strip().splitlines()[-1] if text else ""
        if name in UP_TO:
            wanted, why = UP_TO[name]
            print(f"{'pass' if wanted in last else 'FAIL'}  {name}, up to where it {why}  {last}")
            wrong += wanted not in last
        elif reason is None:
            print(f"{'FAIL' if text else 'pass'}  {name}  {last}")
            wrong += bool(text)
        else:
            print(
                f"{'n/a ' if text else 'pass, although listed as not applicable'}  {name}: {reason}"
            )
            if "-v" in sys.argv:
                print("      ", last)
        if "-vv" in sys.argv and text and reason is None:
            print(text)
    print(f"{len(set(passed))} tests pass, {wrong} fail")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
