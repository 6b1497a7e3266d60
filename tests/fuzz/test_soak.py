"""The soak finds what is wrong, leaves it in a file, and the file shows it again.

Each test plants something in a process of the soak's: a difference of one bit between two threads
and one, a crash, a hang. The worker is the real one; only the engine is made worse.
"""

import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

import lanewise as lw
import soak
from lanewise.lanes import JIT
from support import soak_models
from support.places import ROOT
from support.soak_cases import CHECKS, Case, to_bytes
from support.soak_work import Work, random_rows

pytestmark = pytest.mark.skipif(not JIT, reason="too many steps for plain Python")

# what goes wrong in the worker, as code that is run before its work
PLANTS = {
    "difference": """
import numpy as np
import lanewise as lw
step = lw.Batch.step
def wrong(self, *arguments, **names):
    step(self, *arguments, **names)
    if self.nthread == 2:
        self.state[3, 1] = np.nextafter(self.state[3, 1], 9)
lw.Batch.step = wrong
""",
    "crash": """
import os, signal
import lanewise as lw
step = lw.Batch.step
def wrong(self, *arguments, **names):
    if self.nthread == 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    step(self, *arguments, **names)
lw.Batch.step = wrong
""",
    "hang": """
import time
from support import soak_work
soak_work.Work.soak = lambda *arguments: time.sleep(60)
""",
}
WORKER = """
import sys
sys.path[:0] = [{root!r}, {root!r} + "/tests", {root!r} + "/tools"]
{plant}
import soak
sys.argv[1:] = sys.argv[2:]
sys.exit(soak.main())
"""


def supervised(tmp_path: Path, plant: str, **arguments) -> tuple[int, Path]:
    """The soak with a worker in which something is wrong; its answer, and the file that it left."""
    case, out = tmp_path / "case.npz", tmp_path / "failure.npz"
    code = WORKER.format(root=str(ROOT), plant=plant)
    command = [sys.executable, "-c", code, "-", "--file", str(case), "--seed", "0"]
    command += ["--minutes", "0.001", "--seconds", "0.01"]
    return soak.supervise(command, case, out, **arguments), out


def replayed(path: Path, plant: str) -> subprocess.CompletedProcess:
    code = WORKER.format(root=str(ROOT), plant=plant)
    command = [sys.executable, "-c", code, "-", "--replay", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_nothing_wrong(tmp_path, capfd):
    status, out = supervised(tmp_path, "")
    assert status == 0 and not out.exists()
    text = capfd.readouterr().out
    for word in ("1 models", "worlds", "world-steps", "resets", "memory", "growth"):
        assert word in text


def test_a_difference_is_found_written_and_replayed(tmp_path, capfd):
    status, out = supervised(tmp_path, PLANTS["difference"])
    assert status == 1
    text = capfd.readouterr().out
    assert "depends on the number of threads" in text and f"--replay {out}" in text
    case = Case.load(out)
    assert case.check == "threads" and "pendulum" in case.label
    again = replayed(out, PLANTS["difference"])
    assert again.returncode == 1 and "worlds [3]" in again.stdout
    assert case.run() == ""  # here nothing is planted


def test_a_crash_is_reported_with_its_case(tmp_path, capfd):
    status, out = supervised(tmp_path, PLANTS["crash"])
    assert status == 1
    assert "signal 11" in capfd.readouterr().out
    assert Case.load(out).check == "threads"
    assert replayed(out, PLANTS["crash"]).returncode == -11


def test_a_hang_is_ended(tmp_path, capfd):
    status, _ = supervised(tmp_path, PLANTS["hang"], patience=2.0)
    assert status == 1
    assert "nothing was heard for 2 s" in capfd.readouterr().out


# ---- each check sees what it is for


@pytest.fixture(scope="module")
def cartpole():
    mj_model = mujoco.MjModel.from_xml_path(str(lw.models.path("cartpole")))
    return to_bytes(mj_model), random_rows(mj_model, 9, np.random.default_rng(0))


def test_checks_see(cartpole, monkeypatch):
    binary, rows = cartpole
    sick = rows.copy()
    sick[4, 1] = np.nan
    program = [["step", {"nstep": 2, "ids": None, "stage": 0}]]
    cases = {
        "alone": Case("alone", binary, "", {"nstep": 2}, {"rows": rows}),
        "threads": Case("threads", binary, "", {"nstep": 3}, {"rows": np.tile(rows, (2, 1))}),
        "poison": Case("poison", binary, "", {"nstep": 2}, {"rows": rows, "sick": sick}),
        "reported": Case("reported", binary, "", {"nstep": 2}, {"rows": sick}),
        "mujoco": Case("mujoco", binary, "", {}, {"rows": rows}),
        "calls": Case("calls", binary, "", {"calls": program}, {"rows": np.tile(rows, (2, 1))}),
        "data": Case("data", binary, "", {"calls": program}, {"rows": rows}),
    }
    assert cases.keys() == CHECKS.keys()
    for name, case in cases.items():
        assert case.run() == "", name
    step, steps, number = lw.Batch.step, lw.step, iter(range(10**6))

    def wrong(self, *arguments, **names):
        """Every batch is another one; and nobody counts what is lost."""
        step(self, *arguments, **names)
        self.state[:, 1] += 1e-9 * (1 + next(number))
        self.state[4, 1] = np.nan
        self.warning[...] = 0

    def wrong_step(m, d, nstep=1):
        steps(m, d, nstep)
        d.qvel[...] += 1e-6 * (1 + next(number))

    monkeypatch.setattr(lw.Batch, "step", wrong)
    monkeypatch.setattr(lw, "step", wrong_step)
    for name, case in cases.items():
        assert case.run() != "", name


def test_files_hold_everything(cartpole, tmp_path):
    binary, rows = cartpole
    case = Case("alone", binary, "here", {"nstep": 2, "list": [1, None]}, {"rows": rows})
    case.save(tmp_path / "case.npz")
    again = Case.load(tmp_path / "case.npz")
    assert (again.check, again.model, again.label) == (case.check, case.model, case.label)
    assert again.settings == case.settings
    np.testing.assert_array_equal(again.arrays["rows"], rows)
    np.savez(tmp_path / "pickle.npz", about=np.array([object()]))
    with pytest.raises(ValueError, match="pickle"):
        Case.load(tmp_path / "pickle.npz")


def test_models_are_many_and_the_same_each_time():
    labels = [soak_models.source(5, k).label for k in range(40)]
    assert labels == [soak_models.source(5, k).label for k in range(40)]
    assert len(set(labels)) > 25
    assert sum(soak_models.source(5, k).tiny for k in range(40)) == 10
    one, two = (to_bytes(soak_models.source(5, 1).make()) for _ in range(2))
    assert one == two


def test_refusals_are_counted(tmp_path):
    text = "<mujoco><option><flag sleep='enable'/></option></mujoco>"
    work = Work(0, tmp_path / "case.npz")
    work.visit(soak_models.Source("sleepy", lambda: mujoco.MjModel.from_xml_string(text)))
    assert work.totals.refused == 1 and work.totals.reasons["enable flag sleep"] == 1
