"""docs/gallery.png: every model has its place in it, and the file is small."""

import importlib

import pytest

from lanewise import models
from support.places import DOCS


def test_every_model_is_in_the_gallery(monkeypatch):
    pytest.importorskip("PIL")
    monkeypatch.setenv("MUJOCO_GL", "osmesa")  # which the module would set for good
    gallery = importlib.import_module("make_gallery")
    assert sorted(gallery.VIEWS) == models.names()
    for name, start in gallery.STARTS.items():
        _, d = gallery.simulated(name)
        assert d.qpos.shape == (len(start),)


def test_the_picture_is_there_and_small():
    assert 50_000 < (DOCS / "gallery.png").stat().st_size < 600_000
