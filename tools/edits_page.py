"""What an edit of each field of a Model does, as docs/fields.md and docs/edits.md show it."""

from lanewise.fields import EDITS, MODEL_FIELDS, OTHERS

# the words of lanewise/fields/table.py, as the documents say them
_SAID = {
    "free": "safe", "checked": "checked", "fixed": "fixed", "unused": "no effect",
    "const": "then `set_const`", "made": "by `set_const`",
}  # fmt: skip

# kinds in the order of docs/edits.md: words, and what they mean
_KINDS = (
    ({"free"}, "acts from the next step on"),
    ({"const"}, "acts from the next step on; call `set_const` for what follows from it"),
    ({"const", "made"}, "likewise; `set_const` reads it, and writes a part of it"),
    ({"made"}, "`set_const` computes it; what you write there lasts until then"),
    ({"checked"}, "acts from the next step on, within limits"),
    ({"checked", "const"}, "likewise; call `set_const` for what follows from it"),
    ({"checked", "made"}, "`set_const` computes it, else within limits"),
    ({"fixed"}, "structure: cannot be written"),
    ({"fixed", "made"}, "structure that `set_const` computes, and always finds the same"),
    ({"unused"}, "has no effect in Lanewise"),
)


def said(words: frozenset[str]) -> str:
    """The words of a field, for a column of a table."""
    return ", ".join(_SAID[word] for word in _SAID if word in words)


def others() -> str:
    """The section of docs/fields.md on fields that kernels do not read."""
    lines = ["### fields of MjModel that kernels do not read", ""]
    lines += ["| fields | edit | what they are |", "|---|---|---|"]
    lines += [f"| {_listed(names)} | {said(words)} | {what} |" for words, what, names in OTHERS]
    return "\n".join([*lines, ""])


def table() -> str:
    """The table of docs/edits.md: every field, by what an edit of it does."""
    kinds = [frozenset(words) for words, _ in _KINDS]
    assert not set(EDITS.values()) - set(kinds), "a kind of edit that _KINDS does not have"
    lines = ["| edit | what it does | fields |", "|---|---|---|"]
    for kind, (_, what) in zip(kinds, _KINDS, strict=True):
        names = [name for name, words in EDITS.items() if words == kind]
        lines.append(f"| {said(kind)} | {what} | {_short(names)} |")
    return "\n".join(lines)


def _listed(names) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _short(names: list[str]) -> str:
    """Names; of fields that kernels do not read only how many there are, if they are many."""
    others = [name for name in names if name not in MODEL_FIELDS]
    if len(others) < 20:
        return _listed(names)
    shown = [name for name in names if name in MODEL_FIELDS]
    place = "fields.md#fields-of-mjmodel-that-kernels-do-not-read"
    more = f"{len(others)} that [no kernel reads]({place})"
    return f"{_listed(shown)}, and {more}" if shown else more
