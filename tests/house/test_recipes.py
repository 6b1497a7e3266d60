"""A geom pair is three files: its function, its line in the table, its rung in the ladder."""

import os
import shutil
import subprocess
import sys

import pytest

from lanewise.lanes import JIT
from support.places import ROOT

FUNCTION = '''"""A sphere against an ellipsoid, taken for the sphere around its first axis."""

from ...lanes import kernel, not_, sqrt
from ..spatial import dot3
from .found import normal_only, offer


@kernel
def sphere_ellipsoid(m, d, g1, g2, reach, mask):
    """The point between two centres."""
    apart = d.geom_xpos[g2] - d.geom_xpos[g1]
    radius1, radius2 = m.geom_size[g1, 0], m.geom_size[g2, 0]
    length = sqrt(dot3(apart, apart))
    normal, dist = apart / length, length - radius1 - radius2
    pos = d.geom_xpos[g1] + normal * (radius1 + 0.5 * dist)
    return offer(d, 0, mask & not_(dist > reach), dist, pos, normal_only(normal))
'''

PROGRAM = """
import lanewise as lw
m = lw.load('''<mujoco><worldbody>
  <body><freejoint/><geom type="sphere" size=".1"/></body>
  <body pos=".05 .03 .15"><freejoint/><geom type="ellipsoid" size=".1 .1 .1"/></body>
</worldbody></mujoco>''')
d = lw.Data(m)
lw.forward(m, d)
print(int(m.needs_convex[0]), d.ncon, d.contact.dist[0], *d.contact.pos[0])
"""


def run(folder) -> list[float]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "LANEWISE_KERNELS": "native"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [float(x) for x in done.stdout.split()]


@pytest.mark.skipif(not JIT, reason="needs the compiler")
def test_a_pair(tmp_path):
    package = tmp_path / "lanewise"
    shutil.copytree(
        ROOT / "lanewise", package, ignore=shutil.ignore_patterns("__pycache__", "kernels")
    )
    before = run(ROOT)
    room = package / "engine" / "collision"
    (room / "sphere_ellipsoid.py").write_text(FUNCTION)
    for file, old, new in (
        ("pairs.py", "sphere     ellipsoid  convex            1  high  convex\n",
         "sphere     ellipsoid  sphere_ellipsoid  1  low   primitive\n"),
        ("narrow.py", "from .round import (",
         "from .sphere_ellipsoid import sphere_ellipsoid\nfrom .round import ("),
        ("narrow.py", "    # segments and boxes\n",
         "    if kind1 == GEOM_SPHERE and kind2 == GEOM_ELLIPSOID:\n"
         "        return sphere_ellipsoid(m, d, g1, g2, reach, mask)\n"),
    ):  # fmt: skip
        text = (room / file).read_text()
        assert text.count(old) == 1, (file, old)
        (room / file).write_text(text.replace(old, new))
    after = run(tmp_path)
    assert before[:2] == [1.0, 1.0] and after[:2] == [0.0, 1.0]
    assert after[2:] == pytest.approx(before[2:], abs=1e-5)
