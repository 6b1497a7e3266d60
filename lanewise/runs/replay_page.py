"""replay: the motion of any number of worlds as one page that needs nothing else.

Poses of all bodies are computed from what was recorded, in a Batch. The page has positions as whole
numbers of a small unit and quaternions as 16 bits each, as differences from picture to picture,
byte plane by byte plane: what moves little compresses well. Spans of tendons are capsules that are
placed as if they were bodies, with a length of their own.
"""

import base64
import html
import json
import zlib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UnknownNumber
from ..public import Batch
from . import run_file
from .page_scene import Scene
from .run_errors import RunError
from .run_file import Run
from .writing import check_memory, new_place, written

_AT_ONCE = 512  # poses that are computed in one call
_FAR = 1e9  # beyond it, numbers are bad ones
_FINE = 2.0**-15  # unit of positions, in sizes of the model


def replay(
    run: Any, path: Any, *, worlds: Iterable[int] | None = None, fps: float = 50.0, title: str = "",
    force: bool = False,
) -> Path:  # fmt: skip
    """Write a page, .html, that plays a run in any browser, without a server or a network.

    run: a Run, or the file of one, or a clip of the viewer's; qpos must be among what it has.
    worlds: those that are shown, by default all. fps: pictures per second of simulated time; in
    between, the page interpolates.
    """
    place = new_place(path, (".html",), force)
    run = run if isinstance(run, Run) else run_file.open(run)
    if "qpos" not in run.names:
        raise RunError(run.path, "it has no qpos: poses follow from positions")
    if run.records < 1:
        raise RunError(run.path, "nothing was recorded in it")
    chosen = list(range(run.worlds)) if worlds is None else [int(w) for w in worlds]
    for world in chosen:
        if not 0 <= world < run.worlds:
            raise UnknownNumber(f"no world {world}: this run has {run.worlds}, from 0")
    if not chosen:
        raise ValueError("worlds must name at least one")
    frames, dt = pictures(np.asarray(run.time), fps)
    needed = 200 * len(frames) * len(chosen) * run.model.nbody
    check_memory(needed, "the page", "show fewer worlds")
    poses, turns = _poses(run, chosen, frames)
    page = _page(run, chosen, poses, turns, dt, title or run.path.stem)
    with written(place) as file:
        file.write(page.encode())
    return place


def pictures(time: np.ndarray, fps: float) -> tuple[np.ndarray, float]:
    """Which records are shown at equal intervals, and how long these are [s]."""
    if not fps > 0 or not np.isfinite(fps):
        raise ValueError(f"fps must be a number above 0, got {fps}")
    steps = np.diff(time)
    if not len(steps):
        return np.zeros(1, int), 1.0 / fps
    if not (np.isfinite(time).all() and (steps > 0).all()):  # the clock was set back
        return np.arange(len(time)), 1.0 / fps
    dt = max(1.0 / fps, float(np.median(steps)))
    count = int((time[-1] - time[0]) / dt + 1e-6) + 1
    wanted = time[0] + dt * np.arange(count)
    after = np.clip(np.searchsorted(time, wanted), 1, len(time) - 1)
    nearer = wanted - time[after - 1] < time[after] - wanted
    return np.where(nearer, after - 1, after), dt


def _poses(run: Run, chosen: list[int], frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position and half length (T, n, b, 4) [m], and quaternion (T, n, b, 4), of all that moves:
    bodies, and behind them the spans of tendons."""
    model = run.model
    fields = ["qpos"]
    if model.nmocap:
        fields += [f for f in ("mocap_pos", "mocap_quat") if f in run.names]
    given = {f: run.read(f, chosen)[frames] for f in fields}
    total, n = len(frames) * len(chosen), len(chosen)
    nspan = _spans_of(model)
    places = np.zeros((total, model.nbody + nspan, 4))
    turns = np.zeros((total, model.nbody + nspan, 4))
    flat = {f: values.reshape(total, *values.shape[2:]) for f, values in given.items()}
    size = min(total, _AT_ONCE)
    batch = Batch(model, size)
    for first in range(0, total, size):
        count = min(size, total - first)
        for field, values in flat.items():
            finite = np.clip(np.nan_to_num(values[first : first + count]), -_FAR, _FAR)
            getattr(batch, field)[:count] = finite.reshape(getattr(batch, field)[:count].shape)
        batch.forward(stage=1)
        some = slice(first, first + count)
        places[some, : model.nbody, :3] = batch.xpos[:count]
        turns[some, : model.nbody] = batch.xquat[:count]
        if nspan:
            spans = _spans(model, batch, count, nspan)
            places[some, model.nbody :], turns[some, model.nbody :] = spans
    shape = (len(frames), n, model.nbody + nspan, 4)
    return places.reshape(shape), turns.reshape(shape)


def _spans_of(model: Any) -> int:
    """How many spans the paths of all tendons may have: an element has up to two points."""
    return 2 * int(model.nwrap) if model.ntendon and model.nwrap else 0


def _spans(model: Any, batch: Batch, count: int, nspan: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and turns of tendons' straight spans, between points that follow each other."""
    points = batch.wrap_xpos[:count].reshape(count, -1, 3)
    kinds = batch.wrap_obj[:count].reshape(count, -1)
    adr, num = batch.ten_wrapadr[:count], batch.ten_wrapnum[:count]
    at = np.arange(points.shape[1])
    linked = np.zeros((count, nspan), bool)
    for t in range(model.ntendon):
        first, last = adr[:, t : t + 1], adr[:, t : t + 1] + num[:, t : t + 1] - 1
        linked |= (at >= first) & (at < last)
    pulley = -2
    linked[:, :-1] &= (kinds[:, :-1] != pulley) & (kinds[:, 1:] != pulley)
    linked[:, -1] = False
    ends = np.roll(points, -1, axis=1)
    along = np.where(linked[..., None], ends - points, 0.0)
    length = np.linalg.norm(along, axis=-1)
    place = np.concatenate([points + along / 2, length[..., None] / 2], axis=-1)
    unit = along / np.maximum(length, 1e-12)[..., None]
    # half way between z and the span: a turn by twice that angle
    turn = np.stack([1 + unit[..., 2], -unit[..., 1], unit[..., 0], 0 * length], axis=-1)
    turn[(turn**2).sum(axis=-1) < 1e-9] = (0, 1, 0, 0)
    place[~linked] = (0, 0, -1e4, 0)  # out of sight
    return place, turn / np.linalg.norm(turn, axis=-1, keepdims=True)


def _page(
    run: Run, chosen: list[int], places: np.ndarray, turns: np.ndarray, dt: float, title: str
) -> str:
    model = run.model
    scene = Scene(model.mj)
    center, size = scene.extent(places[0, 0, :, :3], _matrices(turns[0, 0]))
    unit = size * _FINE
    motion = _packed(places, turns, unit)
    motion += bytes(-len(motion) % 4)
    columns, spacing = int(np.ceil(np.sqrt(len(chosen)))), 2.2 * size
    _spread_planes(scene, 20 * (columns * spacing + size))
    said = {
        "worlds": len(chosen), "bodies": places.shape[2], "frames": len(places), "dt": dt,
        "unit": unit, "columns": columns, "spacing": spacing, "center": center.tolist(),
        "size": size, "apart": scene.terrain() < 2 * spacing, "meshStart": len(motion),
        "geoms": scene.geoms + _cords(model), "meshes": scene.meshes, "images": scene.images,
    }  # fmt: skip
    packed = zlib.compress(motion + bytes(scene.raw), 9)
    many = f"{len(chosen)} worlds" if len(chosen) > 1 else f"world {chosen[0]}"
    filled = {
        "TITLE": html.escape(title), "ABOUT": f"{many}, {(len(places) - 1) * dt:.2f} s",
        "SCENE": json.dumps(said, separators=(",", ":")).replace("<", "\\u003c"),
        "MOTION": base64.b64encode(packed).decode(), "PROGRAM": _text("page.js"),
    }  # fmt: skip
    first, *rest = _text("page.html").split("$")
    names = tuple(filled)
    for piece in rest:
        name = next((n for n in names if piece.startswith(n)), None)
        first += f"${piece}" if name is None else filled[name] + piece[len(name) :]
    return first


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _cords(model: Any) -> list[dict[str, Any]]:
    """Tendons as capsules, an element for each span; a span is whose path has its place."""
    nspan = _spans_of(model)
    if not nspan:
        return []
    mj = model.mj
    reference = Batch(model, 1)
    reference.forward(stage=1)
    adr, num = reference.ten_wrapadr[0], reference.ten_wrapnum[0]
    out = []
    for k in range(nspan):
        owner = int(np.clip(np.searchsorted(adr, k, side="right") - 1, 0, model.ntendon - 1))
        width, rgba = float(mj.tendon_width[owner]), mj.tendon_rgba[owner].astype(float)
        if num[owner] and rgba[3] > 0:
            out.append({
                "body": model.nbody + k, "shape": "capsule", "pos": [0, 0, 0],
                "quat": [1, 0, 0, 0], "scale": [width] * 3, "half": 0, "shine": 0.3,
                "color": [*(np.clip(rgba[:3], 0, 1) ** 2.2).round(5).tolist(), float(rgba[3])],
            })  # fmt: skip
    return out


def _spread_planes(scene: Scene, reach: float) -> None:
    """Planes of the world are floors under all worlds; what they collide with has no end either."""
    for geom in scene.geoms:
        if geom.get("once"):
            geom["scale"] = [reach, reach, 1.0]


def _matrices(quat: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4)."""
    w, x, y, z = np.moveaxis(quat, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def _packed(places: np.ndarray, turns: np.ndarray, unit: float) -> bytes:
    """Numbers as differences in time, byte plane by byte plane."""
    whole = np.clip(np.rint(places / unit), -(2**30), 2**30).astype(np.int32)
    # q and -q are the same turn: take the one that is nearer to the picture before
    sign = np.where((turns[1:] * turns[:-1]).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
    turns = turns.copy()
    turns[1:] *= np.cumprod(sign, axis=0)
    fine = np.rint(turns * 32767).astype(np.int16)
    return _planes(whole) + _planes(fine)


def _planes(values: np.ndarray) -> bytes:
    flat = values.reshape(len(values), -1)
    steps = np.concatenate([flat[:1], flat[1:] - flat[:-1]])  # wraps around, and back in the page
    little = np.ascontiguousarray(steps, steps.dtype.newbyteorder("<"))
    return little.view(np.uint8).reshape(-1, values.itemsize).T.tobytes()
