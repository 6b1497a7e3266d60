"""Stages that are damaged, hostile or mistaken: an error that says so, and nothing else happens."""

import contextlib
import os
import random
import struct
import subprocess
import sys
import zipfile

import pytest

import lanewise as lw
from lanewise.errors import LanewiseError, ModelError, UnsupportedFeature
from support import stages

pytest.importorskip("pxr")
pytestmark = pytest.mark.filterwarnings("ignore:.*has what the model has not")


@pytest.fixture(scope="module")
def crate(tmp_path_factory):
    """The arm as a binary layer."""
    from pxr import Sdf

    folder = tmp_path_factory.mktemp("crate")
    (folder / "arm.usda").write_text(stages.arm_stage())
    Sdf.Layer.FindOrOpen(str(folder / "arm.usda")).Export(str(folder / "arm.usdc"))
    return (folder / "arm.usdc").read_bytes()


def refused(folder, name, content, match):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ModelError, match=match):
        lw.load(path)


def test_whole_ones_load(tmp_path, crate):
    for name in ("arm.usdc", "arm.usd"):
        (tmp_path / name).write_bytes(crate)
        assert lw.load(tmp_path / name).nu == 2
    with zipfile.ZipFile(tmp_path / "arm.usdz", "w") as archive:
        archive.writestr("arm.usdc", crate)
    assert lw.load(tmp_path / "arm.usdz").nu == 2


def test_trouble_while_the_trial_ends_is_no_damage(tmp_path, crate, monkeypatch):
    """USD's threads sometimes end a process that is ending: its file was read all the same."""
    (tmp_path / "sitecustomize.py").write_text("import atexit, os\natexit.register(os.abort)\n")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "arm.usdc").write_bytes(crate)
    assert lw.load(tmp_path / "arm.usdc").nu == 2
    refused(tmp_path, "a.usda", stages.arm_stage()[:900], "cannot be opened: .*a.usda:")


def test_cut_off(tmp_path, crate):
    refused(tmp_path, "a.usdc", b"", "is empty")
    refused(tmp_path, "a.usdc", crate[:5], "is no .usdc: it begins with b'PXR-U'")
    refused(tmp_path, "a.usdc", crate[:20], "is cut off: 20 bytes")
    refused(tmp_path, "a.usd", crate[:500], "its table of contents is at byte")
    refused(tmp_path, "a.usdc", crate[:-40], "sections, and there is room for")
    refused(tmp_path, "a.usda", stages.arm_stage()[:900], "cannot be opened: .*a.usda:")


def test_gigabytes_in_tables(tmp_path, crate):
    (toc,) = struct.unpack("<q", crate[16:24])
    refused(tmp_path, "a.usdc", _put(crate, 16, "<q", 2**60), "at byte 1,152,921,504")
    refused(tmp_path, "a.usdc", _put(crate, toc, "<Q", 2**40), "1,099,511,627,776 sections")
    refused(tmp_path, "a.usdc", _put(crate, toc + 32, "<q", 2**40), "section 'TOKENS' has")
    for k in range(6):  # what sections say of themselves
        (begin,) = struct.unpack("<q", crate[toc + 24 + 32 * k : toc + 32 + 32 * k])
        refused(tmp_path, f"{k}.usdc", _put(crate, begin, "<Q", 2**34), "more memory than is free")


def _put(content, at, form, number):
    return content[:at] + struct.pack(form, number) + content[at + 8 :]


def test_bytes_that_are_wrong(tmp_path, crate):
    rng = random.Random(5)
    for k in range(8):
        broken = bytearray(crate)
        for _ in range(rng.choice([1, 4, 16])):
            broken[rng.randrange(88, len(broken))] = rng.randrange(256)
        path = tmp_path / f"{k}.usdc"
        path.write_bytes(broken)
        with contextlib.suppress(LanewiseError):  # some damage is harmless
            lw.load(path)


def test_archives(tmp_path, crate):
    with zipfile.ZipFile(tmp_path / "good.usdz", "w") as archive:
        archive.writestr("arm.usdc", crate)
    good = (tmp_path / "good.usdz").read_bytes()
    refused(tmp_path, "a.usdz", good[:1000], "is no .usdz, or cut off")
    refused(tmp_path, "a.usdz", good[:-10], "is no .usdz, or cut off")
    with zipfile.ZipFile(tmp_path / "packed.usdz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("arm.usdc", crate)
    refused(tmp_path, "p.usdz", (tmp_path / "packed.usdz").read_bytes(), "compressed: arm.usdc")
    with zipfile.ZipFile(tmp_path / "py.usdz", "w") as archive:
        archive.writestr("run.py", "raise SystemExit")
    refused(tmp_path, "y.usdz", (tmp_path / "py.usdz").read_bytes(), "first file .* is 'run.py'")
    with zipfile.ZipFile(tmp_path / "cut.usdz", "w") as archive:
        archive.writestr("arm.usdc", crate[:-60])
    refused(tmp_path, "c.usdz", (tmp_path / "cut.usdz").read_bytes(), "'arm.usdc' in .* damaged")


def prim(metadata):
    return f'#usda 1.0\ndef Xform "a" ({metadata})\n{{\n}}\n'


def test_references_that_lead_nowhere(tmp_path):
    wrong = "refers to what is not there"
    refused(tmp_path, "a.usda", prim("references = @./gone.usda@</r>"), f"{wrong}[^$]*gone.usda")
    refused(tmp_path, "a.usda", prim("payload = @http://x.y/z.usda@"), f"{wrong}[^$]*x.y/z.usda")
    refused(tmp_path, "a.usda", prim("references = @./a.usda@</a>"), f"{wrong}[^$]*[Cc]ycle")
    refused(tmp_path, "a.usda", prim("references = @/dev/zero@"), f"{wrong}[^$]*/dev/zero")
    refused(
        tmp_path, "a.usda", "#usda 1.0\n(\nsubLayers = [@./gone.usda@]\n)\n", f"{wrong}[^$]*gone"
    )


def test_what_is_no_stage(tmp_path):
    refused(tmp_path, "a.usda", "hello", "is no USD: it begins with b'hello'")
    refused(tmp_path, "a.usd", "<mujoco/>", "is no USD: it begins with b'<mujoco/>'")
    refused(tmp_path, "a.usda", "#usda 1.0\n", "it has no physics")
    deep = "".join(f'def Xform "a{k}"\n{{\n' for k in range(5000)) + "}\n" * 5000
    refused(tmp_path, "a.usda", "#usda 1.0\n" + deep, "it has no physics|nested")


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("physics:mass = 1.5", "physics:mass = nan", "/robot/upper.physics:mass is not a number"),
        ("physics:mass = 1.5", "physics:mass = inf", "/robot/upper: a mass.* infinite"),
        ("float physics:mass = 1.5", 'string physics:mass = "x"', "must be of type float"),
        ("= 9.81", "= inf", "gravity that is infinite: /scene"),
        ("size = 0.25", "size = -0.25", "sizes of shapes that are not positive: .*base_box"),
        ("metersPerUnit = 1.0", "metersPerUnit = 0", "metersPerUnit must be positive, got 0.0"),
        ("upperLimit = 45", "upperLimit = -99", "lower limit is not below .*/robot/shoulder"),
        ("</robot/hand>", "</robot/foot>", "a body that is not there, /robot/foot: /robot/slide"),
        ('axis = "X"', 'axis = "Q"', r"axis is 'Q', and must be one of \['X', 'Y', 'Z'\]"),
        ("(0.5, 0.25, 1.5)", "(nan, 0, 0)", "/robot/upper: a pose with NaN"),
        ("stiffness = 0.5", "stiffness = -1", "negative stiffness or damping: /robot/shoulder"),
    ],
)
def test_mistakes(tmp_path, old, new, match):
    text = stages.arm_stage()
    assert old in text
    refused(tmp_path, "a.usda", text.replace(old, new), match)


def test_what_belongs_to_xml(tmp_path):
    (tmp_path / "a.usda").write_text(stages.arm_stage())
    with pytest.raises(ModelError, match="assets, base and packages are for XML"):
        lw.load(tmp_path / "a.usda", base="free")
    with pytest.raises(ModelError, match="USD is read from files"):
        lw.load(stages.arm_stage())


def test_all_that_is_not_simulated_is_told_at_once(tmp_path):
    text = stages.arm_stage() + (
        'def Mesh "cloth" (prepend apiSchemas = ["PhysxParticleClothAPI"])\n{\n}\n'
        'def Sphere "soft" (prepend apiSchemas = ["PhysxDeformableBodyAPI"])\n{\n}\n'
    )
    (tmp_path / "a.usda").write_text(text)
    with pytest.raises(UnsupportedFeature) as error:
        lw.load(tmp_path / "a.usda")
    assert set(error.value.features) == {"PhysxParticleClothAPI", "PhysxDeformableBodyAPI"}


def test_without_usd_core(tmp_path):
    (tmp_path / "a.usda").write_text(stages.arm_stage())
    (tmp_path / "pxr").mkdir()
    (tmp_path / "pxr" / "__init__.py").write_text("raise ImportError('none here')")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    code = f"import lanewise as lw; lw.load({str(tmp_path / 'a.usda')!r})"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "ImportError: files of USD need usd-core: pip install 'lanewise[usd]'" in done.stderr
