"""The eleven MuJoCo tasks of Gymnasium, version 5: the same models, arguments and numbers."""

from .arms import Pusher, Reacher
from .humanoids import Humanoid, HumanoidStandup
from .pendulums import InvertedDoublePendulum, InvertedPendulum
from .walkers import Ant, HalfCheetah, Hopper, Swimmer, Walker2d

TASKS = {
    task.__name__: task
    for task in (
        Ant, HalfCheetah, Hopper, Humanoid, HumanoidStandup, InvertedDoublePendulum,
        InvertedPendulum, Pusher, Reacher, Swimmer, Walker2d,
    )
}  # fmt: skip

__all__ = ["TASKS", *TASKS]
