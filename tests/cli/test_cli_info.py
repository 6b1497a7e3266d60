"""`lanewise info`, `models`, `order`, `cache` and `doctor`."""

import json

import pytest

from lanewise import conventions as cv
from lanewise import models
from lanewise.cli import main
from lanewise.cli.commands.models import about
from support.places import MODELS


def told(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


def facts(capsys, *words):
    return json.loads(told(capsys, *words, "--json"))


def test_tree(capsys):
    out = told(capsys, "info", "quadruped")
    assert "└── trunk" in out and "front_left_knee hinge" in out
    assert "kg" in out and out.rstrip().endswith("quadruped runs")
    assert "└──" not in told(capsys, "info", "quadruped", "--no-tree")


def test_numbers(capsys):
    found = facts(capsys, "info", "quadruped")
    assert found["sizes"]["degrees of freedom"] == 18
    assert found["contacts"]["room"] > 0 and found["memory"]["bytes_per_world"] > 0
    assert found["unsupported"] == {}
    orders = {name: o["joints"] for o in found["orders"] for name in o["systems"]}
    model = models.path("quadruped")
    import mujoco

    mj = mujoco.MjModel.from_xml_path(str(model))
    for system in ("mujoco", "isaaclab-2", "drake"):
        assert orders[system] == cv.joint_permutation(mj, "mujoco", system).tolist()


def test_pairs_are_those_that_may_touch(capsys):
    kinds = facts(capsys, "info", str(MODELS / "contacts_pairs.xml"))["contacts"]["kinds"]
    assert kinds and all(row["most"] == row["pairs"] * row["most_each"] for row in kinds)
    assert "no geoms can touch" in told(capsys, "info", "pendulum")


def test_a_world_without_joints(capsys):
    out = told(capsys, "info", str(MODELS / "static.xml"))
    assert "runs" in out


@pytest.mark.parametrize("name", models.names())
def test_models_say_what_they_are(name, capsys):
    assert len(about(name)) > 10
    assert f"{name} " in told(capsys, "models")
    assert facts(capsys, "models")[name]["path"] == str(models.path(name))


def test_order(capsys):
    out = told(capsys, "order", "quadruped", "isaaclab-2")
    assert "4 front_left_swing" in out
    assert "x_isaaclab_2 = x_mujoco[..., [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]]" in out
    back = facts(capsys, "order", "quadruped", "mujoco", "--from", "isaaclab-2")
    there = facts(capsys, "order", "quadruped", "isaaclab-2")
    both = [there["joint_permutation"][k] for k in back["joint_permutation"]]
    assert both == list(range(12))


def test_order_of_a_urdf(capsys):
    path = str(MODELS / "bot_description" / "urdf" / "bot.urdf")
    found = facts(capsys, "order", path, "mujoco")
    assert found["joints"] and len(found["joints"]) == len(found["joint_permutation"])


def test_order_asks_for_what_it_needs(tmp_path, capsys):
    links = "".join(f'<link name="{name}"/>' for name in "abcd")
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{a}"/><child link="{b}"/>'
        '<axis xyz="0 0 1"/><limit effort="1" velocity="1" lower="-1" upper="1"/></joint>'
        for name, kind, a, b in [
            ("z", "fixed", "a", "b"), ("y", "revolute", "b", "c"), ("x", "revolute", "a", "d")
        ]
    )  # fmt: skip
    inertia = (
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"'
        ' iyz="0"/></inertial></link>'
    )
    text = f'<robot name="r">{links}{joints}</robot>'
    for name in "abcd":
        text = text.replace(f'<link name="{name}"/>', f'<link name="{name}">{inertia}')
    (tmp_path / "r.urdf").write_text(text)
    assert main(["order", str(tmp_path / "r.urdf"), "isaaclab-2"]) == 1
    assert "--fixed keep or --fixed merge" in capsys.readouterr().err
    assert main(["order", str(tmp_path / "r.urdf"), "isaaclab-2", "--fixed", "merge"]) == 0


def test_unknown_system(capsys):
    assert main(["order", "pendulum", "mujco"]) == 1
    assert "mujco" in capsys.readouterr().err


def test_cache(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(tmp_path))
    (tmp_path / "gang-x.o").write_bytes(b"12345")
    (tmp_path / "notes.txt").write_text("not ours")
    assert f"{tmp_path}: 1 file" in told(capsys, "cache")
    assert "gang-x.o" in told(capsys, "cache", "list")
    found = facts(capsys, "cache")
    assert (found["files"], found["bytes"]) == (1, 5)
    assert "removed 1 file" in told(capsys, "cache", "clear")
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(tmp_path / "none"))
    assert "0 files" in told(capsys, "cache")


def test_doctor_for_programs(capsys, monkeypatch):
    monkeypatch.setattr("lanewise.cli.gl_backends.tried", lambda: {"egl": "works"})
    found = {line["what"]: line["is"] for line in facts(capsys, "doctor")}
    assert found["egl"] == "works" and "mujoco" in found and "viewer" in found


def test_doctor_says_what_is_missing(capsys, monkeypatch):
    from lanewise.cli.commands import doctor

    monkeypatch.setattr("lanewise.cli.gl_backends.tried", dict)
    monkeypatch.setattr(doctor, "EXTRAS", {"nothing": ("no-such-package",)})
    out = told(capsys, "doctor")
    assert "no no-such-package: pip install 'lanewise[nothing]'" in out
