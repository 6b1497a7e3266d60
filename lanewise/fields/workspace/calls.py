"""What a call tells the kernels: who reads what, and which worlds a gang has."""

from ..table import table

FIELDS = [
    *table(
        "links",
        """
links                 index nlink -          addresses of the engine's doors, see lanes/library.py
user_code             index noccasion -      addresses of the user's code, by occasion; 0: none
""",
        own=True,
    ),
    *table(
        "wants",
        """
want_geoms            index -     -          somebody reads frames of geoms
want_sites            index -     -          frames of sites
want_camlight         index -     -          frames of cameras and lights
want_moments          index -     -          moment arms as MuJoCo packs them
want_factors          index -     -          factors of the inertia as MuJoCo has them
want_forces           index -     -          forces of single constraint rows: a stage on demand takes them
want_efc              index -     -          constraint rows, efc_*
want_rne_post_constraint index -  -          accelerations of bodies and forces on them
want_contact_force    index -     -          forces of contacts
""",
        own=True,
    ),
    *table(
        "call",
        """
lane_world            index 8     -          which world of the batch a lane has
lane_place            index 8     -          its place in the call
lane_stopped          index 8     -          1 where a warning ended its rollout
warning_saved         nwarning    -          counters of worlds that a repeated forward must not touch
""",
        own=True,
    ),
]
