"""Skeletons: joints with parents and offsets, as files of motion capture have them.

A skeleton is a model too: `mjcf` writes it as bodies on ball joints with a capsule for each bone,
so that a clip of a BVH file can be simulated, looked at and compared like any other.
"""

from dataclasses import dataclass

import numpy as np

from ..public import Model, load

THICK = 0.02  # of bones, in metres
SHORT = 1e-3  # [m] offsets that are no bones


@dataclass(frozen=True, eq=False)
class Skeleton:
    """names, parents (-1: the root) and offsets (n, 3) [m] in the axes of the parent; ends are
    (joint, offset) of what hangs on the last joints."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: np.ndarray
    ends: tuple[tuple[int, tuple[float, ...]], ...] = ()

    def rest(self) -> np.ndarray:
        """Where joints are when nothing has turned, (n, 3) [m], the root at the origin."""
        where = np.zeros((len(self.names), 3))
        for k, parent in enumerate(self.parents):
            if parent >= 0:
                where[k] = where[parent] + self.offsets[k]
        return where

    def mjcf(self) -> str:
        """The model as MJCF: bodies named as the joints, and ball joints likewise."""
        children: dict[int, list[int]] = {}
        for i, parent in enumerate(self.parents):
            children.setdefault(parent, []).append(i)
        out = ["<mujoco model=\"skeleton\">", "<option gravity=\"0 0 -9.81\"/>", "<worldbody>",
               "<light pos=\"0 0 4\" dir=\"0 0 -1\"/>",
               "<geom type=\"plane\" size=\"5 5 .1\" rgba=\".8 .8 .8 1\"/>"]  # fmt: skip
        stack: list[int | None] = [0]
        while stack:
            top = stack.pop()
            if top is None:
                out.append("</body>")
                continue
            k = top
            name = _quoted(self.names[k])
            pos = "0 0 0" if self.parents[k] < 0 else _words(self.offsets[k])
            joint = f"<freejoint name={name}/>" if self.parents[k] < 0 else (
                f"<joint name={name} type=\"ball\"/>")  # fmt: skip
            out.append(f'<body name={name} pos="{pos}">{joint}{self._bones(k, children)}')
            stack += [None, *reversed(children.get(k, []))]
        return "\n".join([*out, "</worldbody>", "</mujoco>"])

    def _bones(self, k: int, children: dict[int, list[int]]) -> str:
        tips = [self.offsets[c] for c in children.get(k, [])]
        tips += [np.array(offset) for joint, offset in self.ends if joint == k]
        size = f'size="{THICK}" contype="0" conaffinity="0"'
        bones = [f'<geom type="capsule" fromto="0 0 0 {_words(tip)}" {size}/>'
                 for tip in tips if np.linalg.norm(tip) > SHORT]  # fmt: skip
        return "".join(bones) or f'<geom type="sphere" {size}/>'

    def model(self) -> Model:
        """The model itself."""
        return load(self.mjcf())


def _words(x: np.ndarray) -> str:
    return " ".join(f"{v:.17g}" for v in x)


def _quoted(name: str) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(name)
