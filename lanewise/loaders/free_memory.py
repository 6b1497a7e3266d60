"""How much memory this process may still take, so that what cannot fit is refused beforehand."""

import os
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_GROUPS = (  # (limit, use) of a container: of cgroups 2 and 1
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def available() -> int:
    """Bytes of memory that are free, as far as the system says."""
    found = [_machine()]
    for limit, use in _GROUPS:
        try:
            found.append(int(Path(limit).read_text()) - int(Path(use).read_text()))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return max(min(found), 0)


def _machine() -> int:
    try:
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # the system does not say
        return 2**62


def spoken(size: float) -> str:
    """'3.2 GB' of bytes."""
    units = ["kB", "MB", "GB", "TB", "PB"]
    size /= 1000
    while size >= 1000 and len(units) > 1:
        size /= 1000
        del units[0]
    return f"{size:.3g} {units[0]}"
