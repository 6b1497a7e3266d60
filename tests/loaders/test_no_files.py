"""MuJoCo's warnings become Python's, and no file is written: not by loading, editing or running."""

import contextlib
import os
import subprocess
import sys
import threading
import warnings

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support.places import ROOT

# what MuJoCo's compiler warns of
OLD = """
<mujoco><compiler settotalmass="3"/>
  <worldbody><body><joint/><geom size=".1" pos="0 .1 .2"/></body></worldbody>
</mujoco>
"""
BALL = OLD.replace('<compiler settotalmass="3"/>', "")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory, which stays empty."""
    monkeypatch.chdir(tmp_path)
    with no_handler():
        yield tmp_path
        assert os.listdir(tmp_path) == []
        assert mujoco.get_mju_user_warning() is None


@contextlib.contextmanager
def no_handler():
    """Without that of the other tests."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def heard(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


def test_loading(folder, capfd):
    (one,) = heard(lambda: lw.load(OLD))
    assert "settotalmass" in str(one.message) and one.category is RuntimeWarning
    assert one.filename == __file__
    (other,) = heard(lambda: lw.load(mujoco.MjSpec.from_string(OLD)))
    assert "settotalmass" in str(other.message)
    assert capfd.readouterr() == ("", "")


def test_mujoco_by_itself_writes_one(tmp_path, monkeypatch):
    """What is to be prevented."""
    monkeypatch.chdir(tmp_path)
    with no_handler():
        mujoco.MjModel.from_xml_string(OLD)
    assert os.listdir(tmp_path) == ["MUJOCO_LOG.TXT"]


def test_a_damaged_file(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "a.mjb"
    mj = mujoco.MjModel.from_xml_string(BALL)
    mj.body_parentid[1] = 7
    mujoco.mj_saveModel(mj, str(path), None)
    assert heard(lambda: _refused(path)) == []


def _refused(path):
    with pytest.raises(lw.ModelError):
        lw.load(path)


def test_set_const(folder):
    b = lw.Batch(lw.load(BALL), 5, 1)
    b.expand("body_mass")[1:3] = b.expand("body_inertia")[1:3] = 0
    (one,) = heard(b.set_const)  # once for all worlds
    assert "Inertia matrix is too close to singular" in str(one.message)
    assert one.filename == __file__
    heard(lambda: b.get_model(1))


def test_set_const_with_errors_of_warnings(folder):
    """The constants of all worlds are there, whatever was raised."""
    b, quiet = lw.Batch(lw.load(BALL), 5, 1), lw.Batch(lw.load(BALL), 5, 1)
    for one in (b, quiet):
        one.expand("body_mass")[:] *= np.arange(5)[:, None]
        one.expand("body_inertia")[:] *= np.arange(5)[:, None, None]
    heard(quiet.set_const)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="Inertia matrix"):
            b.set_const()
    np.testing.assert_array_equal(b.expanded("dof_M0"), quiet.expanded("dof_M0"))
    heard(lambda: (b.step(ids=[3]), quiet.step(ids=[3])))
    np.testing.assert_array_equal(b.state, quiet.state)


def test_running(folder, capfd):
    m = lw.load(BALL)
    d, b = lw.Data(m), lw.Batch(m, 9, 2)
    d.qpos[:] = b.qpos[4] = np.nan
    assert len(heard(lambda: (lw.step(m, d), b.step()))) == 2
    heard(lambda: lw.get_data(m, d))
    assert capfd.readouterr() == ("", "")


def test_a_handler_of_the_users_hears_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = []
    with no_handler():
        mujoco.set_mju_user_warning(said.append)
        assert heard(lambda: lw.load(OLD)) == []
        (text,) = said
        assert "settotalmass" in text
        assert mujoco.get_mju_user_warning() == said.append
    assert os.listdir(tmp_path) == []


def test_several_threads(folder):
    """Whoever ends first does not take the others' ears away."""
    found = []

    def work():
        for _ in range(20):
            lw.load(OLD)
        found.append(True)

    def all_of_them():
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(heard(all_of_them)) == 80 and len(found) == 4


@pytest.mark.parametrize("command", [["bench"], ["report"]])
def test_commands(folder, tmp_path_factory, command):
    model = tmp_path_factory.mktemp("models") / "a.xml"
    model.write_text(OLD)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-m", "lanewise", *command, str(model), "--worlds=3", "--steps=2"],
        cwd=folder, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "lanewise: note: MuJoCo: compiler attribute 'settotalmass'" in run.stderr
