"""render: pictures and films through MuJoCo's renderer, without a screen."""

import shutil
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ..errors import UnknownName, UnknownNumber, no_such
from ..public import Batch, Model, load
from . import run_file
from .painting import Painter, last_line
from .replay_page import pictures
from .run_errors import RunError
from .run_file import Run
from .writing import new_place, written

ENDINGS = (".png", ".mp4")
_LARGEST = 8192  # pixels of a side
_SECONDS = 3.0  # of a model that nobody recorded
# what a pose consists of, in the order of a state
_PARTS = {
    "qpos": int(mujoco.mjtState.mjSTATE_QPOS),
    "mocap_pos": int(mujoco.mjtState.mjSTATE_MOCAP_POS),
    "mocap_quat": int(mujoco.mjtState.mjSTATE_MOCAP_QUAT),
}


def render(
    source: Any, path: Any, *, world: int = 0, time: float | None = None, camera: str = "",
    follow: str = "", size: tuple[int, int] = (640, 480), fps: float = 30.0, keyframe: Any = None,
    force: bool = False,
) -> Path:  # fmt: skip
    """Write a picture (.png) or a film (.mp4) of one world.

    source: a Run or its file, or a model, which is simulated from the keyframe without controls.
    time [s] is that of the picture, or the end of the film: by default the end of a run, and of a
    model the start, or 3 s of film. camera: its name in the model, or "" for a free one that sees
    all; it keeps the body `follow` in the middle, if one is named. size: width and height in
    pixels. fps: pictures per second of simulated time.

    EGL is tried first, then OSMesa; MUJOCO_GL chooses one.
    """
    place = new_place(path, ENDINGS, force)
    is_film = place.suffix.lower() == ".mp4"
    ffmpeg = _ffmpeg() if is_film else None
    width, height = _checked_size(size, is_film)
    if time is not None and not (np.isfinite(time) and time >= 0):
        raise ValueError(f"time must be a number of seconds from 0, got {time}")
    model, poses = _poses(source, world, time, fps, keyframe, is_film)
    _check_view(model, camera, follow)
    with tempfile.TemporaryDirectory() as folder:
        frames = _drawn(model, poses, camera, follow, (width, height))
        if ffmpeg is None:
            content = png(next(frames))
            frames.close()  # type: ignore[attr-defined]
            with written(place) as file:
                file.write(content)
        else:
            film = Path(folder) / "film.mp4"
            _encode(ffmpeg, frames, film, (width, height), fps)
            with written(place) as file, film.open("rb") as made:
                shutil.copyfileobj(made, file)
    return place


# ------------------------------------------------------------------------------------------- poses


def _poses(
    source: Any, world: int, time: float | None, fps: float, keyframe: Any, is_film: bool
) -> tuple[Model, dict[str, np.ndarray]]:
    """The model, and qpos (F, nq) and places of mocap bodies of every picture."""
    is_file = isinstance(source, (str, Path)) and Path(source).suffix.lower() in run_file.ENDINGS
    run = run_file.open(source) if is_file else source
    if isinstance(run, Run):
        return run.model, _of_run(run, world, time, fps, is_film)
    model = source if isinstance(source, Model) else load(source)
    if world != 0:
        raise UnknownNumber(
            f"no world {world}: a model that is simulated for a picture has world 0"
        )
    until = (_SECONDS if is_film else 0.0) if time is None else time
    return model, _of_model(model, keyframe, until, fps, is_film)


def _of_run(
    run: Run, world: int, time: float | None, fps: float, is_film: bool
) -> dict[str, np.ndarray]:
    if "qpos" not in run.names:
        raise RunError(run.path, "it has no qpos: pictures follow from positions")
    if not 0 <= world < run.worlds:
        raise UnknownNumber(f"no world {world}: this run has {run.worlds}, from 0")
    if run.records < 1:
        raise RunError(run.path, "nothing was recorded in it")
    clock = run.time
    if time is not None and time > clock.max() + 1e-9:
        raise ValueError(f"time {time:g} is after the end of the run, at {clock.max():g} s")
    if is_film:
        some, dt = pictures(clock, fps)
        if time is not None:
            some = some[: int(time / dt) + 1]
    else:
        some = np.array([len(clock) - 1 if time is None else int(np.argmin(abs(clock - time)))])
    fields = ["qpos", *(f for f in ("mocap_pos", "mocap_quat") if f in run.names)]
    return {field: run.read(field, world)[some] for field in fields}


def _of_model(
    model: Model, keyframe: Any, until: float, fps: float, is_film: bool
) -> dict[str, np.ndarray]:
    batch = Batch(model, 1)
    batch.reset(keyframe=keyframe)
    out: dict[str, list] = {"qpos": [], "mocap_pos": [], "mocap_quat": []}
    steps = round(until / model.opt.timestep)
    shown = np.unique(np.rint(np.arange(0, until, 1 / fps) / model.opt.timestep).astype(int))
    done = 0
    for step in shown if is_film and len(shown) else [steps]:
        if step > done:
            batch.step(nstep=int(step - done))
            done = int(step)
        for name, rows in out.items():
            rows.append(getattr(batch, name)[0].copy())
    return {name: np.array(rows) for name, rows in out.items() if rows[0].size or name == "qpos"}


# ----------------------------------------------------------------------------------------- checking


def _checked_size(size: tuple[int, int], is_film: bool) -> tuple[int, int]:
    width, height = (int(n) for n in size)
    if not (1 <= width <= _LARGEST and 1 <= height <= _LARGEST):
        raise ValueError(f"size must be 1 to {_LARGEST} pixels a side, got {width}x{height}")
    if is_film and (width % 2 or height % 2):
        raise ValueError(f"a film has even numbers of pixels, got {width}x{height}")
    return width, height


def _check_view(model: Model, camera: str, follow: str) -> None:
    names = [model.mj.camera(i).name for i in range(model.mj.ncam)]
    if camera and camera not in names:
        raise UnknownName(no_such("camera", camera, names))
    names = [model.mj.body(i).name for i in range(model.mj.nbody)]
    if follow and follow not in names:
        raise UnknownName(no_such("body", follow, names))
    if follow and camera:
        raise ValueError(
            "a camera of the model goes its own way: name a camera or a body, not both"
        )


# ------------------------------------------------------------------------------------------ drawing


def _drawn(
    model: Model, poses: dict[str, np.ndarray], camera: str, follow: str, size: tuple[int, int]
) -> Iterator[np.ndarray]:
    """A picture of every pose."""
    rows = [poses[name].reshape(len(poses["qpos"]), -1) for name in _PARTS if name in poses]
    spec = sum(bit for name, bit in _PARTS.items() if name in poses)
    painter = Painter(model, size, _view(model, camera, follow), spec)
    try:
        for row in np.hstack(rows):
            yield painter.draw(row)[0]
    finally:
        painter.close()


def _view(model: Model, camera: str, follow: str) -> dict[str, Any]:
    """What says where the camera is."""
    kinds = mujoco.mjtCamera
    if camera:
        return {"type": int(kinds.mjCAMERA_FIXED), "fixedcamid": model.mj.camera(camera).id}
    if follow:
        return {"type": int(kinds.mjCAMERA_TRACKING), "trackbodyid": model.mj.body(follow).id}
    return {}


# ------------------------------------------------------------------------------------------ writing


def png(pixels: np.ndarray) -> bytes:
    """A picture (height, width, 3) of bytes as PNG."""
    height, width = pixels.shape[:2]

    def chunk(kind: bytes, data: bytes) -> bytes:
        sum_ = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", sum_)

    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter, none
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def _ffmpeg() -> str:
    """The program that makes films, or ImportError that says how to get it."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise ImportError("films need imageio-ffmpeg: pip install 'lanewise[render]'") from None
    return imageio_ffmpeg.get_ffmpeg_exe()


def _encode(
    ffmpeg: str, frames: Iterator[np.ndarray], film: Path, size: tuple[int, int], fps: float
) -> None:
    words = [
        ffmpeg, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:g}", "-i", "-", "-c:v", "libx264",
        "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart", str(film),
    ]  # fmt: skip
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=log)
        assert process.stdin is not None
        try:
            for picture in frames:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
            status = process.wait()
        except BrokenPipeError:
            status = process.wait()
        finally:
            process.kill()
        if status:
            raise OSError(f"the film could not be made: {last_line(log)}")
