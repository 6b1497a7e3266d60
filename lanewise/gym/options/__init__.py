"""What makes worlds differ or disturbs them: options of an environment, a file each."""

from .drawn import Choice, Offset, Scale, Value
from .ground import ground_height
from .latency import Latency
from .noise import Noise
from .option import Option
from .pushes import Push
from .randomize import Randomize
from .scan import Scan
from .terrain import Terrain

__all__ = [
    "Choice", "Latency", "Noise", "Offset", "Option", "Push", "Randomize", "Scale", "Scan",
    "Terrain", "Value", "ground_height",
]  # fmt: skip
