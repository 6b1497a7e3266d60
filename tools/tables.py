"""What the tables of fields say to whoever writes about them."""

from lanewise.fields import Field

READ = ("alias", "contact_force", "diagnostics")  # Lanewise's own sections that users read


def is_read(f: Field) -> bool:
    """Whether a field of Data is for users, not workspace."""
    return not f.own or f.stage in READ


def shape(f: Field) -> str:
    """As Python writes it, in the sizes of the model."""
    return "(" + ", ".join(map(str, f.dims)) + ("," if len(f.dims) == 1 else "") + ")"
