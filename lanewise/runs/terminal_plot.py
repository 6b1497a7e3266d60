"""Curves in the terminal, of Braille characters: each has two by four dots."""

import numpy as np

COLOURS = ("blue", "yellow", "green", "red", "magenta", "cyan", "white", "bright_blue")
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


def chart(
    time: np.ndarray, curves: list[np.ndarray], width: int, height: int
) -> list[list[tuple[str, int]]]:
    """Lines of (text, number of the curve or -1 for axes), `width` by `height` characters."""
    finite = [c[np.isfinite(c)] for c in curves]
    all_ = np.concatenate([c for c in finite if c.size] or [np.zeros(1)])
    low, high = float(all_.min()), float(all_.max())
    if high - low < 1e-12 * max(abs(low), abs(high), 1e-300):
        low, high = low - 0.5, high + 0.5
    labels = [f"{low + (high - low) * (height - 1 - r) / (height - 1):.4g}" for r in range(height)]
    labels = [label if r in (0, height // 2, height - 1) else "" for r, label in enumerate(labels)]
    margin = max(map(len, labels)) + 1
    columns = max(width - margin - 1, 8)
    dots, owner = _dots(time, curves, low, high, columns, height)
    lines = []
    for r in range(height):
        line = [(f"{labels[r]:>{margin - 1}} \u2502", -1)]
        for c in range(columns):
            line.append((chr(0x2800 + dots[r, c]) if dots[r, c] else " ", int(owner[r, c])))
        lines.append(line)
    begin, end = f"{time[0]:.4g}", f"{time[-1]:.4g} s"
    lines.append([(" " * margin + "\u2514" + "\u2500" * columns, -1)])
    gap = " " * max(columns - len(begin) - len(end), 1)
    lines.append([(" " * (margin + 1) + begin + gap + end, -1)])
    return lines


def _dots(
    time: np.ndarray, curves: list[np.ndarray], low: float, high: float, columns: int, height: int
) -> tuple[np.ndarray, np.ndarray]:
    """Dots of each character, and the curve that drew last in it."""
    dots, owner = np.zeros((height, columns), int), np.full((height, columns), -1)
    fine = np.linspace(time[0], time[-1], 4 * columns)  # so that steep parts have no gaps
    for number, curve in enumerate(curves):
        y = np.interp(fine, time, curve) if len(time) > 1 else np.repeat(curve, len(fine))
        rows = (high - y) / (high - low) * (4 * height - 1)
        for k in range(len(fine)):
            if not np.isfinite(rows[k]):
                continue
            nearby = rows[k - 1] if k and np.isfinite(rows[k - 1]) else rows[k]
            first, last = sorted((round(nearby), round(rows[k])))
            column = k // 2
            for row in range(first, last + 1):
                dots[row // 4, column // 2] |= _DOTS[row % 4, column % 2]
                owner[row // 4, column // 2] = number
    return dots, owner
