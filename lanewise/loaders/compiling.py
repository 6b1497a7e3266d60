"""From whatever a model is given as to an MjModel, by MuJoCo's compiler, and what it came from.

What MuJoCo would not survive, or would take all memory for, is refused before: see binary.py and
xml_text.py. Whatever it says of a model that it does not take becomes a ModelError.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import mujoco

from ..errors import ModelError, ModelNotFound, UnsupportedFeature, did_you_mean
from ..model import Model
from .binary import load_binary
from .broken import sound, sound_copy
from .free_memory import available, spoken
from .hearing import spec_model
from .saving import Origin
from .urdf import check_base, is_urdf, note_missing_actuators, rewritten
from .xml_text import check_text

USD = (".usd", ".usda", ".usdc", ".usdz")
SUFFIXES = (".xml", ".mjcf", ".urdf", ".mjb", *USD)
_OF_SPECS = (".xml", ".urdf")  # what MjSpec takes, in these very letters


def compiled(source, assets=None, base=None, packages=None, nuserdata=0):
    """An MjModel of its own, with room for so many numbers in userdata at least, and its Origin."""
    check_base(base)
    _check_assets(assets)
    try:
        if isinstance(source, str) and source.removeprefix("\ufeff").lstrip().startswith("<"):
            return _from_text(source, assets, base, packages, nuserdata)
        if isinstance(source, str) and source.startswith("#usda"):
            raise ModelError("USD is read from files: write this text into one, as robot.usda")
        if isinstance(source, (str, os.PathLike)):
            return _from_file(source, assets, base, packages, nuserdata)
        if base is not None or packages is not None:
            raise ValueError("base and packages are for URDF, in a file or as text")
        if isinstance(source, Model):
            return sound_copy(_with_userdata(source.mj, nuserdata)), source.origin
        if isinstance(source, mujoco.MjModel):
            return sound_copy(_with_userdata(source, nuserdata)), Origin(None)
        if isinstance(source, mujoco.MjSpec):
            return _of_spec(source.copy(), nuserdata, source.assets, source.modelfiledir)
    except ModelError:
        raise
    except UnsupportedFeature:
        raise
    except (mujoco.FatalError, RuntimeError) as error:  # it says "unknown" of bad allocations
        raise ModelError(f"MuJoCo's compiler gave up, sizes may be too large: {error}") from None
    except ValueError as error:
        raise ModelError(str(error)) from None
    raise TypeError(
        "load takes a path, XML text, an mujoco.MjModel or an mujoco.MjSpec,"
        f" got {type(source).__name__}"
    )


def _with_userdata(mj, nuserdata):
    """A model that is compiled already, if it has the room."""
    if mj.nuserdata < nuserdata:
        raise ModelError(
            f"the state of user code takes {nuserdata} numbers of userdata, and the model, which is"
            f' compiled, has {mj.nuserdata}: write <size nuserdata="{nuserdata}"/> into its XML,'
            " or load the XML or MjSpec here"
        )
    return mj


def _of_spec(spec, nuserdata, assets, folder=""):
    """The model of a spec that nobody else has, and its origin; folder: where its files are."""
    spec.nuserdata = max(spec.nuserdata, nuserdata)
    mj = sound(spec_model(spec))
    return mj, Origin(spec, folder=os.path.realpath(folder), assets=assets)


def _spec(text, assets):
    return mujoco.MjSpec.from_string(text, assets, assets)


def check_room(mj):
    """Raise ModelError if not even a few worlds' states fit into memory."""
    state = mujoco.mj_stateSize(mj, mujoco.mjtState.mjSTATE_INTEGRATION)
    needed, free = 8 * state * (8 + mj.nkey), available()
    if needed > free:
        raise ModelError(
            f"the state of a world has {state:,} numbers (nuserdata {mj.nuserdata:,}, history"
            f" {mj.nhistory:,}) and the model {mj.nkey:,} keyframes: it takes {spoken(needed)}, and"
            f" {spoken(free)} are free"
        )


def _check_assets(assets):
    if assets is None:
        return
    if not isinstance(assets, Mapping):
        raise TypeError(f"assets maps names of files to bytes, got {type(assets).__name__}")
    for name, content in assets.items():
        if not isinstance(name, str) or not isinstance(content, bytes):
            kinds = f"{type(name).__name__} to {type(content).__name__}"
            raise TypeError(f"assets maps names of files to bytes, got {kinds} ({name!r})")


def _from_text(text, assets, base, packages, nuserdata):
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise ModelError(f"the XML text has what is no character: {error}") from None
    check_text(raw, Path(), assets)
    changed = _changed(raw, "the XML text", Path(), assets, base, packages)
    spec = _spec(text if changed is None else changed.decode(), assets)
    mj, origin = _of_spec(spec, nuserdata, assets)
    if is_urdf(raw):
        note_missing_actuators(mj, "the URDF")
    return mj, origin


def _from_file(source, assets, base, packages, nuserdata):
    path = Path(source)
    named = repr(str(path) if len(str(path)) <= 200 else f"{str(path)[:150]}...{str(path)[-40:]}")
    suffix = path.suffix.lower()
    inside = bool(assets) and str(path) in assets
    if not inside:
        check_file(path, named, empty=os.fspath(source) == "")
    if suffix not in SUFFIXES:
        raise ModelError(
            f"cannot read {path.suffix or 'a file without suffix'!r}: use .xml, .urdf, .mjb or .usd"
        )
    if suffix in USD:
        if base is not None or packages is not None or assets:
            raise ValueError(f"assets, base and packages are for XML, and {named} is USD")
        return _from_usd(path, named, nuserdata)
    if suffix == ".mjb":
        if base is not None or packages is not None:
            raise ValueError(f"base and packages are for URDF, and {named} is an MJB")
        mj = _with_userdata(load_binary(path, named, assets), nuserdata)
        return sound(mj), Origin(None, "an MJB")
    raw = assets[str(path)] if inside else _read(path, named)
    if not raw.strip():
        raise ModelError(f"{named} is empty")
    if b"<" not in raw:
        raise ModelError(f"{named} is no XML: it begins with {raw[:12]!r}")
    check_text(raw, path.parent, assets, os.path.realpath(path))
    changed = _changed(raw, named, path.parent, assets, base, packages)
    if changed is not None:
        spec = _spec(changed.decode(), assets)
    elif path.suffix in _OF_SPECS:
        spec = mujoco.MjSpec.from_file(str(path), assets, assets)
    else:
        mj = _with_userdata(mujoco.MjModel.from_xml_path(str(path), assets), nuserdata)
        return sound(mj), Origin(None, f"a file that ends with {path.suffix}")
    mj, origin = _of_spec(spec, nuserdata, assets, path.parent)
    if is_urdf(raw):
        note_missing_actuators(mj, named)
    return mj, origin


def _from_usd(path, named, nuserdata):
    from ..usd import Findings, open_stage, spec_of_stage  # which need usd-core

    findings = Findings()
    spec = spec_of_stage(open_stage(path, named, available()), findings)
    findings.check(named)
    mj, origin = _of_spec(spec, nuserdata, None, path.parent)
    findings.warn(named, stacklevel=6)
    return mj, origin


def _changed(raw, named, folder, assets, base, packages):
    """The XML that MuJoCo gets instead, or None."""
    if is_urdf(raw):
        return rewritten(raw, folder, base, packages, assets)
    if base is not None or packages is not None:
        raise ValueError(f"base and packages are for URDF, and {named} is none")
    return None


def check_file(path, named, empty):
    """Raise ModelNotFound unless the path is a file."""
    if empty:
        raise ModelNotFound("no model file: the path is empty")
    try:
        path.stat()
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            raise ModelNotFound(f"no model file {named}{_near(path)}") from None
        raise ModelNotFound(f"no model file {named}: {error.strerror}") from None
    except ValueError as error:  # a path with a zero byte
        raise ModelNotFound(f"no model file {named}: {error}") from None
    if path.is_dir():
        raise ModelNotFound(f"{named} is a folder{_listed(_models(path))}")
    if not path.is_file():
        raise ModelNotFound(f"{named} is not a file, but a device, a pipe or a socket")


def _read(path, named):
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{named} cannot be read: {error.strerror}") from None


def _models(folder):
    """Model files in a folder."""
    try:
        return sorted(str(p) for p in folder.iterdir() if p.suffix.lower() in SUFFIXES)
    except OSError:
        return []


def _listed(names):
    return f"; there are {', '.join(names[:8])}" if names else ", without models in it"


def _near(path):
    near = _models(path.parent)
    return did_you_mean(str(path), near) or (_listed(near) if near else "")
