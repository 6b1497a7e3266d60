"""lanewise motion: info, convert, and what it says when something is wrong."""

import json

import numpy as np
import pytest

from lanewise import cli, motion
from support.g1_model import g1, g1_xml, walk_qpos


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("motion")
    (folder / "g1.xml").write_text(g1_xml())
    m = g1()
    np.savez(folder / "walk.npz", qpos=walk_qpos(m, 40), fps=50)
    clip = motion.load(folder / "walk.npz", m)
    clip.save(folder / "walk.pkl", "sonic", model=m)
    clip.save(folder / "walk.csv", model=m)
    return folder


def test_info(place, capsys):
    arguments = ["motion", "info", str(place / "walk.pkl"), "--model", str(place / "g1.xml")]
    assert cli.main(arguments) == 0
    out = capsys.readouterr().out
    assert "40 frames" in out and "xyzw (test: it agrees with pose_aa)" in out
    assert cli.main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fps"] == 50 and found["meaning"]["joints"]["source"] == "test"


def test_convert(place, tmp_path, capsys):
    target = tmp_path / "out.npz"
    arguments = ["motion", "convert", str(place / "walk.pkl"), str(target), "--form", "isaaclab-3",
                 "--model", str(place / "g1.xml"), "--resample", "25"]  # fmt: skip
    assert cli.main(arguments) == 0
    assert "20 frames" in capsys.readouterr().out
    assert motion.load(target, g1()).meaning["root_rot"].value == "xyzw"
    assert cli.main(arguments) == 1
    assert "there already" in capsys.readouterr().err
    assert cli.main([*arguments, "--force", "--mirror", "--ground"]) == 0


def test_what_would_decide_it_is_an_option(place, capsys):
    arguments = ["motion", "info", str(place / "walk.csv")]
    assert cli.main(arguments) == 1
    assert "--model FILE or --joint-names" in capsys.readouterr().err
    arguments += ["--model", str(place / "g1.xml")]
    assert cli.main(arguments) == 1
    assert "--root-rot wxyz or --root-rot xyzw" in capsys.readouterr().err
    assert cli.main([*arguments, "--root-rot", "xyzw"]) == 1
    assert "--fps 30" in capsys.readouterr().err
    assert cli.main([*arguments, "--root-rot", "xyzw", "--fps", "50"]) == 0


def test_playing_takes_a_robot(place, capsys):
    assert cli.main(["motion", "play", str(place / "walk.npz"), "--port", "0"]) == 1
    assert "--model FILE" in capsys.readouterr().err
