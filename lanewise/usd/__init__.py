"""USD: from a stage with physics to an MjSpec, and what is lost on the way.

MuJoCo's own reader, the package `mujoco-usd`, leaves out drives and much else without a word
(docs/usd.md has what was measured), so the MjSpec is made here from the stage, by usd-core. A file
is opened in a process of its own first (stage_files.py, stage_trial.py), since USD's library does
not survive all that a damaged file may say. Then, each in a file: numbers and frames in metres,
kilograms, radians and z up (stage_values.py, placing.py), the tree of bodies and joints
(jointed.py), joints (hanging.py), shapes (solids.py), masses (matter.py), drives (drives.py), what
MuJoCo's own schemas say (mjc.py); and stage_spec.py puts it together. What cannot be simulated is
refused, all of it at once, and what is left out or means less here is named: losses.py.
"""

from .losses import Findings
from .overview import overview
from .stage_files import SUFFIXES, open_stage
from .stage_spec import spec_of_stage

__all__ = ["SUFFIXES", "Findings", "open_stage", "overview", "spec_of_stage"]
