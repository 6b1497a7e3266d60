"""A neural network inside the step, and its training: every world tries weights of its own."""

import numpy as np

import lanewise as lw
from lanewise.callbacks import dense, dense_tanh
from lanewise.lanes import cos, sin

HIDDEN = 8
SHAPES = {"w1": (HIDDEN, 5), "b1": (HIDDEN,), "w2": (1, HIDDEN), "b2": (1,)}


@lw.kernel
def balance(m, d, p):
    """(cart, pole, velocities) => a push; and what the pose costs, summed over time"""
    p.seen[0] = d.qpos[0]
    p.seen[1], p.seen[2] = sin(d.qpos[1]), cos(d.qpos[1])
    p.seen[3], p.seen[4] = d.qvel[0], d.qvel[1]
    dense_tanh(p.w1, p.b1, p.seen, p.hidden, 5, HIDDEN)
    dense(p.w2, p.b2, p.hidden, d.ctrl, HIDDEN, 1)
    p.cost[0] = p.cost[0] + (1.0 - p.seen[2] + 0.1 * d.qpos[0] * d.qpos[0]) * m.opt.timestep


def main(nsim: int = 256, rounds: int = 12, seconds: float = 3.0) -> None:
    zeros = {name: np.zeros(shape) for name, shape in SHAPES.items()}
    model = lw.load(
        lw.models.path("cartpole"), control=balance, parameters=zeros, state={"cost": 1},
        scratch={"seen": 5, "hidden": HIDDEN},
    )  # fmt: skip
    batch = lw.Batch(model, nsim)
    weights = {name: batch.parameters.expand(name) for name in SHAPES}
    rng = np.random.default_rng(0)
    mean, spread = zeros, {name: np.ones(shape) for name, shape in SHAPES.items()}
    for k in range(rounds):
        # the cross-entropy method: the next candidates are spread around the best of these
        for name, rows in weights.items():
            rows[:] = mean[name] + spread[name] * rng.standard_normal(rows.shape)
        batch.reset(stage=0)
        batch.qpos[:, 1] = np.linspace(-0.4, 0.4, nsim)[rng.permutation(nsim)]
        batch.step(nstep=round(seconds / model.opt.timestep))
        cost = batch.user("cost")[:, 0]
        best = np.argsort(cost)[: nsim // 8]
        mean = {name: rows[best].mean(axis=0) for name, rows in weights.items()}
        spread = {name: rows[best].std(axis=0) + 0.02 for name, rows in weights.items()}
        if k % 3 == 0 or k == rounds - 1:
            upright = (np.abs(batch.qpos[:, 1]) < 0.2).sum()
            print(f"round {k:2}: cost {cost[best].mean():6.3f}, {upright:3} of {nsim} stand")


if __name__ == "__main__":
    main()
