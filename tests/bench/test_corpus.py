"""Benchmarks of whole folders: which files are models, and what is left out."""

import json
import sys

import pytest

from bench import corpus

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


def test_no_such_folder(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["corpus", "nowhere"])
    with pytest.raises(SystemExit):
        corpus.main()
    assert "there is no nowhere" in capsys.readouterr().err
