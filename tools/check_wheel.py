"""Build the wheel, install it beside nothing but its own dependencies, and simulate with it."""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PROGRAM = """
from importlib.metadata import version
from pathlib import Path

import mujoco
import numpy as np

import lanewise as lw

assert ".venv" not in lw.__file__ and "site-packages" in lw.__file__, lw.__file__
assert lw.__version__ == version("lanewise")
typed = [Path(lw.__file__).with_name(name) for name in ("py.typed", "__init__.pyi")]
assert all(file.is_file() for file in typed), "types are missing"
path = str(lw.models.path("pendulum"))
m = lw.load(path)
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
print("the wheel works:", d.qpos[0])
"""


def run(*command) -> None:
    subprocess.run([str(part) for part in command], check=True)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="wheel") as name:
        folder = Path(name)
        pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
        run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ROOT)
        (wheel,) = folder.glob("*.whl")
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        fresh = (python, "-m", "pip", "--quiet", "--disable-pip-version-check")
        run(*fresh, "install", "-c", ROOT / "requirements.lock", wheel)
        program = folder / "program.py"
        program.write_text(PROGRAM)
        subprocess.run([str(python), str(program)], check=True, cwd=folder)
        run(python.parent / "lanewise", "doctor")


if __name__ == "__main__":
    main()
