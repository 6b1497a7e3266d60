"""load: from a file or folder to a Clip.

What a file is, its first bytes tell, whatever its name; what form it has, the names in it. Then the
form decides what the numbers mean (decisions.py). Pickles are read by a machine that executes
nothing (safe_pickle.py), arrays of NumPy without pickles in them, and lengths that a header claims
are compared with what is there.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..conventions.axes import UP_AXES
from ..conventions.log_files import Array, read_npz
from ..errors import did_you_mean
from .bvh import read_bvh
from .clip import Clip
from .decisions import Case, Said
from .forms import FORMS, Form
from .motion_errors import MotionError
from .robot import as_robot
from .safe_pickle import PACKED, read_pickle
from .tables import read_table

TABLES = ("joint_pos", "joint_vel", "body_pos", "body_quat")
OTHERS = {
    b"\x93NUMPY": "one array without a name: np.savez(path, qpos=x, fps=50) says what it is",
    b"\x89HDF": "an HDF5 file: save its arrays with np.savez",
    b"PAR1": "a parquet file: save its columns as CSV",
    b"Kaydara": "an FBX file: export it as BVH",
    b"ISSBC3D": "a C3D file of markers: motions here have joints",
}
MOST_FILES = 64  # of a folder that are looked at


class Lazy(dict[str, Any]):
    """Arrays of a file, each read when it is first asked for."""

    def __init__(self, arrays: dict[str, Array], refused: dict[str, str], name: str):
        super().__init__(arrays)
        self.refused, self.name = refused, name

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if isinstance(value, Array):
            value = self[key] = value.read()
        return value

    def __contains__(self, key: object) -> bool:
        if key in self.refused:
            raise MotionError(f"{self.name}: {key} {self.refused[str(key)]}")
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The array, or something else if there is none."""
        return self[key] if key in self else default  # noqa: SIM401  reads the file


def load(
    path: Any, model: Any = None, *, form: str | None = None, order: Any = None,
    up: str | None = None, unit: str | None = None, fps: float | None = None,
    root_rot: str | None = None, clip: str | None = None, joint_names: Any = None,
    body_names: Any = None, pelvis: Any = None, translations: str | None = None,
) -> Clip:  # fmt: skip
    """The motion in a file or folder, of any form of lanewise.motion.FORMS.

    model is a Model, or what lanewise.load takes. It names joints where the file does not, and its
    bodies and limits tell what the file leaves open. What nothing tells is refused, with the
    arguments that would decide it:

    form          take the file for this form, and for what files of this form usually mean
    order         of the joints: a name of a system ("mujoco", "isaaclab-2", ...), or their names
    up            the axis that is up in the file: "y", "z"
    unit          of lengths in a BVH file: "m", "cm", "mm", "inch"
    fps           frames a second
    root_rot      "wxyz" or "xyzw"
    clip          which one, by its name, of a file with several
    joint_names, body_names  of the file's columns
    pelvis        J0 of an SMPL body (3,) [m]
    translations  "ignore": joints of a BVH file that move away from their parents
    """
    path = Path(path)
    said = Said(
        robot=None if model is None else as_robot(model), form=form, order=order, up=up, unit=unit,
        fps=fps, root_rot=root_rot, clip=clip, joint_names=joint_names, body_names=body_names,
        pelvis=pelvis, translations=translations,
    )  # fmt: skip
    _check(said)
    kind, contents = _contents(path)
    case = Case(path.name, said)
    return replace(_form(case, kind, contents).read(case, contents), robot=said.robot)


def _check(said: Said) -> None:
    if said.form is not None and said.form not in FORMS:
        raise MotionError(
            f"no form {said.form!r}{did_you_mean(said.form, FORMS)}; there are {', '.join(FORMS)}"
        )
    for name, value, known in (("up", said.up, UP_AXES), ("root_rot", said.root_rot,
                               ("wxyz", "xyzw")), ("unit", said.unit, ("m", "cm", "mm", "inch")),
                               ("translations", said.translations, ("ignore",))):  # fmt: skip
        if value is not None and value not in known:
            raise MotionError(f"{name} must be one of {', '.join(known)}; got {value!r}")


def _form(case: Case, kind: str, contents: Any) -> Form:
    said = case.said.form
    if said is not None:
        if FORMS[said].kind != kind:
            raise case.refuse(f"a file of the form {said} is {_article(FORMS[said].kind)}, and this"
                              f" is {_article(kind)}")  # fmt: skip
        return FORMS[said]
    found = [form for form in FORMS.values() if form.kind == kind and form.recognizes(contents)]
    found.sort(key=lambda form: form.name == "csv")  # which is any table that is nothing else
    if found:
        return found[0]
    has = ", ".join(list(map(str, contents))[:20]) if isinstance(contents, dict) else kind
    known = {"npz": "qpos; joint_pos with root_state_w or body_pos_w; trans and poses",
             "pkl": "root_trans_offset; root_pos, root_rot and dof_pos; pose_aa and transl",
             "folder": "joint_pos.csv and body_quat.csv"}.get(kind, "")  # fmt: skip
    raise case.refuse(f"no motion of a known form: it has {has or 'nothing'}; known are {known}")


def _article(kind: str) -> str:
    return {"npz": "an npz file", "pkl": "a pickle", "csv": "a table in text", "bvh": "a BVH file",
            "folder": "a folder"}[kind]  # fmt: skip


def _contents(path: Path) -> tuple[str, Any]:
    """The kind of a file and what it holds."""
    if path.is_dir():
        return "folder", _folder(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    with path.open("rb") as file:
        head = file.read(512)
    if not head:
        raise MotionError(f"{path.name} is empty")
    if head.startswith(b"PK"):
        found = read_npz(path, "iufbUS")
        return "npz", Lazy(found.arrays, found.refused, path.name)
    for begin, what in OTHERS.items():
        if head.startswith(begin):
            raise MotionError(f"{path.name} is {what}")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"HIERARCHY"):
        return "bvh", read_bvh(path)
    packed = any(head.startswith(begin) for begin in PACKED)
    if packed or head[0] == 0x80 or path.suffix.lower() in (".pkl", ".pickle", ".joblib"):
        return "pkl", read_pickle(path)
    if b"\0" in head:
        raise MotionError(f"{path.name} is no file of a known kind: npz, pickle, BVH or CSV")
    return "csv", read_table(path)


def _folder(path: Path) -> dict[str, Any]:
    """Tables of a folder of SONIC's, by name."""
    found: dict[str, Any] = {}
    for name in TABLES:
        if (path / f"{name}.csv").is_file():
            found[name] = read_table(path / f"{name}.csv").values
    if (path / "metadata.txt").is_file():
        found["metadata"] = (path / "metadata.txt").read_text(errors="replace")[:10_000]
    if not found:
        inside = sorted(x.name for x in path.iterdir())[:MOST_FILES]
        folders = [x.name for x in path.iterdir() if x.is_dir()][:8]
        advice = f" Is it one of its folders: {', '.join(folders)}?" if folders else ""
        raise MotionError(
            f"{path.name} is a folder without joint_pos.csv; it has"
            f" {', '.join(inside[:12]) or 'nothing'}.{advice}"
        )
    return found


def numbers_of(contents: Any) -> dict[str, tuple[int, ...]]:
    """Shapes of the arrays in a file, by name: for messages."""
    return {str(k): np.shape(v) for k, v in contents.items()}
