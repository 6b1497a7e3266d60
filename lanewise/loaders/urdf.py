"""URDF beyond what MuJoCo reads: a base that floats, and meshes of ROS packages.

MuJoCo makes the root link part of the world, and knows no `package://`. Here the XML is changed
before MuJoCo sees it: the root link gets a floating joint to a world, and names of files become the
absolute paths that they mean. What needs no change goes to MuJoCo as it is.
"""

import glob
import os
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from pathlib import Path

import mujoco

from ..errors import ModelError, did_you_mean

BASES = ("free", "fixed")


def is_urdf(text: bytes) -> bool:
    """Whether the root element is <robot>."""
    at = text.find(b"<robot")
    return at >= 0 and b"<mujoco" not in text[:at] and text[at + 6 : at + 7] in b" \t\r\n/>"


def check_base(base) -> None:
    if base is not None and base not in BASES:
        near = did_you_mean(base, BASES)
        raise ValueError(
            f"base is 'free' or 'fixed', or None for what the file says, got {base!r}{near}"
        )


def rewritten(text: bytes, folder: Path, base, packages, assets) -> bytes | None:
    """The URDF with its base and its files as asked for; None if nothing is to be changed."""
    try:
        robot = ET.fromstring(text)
    except ET.ParseError as error:
        if base is None and b"://" not in text:  # MuJoCo takes more than strict parsers do
            return None
        raise ModelError(f"the URDF is no XML: {error}") from None
    changed = _set_base(robot, base) if base is not None else False
    changed = _find_files(robot, folder, _folders(packages), assets or {}) or changed
    return ET.tostring(robot) if changed else None


def note_missing_actuators(mj, name: str) -> None:
    """Say that nothing drives a robot: URDF has no actuators that MuJoCo reads."""
    if mj.nu == 0 and (mj.jnt_type != mujoco.mjtJoint.mjJNT_FREE).any():
        warnings.warn(
            f"{name} has joints and no actuators, so there is no ctrl: MuJoCo reads none of a URDF."
            " Add some with mujoco.MjSpec (docs/urdf.md), or apply forces by qfrc_applied",
            stacklevel=5,
        )


# the base


def _set_base(robot, base):
    """Let the root link float, or stand still; whether anything had to be changed."""
    links = {link.get("name"): link for link in robot.findall("link")}
    joints = {joint.get("name"): joint for joint in robot.findall("joint")}
    root = _root(links, joints)
    below = [joint for joint in joints.values() if joint.find("parent").get("link") == root]
    # a link that only stands for the world: it is its joint that floats or not
    if len(below) == 1 and links[root].find("inertial") is None:
        kind, wanted = below[0].get("type"), {"free": "floating", "fixed": "fixed"}[base]
        if kind == "floating" or (kind == "fixed" and root == "world"):
            below[0].set("type", wanted)
            return kind != wanted
    if base == "fixed":
        return False
    if root == "world":
        raise ModelError(
            f"base='free': the root link {root!r} has the joints"
            f" {[joint.get('name') for joint in below]}, not one that is fixed"
        )
    world = _unused("world", links)
    ET.SubElement(robot, "link", name=world)
    name = _unused(f"{root}_free", joints)
    joint = ET.SubElement(robot, "joint", name=name, type="floating")
    ET.SubElement(joint, "parent", link=world)
    ET.SubElement(joint, "child", link=root)
    return True


def _root(links, joints):
    """The link that no joint moves."""
    for name, joint in joints.items():
        if joint.find("parent") is None or joint.find("child") is None:
            raise ModelError(f"the URDF's joint {name!r} lacks a parent or a child")
    children = {joint.find("child").get("link") for joint in joints.values()}
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        raise ModelError(f"base= needs one root link, and the URDF has {len(roots)}: {roots[:8]}")
    return roots[0]


def _unused(name, taken):
    while name in taken:
        name += "_"
    return name


# files


def _folders(packages):
    """(folders by package, folders to search), of the argument and of ROS's variables."""
    named: dict[str, Path] = {}
    search: list[Path] = []
    if isinstance(packages, Mapping):
        named = {str(name): Path(path) for name, path in packages.items()}
        missing = [f"{name}: {path}" for name, path in named.items() if not path.is_dir()]
        if missing:
            raise ModelError(f"packages: no such folder: {', '.join(missing)}")
    elif isinstance(packages, (str, os.PathLike)):
        search = [Path(packages)]
    elif isinstance(packages, Iterable):
        search = [Path(path) for path in packages]
    elif packages is not None:
        raise TypeError(
            "packages is {name: folder}, or one or several folders that packages are in,"
            f" got {type(packages).__name__}"
        )
    missing = [str(path) for path in search if not path.is_dir()]
    if missing:
        raise ModelError(f"packages: no such folder: {', '.join(missing)}")
    ros = [Path(path) for path in _paths("ROS_PACKAGE_PATH")]
    ament = [Path(path) / "share" for path in _paths("AMENT_PREFIX_PATH")]
    return named, [*search, *ros, *ament]


def _paths(variable):
    return [path for path in os.environ.get(variable, "").split(os.pathsep) if path]


def _find_files(robot, folder, packages, assets):
    """Let names of meshes be absolute paths; whether any had to be changed."""
    compiler = robot.find("mujoco/compiler")
    options = {} if compiler is None else compiler.attrib
    strip = options.get("strippath") == "true"
    meshdir = folder / options.get("meshdir", options.get("assetdir", ""))
    found, unknown, changed = {}, [], False
    for mesh in robot.iter("mesh"):
        name = mesh.get("filename")
        if not name or name in assets or Path(name).name in assets:
            continue
        beside = meshdir / Path(name).name
        by_mujoco = beside if strip else meshdir / name
        if "://" not in name and _is_file(by_mujoco):
            found[mesh] = by_mujoco
            continue
        path = next(filter(_is_file, (*_meant(name, folder, packages), beside)), None)
        if path is not None:
            found[mesh], changed = path, True
        elif "://" in name:
            unknown.append(name)
    if unknown:
        raise ModelError(_not_found(unknown, packages))
    if not changed:
        return False
    for mesh, path in found.items():
        mesh.set("filename", str(path.absolute()))
    if compiler is None:
        extension = robot.find("mujoco")
        if extension is None:
            extension = ET.SubElement(robot, "mujoco")
        compiler = ET.SubElement(extension, "compiler")
    compiler.set("strippath", "false")
    return True


def _is_file(path):
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _meant(name, folder, packages):
    """The paths that a file name may stand for."""
    scheme, _, rest = name.rpartition("://")
    if scheme in ("package", "model"):
        package, _, rest = rest.partition("/")
        for place in _places(package, folder, packages):
            yield place / rest
    elif scheme == "file":
        yield Path(rest)
    elif not scheme:
        yield folder / name


def _places(package, folder, packages):
    """Folders that may be a package, the likeliest first."""
    named, search = packages
    if package in named:
        yield named[package]
        return
    for place in search:
        if place.name == package:
            yield place
        yield place / package
    yield from (p for p in (folder.absolute(), *folder.absolute().parents) if p.name == package)
    for place in search:  # repositories of several packages
        yield from place.glob(f"*/{glob.escape(package)}")


def _not_found(names, packages):
    named, search = packages
    known = ", ".join([*named, *map(str, search)]) or "none"
    first = names[0].split("://", 1)[1].partition("/")[0]
    return (
        f"the URDF names {len(names)} files that are not found: {', '.join(names[:4])}"
        f"{' ...' if len(names) > 4 else ''}. Say where packages are:"
        f" packages={{{first!r}: folder}}, or a folder that has them, or the variables"
        f" ROS_PACKAGE_PATH and AMENT_PREFIX_PATH (looked in: {known})"
    )
