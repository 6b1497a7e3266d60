"""Runs: what worlds did, step by step, in a file that carries its model.

    run = lanewise.runs.record("humanoid.xml", "run.zarr", worlds=4096, steps=1000)
    run = lanewise.runs.open("run.zarr")      # or run.npz, or a clip that the viewer saved
    run.time                                  # (T,) [s]
    run.qpos[:, 3]                            # of world 3, (T, nq)
    run.model                                 # a Model, from the file
    batch = run.batch()                       # all worlds as the run left them, to go on with
    lanewise.runs.resume("run.zarr", steps=1000)
    lanewise.runs.replay(run, "run.html")     # a page to give away

Recorded fields have time first, then worlds: (T, nsim, ...). Record j is of the time after
(j + 1) * every steps. docs/runs.md has the commands, and what is in a file.
"""

from .pictures import render
from .recording_run import record, resume
from .replay_page import replay
from .run_file import Run, RunError, open

__all__ = ["Run", "RunError", "open", "record", "render", "replay", "resume"]
