"""The type stub: what is right passes, what is misspelt or misused is found."""

import ast
import os
import subprocess
import sys

import pytest

import lanewise as lw
from lanewise import fields, public
from support.places import PACKAGE, ROOT

RIGHT = """
import numpy as np

import lanewise as lw
import lanewise.batch
from lanewise import conventions as cv

m: lw.Model = lw.load(lw.models.path("humanoid"))
n: int = m.nv + m.nbody
m.body_mass[1] *= 2
m.opt.timestep = 0.001
m.opt.gravity = (0, 0, -1)
print(m.geom("floor").id, m.geom_rgba.shape, lw.__version__)

d = lw.Data(m, lanes=4)
d.qpos[:, 2] += 1
d.ctrl = 0.5
lw.step(m, d, 10)
lw.kinematics(m, d)
lw.reset_data(m, d, "squat")
M: np.ndarray = lw.full_m(m, d)
print(d.xpos.max(), d.contact.dist, len(d.contact), d.ncon, d.time)

b = lw.Batch(m, nsim=64, nthread=2)
b.ctrl = [0.0] * m.nu
b.qvel[:] = 0
b.step(nstep=10)
b.timing = True
d.timing = False
seconds: float = b.timer["step"].duration + d.timer[0].duration
print(d.solver.improvement[0], d.solver[0].nactive, b.solver.nactive.shape, d.maxuse_con, d.nconmax)
print(b.maxuse_efc.max(), b.nbytes, d.memory(), lw.report(b).to_dict()["time"], lw.report(d))
print(b.xpos[0], b.contact.dist.shape, b.body("torso").xpos, b.rollout(3)["qpos"].shape)
force, number = b.pair_force("floor", "left_foot")
other = lanewise.batch.Batch(m, 3)

try:
    lw.load("nothing.xml")
except (lw.ModelError, lw.UnsupportedFeature) as error:
    print(error)

@lw.kernel
def upper(m, d, g1, g2):
    return d.geom_xpos[g1, 2] > 0.5

lw.load("a.xml", contact_filter=upper)
print(cv.Body(com=(0, 0, 0.1)))

jacp, jacr = lw.jac_site(m, d, "chest")
print(jacp.shape, lw.frames.mul_quat((1, 0, 0, 0), d.xquat).shape, b.jac_site("chest")[0].max())
moved: np.ndarray = lw.integrate_pos(m, b.qpos, b.qvel, 0.01)
print(b.object_velocity("site", ["chest", 0], local=True), b.full_m(ids=[0]).shape)
"""

WRONG = """
import lanewise as lw

m = lw.load("humanoid.xml")
d = lw.Data(m)
b = lw.Batch(m, 8)
lw.stepp(m, d)
d.qposs[0] = 1
d.qposs = 1
m.body_mas[0] = 1
m.opt.timstep = 1
b.xposs.max()
b.xpos = 1
b.contact.distance
lw.step(d, m)
lw.step(m, d, steps=3)
d.ccd_near
m.nv = 3 + "a"
lw.jac_sight(m, d, "chest")
lw.frames.mul_quats((1, 0, 0, 0), (1, 0, 0, 0))
b.jac_site("chest").shape
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """{file: lines of which mypy complains}"""
    folder = tmp_path_factory.mktemp("user")
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(WRONG)
    # with the project's settings, mypy does not look into libraries that the stub has nothing of
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--follow-imports=silent", "--ignore-missing-imports"]
    command += ["--cache-dir", str(ROOT / ".mypy_cache" / "stub")]
    run = subprocess.run(
        [*command, "right.py", "wrong.py"], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "MYPYPATH": str(ROOT)},
    )  # fmt: skip
    assert run.returncode == 1, run.stdout + run.stderr
    lines = [line.split(":") for line in run.stdout.splitlines() if ": error:" in line]
    return {file: [line for line in lines if line[0] == file] for file in ("right.py", "wrong.py")}


def test_right_use_passes(said):
    assert said["right.py"] == []


def test_wrong_use_is_found(said):
    first = WRONG.splitlines().index("lw.stepp(m, d)") + 1
    lines = {int(line[1]) for line in said["wrong.py"]}
    assert lines == set(range(first, len(WRONG.splitlines()) + 1))


def test_stub_has_everything_public():
    text = (PACKAGE / "__init__.pyi").read_text()
    for name in public.__all__:
        assert f"\nclass {name}" in text or f"\ndef {name}(" in text, name
    for f in (*fields.STATE, *fields.MODEL):
        if "." not in f.name and not f.own:
            assert f"\n    {f.name}: " in text, f.name


@pytest.mark.parametrize("kind", ["Data", "Model"])
def test_stub_shows_what_completion_shows(kind):
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text())
    (made,) = (x for x in tree.body if isinstance(x, ast.ClassDef) and x.name == kind)
    declared = {x.target.id for x in made.body if isinstance(x, ast.AnnAssign)}
    declared |= {x.name for x in made.body if isinstance(x, ast.FunctionDef)}
    m = lw.load("<mujoco/>")
    shown = dir(lw.Data(m) if kind == "Data" else m)
    assert {x for x in declared if x[0] != "_"} == {x for x in shown if x[0] != "_"}
