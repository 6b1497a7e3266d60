"""render: pictures and films through MuJoCo's renderer, without a screen."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LanewiseError, UnknownName, UnknownNumber, no_such
from ..public import Batch, Model, load
from . import run_file
from .replay_page import pictures
from .run_errors import RunError
from .run_file import Run
from .writing import new_place, written

ENDINGS = (".png", ".mp4")
_LARGEST = 8192  # pixels of a side
_SECONDS = 3.0  # of a model that nobody recorded


class NoOpenGL(LanewiseError, RuntimeError):
    """There is no OpenGL that draws without a screen."""


def render(
    source: Any, path: Any, *, world: int = 0, time: float | None = None, camera: str = "",
    size: tuple[int, int] = (640, 480), fps: float = 30.0, keyframe: Any = None,
    force: bool = False,
) -> Path:  # fmt: skip
    """Write a picture (.png) or a film (.mp4) of one world.

    source: a Run or its file, or a model, which is simulated from the keyframe without controls.
    time [s] is that of the picture, or the end of the film: by default the end of a run, and of a
    model the start, or 3 s of film. camera: its name in the model, or "" for a free one that sees
    all. size: width and height in pixels. fps: pictures per second of simulated time.

    EGL is tried first, then OSMesa; MUJOCO_GL chooses one.
    """
    place = new_place(path, ENDINGS, force)
    is_film = place.suffix.lower() == ".mp4"
    ffmpeg = _ffmpeg() if is_film else None
    width, height = _checked_size(size, is_film)
    if time is not None and not (np.isfinite(time) and time >= 0):
        raise ValueError(f"time must be a number of seconds from 0, got {time}")
    model, poses = _poses(source, world, time, fps, keyframe, is_film)
    _check_camera(model, camera)
    with tempfile.TemporaryDirectory() as folder:
        _write_job(Path(folder), model, poses, camera, (width, height))
        frames = _drawn(Path(folder) / "job.npz", len(poses["qpos"]), (height, width, 3))
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
    clock = np.asarray(run.time)
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


def _check_camera(model: Model, camera: str) -> None:
    names = [model.mj.camera(i).name for i in range(model.mj.ncam)]
    if camera and camera not in names:
        raise UnknownName(no_such("camera", camera, names))


# ------------------------------------------------------------------------------------------ drawing


def _write_job(
    folder: Path, model: Model, poses: dict[str, np.ndarray], camera: str, size: tuple[int, int]
) -> None:
    model.save(folder / "model.mjb")
    name = np.frombuffer(camera.encode(), np.uint8)
    np.savez(folder / "job.npz", camera=name, size=np.array(size), **poses)  # type: ignore[arg-type]


def backends() -> list[str]:
    """Kinds of OpenGL to try, as MUJOCO_GL has them: the user's choice, or those of a machine
    without a screen."""
    chosen = os.environ.get("MUJOCO_GL", "").strip().lower()
    if chosen:
        return [chosen]
    if sys.platform != "linux":
        return [""]
    return ["egl", "osmesa"]


def _drawn(job: Path, count: int, shape: tuple[int, int, int]) -> Iterator[np.ndarray]:
    """The pictures, from the first kind of OpenGL that draws."""
    said = []
    for backend in backends():
        program = [sys.executable, str(Path(__file__).with_name("drawing.py")), str(job)]
        environment = {**os.environ, "MUJOCO_GL": backend, "PYOPENGL_PLATFORM": backend}
        with (job.parent / f"said-{backend}").open("w+b") as log:
            process = subprocess.Popen(
                program, stdout=subprocess.PIPE, stderr=log, env=environment, cwd=job.parent
            )
            try:
                first = _picture(process, shape)
                if first is not None:
                    yield first
                    for _ in range(count - 1):
                        picture = _picture(process, shape)
                        if picture is None:
                            raise NoOpenGL(f"drawing with {backend} ended early: {_last(log)}")
                        yield picture
                    return
            finally:
                process.kill()
                process.wait()
            said.append(f"{backend}: {_last(log)}")
    raise NoOpenGL(
        "no OpenGL that draws without a screen: install libegl1 or libosmesa6 (Debian, Ubuntu: apt"
        f" install libegl1 libosmesa6), or set MUJOCO_GL ({'; '.join(said)})"
    )


def _picture(process: subprocess.Popen, shape: tuple[int, int, int]) -> np.ndarray | None:
    assert process.stdout is not None
    raw = process.stdout.read(int(np.prod(shape)))
    return np.frombuffer(raw, np.uint8).reshape(shape) if len(raw) == np.prod(shape) else None


def _last(log: Any) -> str:
    """The last line that a process said."""
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else "no reason given"


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
            raise OSError(f"the film could not be made: {_last(log)}")
