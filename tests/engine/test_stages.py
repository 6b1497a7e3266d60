"""The table of stages agrees with the kernels, the fields and the pipeline."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import lanewise as lw
from lanewise import fields
from lanewise.engine import readers, stages
from lanewise.lanes import Kernel
from lanewise.mjconst import STAGE_POS

ENGINE = Path(lw.__file__).parent / "engine"


@pytest.mark.parametrize("stage", stages.STAGES.values(), ids=lambda stage: stage.name)
def test_a_stage_is_a_kernel_with_a_public_name(stage):
    assert isinstance(stage.kernel, Kernel)
    assert stage.kernel.__module__ == f"lanewise.engine.{stage.file}"
    function = getattr(lw, stage.name)
    assert function.__name__ == stage.name
    assert function.__doc__


def test_sections_are_those_of_the_fields():
    sections = {f.stage for f in fields.DATA}
    assert set(stages.SECTIONS) <= sections
    read = {f.stage for f in fields.DATA if not f.own} - {"state"}
    assert read <= set(stages.SECTIONS)


def test_every_want_is_a_flag_that_kernels_look_at():
    on_demand = {stage for stage in stages.STAGES.values() if "demand" in stage.words}
    last = {f"want_{stage.section}" for stage in on_demand if stage.level > STAGE_POS}
    assert {f"want_{stage.section}" for stage in on_demand} <= set(stages.WANTS)
    text = "\n".join(path.read_text() for path in ENGINE.rglob("*.py"))
    for name in set(stages.WANTS) - last:
        assert f"d.{name}" in text, name


def test_stages_on_demand_run_for_readers():
    """Those that follow from more than positions run last, in the order of the table, if wanted."""
    names, chain = [], readers.for_readers
    while chain is not readers.nothing:
        inside = inspect.getclosurevars(chain.python_function).nonlocals
        names.append(inside["stage"].__name__)
        assert inside["flag"] in stages.WANTS
        chain = inside["rest"]
    assert names == [s.name for s in stages.STAGES.values()
                     if "demand" in s.words and s.level > STAGE_POS]  # fmt: skip


def test_wants_of_readers():
    assert stages.wants(["qpos", "xpos"]) == set()
    assert stages.wants(["geom_xmat"]) == {"want_geoms"}
    assert stages.wants(["cam_xpos"]) == {"want_camlight"}
    assert stages.wants(["efc_force"]) == {"want_efc", "want_forces"}
    assert stages.wants(["qLD", "site_xpos"]) == {"want_factors", "want_sites"}


def test_importing_the_table_imports_no_kernel():
    code = (
        "import sys, lanewise.engine.stages, lanewise.engine.calls;"
        "print([n for n in sys.modules if n.startswith(('lanewise.engine.', 'llvmlite'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['lanewise.engine.stages', 'lanewise.engine.calls']"
