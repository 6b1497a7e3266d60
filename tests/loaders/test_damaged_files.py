"""Files that are damaged, hostile or no models: our own error, soon, without taking memory."""

import json
import os
import struct
import subprocess
import sys

import mujoco
import pytest

import lanewise as lw
from lanewise.errors import LanewiseError, ModelNotFound
from support.places import MODELS

# loads every variant of a file in a process with little memory, and prints what came out; "ok" is
# a model that has made a step
FLIPS = """
import collections, json, random, resource, sys
from pathlib import Path

import lanewise as lw
from lanewise.errors import LanewiseError

source, folder, seed, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
raw = Path(source).read_bytes()
lw.load(source)
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
rng = random.Random(seed)
said = collections.Counter()
for k in range(count):
    data, kind = bytearray(raw), k % 4
    if kind == 0:  # in the header and the sizes
        data[rng.randrange(804)] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[rng.randrange(len(data)):]
    elif kind == 2:
        data[rng.randrange(804, len(data))] ^= 1 << rng.randrange(8)
    else:
        data += bytes(rng.randrange(1, 99))
    path = folder / "damaged.mjb"
    path.write_bytes(data)
    try:
        lw.load(path)
        said["ok"] += 1
    except LanewiseError as error:
        said["ours"] += 1
    print(k, file=sys.stderr)  # where it was, if this process ends here
print(json.dumps(said))
"""


@pytest.mark.parametrize("name", ["actuation_delay", "tendon_wrap", "contacts_mesh"])
def test_damaged_mjb(name, tmp_path):
    """Nothing but our own errors, and no crash."""
    path = tmp_path / "model.mjb"
    mujoco.mj_saveModel(mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.xml")), str(path))
    command = [sys.executable, "-c", FLIPS, str(path), str(tmp_path), "1", "240"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-600:]
    said = json.loads(done.stdout)
    assert said["ours"] >= 120  # whatever is cut off or too long


def sizes(raw, **changed):
    """An MJB with other sizes."""
    from lanewise.loaders.binary import layout

    data = bytearray(raw)
    for name, value in changed.items():
        struct.pack_into("<q", data, 20 + 8 * layout().sizes.index(name), value)
    return bytes(data)


def test_sizes_of_an_mjb_that_no_array_has(tmp_path):
    """They are compared with what they follow from before anything is allocated."""
    path = tmp_path / "model.mjb"
    mujoco.mj_saveModel(
        mujoco.MjModel.from_xml_path(str(MODELS / "actuation_delay.xml")), str(path)
    )
    raw = path.read_bytes()
    for name, value in [
        ("nJmom", 3), ("nJmom", 2**40), ("nsensordata", 2**35), ("npluginstate", 2**35),
        ("nhistory", 4), ("nhistory", 2**40), ("nuserdata", 2**40), ("nbvhdynamic", 2**30),
        ("ngravcomp", 99), ("narena", 2**47), ("nq", 2**33), ("nbody", -5), ("nkey", 2**62),
    ]:  # fmt: skip
        path.write_bytes(sizes(raw, **{name: value}))
        with pytest.raises(lw.ModelError):
            lw.load(path)


def test_an_mjb_says_what_is_wrong(tmp_path):
    path = tmp_path / "model.mjb"
    mujoco.mj_saveModel(mujoco.MjModel.from_xml_path(str(MODELS / "crooked.xml")), str(path))
    raw = path.read_bytes()
    for data, words in [
        (raw[:-1], "cut off"),
        (raw + b"x", "cut off"),
        (raw[:100], "no MJB"),
        (b"<mujoco/>" * 200, "no MJB"),
        (raw[:12] + struct.pack("<i", 3_003_000) + raw[16:], "MuJoCo 3.3.0"),
        (b"", "no MJB: it has 0 bytes"),
    ]:
        path.write_bytes(data)
        with pytest.raises(lw.ModelError, match=words):
            lw.load(path)
        if data:
            with pytest.raises(lw.ModelError, match=words):
                lw.load("asset.mjb", assets={"asset.mjb": data})


def test_an_index_that_mujoco_lets_pass(tmp_path):
    path = tmp_path / "model.mjb"
    mj = mujoco.MjModel.from_xml_path(str(MODELS / "actuation_delay.xml"))
    mj.dof_bodyid[0] = 10**6
    mujoco.mj_saveModel(mj, str(path))
    with pytest.raises(lw.ModelError):
        lw.load(path)


def test_entities():
    """MuJoCo leaves them as they are, so a model that declares some would be another."""
    lines = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    text = f'<!DOCTYPE x [<!ENTITY l0 "ha">{lines}]><mujoco model="&l9;"/>'
    with pytest.raises(lw.ModelError, match="entity 'l0'"):
        lw.load(text)
    assert lw.load("<mujoco><!-- <!ENTITY x 'y'> --></mujoco>").nbody == 1


def test_deep_nesting():
    with pytest.raises(lw.ModelError, match="deep"):
        lw.load("<mujoco>" * 10**5)


WORLD = "<mujoco><worldbody>{}</worldbody></mujoco>"
ASSET = "<mujoco><asset>{}</asset></mujoco>"


@pytest.mark.parametrize(
    "text",
    [
        WORLD.format('<replicate count="2000000000"><geom size="1"/></replicate>'),
        WORLD.format('<replicate count="999">' * 3 + '<geom size="1"/>' + "</replicate>" * 3),
        WORLD.format('<flexcomp name="f" type="grid" count="900 900 900" dim="3"/>'),
        ASSET.format('<hfield name="h" nrow="2000000000" ncol="2000000000" size="1 1 1 1"/>'),
        ASSET.format('<hfield name="h" nrow="900000" ncol="900000" size="1 1 1 1"/>'),
        ASSET.format('<texture name="t" builtin="flat" type="2d" width="900000" height="900000"/>'),
        '<mujoco><size nkey="2000000000"/></mujoco>',
        '<mujoco><size nuser_body="2000000000"/></mujoco>',
        '<mujoco><size nuserdata="2000000000"/></mujoco>',
        '<mujoco><sensor><user dim="2000000000"/></sensor></mujoco>',
        "<mujoco>" + "<!--" * 10**5,
        '<mujoco><size memory="9000T"/></mujoco>',
        WORLD.format("<body>" * 5000),
        WORLD.format(f'<body pos="{"1 " * 10**5}"/>'),
        "<mujoco model='\ud800'/>",
        "<",
        "<html>404</html>",
    ],
)
def test_xml_that_blows_up(text):
    with pytest.raises(lw.ModelError):
        lw.load(text)


def test_what_is_replicated_within_reason_loads():
    inner = '<replicate count="4"><geom size=".1"/></replicate>'
    assert (
        lw.load(WORLD.format(f'<replicate count="3" offset="1 0 0">{inner}</replicate>')).ngeom
        == 12
    )


def test_models_that_attach_themselves(tmp_path):
    text = (
        '<mujoco><asset><model name="q" file="{}"/></asset>'
        '<worldbody><attach model="q" prefix="p"/></worldbody></mujoco>'
    )
    (tmp_path / "self.xml").write_text(text.format("self.xml"))
    (tmp_path / "a.xml").write_text(text.format("b.xml"))
    (tmp_path / "b.xml").write_text(text.format("a.xml"))
    for name in ("self", "a"):
        with pytest.raises(lw.ModelError, match="attaches itself"):
            lw.load(tmp_path / f"{name}.xml")


def test_models_that_attach_twice_what_attaches_twice(tmp_path):
    """Thirty small files, a billion bodies."""
    twice = '<attach model="q" prefix="a"/><attach model="q" prefix="b"/>'
    for k in range(30):
        asset = f'<asset><model name="q" file="{k + 1}.xml"/></asset>'
        text = f"<mujoco>{asset}<worldbody>{twice}</worldbody></mujoco>"
        (tmp_path / f"{k}.xml").write_text(text)
    (tmp_path / "30.xml").write_text(WORLD.format("<body/>"))
    with pytest.raises(lw.ModelError, match="100,000 elements"):
        lw.load(tmp_path / "0.xml")


def test_paths_that_are_no_files(tmp_path):
    (tmp_path / "near.xml").write_text("<mujoco/>")
    os.mkfifo(tmp_path / "pipe.xml")
    for path, words in [
        (tmp_path, "folder; there are .*near.xml"),
        (tmp_path / ("x" * 300 + ".xml"), "too long"),
        ("a/" * 5000 + "x.xml", "too long"),
        (tmp_path / "zero\0.xml", "null byte"),
        (tmp_path / "neer.xml", "did you mean .*near.xml"),
        (tmp_path / "near.xml" / "x.xml", "no model file"),
        ("/dev/zero", "device"),
        (tmp_path / "pipe.xml", "pipe"),
        ("", "empty"),
    ]:
        with pytest.raises(ModelNotFound, match=words) as caught:
            lw.load(path)
        assert isinstance(caught.value, FileNotFoundError)
        assert len(str(caught.value)) < 800


@pytest.mark.parametrize("suffix", [".xml", ".urdf", ".mjb"])
def test_rubbish(suffix, tmp_path):
    path = tmp_path / f"rubbish{suffix}"
    for content in (
        b"",
        b"\n",
        bytes(range(256)) * 9,
        b"\x89PNG\r\n\x1a\n",
        "<mujoco/>".encode("utf-16"),
    ):
        path.write_bytes(content)
        with pytest.raises(LanewiseError):
            lw.load(path)


def test_assets_are_bytes_by_name():
    for assets in ([("a.xml", b"")], {"a.xml": "text"}, {3: b""}):
        with pytest.raises(TypeError, match="names of files to bytes"):
            lw.load("<mujoco/>", assets=assets)


def test_suffixes_in_capitals(tmp_path):
    (tmp_path / "MODEL.XML").write_text("<mujoco/>")
    assert lw.load(tmp_path / "MODEL.XML").nbody == 1
