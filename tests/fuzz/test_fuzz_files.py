"""Damaged model files: an error of Lanewise's, or a model that can be stepped.

Loading happens in a process of its own, since a file could end it.
"""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    print("loaded", flush=True)
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
