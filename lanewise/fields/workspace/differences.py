"""Workspace of finite differences: engine/calls/transition.py and engine/calls/inverse_slopes.py."""

from ..table import table

FIELDS = [
    *table(
        "differences",
        """
fd_place              index 8     -          address of the first number of the results of a lane, or 0
fd_step               index 8     -          bytes to the next
keep_factors          index -     -          1: positions are those of the last step, and factors may be, too
modified_kept         index -     -          1: H_factor is that of kept_M and kept_shift
kept_M                nC          -          modified inertia that was factorized last
kept_shift            nv          -          what was added to its diagonal
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
