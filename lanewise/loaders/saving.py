"""Model.save: a loaded model as a file, with all edits, or an error that says what would be lost.

An MJB is the MjModel byte by byte. XML is written by MuJoCo from the MjSpec that the model was
compiled from: `copy_back` puts the numbers into it that were edited since, `_take_over` flags, bits
and dimensions, and every number is saved with all its digits. Whether the file says what the model
is, is not believed but seen: it is compiled once more, and all fields are compared.

A file is written beside its place under another name, and moved there when it is complete.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from ..errors import ModelError
from ..fields import EDITS
from .broken import sound

SAVED = (".mjb", ".xml")
_ALL = 'save it as ".mjb", which has everything'


@dataclass(frozen=True)
class Origin:
    """What a Model was compiled from."""

    spec: mujoco.MjSpec | None  # compiled; nobody edits it
    kind: str = "an MjModel"  # what it was, if there is no spec
    folder: str = ""  # where the files are that the XML names
    assets: dict | None = None  # those that were given instead

    def save(self, mj, path):
        """See Model.save."""
        place = _place(path)
        sound(mj)
        content = _binary(mj) if place.suffix.lower() == ".mjb" else self._xml(mj, place)
        beside = _beside(place)
        try:
            beside.write_bytes(content)
            if place.suffix.lower() == ".xml":
                self._compare(mj, beside)
            os.replace(beside, place)
        finally:
            beside.unlink(missing_ok=True)

    def _xml(self, mj, place):
        """The text, which finds its files from the folder that it will be in."""
        if self.spec is None:
            raise ModelError(
                f"this model was loaded from {self.kind}, of which MuJoCo makes no XML: {_ALL},"
                " or load the XML or MjSpec and edit that"
            )
        spec = self.spec.copy()
        try:
            spec.copy_back(mj)
            _take_over(spec, mj, self.spec.copy().compile())
            spec.compiler.savecompiled = False  # numbers as they are, not as %g prints them
            if self.folder and not self.assets and Path(self.folder) != place.parent.resolve():
                for name in ("meshdir", "texturedir"):
                    setattr(spec, name, os.path.join(self.folder, getattr(spec, name)))
            return spec.to_xml().encode()
        except (ValueError, mujoco.FatalError) as error:
            raise ModelError(f"XML cannot have what was edited: {_line(error)}; {_ALL}") from None

    def _compare(self, mj, file):
        """Raise ModelError unless a file is the same model."""
        try:
            again = mujoco.MjSpec.from_file(str(file), self.assets, self.assets).compile()
        except (ValueError, mujoco.FatalError) as error:
            raise ModelError(f"the XML would not compile: {_line(error)}; {_ALL}") from None
        lost = sorted(_differing(mj, again))
        other = [name for name in lost if "made" not in EDITS[name]]
        if other:
            raise ModelError(f"XML would not keep {', '.join(other)} as they are: {_ALL}")
        if lost:
            raise ModelError(
                f"MuJoCo would compute {', '.join(lost)} anew from the XML, and they are not what"
                f" follows from the other fields: call lanewise.set_const(m) before, or {_ALL}"
            )


# what else of a spec's elements an edit can change: list, prefix of the fields, attributes; where a
# field has another name, it stands behind a colon
_ATTRIBUTES = """
bodies body_ gravcomp
geoms geom_ contype conaffinity condim priority group
pairs pair_ condim:dim
joints jnt_ limited actfrclimited actgravcomp group
sites site_ group
tendons tendon_ limited actfrclimited group
actuators actuator_ actlimited actearly forcelimited group
equalities eq_ active:active0
"""


def _take_over(spec, mj, was):
    """Set attributes of a spec in which a model is not as it was compiled."""
    for line in _ATTRIBUTES.split("\n")[1:-1]:
        elements, prefix, *attributes = line.split()
        for attribute in attributes:
            attribute, _, other = attribute.partition(":")
            now, then = (getattr(x, prefix + (other or attribute)) for x in (mj, was))
            if not np.array_equal(now, then):
                for element in getattr(spec, elements):
                    if now[element.id] != then[element.id]:
                        setattr(element, attribute, now[element.id].item())


def _line(error):
    """What MuJoCo says, in one line."""
    return ", ".join(str(error).splitlines())


def _place(path):
    """The Path of a file that can be made."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise TypeError(f"save takes a path, got {type(path).__name__}")
    place = Path(path)
    if place.suffix.lower() not in SAVED:
        raise ValueError(
            f"cannot save {str(place)!r}: a name must end with .mjb, which has all of a model, or"
            " with .xml"
        )
    if place.is_dir():
        raise IsADirectoryError(f"{str(place)!r} is a folder")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(place.parent)!r} to save in")
    return place


def _beside(place):
    """A name in the same folder that nobody has."""
    return place.with_name(f".{place.stem}-{os.getpid()}-{id(place):x}{place.suffix.lower()}")


def _binary(mj):
    raw = np.zeros(mujoco.mj_sizeModel(mj), np.uint8)
    mujoco.mj_saveModel(mj, None, raw)
    return raw.tobytes()


_EXACT = 1e-13  # what a number may change by, relatively, from being printed and read


def _differing(mj, again):
    """Names of fields in which two models differ."""
    for name in EDITS:
        owner, _, member = name.rpartition(".")
        first, second = (getattr(x.opt if owner else x, member) for x in (mj, again))
        if not _same(np.asarray(first), np.asarray(second)):
            yield name


def _same(a, b):
    if a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    # the end of an element's row may be of another size than its other numbers: compare by number
    return np.allclose(a, b, rtol=_EXACT, atol=1e-14, equal_nan=True)
