"""The page of a replay: what is in it, and that a browser plays it from the disk, offline."""

import base64
import json
import re
import zlib

import numpy as np
import pytest

import lanewise as lw
from lanewise import runs
from lanewise.runs.replay_page import pictures
from support.browser import a_browser

ALL_SHAPES = """
<mujoco>
  <asset>
    <texture name="checker" type="2d" builtin="checker" rgb1=".1 .2 .3" rgb2=".3 .4 .5"
             width="64" height="64"/>
    <texture name="cube" type="cube" builtin="flat" rgb1="0 1 0" width="8" height="8"/>
    <material name="floor" texture="checker" texrepeat="4 4" texuniform="true"/>
    <material name="green" texture="cube"/>
    <mesh name="wedge" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3"/>
    <hfield name="hills" nrow="12" ncol="9" size="1 1 .3 .1"/>
  </asset>
  <worldbody>
    <geom type="plane" size="0 0 1" material="floor"/>
    <geom type="hfield" hfield="hills" pos="2 0 0"/>
    <geom type="box" size=".1 .2 .3" pos="0 1 .3" material="green"/>
    <geom type="ellipsoid" size=".1 .2 .3" pos="1 1 .3" group="4"/>
    <site name="hook" pos="0 0 1.5"/>
    <body pos="0 0 1">
      <freejoint/>
      <geom type="mesh" mesh="wedge"/>
      <geom type="cylinder" size=".1 .2" pos=".4 0 0" rgba="1 0 0 .5"/>
      <geom type="ellipsoid" size=".1 .2 .3" pos="-.4 0 0"/>
      <geom type="capsule" size=".1 .2" pos="0 .5 0"/>
      <geom type="sphere" size=".1" pos="0 -.5 0" rgba="0 0 0 0"/>
      <site name="eye"/>
    </body>
    <body name="guide" mocap="true" pos="1 1 1"><geom size=".05"/></body>
  </worldbody>
  <tendon>
    <spatial name="string" width=".02" rgba="1 0 0 1">
      <site site="hook"/><site site="eye"/>
    </spatial>
  </tendon>
</mujoco>
"""


def content(page):
    """The scene, and the poses (T, n, bodies, 4), (T, n, bodies, 4) that the page will show."""
    text = page.read_text()
    scene = json.loads(re.search(r'<script id="scene"[^>]*>(.*?)</script>', text, re.S)[1])
    packed = re.search(r'<script id="motion"[^>]*>(.*?)</script>', text, re.S)[1]
    raw = np.frombuffer(zlib.decompress(base64.b64decode(packed)), np.uint8)
    count = 4 * scene["worlds"] * scene["bodies"] * scene["frames"]
    shape = (scene["frames"], scene["worlds"], scene["bodies"], 4)

    def numbers(part, dtype):
        planes = part.reshape(np.dtype(dtype).itemsize, -1).T
        steps = np.ascontiguousarray(planes).view(dtype).reshape(scene["frames"], -1)
        return np.cumsum(steps, axis=0, dtype=dtype).reshape(shape)

    places = numbers(raw[: 4 * count], np.int32) * scene["unit"]
    turns = numbers(raw[4 * count : 6 * count], np.int16) / 32767
    return scene, places, turns


def test_poses_are_those_of_the_run(cart, npz, tmp_path):
    run = runs.open(npz)
    page = runs.replay(run, tmp_path / "run.html", worlds=[1, 4])
    scene, places, turns = content(page)
    assert scene["worlds"] == 2 and scene["frames"] == run.records
    assert scene["dt"] == pytest.approx(0.02)
    data = lw.Data(cart)
    for frame in (0, 13, 29):
        data.qpos[:] = run.qpos[frame, 4]
        lw.kinematics(cart, data)
        assert np.allclose(places[frame, 1, :, :3], data.xpos, atol=scene["unit"])
        aligned = np.abs((turns[frame, 1] * data.xquat).sum(axis=1))
        assert np.allclose(aligned, 1, atol=1e-4)


def test_what_is_drawn(tmp_path):
    run = runs.record(lw.load(ALL_SHAPES), tmp_path / "run.npz", worlds=2, steps=5)
    scene, places, _ = content(runs.replay(run, tmp_path / "run.html"))
    shapes = [geom["shape"] for geom in scene["geoms"]]
    assert sorted(map(str, shapes)) == sorted(
        ["plane", "0", "box", "1", "cylinder", "capsule", *["sphere"] * 4, *["capsule"] * 4]
    )  # a terrain, a mesh, an ellipsoid, a ball, two sites, spans; not group 4, not alpha 0
    plane, box = (next(g for g in scene["geoms"] if g["shape"] == s) for s in ("plane", "box"))
    assert plane["once"] and plane["image"] == 0 and plane["repeat"] == [4, 4]
    assert box["color"][1] > 5 * box["color"][0]  # the mean of its texture
    # the tendon's first span leads from the hook to the eye
    nbody = run.model.nbody
    eye = places[0, 0, 1, :3]
    assert np.allclose(places[0, 0, nbody, :3], (eye + [0, 0, 1.5]) / 2, atol=1e-3)
    assert places[0, 0, nbody, 3] == pytest.approx(np.linalg.norm(eye - [0, 0, 1.5]) / 2, abs=1e-3)


def test_tendons_that_wrap(tmp_path):
    """Spans are where MuJoCo's are, whatever the number of points of each tendon."""
    model = lw.load("""
    <mujoco>
      <worldbody>
        <geom name="drum" type="cylinder" size=".2" fromto="0 -.3 1 0 .3 1"/>
        <site name="a" pos="-.5 0 1"/><site name="c" pos="-.5 .2 1"/>
        <body pos=".5 0 1">
          <joint name="turn" axis="0 1 0" pos="-.5 0 0"/>
          <geom size=".05"/><site name="b"/>
        </body>
      </worldbody>
      <tendon>
        <spatial name="wrapped" width=".01" rgba="1 0 0 1">
          <site site="a"/><geom geom="drum"/><site site="b"/>
        </spatial>
        <fixed name="of joints"><joint joint="turn" coef="1"/></fixed>
        <spatial name="straight" width=".02" rgba="0 1 0 1">
          <site site="c"/><site site="b"/>
        </spatial>
      </tendon>
    </mujoco>
    """)
    run = runs.record(model, tmp_path / "run.npz", worlds=3, steps=60, scatter=1.0)
    scene, places, _ = content(runs.replay(run, tmp_path / "run.html"))
    cords = [geom for geom in scene["geoms"] if geom["body"] >= model.nbody]
    widths = {0.01: [], 0.02: []}
    for geom in cords:
        widths[geom["scale"][0]].append(geom["body"])
    frame = np.argmin(abs(run.time - (run.time[0] + scene["dt"] * (scene["frames"] - 1))))
    data = lw.Data(model)
    for world in range(3):
        data.qpos[:] = run.qpos[frame, world]
        lw.forward(model, data)
        points = np.asarray(data.wrap_xpos).reshape(-1, 3)
        for tendon, width in ((0, 0.01), (2, 0.02)):
            path = points[data.ten_wrapadr[tendon] :][: data.ten_wrapnum[tendon]]
            lengths = np.sort(2 * places[-1, world, widths[width], 3])[::-1][: len(path) - 1]
            theirs = np.sort(np.linalg.norm(np.diff(path, axis=0), axis=1))[::-1]
            assert np.allclose(lengths, theirs, atol=1e-3)


def test_records_at_equal_intervals():
    some, dt = pictures(np.arange(1, 101) * 0.002, 50)
    assert dt == 0.02 and np.array_equal(some, np.arange(0, 100, 10))
    some, dt = pictures(np.arange(5) * 0.1, 50)  # fewer than are asked for
    assert dt == pytest.approx(0.1) and len(some) == 5
    some, dt = pictures(np.array([0.0, 0.1, 0.0, 0.1]), 50)  # the viewer was reset
    assert len(some) == 4
    assert len(pictures(np.zeros(1), 50)[0]) == 1
    with pytest.raises(ValueError, match="fps"):
        pictures(np.zeros(3), 0)


def test_names_cannot_break_out_of_the_page(npz, tmp_path):
    evil = "</script><script>alert(1)</script> $SCENE"
    text = runs.replay(runs.open(npz), tmp_path / "run.html", title=evil).read_text()
    assert "<script>alert" not in text and "$SCENE" in text
    assert not re.search(r"(src|href)=\"(?!data:)", text)  # nothing is fetched


def test_numbers_that_are_none(cart, npz, tmp_path):
    with np.load(npz) as file:
        arrays = dict(file)
    arrays["qpos"] = np.where(arrays["qpos"] > 0.3, np.nan, arrays["qpos"])
    arrays["qpos"][3] = 1e300
    np.savez(tmp_path / "bad.npz", **arrays)
    _, places, turns = content(runs.replay(tmp_path / "bad.npz", tmp_path / "run.html"))
    assert np.isfinite(places).all() and np.isfinite(turns).all()


def test_what_cannot_be_shown(cart, npz, tmp_path):
    for words, how in (
        ("no world 9", {"worlds": [9]}),
        ("at least one", {"worlds": []}),
        ("fps", {"fps": -1}),
    ):
        with pytest.raises((ValueError, IndexError), match=words):
            runs.replay(npz, tmp_path / "run.html", **how)
    runs.record(cart, tmp_path / "run.npz", steps=2, record=("sensordata",))
    with pytest.raises(runs.RunError, match="no qpos"):
        runs.replay(tmp_path / "run.npz", tmp_path / "run.html")
    with pytest.raises(ValueError, match=r"must end with \.html"):
        runs.replay(npz, tmp_path / "run.txt")


# ------------------------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def browser():
    with a_browser() as found:
        yield found


@pytest.fixture
def opened(browser):
    """A function that opens a page of the disk without a network, and what went wrong in it."""
    context = browser.new_context(viewport={"width": 600, "height": 260}, offline=True)
    page, wrong = context.new_page(), []
    page.set_default_timeout(120_000)
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(request.url))

    def open_(file):
        page.goto(f"file://{file}")
        page.wait_for_function("window.replay && replay.pictures > 0")
        return page

    yield open_
    context.close()
    assert not wrong


def settled(page):
    """The picture that a page draws now."""
    return page.evaluate("replay.draw(), canvas.toDataURL()")


def test_it_plays(opened, npz, tmp_path):
    page = opened(runs.replay(npz, tmp_path / "run.html"))
    assert page.evaluate("replay.playing")
    page.wait_for_function("replay.time > 0 && replay.pictures > 3")
    page.keyboard.press(" ")
    assert not page.evaluate("replay.playing")
    page.click("#play")
    page.keyboard.press(" ")  # of the button that was pressed last
    assert not page.evaluate("replay.playing")
    page.evaluate("replay.spare = () => 0; replay.seek(0)")  # no simpler pictures in between
    first = settled(page)
    assert first == settled(page)  # it stands still
    slider = page.locator("#slider").bounding_box()
    page.mouse.click(slider["x"] + 0.9 * slider["width"], slider["y"] + slider["height"] / 2)
    assert 0.7 < page.evaluate("replay.time / replay.duration") <= 1
    later = settled(page)
    assert later != first
    page.keyboard.press("ArrowLeft")
    page.click("#layout")  # all worlds in one place
    assert settled(page) != later
    page.select_option("#speed", "4")
    page.click("#play")
    page.wait_for_function("replay.playing && replay.pictures > 5")


def test_it_can_be_turned(opened, npz, tmp_path):
    page = opened(runs.replay(npz, tmp_path / "run.html", worlds=[0]))
    page.evaluate("replay.play(false); replay.spare = () => 0")
    before = settled(page)
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(160, 120)
    page.mouse.up()
    turned = settled(page)
    assert turned != before
    near = page.evaluate("replay.distance")
    page.mouse.wheel(0, 300)
    page.wait_for_function(f"replay.distance > {near}")
    assert settled(page) != turned
    assert page.locator("#layout").is_hidden()


def test_all_shapes_are_shown(opened, tmp_path):
    run = runs.record(lw.load(ALL_SHAPES), tmp_path / "run.npz", worlds=2, steps=5)
    page = opened(runs.replay(run, tmp_path / "run.html"))
    assert page.evaluate("canvas.getContext('webgl2').getError()") == 0
    assert page.locator("#trouble").is_hidden()
