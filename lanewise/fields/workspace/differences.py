"""Workspace of finite differences: engine/calls/transition.py and engine/calls/inverse_slopes.py."""

from ..table import table

FIELDS = [
    *table(
        "differences",
        """
fd_row                index 8     -          which column of the results a lane has
next_qpos             nq          -          where the step leads from the state itself, not nudged
next_qvel             nv          -          likewise
next_act              na          -          likewise
next_sensor           nsensordata -          what sensors read there
plus_qpos             nq          -          where it leads from the state that is nudged forward
plus_qvel             nv          -          likewise; then the derivative
plus_act              na          -          likewise
plus_sensor           nsensordata -          likewise
fd_force              nv          N|Nm       force of inverse dynamics at the state itself
fd_M                  nC          -          M there
""",
        own=True,
    ),
]
