"""Model.save: what is loaded from the file is the model, with its edits; or nothing is written."""

import copy
import pickle
from pathlib import Path

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.fields import EDITS
from support import editing, generator, zoo
from support.places import MODELS

XML = """
<mujoco>
  <compiler autolimits="true"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .3" euler="10 20 30">
      <joint name="hinge" range="-30 40" stiffness="2" axis="0 1 .2"/>
      <geom name="rod" type="capsule" size=".05" fromto="0 0 0 .3 .1 0"/>
      <site name="tip" pos=".3 .1 0"/>
    </body>
  </worldbody>
  <actuator><position joint="hinge" kp="3"/></actuator>
  <keyframe><key name="up" qpos=".3"/></keyframe>
</mujoco>
"""


def bits(m):
    raw = np.zeros(mujoco.mj_sizeModel(m.mj), np.uint8)
    mujoco.mj_saveModel(m.mj, None, raw)
    return raw.tobytes()


def edit(m):
    """Numbers of most kinds, and what follows from them."""
    m.opt.timestep = 0.0031234567890123
    m.opt.gravity[:] = 0.1, -0.2, -9.7
    m.opt.integrator = "implicitfast"
    m.opt.disableflags |= 1 << 9
    m.geom_friction[:, 0] *= 1.1
    m.geom_solref[:, 0] *= 1.3
    m.jnt_stiffness[:] *= 1.2
    m.key_time[:] += 0.01
    m.key_qvel[:] += 0.01
    m.body_ipos[1:] *= 1.01
    m.body_inertia[1:] *= 1.02
    m.body_gravcomp[1:] = 0.3
    m.geom_contype[m.geom_contype > 0] |= 4
    m.geom_condim[:] = 4
    m.geom_priority[:] = 2
    m.pair_dim[:] = 6
    m.eq_active0 = ~m.eq_active0.astype(bool)
    m.actuator_ctrlrange[:] += 0.1
    lw.set_const(m)
    return m


def moved(m):
    """The state after some steps."""
    d = lw.Data(m)
    d.ctrl[:] = 0.1
    lw.step(m, d, 20)
    return lw.get_state(m, d)


SAVED = [
    "crooked", "contacts_pairs", "contacts_mesh", "contacts_hfield", "constraints_equality",
    "mocap", "integrate_plastic", "tendon_wrap", "actuation_delay", "walker",
]  # fmt: skip


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("name", SAVED)
def test_both_kinds_come_back(name, edited, tmp_path):
    m = lw.load(MODELS / f"{name}.xml")
    if edited:
        edit(m)
    m.save(tmp_path / "model.mjb")
    again = lw.load(tmp_path / "model.mjb")
    assert bits(again) == bits(m)
    np.testing.assert_array_equal(moved(again), moved(m))
    m.save(tmp_path / "model.xml")
    again = lw.load(tmp_path / "model.xml")
    for field in EDITS:
        theirs, ours = (np.asarray(editing.field(x, field)) for x in (again, m))
        np.testing.assert_allclose(theirs, ours, rtol=1e-12, atol=1e-14, err_msg=field)
    np.testing.assert_allclose(moved(again), moved(m), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_random_models(seed, tmp_path):
    m = lw.load(generator.generate(seed))
    m.save(tmp_path / "model.xml")
    again = lw.load(tmp_path / "model.xml")
    np.testing.assert_allclose(moved(again), moved(m), rtol=1e-6, atol=1e-9)


def test_whatever_it_was_loaded_from(tmp_path):
    file = tmp_path / "there.xml"
    file.write_text(XML)
    spec = mujoco.MjSpec.from_string(XML)
    sources = {"text": XML, "file": file, "str": str(file), "spec": spec, "Model": lw.load(XML)}
    for name, source in sources.items():
        m = lw.load(source)
        m.geom_friction[1] = 0.123456789, 0.01, 0.001
        m.save(tmp_path / f"{name}.xml")
        again = lw.load(tmp_path / f"{name}.xml")
        assert again.geom("rod").friction[0] == 0.123456789
        assert again.keyframe_id("up") == 0
    # what the source is after that does not matter
    m = lw.load(file)
    file.unlink()
    m.save(file)
    assert lw.load(file).njnt == 1
    # copies, and the model of a Batch
    copy.deepcopy(m).save(tmp_path / "copy.xml")
    b = lw.Batch(m, 2, 1)
    b.model.opt.timestep = 0.5
    b.model.save(tmp_path / "batch.xml")
    assert lw.load(tmp_path / "batch.xml").opt.timestep == 0.5


def test_files_are_found_from_another_folder(tmp_path):
    """Meshes of a URDF and of MJCF stay where they are; assets are given again."""
    with pytest.warns(UserWarning, match="no actuators"):
        m = lw.load(MODELS / "bot_description" / "urdf" / "bot.urdf", packages=[MODELS])
    folder = tmp_path / "models"
    (folder / "meshes").mkdir(parents=True)
    corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (folder / "meshes" / "corner.obj").write_text(corner)
    text = """<mujoco><compiler meshdir="meshes"/><asset><mesh file="corner.obj"/></asset>
    <worldbody><body><freejoint/><geom type="mesh" mesh="corner"/></body></worldbody></mujoco>"""
    (folder / "mesh.xml").write_text(text)
    out = tmp_path / "out"
    out.mkdir()
    for k, model in enumerate((m, lw.load(folder / "mesh.xml"))):
        model.save(out / f"{k}.xml")
        assert lw.load(out / f"{k}.xml").nmeshvert == model.nmeshvert > 0
    lw.load(folder / "mesh.xml").save(folder / "beside.xml")
    assert str(folder) not in (folder / "beside.xml").read_text()
    assets = {"corner.obj": corner.encode()}
    given = lw.load(text.replace('meshdir="meshes"', ""), assets)
    given.save(out / "given.xml")
    assert lw.load(out / "given.xml", assets).nmeshvert == given.nmeshvert


# ---- what XML cannot have


def test_models_without_xml(tmp_path):
    m = lw.load(XML)
    m.save(tmp_path / "m.mjb")
    for source, kind in (
        (lw.load(m.mj), "an MjModel"), (lw.load(tmp_path / "m.mjb"), "an MJB"),
        (pickle.loads(pickle.dumps(m)), "a pickle"),
    ):  # fmt: skip
        with pytest.raises(lw.ModelError, match=f"loaded from {kind}, of which .* save it as"):
            source.save(tmp_path / "m.xml")
        source.save(tmp_path / "again.mjb")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.mjb", "m.mjb"]


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda m: m.actuator_biastype.__setitem__(0, 0), "would not keep actuator_biastype as"),
        (lambda m: m.actuator_ctrllimited.__setitem__(0, 1), "not keep actuator_ctrllimited as"),
        (lambda m: m.body_mass.__setitem__(1, 9), "body_subtreemass.* call lanewise.set_const.m."),
        (lambda m: m.geom_size.__setitem__((0, 1), 9), "geom_size|geom_aabb|set_const"),
        (lambda m: m.body_pos.__setitem__(0, 1), "XML cannot have what was edited: .*world"),
    ],
)  # fmt: skip
def test_edits_that_would_be_lost(write, words, tmp_path):
    """Nothing is written, and what was there is as it was."""
    m, file = lw.load(XML), tmp_path / "m.xml"
    m.save(file)
    before = file.read_bytes()
    write(m)
    if "geom_size" in words:
        m.geom_rbound[0] = 3.0  # a plane's is zero
    with pytest.raises(lw.ModelError, match=words):
        m.save(file)
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]
    m.save(tmp_path / "m.mjb")


def test_what_cannot_be_run_is_not_saved(tmp_path):
    m = lw.load(XML)
    m.mj.geom(0).type = 77
    with pytest.raises(lw.ModelError, match="geom_type"):
        m.save(tmp_path / "m.mjb")
    assert not list(tmp_path.iterdir())


def test_paths(tmp_path, monkeypatch):
    m = lw.load(XML)
    for path, kind, words in (
        (3, TypeError, "save takes a path, got int"),
        (b"x.mjb", TypeError, "save takes a path, got bytes"),
        (tmp_path / "x.txt", ValueError, "x.txt': a name must end with .mjb, .* or with .xml"),
        (tmp_path / "x", ValueError, "must end with .mjb"),
        (tmp_path / "none" / "x.mjb", FileNotFoundError, "there is no folder .*none' to save in"),
    ):  # fmt: skip
        with pytest.raises(kind, match=words):
            m.save(path)
    (tmp_path / "folder.mjb").mkdir()
    with pytest.raises(IsADirectoryError, match="folder.mjb' is a folder"):
        m.save(tmp_path / "folder.mjb")
    monkeypatch.chdir(tmp_path)
    m.save("HERE.XML")
    m.save(Path("here.MJB"))
    assert lw.load("HERE.XML").njnt == lw.load("here.MJB").njnt == 1


def test_a_disk_that_is_full(tmp_path, monkeypatch):
    """The file that was there stays, and nothing is left beside it."""
    m, file = lw.load(zoo.own("crooked")), tmp_path / "m.mjb"
    m.save(file)
    before = file.read_bytes()
    m.body_mass[1] = 7

    def fail(self, content):
        with self.open("wb") as out:
            out.write(content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError, match="No space"):
        m.save(file)
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]
