"""A process that draws pictures of states, in the first kind of OpenGL that works without a screen.

OpenGL belongs to one thread, does not survive a fork, and one that is not there may end a process.
Here it is in a process of its own (drawing.py), which is asked for pictures one by one.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LanewiseError
from ..public import Model


class NoOpenGL(LanewiseError, RuntimeError):
    """There is no OpenGL that draws without a screen."""


def backends() -> list[str]:
    """Kinds of OpenGL to try, as MUJOCO_GL has them: the user's choice, or those of a machine
    without a screen."""
    chosen = os.environ.get("MUJOCO_GL", "").strip().lower()
    if chosen:
        return [chosen]
    if sys.platform != "linux":
        return [""]
    return ["egl", "osmesa"]


class Painter:
    """Draws states of a model.

    size: width and height. view: {"about": "model" or "geoms"} and attributes of an MjvCamera.
    spec: which components of mjtState a state has. fields: those of the model that differ from
    picture to picture. flags: {number of mjtVisFlag: on}. rgb, depth: what a picture is.
    """

    def __init__(
        self, model: Model, size: tuple[int, int], view: Mapping[str, Any], spec: int,
        *, fields: tuple[str, ...] = (), flags: Mapping[int, bool] | None = None,
        max_geom: int | None = None, rgb: bool = True, depth: bool = False,
    ):  # fmt: skip
        self._model = model
        width, height = size
        self._shapes = [((height, width, 3), np.uint8)] * rgb
        self._shapes += [((height, width), np.float32)] * depth  # type: ignore[list-item]
        self._job = {
            "size": size, "view": dict(view), "spec": int(spec), "fields": list(fields),
            "flags": {int(k): bool(x) for k, x in (flags or {}).items()}, "rgb": rgb,
            "depth": depth,
            "max_geom": 20 * int(model.mj.ngeom) + 2000 if max_geom is None else int(max_geom),
        }  # fmt: skip
        self._lock = threading.Lock()
        self._process: _Process | None = None

    def draw(
        self, state: np.ndarray, fields: tuple[np.ndarray, ...] = (), camera: int = 0
    ) -> tuple[np.ndarray, ...]:
        """Pixels (height, width, 3) of bytes, depths (height, width): those that are wanted.

        camera: there is one for each number, which is placed when it is first used.
        """
        row = np.concatenate([[camera], *(np.ravel(x).astype(float) for x in (state, *fields))])
        with self._lock:
            answer = self._answer(row.tobytes())
        pictures, at = [], 0
        for shape, kind in self._shapes:
            n = int(np.prod(shape)) * np.dtype(kind).itemsize
            pictures.append(np.frombuffer(answer[at : at + n], kind).reshape(shape).copy())
            at += n
        return tuple(pictures)

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy or pickle, which begins a process of its own."""
        return {k: x for k, x in vars(self).items() if k not in ("_lock", "_process")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept, _lock=threading.Lock(), _process=None)

    def close(self) -> None:
        """End the process; the next picture begins another."""
        with self._lock:
            if self._process is not None and self._process.of == os.getpid():
                self._process.end()
            self._process = None

    def _answer(self, row: bytes) -> bytes:
        process = self._process
        if process is None or process.of != os.getpid():
            self._process, answer = self._started(row)
            return answer
        found = process.ask(row)
        if found is None:
            self._process = None
            raise NoOpenGL(f"drawing with {process.backend} ended early: {process.last_words()}")
        return found

    def _started(self, row: bytes) -> tuple["_Process", bytes]:
        """The first process that has drawn a picture, and that picture."""
        size = sum(int(np.prod(shape)) * np.dtype(kind).itemsize for shape, kind in self._shapes)
        said = []
        with tempfile.TemporaryDirectory() as folder:
            self._model.save(Path(folder) / "model.mjb")
            (Path(folder) / "job.json").write_text(json.dumps(self._job))
            for backend in backends():
                process = _Process(backend, folder, size)
                answer = process.ask(row)
                if answer is not None:
                    return process, answer
                said.append(f"{backend}: {process.last_words()}")
        raise NoOpenGL(
            "no OpenGL that draws without a screen: install libegl1 or libosmesa6 (Debian, Ubuntu:"
            f" apt install libegl1 libosmesa6), or set MUJOCO_GL ({'; '.join(said)})"
        )


class _Process:
    """drawing.py with one kind of OpenGL. It ends by itself when nobody can ask any more."""

    def __init__(self, backend: str, folder: str, size: int):
        self.backend, self.of, self._size = backend, os.getpid(), size
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- it lives as long as the process
        environment = {**os.environ, "MUJOCO_GL": backend}
        if backend in ("egl", "osmesa"):
            environment["PYOPENGL_PLATFORM"] = backend
        self._popen = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("drawing.py")), folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, env=environment,
            cwd=folder,
        )  # fmt: skip
        self.end = weakref.finalize(self, _end, self._popen, self.of)

    def ask(self, row: bytes) -> bytes | None:
        """The bytes of a picture; None if there is none, and then the process has ended."""
        assert self._popen.stdin is not None and self._popen.stdout is not None
        try:
            self._popen.stdin.write(row)
            self._popen.stdin.flush()
            answer = self._popen.stdout.read(self._size)
        except BrokenPipeError:
            answer = b""
        if len(answer) == self._size:
            return answer
        self.end()
        return None

    def last_words(self) -> str:
        """The last line that it said."""
        return last_line(self._log)


def _end(popen: subprocess.Popen, of: int) -> None:
    if of != os.getpid():  # forked: it is somebody else's
        return
    popen.kill()
    popen.wait()
    for pipe in (popen.stdin, popen.stdout):
        try:
            if pipe is not None:
                pipe.close()
        except BrokenPipeError:
            pass  # a row that nobody read


def last_line(log: Any) -> str:
    """The last line that a process wrote to a file."""
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else "no reason given"
