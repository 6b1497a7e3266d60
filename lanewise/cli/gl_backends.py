"""Which ways there are to draw pictures on this machine: tried, each in a process of its own."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

BACKENDS = {
    "egl": "apt install libegl1",
    "osmesa": "apt install libosmesa6",
    "glfw": "needs a display",
}
SECONDS = 30
_TRY = """
import mujoco, numpy
m = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
d = mujoco.MjData(m)
mujoco.mj_forward(m, d)
with mujoco.Renderer(m, 16, 16) as renderer:
    renderer.update_scene(d)
    print("drawn" if numpy.any(renderer.render()) else "black")
"""


def tried() -> dict[str, str]:
    """{backend: 'works', or what to do about it}"""
    with ThreadPoolExecutor(len(BACKENDS)) as pool:
        return dict(zip(BACKENDS, pool.map(_try, BACKENDS), strict=True))


def _try(backend: str) -> str:
    environment = os.environ | {"MUJOCO_GL": backend, "PYOPENGL_PLATFORM": backend}
    if backend == "glfw":
        environment.pop("PYOPENGL_PLATFORM")
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRY], env=environment, capture_output=True, text=True,
            timeout=SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return f"does not answer ({BACKENDS[backend]})"
    return "works" if "drawn" in done.stdout else f"does not work ({BACKENDS[backend]})"
