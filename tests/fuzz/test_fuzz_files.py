"""Damaged files: an error of Lanewise's, or a model that can be stepped, or a verdict on a log.

Models are loaded in a process of their own, since a file could end it.
"""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanewise.cli import main
from lanewise.lanes import JIT
from support import zoo
from support.budget import TIMES, examples
from support.places import ROOT

pytestmark = pytest.mark.skipif(not JIT, reason="one process for each file is enough")

LOADER = """
import sys
sys.path[:0] = [{root!r}, {root!r} + "/tests"]
import mujoco, numpy as np
import lanewise as lw
from lanewise.errors import LanewiseError
from support.soak_cases import to_bytes
mujoco.set_mju_user_warning(lambda message: None)

rng, folder = np.random.default_rng({seed}), {folder!r}
mj_model = mujoco.MjModel.from_xml_path({path!r})
whole = {{".mjb": to_bytes(mj_model), ".xml": open({path!r}, "rb").read()}}
for k in range({number}):
    suffix = str(rng.choice(list(whole)))
    damaged = bytearray(whole[suffix])
    way = rng.integers(4)
    at = int(rng.integers(len(damaged)))
    if way == 0:
        del damaged[at:]
    elif way == 1:
        del damaged[at : at + int(rng.integers(1, 50))]
    elif way == 2:
        for place in rng.integers(len(damaged), size=int(rng.integers(1, 9))):
            damaged[place] ^= 1 << int(rng.integers(8))
    else:
        damaged[at:at] = rng.integers(256, size=int(rng.integers(1, 50)), dtype=np.uint8).tobytes()
    path = folder + "/damaged" + suffix
    with open(path, "wb") as file:
        file.write(damaged)
    print(k, suffix, int(way), at, flush=True)
    try:
        m = lw.load(path)
    except LanewiseError:
        continue
    lw.step(m, lw.Data(m), 3)
    print("stepped", flush=True)
"""


@examples(4)
@given(seed=st.integers(0, 2**31 - 1), name=st.sampled_from(("crooked", "contacts_mesh")))
def test_damaged_models(tmp_path_factory, seed, name):
    folder = tmp_path_factory.getbasetemp()
    code = LOADER.format(
        root=str(ROOT), seed=seed, folder=str(folder), path=str(zoo.own(name)),
        number=round(60 * max(1, TIMES)),
    )  # fmt: skip
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{done.stdout[-300:]}\n{done.stderr[-2000:]}"


# ---- logs


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Bytes of a good log in each format, by suffix."""
    folder = tmp_path_factory.mktemp("logs")
    t = np.arange(60) / 100
    rows = np.stack([t, np.sin(t), t, t * t, 1 + 0 * t, 0 * t, 0 * t, 0 * t], axis=1)
    heads = "t,x,y,z,qw,qx,qy,qz"
    np.savetxt(folder / "log.csv", rows, delimiter=",", header=heads, comments="")
    np.savez(folder / "log.npz", t=t, pos=rows[:, 1:4], quat=rows[:, 4:])
    return folder, {path.suffix: path.read_bytes() for path in sorted(folder.iterdir())}


@examples(60)
@given(data=st.data())
def test_damaged_logs(logs, data):
    """A verdict or one line about what is wrong, never a traceback."""
    folder, whole = logs
    suffix = data.draw(st.sampled_from(sorted(whole)))
    damaged = bytearray(whole[suffix])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(0, len(damaged) - 1)))
        way = data.draw(st.sampled_from(("cut", "drop", "flip", "insert")))
        if way == "cut":
            del damaged[at:]
        elif way == "drop":
            del damaged[at : at + data.draw(st.integers(1, 60))]
        elif way == "flip" and damaged:
            damaged[at] ^= data.draw(st.integers(1, 255))
        else:
            damaged[at:at] = data.draw(st.binary(max_size=20))
    path = folder / f"damaged{suffix}"
    path.write_bytes(damaged)
    assert main(["detect", str(path)]) in (0, 1)
