"""Worlds and sizes as people write them."""

import re

_ALL = "all"


def worlds_of(text: str, count: int) -> list[int]:
    """Numbers of worlds from '0,4-7' or 'all'."""
    if text.strip() == _ALL:
        return list(range(count))
    found: list[int] = []
    for word in filter(None, (w.strip() for w in text.split(","))):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", word)
        if match is None:
            raise ValueError(f"--worlds is such as 0,4-7 or all, got {text!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < count:
            raise ValueError(f"--worlds {word}: this run has worlds 0 to {count - 1}")
        found += range(first, last + 1)
    if not found:
        raise ValueError(f"--worlds is such as 0,4-7 or all, got {text!r}")
    return list(dict.fromkeys(found))


def size_of(text: str) -> tuple[int, int]:
    """(width, height) from '640x480'."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.strip().lower())
    if match is None:
        raise ValueError(f"--size is such as 640x480, got {text!r}")
    return int(match[1]), int(match[2])
