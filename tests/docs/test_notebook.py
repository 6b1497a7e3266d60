"""examples/first_steps.ipynb runs from top to bottom, and is kept as it was run."""

import json
import os

import pytest

from support.places import ROOT

NOTEBOOK = ROOT / "examples" / "first_steps.ipynb"


def printed(cells) -> str:
    """What all cells print."""
    return "".join(
        "".join(output["text"])
        for cell in cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "stream" and output["name"] == "stdout"
    )


def test_it_runs_from_top_to_bottom(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    where = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources=where
    ).execute()  # raises CellExecutionError
    text = printed(notebook.cells)
    assert "floor on robot 147.8 to 147.8 N, weight 147.8 N" in text
    assert "standing after 1.5 s: 64 of 64" in text
    assert float(text.partition("largest difference ")[2].split()[0]) < 1e-12


def test_it_is_kept_with_its_outputs_and_small():
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    kinds = {kind for cell in cells for o in cell.get("outputs", []) for kind in o.get("data", {})}
    assert {"image/png", "text/html"} <= kinds
    assert "standing after" in printed(cells)
    assert not any(o["output_type"] == "error" for cell in cells for o in cell.get("outputs", []))
    assert NOTEBOOK.stat().st_size < 150_000
