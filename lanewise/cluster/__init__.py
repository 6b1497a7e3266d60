"""Worlds, rollouts and environments on the nodes of a Ray cluster.

    import ray, lanewise as lw
    ray.init("auto")                                 # or nothing: then it is this machine alone
    b = lw.cluster.Batch(model, nsim=65536)          # worlds on all nodes, one process on each
    b.step(nstep=10)
    b.qpos                                           # rows come here when they are read

Results have the same bits as on one machine. If a process or a node dies, its worlds are made anew
on another, from what was kept here, and what they missed is done again. docs/cluster.md has more.
"""

from ..errors import ClusterError
from .cluster_batch import Batch, Place
from .far_rollouts import Rollout, rollout, shutdown_persistent_pool
from .nodes import Share
from .pieces import Rows
from .results import Recorded
from .spread import Spread
from .trial import Trial

__all__ = [
    "Batch",
    "ClusterError",
    "Place",
    "Recorded",
    "Rollout",
    "Rows",
    "Share",
    "Spread",
    "Trial",
    "rollout",
    "shutdown_persistent_pool",
]
