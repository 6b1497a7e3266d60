"""Warnings: kernels never raise, they count, world by world; the host speaks."""

from ..lanes import kernel, where
from ..mjconst import WARN_CNSTRFULL, WARN_CONTACTFULL


@kernel
def warn(d, kind, mask, info):
    """Raise the counter of one kind of warning in the worlds of mask."""
    d.warning.number[kind] = where(mask, d.warning.number[kind] + 1.0, d.warning.number[kind])
    d.warning.lastinfo[kind] = where(mask, info * 1.0, d.warning.lastinfo[kind])
    if kind == WARN_CONTACTFULL or kind == WARN_CNSTRFULL:
        d.no_room = 1  # the host looks at it after a call
