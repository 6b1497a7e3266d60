"""Tables of text."""


def table(rows: list[tuple], heads: tuple) -> str:
    """Columns as wide as they need to be; the first is text, the others are numbers."""
    cells = [heads, *[tuple(map(str, row)) for row in rows]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(heads))]
    lines = []
    for row in cells:
        columns = [
            row[0].ljust(widths[0]),
            *[c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)],
        ]
        lines.append("  ".join(columns).rstrip())
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines)
