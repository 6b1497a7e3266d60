"""XML, looked at before MuJoCo reads it: what a few lines can blow up to, and what MuJoCo ignores.

Elements inside `replicate` are there `count` times, and a `model` as often as it is attached; both
can be nested, so that a page of XML is billions of bodies. Height fields, textures, flexes and
keyframes are as large as a number says. This counts, without making anything. The text is searched
for the few elements that matter, and is not parsed: MuJoCo takes more than strict parsers do.
"""

import math
import os
import re
from pathlib import Path

from ..errors import ModelError
from .free_memory import available, spoken

MOST_COPIES = 100_000  # elements: MuJoCo's compiler takes minutes, by the square of their number
DEEPEST = 100  # files that include or attach each other

_ENTITY = re.compile(rb"<!ENTITY\s+([^\s>]*)")
_ELEMENT = re.compile(
    rb"""<(/?)(replicate|attach|model|include|flexcomp|size|hfield|texture|mesh|user|contact|camera)
         (?=[\s/>])((?:[^<>"']|"[^"]*"|'[^']*')*)>""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(rb"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def check_text(text: bytes, folder: Path, assets=None, name: str = "the XML text") -> None:
    """Raise ModelError if the XML would become larger than memory, time or the stack allow."""
    _Reader(assets or {}).elements(text, folder, (name,))


class _Reader:
    """Counts elements, over the files that a model is made of."""

    def __init__(self, assets):
        self.assets = assets
        self.known: dict[str, int] = {}  # elements of a file that has been counted
        self.bytes = 0

    def elements(self, text, folder, chain):
        """How many elements there will be; `chain` are the files on the way here."""
        name = chain[-1]
        text = _without_comments(text)
        entity = _ENTITY.search(text)
        if entity:
            raise ModelError(
                f"{name} declares the entity {_word(entity[1])!r}, which MuJoCo does not put in;"
                " write out what it stands for"
            )
        times, total, made, at = [1], 0, 0, 0  # times: how often what is here will be there
        parts: dict[str, int] = {}  # elements of models that can be attached, by name
        for found in _ELEMENT.finditer(text):
            here, at = text.count(b"<", at, found.start()), found.start()
            total += here
            made += here * (times[-1] - 1)
            kind = found[2].decode()
            attributes = {_word(k): _word(a or b) for k, a, b in _ATTRIBUTE.findall(found[3])}
            if kind == "replicate" and found[1]:
                times = times[:-1] or [1]
            elif kind == "replicate" and not found[3].endswith(b"/"):
                times = [*times, times[-1] * max(1, int(_number(attributes, "count", 1)))]
            elif kind in ("model", "include"):
                count = self._file(kind, attributes, folder, chain)
                parts[attributes.get("name") or Path(attributes.get("file", "")).stem] = count
                made += count * (times[-1] - 1) if kind == "include" else 0
            elif kind == "attach":
                made += times[-1] * parts.get(attributes.get("model", ""), 1)
            elif kind == "flexcomp":
                made += int(math.prod(max(1.0, n) for n in _numbers(attributes.get("count", ""))))
            elif kind == "size":
                made += int(max(0.0, _number(attributes, "nkey", 0)))
            if made > MOST_COPIES:
                raise ModelError(
                    f"{name} becomes more than {MOST_COPIES:,} elements by replicate, attach,"
                    f" flexcomp or nkey (at <{kind}>); MuJoCo's compiler takes hours over as many"
                )
            self.bytes += times[-1] * _bytes(kind, attributes, text)
            if self.bytes > 2**28 and self.bytes > (free := available()) / 4:
                raise ModelError(
                    f"{name}: {kind} {attributes.get('name', '')!r} and what is before it take"
                    f" {spoken(self.bytes)}, some of it several times, and {spoken(free)} are free"
                )
        return total + made + text.count(b"<", at)

    def _file(self, kind, attributes, folder, chain):
        """Elements of a file that is included or attached; none may attach itself."""
        name = attributes.get("file", "")
        raw, place = self._read(name, folder)
        if raw is None:  # MuJoCo says it better
            return 0
        if place in chain:
            if kind == "include":  # MuJoCo refuses it by name
                return 0
            raise ModelError(f"a model attaches itself: {' -> '.join((*chain, place))}")
        if len(chain) > DEEPEST:
            raise ModelError(
                f"models are attached or included {DEEPEST} deep: {chain[0]} ... {place}"
            )
        if place not in self.known:
            self.known[place] = 0
            self.known[place] = self.elements(raw, folder, (*chain, place))
        return self.known[place]

    def _read(self, name, folder):
        for key in (name, Path(name).name):
            if key in self.assets:
                return self.assets[key], key
        try:
            path = os.path.realpath(folder / name)
            return (Path(path).read_bytes() if os.path.isfile(path) else None), path
        except (OSError, ValueError):
            return None, name


def _bytes(kind, attributes, text):
    """Memory that an element takes because a number in it says so, about."""
    if kind == "hfield":
        return 12 * _number(attributes, "nrow", 0) * _number(attributes, "ncol", 0)
    if kind == "texture":
        width = _number(attributes, "width", 0)
        if attributes.get("type", "cube") == "2d":
            return 6 * width * _number(attributes, "height", 0)
        return 36 * width * width
    if kind == "mesh":  # how finely a built-in shape is divided
        return 1000 * _number(attributes, "params", 0) ** 2 if "builtin" in attributes else 0
    if kind == "camera":
        return 8 * math.prod(_numbers(attributes.get("resolution", "0")))
    if kind in ("user", "contact"):  # sensors
        return 80 * _number(attributes, "num" if kind == "contact" else "dim", 0)
    if kind == "size":
        named = {name.partition("_")[2]: name for name in attributes if name.startswith("nuser_")}
        return 64 * _number(attributes, "nuserdata", 0) + sum(
            24 * _number(attributes, name, 0) * (1 + text.count(b"<" + element.encode()))
            for element, name in named.items()
        )
    return 0


def _without_comments(text):
    parts, at = [], 0
    while (start := text.find(b"<!--", at)) >= 0:
        parts.append(text[at:start])
        at = text.find(b"-->", start) + 3
        if at < 3:  # it does not end
            return b"".join(parts)
    return b"".join([*parts, text[at:]])


def _word(text):
    return text.decode("utf-8", "replace")


def _numbers(text):
    found = []
    for word in text.split():
        try:
            value = float(word)
        except ValueError:  # MuJoCo says what is wrong with it
            continue
        found.append(value if math.isfinite(value) else 0.0)
    return found


def _number(attributes, name, default):
    return next(iter(_numbers(attributes.get(name, ""))), default)
