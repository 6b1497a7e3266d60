"""The table of stages agrees with the kernels, the fields and the pipeline."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lanewise as lw
from lanewise import fields
from lanewise.engine import pipeline, stages
from lanewise.lanes import Kernel

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
    wanted = {f"want_{f.want}" for f in fields.DATA if f.want}
    wanted |= {f"want_{s}" for s in stages.SECTIONS if stages.has(s, "demand")}
    assert wanted | {"want_forces"} == set(stages.WANTS)
    text = "\n".join(path.read_text() for path in ENGINE.rglob("*.py"))
    for name in stages.WANTS:
        assert f"d.{name}" in text, name


def test_stages_on_demand_are_in_the_pipeline():
    """Those of the last level run for readers only."""
    tree = ast.parse((ENGINE / "pipeline.py").read_text())
    called = {node.func.id for node in ast.walk(tree)
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}  # fmt: skip
    for section, its in stages.SECTIONS.items():
        if stages.has(section, "demand"):
            assert called & {stage.name for stage in its}, section
    assert isinstance(pipeline.for_readers, Kernel)


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
