"""BVH files: a tree of joints with offsets, channels for each, and rows of numbers.

    HIERARCHY
    ROOT Hips { OFFSET x y z  CHANNELS 6 Xposition ... Zrotation ...
      JOINT Spine { OFFSET x y z  CHANNELS 3 Zrotation Xrotation Yrotation
        End Site { OFFSET x y z } } }
    MOTION  Frames: 120  Frame Time: 0.00833333
    ...

The rotations of a joint are applied in the order of its channels, each about an axis that has
turned already, in degrees. A joint's position channels stand in the place of its offset.
"""

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .motion_errors import MotionError
from .number_text import Lines, read_lines

LONGEST = 2**30  # bytes
LONGEST_HEAD = 2**24  # bytes before the frames
MOTION = re.compile(rb"\bMOTION(?=\s+Frames\b)", re.IGNORECASE)  # a joint may have that name, too
MOST_JOINTS = 2000
DEEPEST = 500
POSITIONS = tuple(f"{axis}position" for axis in "XYZ")
ROTATIONS = tuple(f"{axis}rotation" for axis in "XYZ")
CHANNELS = {name.lower(): name for name in POSITIONS + ROTATIONS}


@dataclass
class BvhJoint:
    """A joint: its name, the number of its parent (-1: none), its offset and its channels."""

    name: str
    parent: int
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)
    channels: tuple[str, ...] = ()
    ends: list[tuple[float, ...]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Bvh:
    """Joints, depth first; values (T, channels); seconds from frame to frame."""

    joints: list[BvhJoint]
    values: np.ndarray
    frame_time: float

    def columns(self, k: int, kind: Sequence[str]) -> list[int]:
        """Where joint k has its channels of a kind, in the order of the file."""
        begin = sum(len(j.channels) for j in self.joints[:k])
        return [begin + i for i, name in enumerate(self.joints[k].channels) if name in kind]


def read_bvh(path: Path) -> Bvh:
    """A BVH file, or an error that says what is wrong with it."""
    size = path.stat().st_size
    if size > LONGEST:
        raise MotionError(f"{path.name} has {size} bytes; at most {LONGEST} are read")
    data = path.read_bytes()
    head_bytes = data[:LONGEST_HEAD]
    at = MOTION.search(head_bytes) or re.search(rb"\bMOTION\b", head_bytes, re.IGNORECASE)
    if at is None:
        raise MotionError(f"{path.name} is cut short: it has no MOTION")
    head = data[: at.start()].decode("utf-8-sig", errors="replace")
    try:
        joints = _Hierarchy(head).joints
    except MotionError as error:
        raise MotionError(f"{path.name}: {error}") from None
    values, frame_time = _motion(path.name, data, at.end(), joints)
    return Bvh(joints, values, frame_time)


class _Hierarchy:
    """The tree, word by word."""

    def __init__(self, text: str):
        self.words = re.findall(r"[{}]|[^\s{}]+", text)
        self.lines = text
        self.at = 0
        self.joints: list[BvhJoint] = []
        self._expect("HIERARCHY")
        self._expect("ROOT")
        self._joint(-1)
        if self.at < len(self.words):
            what = self.words[self.at]
            if what.upper() == "ROOT":
                raise MotionError("it has several roots; a clip has one")
            raise MotionError(f"{what!r} after the tree is complete")
        names = [joint.name for joint in self.joints]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise MotionError(f"joints of the same name: {', '.join(twice[:6])}: which is whose"
                              " child is not told then, and a tree has no loops")  # fmt: skip

    def _next(self) -> str:
        if self.at >= len(self.words):
            raise MotionError("its tree is cut short: a } is missing")
        self.at += 1
        return self.words[self.at - 1]

    def _expect(self, word: str) -> None:
        got = self._next()
        if got.upper() != word:
            raise MotionError(f"{word} is expected; got {got[:40]!r}")

    def _numbers(self, n: int, where: str) -> tuple[float, ...]:
        words = [self._next() for _ in range(n)]
        try:
            numbers = tuple(map(float, words))
        except ValueError:
            raise MotionError(f"OFFSET of {where} takes {n} numbers; got {words}") from None
        if not np.isfinite(numbers).all():
            raise MotionError(f"OFFSET of {where} is not finite: {words}")
        return numbers

    def _joint(self, parent: int) -> None:
        """A joint and all below it; without recursion, as files may be deep."""
        stack = [self._begin(parent)]
        while stack:
            joint = self.joints[stack[-1]]
            word = self._next().upper()
            if word == "OFFSET":
                joint.offset = self._numbers(3, joint.name)
            elif word == "CHANNELS":
                joint.channels = self._channels(joint.name)
            elif word == "JOINT":
                stack.append(self._begin(stack[-1]))
                if len(stack) > DEEPEST or len(self.joints) > MOST_JOINTS:
                    raise MotionError(f"more than {MOST_JOINTS} joints, or {DEEPEST} in a chain")
            elif word in ("END", "ENDSITE"):
                joint.ends.append(self._end(joint.name, word == "END"))
            elif word == "}":
                stack.pop()
                _check_channels(joint)
            else:
                raise MotionError(f"{word[:40]!r} in joint {joint.name!r}; there may be OFFSET,"
                                  " CHANNELS, JOINT and End Site")  # fmt: skip

    def _begin(self, parent: int) -> int:
        words = [self._next()]
        while self.at < len(self.words) and self.words[self.at] != "{":
            words.append(self._next())
        self._expect("{")
        self.joints.append(BvhJoint(" ".join(words), parent))
        return len(self.joints) - 1

    def _channels(self, name: str) -> tuple[str, ...]:
        count = self._next()
        if not count.isdigit() or int(count) > 6:
            raise MotionError(f"CHANNELS of {name!r} takes a number up to 6; got {count[:20]!r}")
        words = [self._next() for _ in range(int(count))]
        unknown = [w for w in words if w.lower() not in CHANNELS]
        if unknown:
            raise MotionError(f"joint {name!r} has a channel {unknown[0][:40]!r}; there are"
                              f" {', '.join(CHANNELS.values())}")  # fmt: skip
        return tuple(CHANNELS[w.lower()] for w in words)

    def _end(self, name: str, two_words: bool) -> tuple[float, ...]:
        if two_words:
            self._expect("SITE")
        while self._next() != "{":
            pass
        self._expect("OFFSET")
        offset = self._numbers(3, f"the end of {name}")
        self._expect("}")
        return offset


def _check_channels(joint: BvhJoint) -> None:
    twice = [c for c in joint.channels if joint.channels.count(c) > 1]
    if twice:
        raise MotionError(f"joint {joint.name!r} has the channel {twice[0]} twice")
    turns = [c for c in joint.channels if c in ROTATIONS]
    moves = [c for c in joint.channels if c in POSITIONS]
    if len(turns) != 3 or len(moves) not in (0, 3):
        got = ", ".join(joint.channels) or "none"
        raise MotionError(
            f"joint {joint.name!r} must have three channels of rotation, and of position three or"
            f" none; it has {got}"
        )
    if joint.parent < 0 and not moves:
        raise MotionError(f"the root {joint.name!r} has no channels of position")


def _motion(name: str, data: bytes, begin: int, joints: list[BvhJoint]) -> tuple[np.ndarray, float]:
    head = re.match(
        rb"\s*Frames\s*:?\s*(\S+)\s+Frame\s+Time\s*:?\s*(\S+)\s*",
        data[begin : begin + 2000],
        re.IGNORECASE,
    )
    if head is None:
        raise MotionError(f"{name}: MOTION must begin with Frames: and Frame Time:")
    try:
        frames, seconds = int(head[1]), float(head[2])
    except ValueError:
        got = [x[:20].decode(errors="replace") for x in head.groups()]
        raise MotionError(f"{name}: Frames and Frame Time must be numbers; got"
                          f" {got[0]!r} and {got[1]!r}") from None  # fmt: skip
    width = sum(len(j.channels) for j in joints)
    begin += head.end()
    if not 0 < frames * width <= len(data) - begin:  # a number takes two bytes at least
        raise MotionError(f"{name} claims {frames} frames of {width} numbers, and has"
                          f" {len(data) - begin} bytes of them")  # fmt: skip
    values = read_lines(data, begin, width, " ")
    if values is None:
        values = _by_numpy(data[begin:])
    if values.size != frames * width:
        raise MotionError(
            f"{name}: {frames} frames of {width} channels are {frames * width} numbers;"
            f" {_wrong_word(data, begin) or f'it has {values.size}'}"
        )
    if not np.isfinite(values).all():
        raise MotionError(f"{name}: a number in its frames is not finite")
    return values.reshape(frames, width), seconds


def _wrong_word(data: bytes, begin: int) -> str:
    """Where something stands between numbers that is none; nothing, if it does not."""
    line = data.count(b"\n", 0, begin)
    for text in data[begin:].splitlines():
        line += 1
        for word in text.split():
            try:
                float(word)
            except ValueError:
                return f"line {line} has {word[:20].decode(errors='replace')!r}, which is no number"
    return ""


def _by_numpy(text: bytes) -> np.ndarray:
    """Numbers with any blanks between them; none if something else is there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of what is no number
        try:
            return np.fromstring(text, sep=" ")
        except ValueError:
            return np.empty(0)


# ---- writing


def bvh_lines(
    joints: list[BvhJoint], values: np.ndarray, frame_time: float, digits: int = 12
) -> Lines:
    """The text of a file."""
    out = ["HIERARCHY"]
    children: dict[int, list[int]] = {}
    for k, joint in enumerate(joints):
        children.setdefault(joint.parent, []).append(k)
    stack: list[int | str] = [0]
    depth = 0
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            depth -= 1
            out.append("\t" * depth + top)
            continue
        joint, pad = joints[top], "\t" * depth
        out += [f"{pad}{'JOINT' if joint.parent >= 0 else 'ROOT'} {joint.name}", pad + "{"]
        out.append(f"{pad}\tOFFSET {_words(joint.offset)}")
        out.append(f"{pad}\tCHANNELS {len(joint.channels)} {' '.join(joint.channels)}")
        below = children.get(top, [])
        for end in joint.ends or ([] if below else [(0.0, 0.0, 0.0)]):
            out += [f"{pad}\tEnd Site", f"{pad}\t{{", f"{pad}\t\tOFFSET {_words(end)}",
                    f"{pad}\t}}"]  # fmt: skip
        depth += 1
        stack += ["}", *reversed(below)]
    out += ["MOTION", f"Frames: {len(values)}", f"Frame Time: {frame_time:.12g}", ""]
    return Lines("\n".join(out), values, " ", digits)


def _words(numbers: Sequence[float]) -> str:
    return " ".join(f"{x:.12g}" for x in numbers)
