"""A thousand cartpoles, each balanced by the same feedback law. State rows are NumPy arrays."""

import numpy as np

import lanewise as lw

GAIN = np.array([-0.96, -6.29, -1.07, -1.48])  # cart, pole, and their velocities


def main(nsim: int = 1000) -> None:
    batch = lw.Batch(lw.load(lw.models.path("cartpole")), nsim)
    qpos, qvel, ctrl = batch.bind("qpos"), batch.bind("qvel"), batch.bind("ctrl")
    rng = np.random.default_rng(1)
    qpos[:] = rng.uniform(-0.3, 0.3, qpos.shape)
    for k in range(601):
        if k % 150 == 0:
            lean = np.abs(qpos[:, 1])
            print(
                f"{batch.time[0]:5.2f} s   pole off by {lean.mean():.4f} rad on average,"
                f" {lean.max():.4f} at most"
            )
        ctrl[:, 0] = -(np.hstack([qpos, qvel]) @ GAIN)
        batch.step(nstep=2)


if __name__ == "__main__":
    main()
