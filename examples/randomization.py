"""Domain randomization: the same pendulum with a mass and a damping of its own in every world."""

import numpy as np

import lanewise as lw


def main(nsim: int = 512) -> None:
    m = lw.load(lw.models.path("pendulum"))
    batch = lw.Batch(m, nsim)
    rng = np.random.default_rng(2)
    scale = rng.uniform(0.5, 2.0, nsim)
    mass, damping = batch.expand("body_mass"), batch.expand("dof_damping")
    mass *= scale[:, None]
    batch.expand("body_inertia")[:] *= scale[:, None, None]
    damping *= rng.uniform(0.2, 5.0, (nsim, 1))
    batch.set_const()  # what follows from the masses
    batch.qpos[:] = 2.0
    highest = np.zeros(nsim)
    for k in range(1500):
        batch.step()
        if k >= 1000:  # how far they still swing in the last 2.5 s
            highest = np.maximum(highest, np.abs(batch.qpos[:, 0]))
    order = np.argsort(damping[:, 0] / mass[:, 1])
    for label, some in (("least", order[:10]), ("most", order[-10:])):
        print(f"{label} damping over mass: they swing to {highest[some].mean():.2f} rad")


if __name__ == "__main__":
    main()
