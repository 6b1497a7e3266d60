"""Plans by sampling: many worlds try controls, and what costs least is done.

    from lanewise import plan

    task = plan.tasks.make("cartpole")
    planner = plan.Planner(task, "mppi", samples=64)
    episode = plan.run(planner, seconds=5.0)

    task.py           what is to be done: a model, a cost, a horizon
    costs.py          terms on sensors with norms (norms.py), functions of arrays, kernels
    splines.py        knots, and what is between them
    optimizers.py     predictive sampling, MPPI, the cross-entropy method
    trials.py         the worlds that try candidates
    planner.py        from a state to controls
    episode.py        a world that follows plans, while time stands still for planning
    live.py           a world that goes on meanwhile, as in the viewer
    tasks/            tasks that come along; scenes/ has their files

Public names of Lanewise are all that it uses, so it is also an example of how to use them.
"""

from . import tasks as tasks  # a module, and as such not among the names
from .costs import CostError, Term, terms_of
from .episode import Episode, run
from .live import Pilot
from .optimizers import CEM, MPPI, PredictiveSampling
from .planner import NoFiniteSample, Planner
from .splines import Spline
from .task import Task

__all__ = [
    "CEM",
    "MPPI",
    "CostError",
    "Episode",
    "NoFiniteSample",
    "Pilot",
    "Planner",
    "PredictiveSampling",
    "Spline",
    "Task",
    "Term",
    "run",
    "terms_of",
]
