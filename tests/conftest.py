"""What all tests share: MuJoCo's warnings are silenced, and residuals are printed on request."""

import json
import os
import signal
import sys

import mujoco
import pytest


@pytest.fixture(autouse=True, scope="session")
def _quiet_mujoco():
    """MuJoCo prints unstable states and logs them to a file in the working directory."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: None)
    yield
    mujoco.set_mju_user_warning(before)


def pytest_sessionstart(session):
    """Compile the kernels once, before parallel workers would all do it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # as under nohup: tests that interrupt themselves would wait for ever
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config = session.config
    if hasattr(config, "workerinput") or config.getoption("dist", "no") == "no":
        return
    from lanewise.engine import parts
    from lanewise.lanes import JIT

    if JIT:
        parts.compile_all()


# ---- residuals, gathered from the workers when the tests run in parallel

_GATHERED: dict = {}


def _merge(rows) -> None:
    for stage, name, value, label in rows:
        if value > _GATHERED.get((stage, name), (-1.0, ""))[0]:
            _GATHERED[stage, name] = (value, label)


def _own_rows():
    """What this process compared; nothing if no test of it compares."""
    parity = sys.modules.get("support.parity")
    return [(*key, *value) for key, value in parity.RESIDUALS.items()] if parity else []


def pytest_sessionfinish(session):
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["residuals"] = json.dumps(_own_rows())


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    rows = getattr(node, "workeroutput", {}).get("residuals", "[]")
    _merge(json.loads(rows))


def pytest_terminal_summary(terminalreporter):
    if os.environ.get("LANEWISE_SHOW_RESIDUALS", "0") == "1":
        from support import parity

        _merge(_own_rows())
        terminalreporter.section("residuals against MuJoCo")
        terminalreporter.write_line(parity.residual_table(_GATHERED))
