"""save: from a Clip to a file or folder of a form; files take their place when complete."""

import os
import pickle
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import did_you_mean
from .clip import Clip
from .forms import FORMS, Form
from .motion_errors import MotionError, spelled
from .number_text import Lines
from .robot import as_robot
from .tables import Table, table_lines

ENDINGS = {"npz": (".npz",), "pkl": (".pkl", ".pickle", ".joblib"), "csv": (".csv", ".txt"),
           "bvh": (".bvh",), "folder": ("",)}  # fmt: skip
BY_ENDING = {".npz": "mujoco", ".pkl": "sonic", ".csv": "csv", ".bvh": "bvh", "": "sonic-csv"}


def save(
    clip: Clip, path: Any, form: str | None = None, *, model: Any = None, **options: Any
) -> Path:
    """Write a clip in a form of lanewise.motion.FORMS; without one, in that of the path's ending.

    model gives the order of joints and the bodies that a form has; if it is not given, it is the
    one that the clip was loaded with. Options are those of the form:
    names (False leaves out what most files do not have), root_rot, dtype, clip, pelvis, up, unit.
    """
    path = Path(os.fspath(path))
    chosen = _chosen(path, form)
    _check_options(chosen, options)
    robot = clip.robot if model is None else as_robot(model)
    if chosen.write is None:
        writable = [name for name, f in FORMS.items() if f.write is not None]
        raise MotionError(f"the form {chosen.name} is only read; written are {', '.join(writable)}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to write in")
    made = chosen.write(clip, robot, options)
    if chosen.kind == "folder":
        _write_folder(path, made)
        return path
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".lanewise-")
    try:
        with os.fdopen(handle, "wb") as file:
            _write_file(file, chosen.kind, made)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return path


def _chosen(path: Path, form: str | None) -> Form:
    if form is None:
        form = BY_ENDING.get(path.suffix.lower())
        if form is None:
            raise MotionError(
                f"nothing tells the form of {path.name!r}: say {spelled('form=NAME')}, one of"
                f" {', '.join(FORMS)}"
            )
    if form not in FORMS:
        raise MotionError(f"no form {form!r}{did_you_mean(form, FORMS)}; there are"
                          f" {', '.join(FORMS)}")  # fmt: skip
    endings = ENDINGS[FORMS[form].kind]
    if path.suffix.lower() not in endings and FORMS[form].kind != "folder":
        raise MotionError(f"a file of the form {form} ends with {' or '.join(endings)}; got"
                          f" {path.name!r}")  # fmt: skip
    return FORMS[form]


def _check_options(form: Form, options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in form.options:
            has = ", ".join(form.options) or "no options"
            raise MotionError(f"the form {form.name} has no option {name!r}"
                              f"{did_you_mean(name, form.options)}; it has {has}")  # fmt: skip
        if name == "root_rot" and value not in ("wxyz", "xyzw"):
            raise MotionError(f"root_rot must be wxyz or xyzw; got {value!r}")


def _write_file(file: Any, kind: str, made: Any) -> None:
    if kind == "npz":
        np.savez(file, **made)
    elif kind == "pkl":
        pickle.dump(made, file, protocol=4)
    else:
        _lines(made).write(file)


def _lines(made: Any) -> Lines:
    return table_lines(made) if isinstance(made, Table) else made


def _write_folder(path: Path, made: dict[str, Any]) -> None:
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(f"{str(path)!r} is a file, and would be a folder")
    new = Path(tempfile.mkdtemp(dir=path.parent, prefix=".lanewise-"))
    try:
        path.mkdir(exist_ok=True)
        for name, x in made.items():
            place = f"{name}.csv" if isinstance(x, Table) else f"{name}.txt"
            with (new / place).open("wb") as file:
                if isinstance(x, Table):
                    _lines(x).write(file)
                else:
                    file.write(x.encode())
            os.replace(new / place, path / place)
    finally:
        shutil.rmtree(new, ignore_errors=True)
