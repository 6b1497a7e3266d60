"""iLQR: a pole on a cart is swung up and stands; an acrobot, two links with a motor between, too.

A motion is improved again and again. The knots of its time are the worlds of one Batch, so one call
differentiates the step at all of them. A backward pass makes feedback of that; it is tried with
many lengths of the step side by side, the worlds of another Batch. Where the motion ends, the
feedback of standing takes over.

    python examples/swing_up_ilqr.py --plot swing_up.png
"""

import argparse
from dataclasses import dataclass

import numpy as np

import lanewise as lw

ACROBOT = """
<mujoco model="acrobot">
  <option timestep="0.01" integrator="implicitfast"/>
  <default><joint axis="0 1 0" damping="0.02"/><geom type="capsule" size="0.04" mass="1"/></default>
  <worldbody>
    <body pos="0 0 2">
      <joint name="shoulder"/>
      <geom fromto="0 0 0 0 0 1"/>
      <body pos="0 0 1"><joint name="elbow"/><geom fromto="0 0 0 0 0 1"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="elbow" gear="12" ctrlrange="-1 1"/></actuator>
</mujoco>
"""
LENGTHS = 0.6 ** np.arange(16)  # of a step, in units of that of the backward pass


@dataclass
class Task:
    """x = (qpos, qvel) shall come from `start` to zero, with one control from -1 to 1."""

    name: str
    model: lw.Model
    start: tuple[float, ...]
    seconds: float
    Q: np.ndarray  # what x costs at every knot, squared and summed
    R: float  # what the control costs
    last: np.ndarray  # what x costs at the end

    @property
    def steps(self) -> int:
        return round(self.seconds / self.model.opt.timestep)

    def cost(self, X: np.ndarray, U: np.ndarray) -> np.ndarray:
        """Of motions side by side, X (steps + 1, n, nx) and U (steps, n)."""
        return (X[:-1] ** 2 @ self.Q).sum(0) + self.R * (U**2).sum(0) + X[-1] ** 2 @ self.last


def tasks() -> list[Task]:
    cartpole = lw.load(lw.models.path("cartpole"))
    cartpole.opt.timestep = 0.01
    return [
        Task(
            "cartpole", cartpole, (0.0, np.pi, 0.0, 0.0), 2.5, np.array([0.1, 0.05, 0.005, 0.005]),
            0.1, np.array([20.0, 50.0, 2.0, 2.0]),
        ),
        Task(
            "acrobot", lw.load(ACROBOT), (np.pi, 0.0, 0.0, 0.0), 4.0, np.full(4, 0.001), 0.02,
            np.array([300.0, 300.0, 30.0, 30.0]),
        ),
    ]  # fmt: skip


def roll(
    b: lw.Batch, start: np.ndarray, X: np.ndarray, U: np.ndarray, k: np.ndarray, K: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Motions with the controls U + k + K (x - X): k (steps, n), K (steps, nx)."""
    b.reset(stage=0)
    b.qpos[:], b.qvel[:] = np.split(start, 2, axis=-1)
    states, controls = [np.hstack([b.qpos, b.qvel])], []
    for t in range(len(K)):
        b.ctrl[:, 0] = np.clip(U[t] + k[t] + (states[-1] - X[t]) @ K[t], -1.0, 1.0)
        controls.append(b.ctrl[:, 0].copy())
        b.step()
        states.append(np.hstack([b.qpos, b.qvel]))
    return np.array(states), np.array(controls)


def backward(
    task: Task, X: np.ndarray, U: np.ndarray, A: np.ndarray, B: np.ndarray, mu: float
) -> tuple[np.ndarray, np.ndarray]:
    """What to change, k (steps,), and feedback, K (steps, nx); mu holds back what goes far."""
    k, K = np.zeros(len(U)), np.zeros((len(U), len(X[0])))
    Q, last = 2.0 * np.diag(task.Q), 2.0 * np.diag(task.last)
    Vx, Vxx = last @ X[-1], last
    for t in reversed(range(len(U))):
        a, b = A[t], B[t, :, 0]
        Qx, Qu = Q @ X[t] + a.T @ Vx, 2.0 * task.R * U[t] + b @ Vx
        Qxx, Qux, Quu = Q + a.T @ Vxx @ a, b @ Vxx @ a, 2.0 * task.R + b @ Vxx @ b
        held = Quu + mu * b @ b
        wanted = U[t] - Qu / held
        k[t] = np.clip(wanted, -1.0, 1.0) - U[t]
        if abs(wanted) < 1.0:  # at its bound a control has no feedback
            K[t] = -(Qux + mu * b @ a) / held
        Vx = Qx + K[t] * (Quu * k[t] + Qu) + Qux * k[t]
        Vxx = Qxx + Quu * np.outer(K[t], K[t]) + np.outer(K[t], Qux) + np.outer(Qux, K[t])
        Vxx = 0.5 * (Vxx + Vxx.T)  # round-off would grow
    return k, K


@dataclass
class Motion:
    """What was found: states, controls, feedback, and what it cost from round to round."""

    X: np.ndarray
    U: np.ndarray
    K: np.ndarray
    costs: list[float]


def derivatives(knots: lw.Batch, X: np.ndarray, U: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A (steps, nx, nx) and B (steps, nx, 1) at all knots of a motion."""
    knots.qpos[:], knots.qvel[:] = np.split(X[:-1], 2, axis=1)
    knots.ctrl[:, 0] = U
    A, B, _, _ = knots.transition_fd(sensors=False)
    return A, B


def improve(task: Task, rounds: int) -> Motion:
    """A motion that is better and better, from one that hardly moves."""
    steps, start = task.steps, np.array(task.start)
    knots, tries = lw.Batch(task.model, steps), lw.Batch(task.model, len(LENGTHS), nthread=1)
    U, K = 0.01 * np.sin(0.05 * np.arange(steps)), np.zeros((steps, len(start)))
    states, controls = roll(tries, start, 0.0 * K, U, np.zeros((steps, len(LENGTHS))), K)
    X, U, costs = states[:, 0], controls[:, 0], [float(task.cost(states, controls)[0])]
    A, B = derivatives(knots, X, U)
    mu, gain = 10.0, 1.0
    while len(costs) <= rounds and mu < 1e8 and gain > 1e-3:
        k, K = backward(task, X, U, A, B, mu)
        states, controls = roll(tries, start, X, U, k[:, None] * LENGTHS, K)
        cost = task.cost(states, controls)
        best = int(np.argmin(cost))
        if cost[best] >= costs[-1]:  # derivatives do not hold that far
            mu *= 8.0
            continue
        mu, gain = max(mu / 4.0, 1e-6), 1.0 - cost[best] / costs[-1]
        X, U = states[:, best], controls[:, best]
        costs.append(float(cost[best]))
        A, B = derivatives(knots, X, U)
    return Motion(X, U, backward(task, X, U, A, B, 0.0)[1], costs)


def standing(task: Task) -> np.ndarray:
    """The feedback that keeps x at zero: the same recursion, until it does not change."""
    d = lw.Data(task.model)
    A, B, _, _ = lw.transition_fd(task.model, d, sensors=False)
    n, steps = len(A), 600
    _, K = backward(
        task, np.zeros((steps + 1, n)), np.zeros(steps), np.broadcast_to(A, (steps, n, n)),
        np.broadcast_to(B, (steps, n, 1)), 0.0,
    )  # fmt: skip
    return K[0]


def follow(task: Task, motion: Motion, nsim: int) -> np.ndarray:
    """States (time, nsim, nx) of worlds that start a little apart, follow the motion and stand."""
    nx, more = len(task.start), task.steps
    start = task.start + 0.01 * np.random.default_rng(0).standard_normal((nsim, nx))
    K = np.concatenate([motion.K, np.tile(standing(task), (more, 1))])
    X = np.concatenate([motion.X[:-1], np.zeros((more, nx))])
    U = np.concatenate([motion.U, np.zeros(more)])
    return roll(lw.Batch(task.model, nsim), start, X, U, 0.0 * U[:, None], K)[0]


def main(
    nsim: int = 32, rounds: int = 120, names: tuple = ("cartpole", "acrobot"), plot: str = ""
) -> dict[str, int]:
    """{task: how many of nsim worlds stand in the end}"""
    stand, shown = {}, []
    for task in tasks():
        if task.name not in names:
            continue
        motion = improve(task, rounds)
        states = follow(task, motion, nsim)
        stand[task.name] = int((np.abs(states[-1]).max(axis=1) < 0.05).sum())
        print(
            f"{task.name}: cost {motion.costs[0]:.0f} to {motion.costs[-1]:.1f} in"
            f" {len(motion.costs) - 1} rounds; {stand[task.name]} of {nsim} worlds stand"
        )
        shown.append((task, motion, states))
    if plot:
        draw(shown, plot)
    return stand


def draw(shown: list, file: str) -> None:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(
        4, len(shown), figsize=(5.5 * len(shown), 9), layout="constrained", squeeze=False
    )
    labels = {"cartpole": ("cart [m]", "pole [rad]"), "acrobot": ("shoulder [rad]", "elbow [rad]")}
    for (task, motion, states), (first, second, push, cost) in zip(shown, axes.T, strict=True):
        dt = task.model.opt.timestep
        t = dt * np.arange(len(states))
        for row, ax in enumerate((first, second)):
            ax.plot(t, states[..., row], color="#3d5a80", lw=0.7, alpha=0.5)
            ax.plot(t[: task.steps + 1], motion.X[:, row], color="#c8452d", lw=1.6, label="planned")
            ax.axhline(0.0, color="#666666", lw=0.8, ls=":")
            ax.set(ylabel=labels[task.name][row])
        first.lines[0].set_label(f"{states.shape[1]} worlds with feedback")
        first.set(title=task.name)
        first.legend(frameon=False)
        push.step(t[: task.steps], motion.U, color="#c8452d", lw=1.2, where="post")
        push.set(xlabel="time [s]", ylabel="control", ylim=(-1.1, 1.1))
        for ax in (first, second, push):
            ax.set_xlim(0.0, t[-1])
            ax.axvspan(task.seconds, t[-1], color="#eeeeee", lw=0)
        push.text(1.02 * task.seconds, -1.0, "feedback of standing", fontsize=8)
        cost.semilogy(motion.costs, color="#3d5a80")
        cost.set(xlabel="round", ylabel="cost")
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
    fig.savefig(file, dpi=110)
    plt.close(fig)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default="", metavar="FILE", help="where to write a plot")
    main(plot=parser.parse_args().plot)
