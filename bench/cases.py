"""What is measured: a row is a model, worlds, steps, threads and options."""

from dataclasses import dataclass, field

import mujoco

from lanewise import models
from lanewise.cli import measure


@dataclass(frozen=True)
class Case:
    """One row. `options` are fields of MjOption that differ from the model's file."""

    model: str
    nsim: int
    nstep: int
    nthread: int = 1
    options: dict = field(default_factory=dict)

    def load(self) -> mujoco.MjModel:
        """The model with its constraints disabled and the options set."""
        mj = measure.unconstrained(models.path(self.model))
        for name, value in self.options.items():
            setattr(mj.opt, name, getattr(mujoco.mjtIntegrator, f"mjINT_{value}"))
        return mj

    def describe(self) -> str:
        """The options that matter for speed, by name."""
        opt = self.load().opt
        integrator = mujoco.mjtIntegrator(opt.integrator).name.removeprefix("mjINT_").lower()
        return f"{integrator}, {1e3 * opt.timestep:g} ms"


CASES = (
    Case("humanoid", nsim=64, nstep=1000),
    Case("humanoid", nsim=4096, nstep=25),
    Case("humanoid", nsim=4096, nstep=50, nthread=2),
    Case("humanoid", nsim=1024, nstep=25, options={"integrator": "RK4"}),
    Case("humanoid", nsim=1024, nstep=50, options={"integrator": "IMPLICITFAST"}),
    Case("quadruped", nsim=1024, nstep=100),
    Case("arm", nsim=1024, nstep=100),
    Case("cartpole", nsim=4096, nstep=100),
    Case("pendulum", nsim=4096, nstep=100),
)

# the row that threads are counted on
HEADLINE = CASES[1]
