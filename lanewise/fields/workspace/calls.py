"""What a call tells the kernels: who reads what, and which worlds a gang has."""

from ..data import RESULTS
from ..table import table

# flags of what is computed only for somebody who reads it, from the tables of such fields
_READ: dict[str, list[str]] = {}
for _field in RESULTS:
    if _field.want:
        _READ.setdefault(_field.want, []).append(_field.name)
_WANTS = "\n".join(f"want_{w} index - - somebody reads {', '.join(x)}" for w, x in _READ.items())
_WANTS += "\nwant_forces index - - a stage on demand takes the forces of single constraint rows"

FIELDS = [
    *table(
        "links",
        """
links                 index nlink -          addresses of the engine's doors, see lanes/library.py
user_code             index noccasion -      addresses of the user's code, by occasion; 0: none
""",
        own=True,
    ),
    *table("wants", _WANTS, own=True),
    *table(
        "call",
        """
lane_world            index 8     -          which world of the batch a lane has
lane_place            index 8     -          its place in the call
lane_stopped          index 8     -          1 where a warning ended its rollout
gang                  index -     -          the gang that the thread is at
end_of_unit           index -     -          the gang after the last one that it took
effort                -           -          what constraints cost the worlds lately: iterations of the solver, rows
steps_made            index -     -          steps of the worlds at which the thread left its gang
patience              index -     -          steps until the thread lets Python look for an interrupt
skip_sensors          index -     -          whether the call leaves sensors as they were
warning_saved         nwarning    -          counters of worlds that a repeated forward must not touch
""",
        own=True,
    ),
    *table(
        "links",
        """
user_table            index 1     -          addresses of the fields that the user declared, see lanes/own_fields.py
""",
        own=True,
    ),
    *table(
        "analysis",
        """
item_numbers          10          -          vectors that a caller gives of an item, and its body
frame_numbers         12          -          position and matrix of an item's frame
dof_rows              6,nv        -          rows of a Jacobian, translation, then rotation; or of M
subtree_inertia       nbody,10    kg*m^2,kg*m,kg inertia of a body and all below it, about C
row_numbers           njmax       -          a number for each constraint row
""",
        own=True,
    ),
]
