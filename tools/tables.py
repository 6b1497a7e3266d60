"""What the tables of fields say to whoever writes about them."""

from lanewise.fields import READ_FIELDS, Field


def is_read(f: Field) -> bool:
    """Whether a field of Data is for users, not workspace."""
    return f.name in READ_FIELDS


def shape(f: Field) -> str:
    """As Python writes it, in the sizes of the model."""
    return f.said.partition(" [")[0] if f.dims else "()"


def between(text: str, what: str, made: str, command: str) -> str:
    """A page with something generated in the place for it, which a command has written."""
    before, begin, rest = text.partition(f"<!-- {what} written by `{command}` -->\n")
    _, end, after = rest.partition(f"<!-- end of {what} -->\n")
    if not begin or not end:
        raise ValueError(f"the page has no place for {what}")
    return before + begin + made + end + after
