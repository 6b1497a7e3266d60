"""Warnings: kernels never raise, they count, world by world; the host speaks."""

from ..lanes import kernel, where


@kernel
def warn(d, kind, mask, info):
    """Raise the counter of one kind of warning in the worlds of mask."""
    d.warning[kind] = where(mask, d.warning[kind] + 1.0, d.warning[kind])
    d.warning_info[kind] = where(mask, info * 1.0, d.warning_info[kind])
