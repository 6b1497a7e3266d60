"""What the tables of fields say to whoever writes about them."""

from lanewise.fields import READ_FIELDS, Field


def is_read(f: Field) -> bool:
    """Whether a field of Data is for users, not workspace."""
    return f.name in READ_FIELDS


def shape(f: Field) -> str:
    """As Python writes it, in the sizes of the model."""
    return "(" + ", ".join(map(str, f.dims)) + ("," if len(f.dims) == 1 else "") + ")"
