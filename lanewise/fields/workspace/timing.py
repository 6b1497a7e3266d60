"""What stages take: engine/timing.py."""

from ..table import table

FIELDS = [
    *table(
        "timing",
        """
timing                index -     -          1: stages are timed
timed                 index -     -          worlds that a stage counts for
timer.duration        plain ntimer s         time in a stage, by mjtTimer
timer.number          index ntimer -         how often it ran, once for each world
""",
        own=True,
    ),
    *table(
        "clock",
        """
clock                 index 5     -          a clock: its address, its number, where it writes; then its seconds and nanoseconds
""",
        own=True,
    ),
]
