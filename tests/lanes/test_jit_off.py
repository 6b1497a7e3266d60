"""The same kernels as plain Python: a part of the parity tests with the compiler switched off."""

import os
import subprocess
import sys

import pytest

from support.places import MODELS, ROOT, TESTS

PART = (
    *(
        f"engine/test_parity.py::test_zoo[own/{name}]"
        for name in ("crooked", "tendons", "mocap", "multijoint", "cameras", "swimmer", "static")
    ),
    "engine/test_parity.py::test_random_model",
    "engine/test_step_parity.py::test_zoo[own/ballchain-Euler]",
    "engine/test_step_parity.py::test_zoo[own/ballchain-RK4]",
    "engine/test_step_parity.py::test_zoo[own/crooked-implicit]",
    "engine/test_step_parity.py::test_zoo[own/spinner-implicitfast]",
    "engine/test_step_parity.py::test_zoo[own/swimmer-discrete]",
    "jacobians/test_jacobians.py::test_own_models[own/crooked]",
    "jacobians/test_jacobians.py::test_several_worlds",
    "motions/test_motions.py::test_own_models[own/mocap]",
    "batch/test_batch_jacobians.py::test_many_points",
    "callbacks/test_occasions.py::test_all_occasions[implicit]",
    "callbacks/test_occasions.py::test_batch[1]",
    "callbacks/test_own_fields.py::test_parameters_of_a_batch[1]",
    "callbacks/test_own_fields.py::test_own_fields_on_every_occasion",
    "callbacks/test_python_control.py::test_with_a_kernel_and_ids",
    "functions/test_timers.py::test_off_and_on",
    "batch/test_batch_diagnostics.py::test_timers_are_switched_and_cleared",
    "engine/solver/test_statistics.py::test_newton[constraints_limits-0]",
)


@pytest.mark.skipif(os.environ.get("LANEWISE_JIT") == "0", reason="already running without the JIT")
def test_parity_without_jit():
    environment = {**os.environ, "LANEWISE_JIT": "0", "LANEWISE_SEEDS": "16"}
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *PART]
    run = subprocess.run(command, cwd=TESTS, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]


def test_no_compiler_is_imported_without_jit():
    program = (
        "import sys, lanewise as lw;"
        f"m = lw.load({str(MODELS / 'crooked.xml')!r});"
        "d = lw.Data(m); lw.kinematics(m, d);"
        "assert 'lanewise.lanes.compiler' not in sys.modules, 'the compiler was imported'"
    )
    environment = {**os.environ, "LANEWISE_JIT": "0"}
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
