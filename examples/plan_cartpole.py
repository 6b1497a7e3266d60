"""Planning by sampling: a pole is swung up and balanced, and the cart is pushed on the way.

The task is made here, from its model and a cost, to show what one consists of. The cost is a
kernel, compiled into the step of the worlds that try controls. Three optimizers plan with the same
samples; after three seconds somebody pushes the cart.

    python examples/plan_cartpole.py --plot plans.png
"""

import argparse

import numpy as np

import lanewise as lw
from lanewise.lanes import cos
from lanewise.plan import CEM, MPPI, Episode, Planner, PredictiveSampling, Task, run

PUSH, BEGIN, END = 15.0, 3.0, 3.1  # N on the cart, and when [s]
CART = 1  # the body
UP = 0.3  # rad


@lw.kernel
def cost(m, d, p):
    """What a moment costs: a pole that is not up, a cart that is not in the middle, haste."""
    cart, angle = d.qpos[0], d.qpos[1]
    haste = d.qvel[0] * d.qvel[0] + d.qvel[1] * d.qvel[1]
    return 10.0 * (1.0 - cos(angle)) + cart * cart + p.haste[0] * haste


def push(batch: lw.Batch) -> None:
    """Called before every plan; the planner does not see it coming."""
    pushed = BEGIN <= float(batch.time[0]) < END
    batch.xfrc_applied[0, CART, 0] = PUSH if pushed else 0.0


def swing_up() -> Task:
    return Task(
        lw.models.path("cartpole"), cost, horizon=1.2, parameters={"haste": [0.01]}, timestep=0.01,
        knots=8, spline="linear", keyframe="hanging", update=push,
    )  # fmt: skip


def angles(episode: Episode) -> np.ndarray:
    """Of the pole from the vertical, [rad] at every step."""
    angle = episode.qpos[:, 1] % (2.0 * np.pi)
    return np.minimum(angle, 2.0 * np.pi - angle)


def main(samples: int = 32, seconds: float = 5.0, picture: str | None = None) -> dict[str, float]:
    """How far the pole is from the vertical in the last half second, by optimizer [rad]."""
    optimizers = {"predictive sampling": PredictiveSampling(), "MPPI": MPPI(), "CEM": CEM()}
    episodes = {}
    print(f"{samples} samples, a plan every 20 ms; a push of {PUSH:g} N at {BEGIN:g} s")
    for name, optimizer in optimizers.items():
        episodes[name] = episode = run(Planner(swing_up(), optimizer, samples), seconds)
        off, time = angles(episode), episode.time
        late = off[time > seconds - 0.5].max()
        print(
            f"{name:20} up after {time[np.argmax(off < UP)]:.2f} s, off by"
            f" {off[(time > BEGIN) & (time < BEGIN + 1)].max():.2f} rad after the push, by"
            f" {late:.2f} at the end; {episode.rate:.0f} plans a second"
        )
    if picture:
        plot(episodes, picture)
    return {name: float(angles(e)[e.time > seconds - 0.5].max()) for name, e in episodes.items()}


def plot(episodes: dict[str, Episode], picture: str) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 6), layout="constrained")
    for name, episode in episodes.items():
        axes[0].plot(episode.time, angles(episode), label=name)
        axes[1].plot(episode.time, episode.qpos[:, 0])
        axes[2].plot(episode.time, episode.ctrl[:, 0], linewidth=0.8)
    for ax, label in zip(axes, ("pole [rad]", "cart [m]", "control")):
        ax.set_ylabel(label)
        ax.axvspan(BEGIN, END, color="0.85")
    axes[0].legend()
    axes[2].set_xlabel("time [s]")
    figure.savefig(picture, dpi=150)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plot", metavar="FILE", help="draw angles, places and controls")
    main(picture=parser.parse_args().plot)
