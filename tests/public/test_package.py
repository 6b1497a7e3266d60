"""The package as users import it: names that are found when they are asked for."""

import subprocess
import sys

import pytest

import lanewise as lw
from lanewise import public


def run(code):
    """What a fresh process prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_is_light():
    code = "import sys, lanewise; print(sorted({'numpy', 'mujoco', 'llvmlite'} & set(sys.modules)))"
    assert run(code) == "[]"


@pytest.mark.parametrize(
    "first", ["import lanewise", "import lanewise.batch", "import lanewise.engine.collision.driver"]
)
def test_names_are_the_same_whatever_was_imported_before(first):
    code = f"""
{first}
import lanewise as lw
from lanewise import collision, load, step
assert lw.load is load and callable(load) and callable(collision)
assert lw.batch.Batch is lw.Batch
assert lw.models.names() and lw.conventions.SYSTEMS and lw.bridges.newton
print(lw.collision.__name__, lw.step is step)
"""
    assert run(code) == "collision True"


def test_dir_has_everything_public():
    assert set(public.__all__) | set(lw.PARTS) | {"__version__"} <= set(dir(lw))


def test_unknown_names():
    with pytest.raises(AttributeError, match="no attribute 'stepp'"):
        _ = lw.stepp


def test_version():
    major, *_ = lw.__version__.split(".")
    assert major.isdigit()


def test_a_model_shows_its_fields():
    m = lw.load(lw.models.path("pendulum"))
    assert {"nv", "body_mass", "opt", "geom_size", "jnt_range", "keyframe_id"} <= set(dir(m))
    assert all(hasattr(m, name) for name in dir(m))
