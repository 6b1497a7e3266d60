"""What a call tells the kernels: who reads what; counters of warnings."""

from ..table import table

FIELDS = [
    *table(
        "links",
        """
links                 index nlink -          addresses of the engine's doors, see lanes/library.py
""",
        own=True,
    ),
    *table(
        "wanted",
        """
wanted                :4          -          1 where somebody reads: frames of geoms; of sites, cameras, lights; moments and factors; forces of constraints
""",
        own=True,
    ),
    *table(
        "diagnostics",
        """
warning               nwarning        -          how often each warning of mjtWarning was raised
warning_info          nwarning        -          index that the last warning of each kind was about
warning_saved         nwarning        -          counters of worlds that a repeated forward must not touch
""",
        own=True,
    ),
]
