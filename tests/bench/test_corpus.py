"""Benchmarks of whole folders: which files are models, and what is left out."""

import json
import sys

import pytest

from bench import corpus, report

BALL = '<body pos="0 0 .1"><freejoint/><geom size=".1"/></body>'
ROBOT = f"<mujoco><worldbody>{BALL}</worldbody></mujoco>"
PLANE = '<worldbody><geom type="plane" size="1 1 1"/></worldbody>'
SCENE = f'<mujoco><include file="robot.xml"/>{PLANE}</mujoco>'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "robot.xml").write_text(ROBOT)
    (tmp_path / "deep" / "scene.xml").write_text(SCENE)
    (tmp_path / "broken.xml").write_text("<mujoco>")
    return tmp_path


def test_a_scene_stands_for_what_it_includes(folder):
    names = [path.name for path in corpus.files([str(folder)])]
    assert names == ["broken.xml", "scene.xml"]


def test_a_folder_is_measured(folder, monkeypatch, capsys):
    out = folder / "out.json"
    words = [str(folder), "--worlds", "8", "--rounds", "1", "--json", str(out)]
    monkeypatch.setattr(sys, "argv", ["corpus", *words])
    assert corpus.main() == 0
    said = capsys.readouterr().out
    assert "broken.xml: XML" in said
    assert "1 models, geometric mean" in said
    (row,) = json.loads(out.read_text())
    assert row["model"] == "deep/scene.xml"
    assert row["contacts"] == 1.0
    assert row["difference"] < 1e-9


def test_collections_are_written(folder, tmp_path, monkeypatch):
    """A line for each folder, with what a second run with other kernels has found."""
    page = tmp_path / "benchmarks.md"
    page.write_text("\n".join(("before", *report.COLLECTIONS, "after")))
    monkeypatch.setattr(report, "DOCS", tmp_path)
    monkeypatch.setattr(report, "features", lambda: "avx512f")
    monkeypatch.setattr(corpus, "of_narrow", lambda: {folder.name: [2.0, 8.0]})
    words = [str(folder), "--worlds", "8", "--rounds", "1", "--write"]
    monkeypatch.setattr(sys, "argv", ["corpus", *words])
    assert corpus.main() == 0
    before, *_, line, end, after = page.read_text().splitlines()
    assert (before, end, after) == ("before", report.COLLECTIONS[1], "after")
    assert line.startswith(f"| {folder.name} | 1 | ") and line.endswith(" | 4.00 | 2.00 |")


def test_no_such_folder(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["corpus", "nowhere"])
    with pytest.raises(SystemExit):
        corpus.main()
    assert "there is no nowhere" in capsys.readouterr().err
