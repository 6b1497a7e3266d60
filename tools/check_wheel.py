"""Install the wheel beside nothing but its own dependencies, and simulate with it.

Nothing may be compiled: the cache is empty and stays so, and whoever asks the compiler fails. The
answers are those of the source tree, whose kernels are compiled for this very processor, to the
bit; with the kernels of every machine of the wheel that this processor is at least as good as.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CLOCK = """
import time

start = time.perf_counter()
"""

# simulates, and prints a digest of what came out
SIMULATE = """
import hashlib
import sys

import lanewise as lw
m = lw.load(lw.models.path("humanoid"))
d = lw.Data(m)
lw.step(m, d)
print(f"{time.perf_counter() - start:.2f} s from import to first step", file=sys.stderr)

import numpy as np

digest = hashlib.sha256()


def note(*arrays):
    for array in arrays:
        assert np.all(np.isfinite(array))
        digest.update(np.ascontiguousarray(array).tobytes())


for _ in range(200):
    lw.step(m, d)
note(d.qpos, d.qvel, d.qacc)
# eight lanes, a gang that is not full, constants of the model that differ between worlds
batch = lw.Batch(m, nsim=20)
batch.qvel[:] = np.linspace(-1.0, 1.0, 20 * m.nv).reshape(20, m.nv)
batch.step(nstep=200)
note(batch.qpos, batch.qvel)
batch.expand("body_mass")[:] *= np.linspace(0.9, 1.1, 20)[:, None]
batch.step(nstep=100)
note(batch.qpos, batch.qvel)
print(digest.hexdigest())
"""

# before it, in the environment of the wheel; on machines that the wheel has kernels for
FORBID = """
import sys

sys.modules["numba"] = None

from lanewise.lanes import compiler, machine, objects


def forbidden(*args):
    raise AssertionError("something is being compiled")


machine.Machine.assemble = objects._assemble = compiler.Unit.text = forbidden
"""

# machines of the wheel that this processor is at least as good as, the best first
FITTING = """
from lanewise.lanes.machine import COMMON, fits

print(*(machine.name for machine in COMMON if fits(machine)))
"""

# what the package is, besides
LOOK = """
from importlib.metadata import metadata, requires, version
from pathlib import Path

import mujoco
import numpy as np

import lanewise as lw

assert ".venv" not in lw.__file__ and "site-packages" in lw.__file__, lw.__file__
assert lw.__version__ == version("lanewise")
assert "mujoco==4.0.*" in requires("lanewise"), "pip would not see a conflict with MuJoCo 3"
assert metadata("lanewise").get_all("Project-URL"), "no addresses"
typed = [Path(lw.__file__).with_name(name) for name in ("py.typed", "__init__.pyi")]
assert all(file.is_file() for file in typed), "types are missing"
m = lw.load(str(lw.models.path("pendulum")))
d = lw.Data(m)
mj_data = mujoco.MjData(m.mj)
d.qpos[:] = mj_data.qpos[:] = 0.5
for _ in range(100):
    lw.step(m, d)
    mujoco.mj_step(m.mj, mj_data)
assert abs(d.qpos[0] - mj_data.qpos[0]) < 1e-12, (d.qpos, mj_data.qpos)
batch = lw.Batch(m, nsim=20)
batch.qpos[:] = 0.5
batch.step(nstep=100)
assert np.all(batch.qpos == d.qpos), "a world of a Batch differs from the same world alone"
"""


def run(*command, **environment: str) -> str:
    """What a command prints, away from the source tree."""
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command], check=True, text=True, stdout=subprocess.PIPE,
        cwd=tempfile.gettempdir(), env={**clean, **environment},
    )  # fmt: skip
    return done.stdout.strip()


def install(wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel: its Python."""
    start = time.perf_counter()
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "--quiet",
        "--disable-pip-version-check",
    )
    run(*pip, "install", "-c", ROOT / "requirements.lock", wheel)
    print(f"installed in {time.perf_counter() - start:.0f} s")
    return python


def commands(program: Path, folder: Path) -> None:
    """What somebody who has just installed it tries."""
    assert "pelvis" in run(program, "info", "humanoid")
    assert json.loads(run(program, "check", "pendulum", "--json"))
    out, page = folder / "run.npz", folder / "run.html"
    run(program, "run", "cartpole", "--worlds", 9, "--steps", 20, "--out", out)
    run(program, "run", "--resume", out, "--steps", 20)
    assert "rail" in run(program, "plot", out, "qpos")
    run(program, "replay", out, page)
    assert page.stat().st_size > 10_000
    refused = subprocess.run(
        [program, "view", "humanoid"], text=True, stderr=subprocess.PIPE, cwd=folder
    )
    assert refused.returncode == 1 and "lanewise[viewer]" in refused.stderr, refused.stderr


def main() -> None:
    (wheel,) = (ROOT / "dist").glob("*.whl")
    print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory(prefix="wheel") as name:
        python, cache = install(wheel, Path(name) / "env"), Path(name) / "cache"
        run(python, "-c", LOOK, LANEWISE_CACHE_DIR=str(cache))
        here = {"PYTHONPATH": str(ROOT), "LANEWISE_KERNELS": "native"}
        expected = run(sys.executable, "-c", CLOCK + SIMULATE, **here)
        fit = run(python, "-c", FITTING).split()
        for machine in ("", *fit):
            print(f"with kernels for {machine or 'the best machine that fits'}:", flush=True)
            chosen = {"LANEWISE_CACHE_DIR": str(cache), "LANEWISE_KERNELS": machine}
            forbid = FORBID if fit else ""
            answer = run(python, "-c", CLOCK + forbid + SIMULATE, **chosen)
            assert answer == expected, f"answers differ from those of the source tree: {machine}"
            assert not fit or not cache.exists(), f"something was compiled: {os.listdir(cache)}"
        program = python.parent / "lanewise"
        assert run(program, "--version") == f"lanewise {wheel.name.split('-')[1]}"
        doctor = run(program, "doctor", LANEWISE_CACHE_DIR=str(cache))
        print(doctor)
        assert not fit or f"came with the package, for {fit[0]}" in doctor
        commands(program, Path(name))
    print("the wheel works")


if __name__ == "__main__":
    main()
