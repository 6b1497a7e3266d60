"""What nothing else in a step depends on: stages that run last, if somebody reads their fields.

In a step, that is before the state moves on, so that all outputs speak of the same state.

They are those of the table that are on demand and follow from more than positions.
"""

from ..lanes import kernel
from ..mjconst import STAGE_POS
from .stages import STAGES


@kernel
def nothing(m, d, level):
    """The end of the list."""


def if_wanted(stage, own_level, flag, rest):
    """A kernel that runs a stage if its flag is up and its level reached, then the rest."""

    @kernel(inline=True)
    def run(m, d, level):
        if getattr(d, flag) and level >= own_level:
            stage(m, d)
        rest(m, d, level)

    return run


for_readers = nothing
for _stage in reversed(STAGES.values()):
    if "demand" in _stage.words and _stage.level > STAGE_POS:
        for_readers = if_wanted(_stage.kernel, _stage.level, f"want_{_stage.section}", for_readers)
