"""What nothing else in a step depends on: stages that run last, if somebody reads their fields.

They are those of the table that are on demand and follow from accelerations.
"""

from ..lanes import kernel
from ..mjconst import STAGE_ACC
from .stages import STAGES


@kernel
def nothing(m, d):
    """The end of the list."""


def if_wanted(stage, flag, rest):
    """A kernel that runs a stage if its flag is up, then the rest."""

    @kernel(inline=True)
    def run(m, d):
        if getattr(d, flag):
            stage(m, d)
        rest(m, d)

    return run


for_readers = nothing
for _stage in reversed(STAGES.values()):
    if "demand" in _stage.words and _stage.level == STAGE_ACC:
        for_readers = if_wanted(_stage.kernel, f"want_{_stage.section}", for_readers)
