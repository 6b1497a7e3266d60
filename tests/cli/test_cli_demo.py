"""How the demo ends: with a page where nobody sits at a terminal, else with the viewer."""

import socket
import sys
import types

import numpy as np
import pytest

from lanewise import cli, models
from lanewise.cli import exhibit, measure

FEW = ["demo", "--model", "cartpole", "--worlds", "5", "--steps", "3", "--threads", "1"]


def test_without_a_terminal_a_page_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(FEW) == 0
    page = tmp_path / exhibit.PAGE
    assert f"5 of the worlds are in {page}" in capsys.readouterr().out
    text = page.read_text()
    assert "<html" in text and "lanewise demo: cartpole" in text
    assert cli.main(FEW) == 0  # again, in its place


def test_the_page_can_be_elsewhere_or_nowhere(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main([*FEW, "--no-show"]) == 0
    assert not list(tmp_path.iterdir())
    assert cli.main([*FEW, "--page", "worlds.html"]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["worlds.html"]
    capsys.readouterr()
    assert cli.main([*FEW, "--page", "nowhere/worlds.html"]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("lanewise: ")


@pytest.fixture
def seen(monkeypatch):
    """What the viewer is asked to show, where there is a terminal."""
    asked = []

    def view(batch, **how):
        asked.append((batch, how))

    monkeypatch.setitem(sys.modules, "lanewise.viewer", types.SimpleNamespace(view=view))
    monkeypatch.setattr(exhibit, "on_terminal", lambda: True)
    return asked


def test_on_a_terminal_the_viewer_serves_them(seen, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(exhibit, "has_viewer", lambda: True)
    assert cli.main(FEW) == 0
    ((batch, how),) = seen
    worlds = measure.Worlds.scattered(measure.authored(models.path("cartpole")), 5)
    np.testing.assert_array_equal(batch.qpos, worlds.qpos)  # from the start
    np.testing.assert_array_equal(batch.ctrl, worlds.ctrl)
    assert how["play"] and how["name"] == "cartpole"
    assert not list(tmp_path.iterdir())


def test_without_the_viewer_it_says_how_to_get_it(seen, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(exhibit, "has_viewer", lambda: False)
    assert cli.main(FEW) == 0
    assert not seen and (tmp_path / exhibit.PAGE).is_file()
    assert "pip install 'lanewise[viewer]'" in capsys.readouterr().out


def test_some_of_many_are_shown():
    worlds = measure.Worlds.scattered(measure.authored(models.path("pendulum")), 100)
    assert exhibit.begun(worlds, 1).nsim == exhibit.SHOWN
    assert exhibit.begun(worlds, 1, most=3).nsim == 3


def test_a_port_in_use_is_not_asked_for():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert exhibit.free_port(taken.getsockname()[1]) == 0
