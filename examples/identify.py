"""Identification: masses, friction and damping of a robot and what it pushes, from one motion.

An arm sweeps a box over a table. Its motion is recorded, and a model with wrong numbers is fitted
to the record by Gauss-Newton: the derivatives of all steps by state and by the numbers in question
are one call, `transition_fd(wrt=...)`, with a world for each step of the record. Where the record
is exact, each step is predicted from the one before. Where sensors are noisy, the whole motion is
predicted from its beginning, and derivatives are chained along it. Contacts give that many valleys:
it is fitted to a longer and longer part of the record, and a start that is too far away still ends
in the wrong one.

    python examples/identify.py --plot identify.png
"""

import argparse
from dataclasses import dataclass

import numpy as np

import lanewise as lw

SCENE = """
<mujoco model="pusher">
  <option timestep="0.004" integrator="implicitfast" tolerance="1e-13"/>
  <default><geom type="capsule" size="0.04"/></default>
  <worldbody>
    <geom name="table" type="plane" size="2 2 0.1"/>
    <body name="upper" pos="0 0 0.06">
      <joint name="shoulder" axis="0 0 1" damping="2"/>
      <geom fromto="0 0 0 0.5 0 0" mass="2"/>
      <body name="fore" pos="0.5 0 0">
        <joint name="elbow" axis="0 0 1" damping="1"/>
        <geom fromto="0 0 0 0.4 0 0" mass="1"/>
        <geom type="sphere" pos="0.4 0 0" size="0.05" mass="0.2"/>
      </body>
    </body>
    <body name="box" pos="0.6 0.3 0.06">
      <freejoint/>
      <geom name="box" type="box" size="0.12 0.1 0.06" mass="1.5" friction="0.3" priority="1"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="shoulder" joint="shoulder"/>
    <motor name="elbow" joint="elbow"/>
  </actuator>
</mujoco>
"""
# what is sought: the field, and its numbers
WANTED = (("body_mass", [1, 2, 3]), ("geom_friction", (4, [0])), ("dof_damping", [0, 1]))
NAMES = ("mass of the upper arm [kg]", "mass of the forearm [kg]", "mass of the box [kg]",
         "friction of the box", "damping, shoulder [Nms]", "damping, elbow [Nms]")  # fmt: skip
TRUE = np.array([2.0, 1.2, 1.5, 0.3, 2.0, 1.0])
GUESS = np.array([3.0, 0.7, 1.0, 0.5, 1.0, 1.5])
NOISE = np.r_[np.full(8, 0.002), np.full(8, 0.02)]  # of sensors: [m, rad], and per second


def model(p: np.ndarray = TRUE) -> lw.Model:
    """The scene with these numbers, and what follows from them."""
    b = lw.Batch(lw.load(SCENE), 1)
    b.expand("body_mass")[0, 1:4] = p[:3]
    b.expand("geom_friction")[0, 4, 0] = p[3]
    b.expand("dof_damping")[0, :2] = p[4:]
    b.set_const()
    return lw.load(b.get_model(0))


def roll(b: lw.Batch, ctrl: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """qpos and qvel of all worlds, (steps + 1, n, ...), under controls (steps, n, nu)"""
    states = [(b.qpos.copy(), b.qvel.copy())]
    for u in ctrl:
        b.ctrl[:] = u
        b.step()
        states.append((b.qpos.copy(), b.qvel.copy()))
    qpos, qvel = zip(*states, strict=True)
    return np.array(qpos), np.array(qvel)


@dataclass
class Record:
    """What was seen: qpos (T + 1, nq), qvel (T + 1, nv), and the controls (T, nu) of it."""

    qpos: np.ndarray
    qvel: np.ndarray
    ctrl: np.ndarray

    def first(self, steps: int) -> "Record":
        return Record(self.qpos[: steps + 1], self.qvel[: steps + 1], self.ctrl[:steps])


def motion(steps: int, noise: float) -> Record:
    """The true motion, as sensors see it."""
    m = model()
    b, t = lw.Batch(m, 1), m.opt.timestep * np.arange(steps)
    ctrl = np.stack([9.0 * np.sin(4.4 * t + 0.3), 4.0 * np.sin(6.9 * t + 1.0)], axis=1)
    b.qpos[:, :2] = -0.6, 0.9
    qpos, qvel = roll(b, ctrl[:, None])
    dx = noise * NOISE * np.random.default_rng(0).standard_normal((steps + 1, len(NOISE)))
    dx[0] = 0.0  # where it started is known
    qpos = lw.integrate_pos(m, qpos[:, 0], dx[:, : m.nv], 1.0)
    return Record(qpos, qvel[:, 0] + dx[:, m.nv :], ctrl)


def predict(p: np.ndarray, seen: Record, whole: bool) -> tuple[Record, np.ndarray]:
    """The states from which steps are predicted, and the errors (T, nx) in units of noise.

    Either the whole motion follows from its first state, or each state from the one before it as it
    was seen.
    """
    m, steps = model(p), len(seen.ctrl)
    b = lw.Batch(m, 1 if whole else steps)
    b.qpos[:], b.qvel[:] = seen.qpos[: b.nsim], seen.qvel[: b.nsim]
    qpos, qvel = roll(b, seen.ctrl[:, None] if whole else seen.ctrl[None])
    after = [x[1:].reshape(steps, -1) for x in (qpos, qvel)]
    dq = lw.differentiate_pos(m, 1.0, after[0], seen.qpos[1:])
    errors = np.concatenate([dq, seen.qvel[1:] - after[1]], axis=1) / NOISE
    before = [x[:-1].reshape(steps, -1) for x in (qpos, qvel)]
    return Record(before[0], before[1], seen.ctrl), errors


def slopes(p: np.ndarray, at: Record, whole: bool) -> np.ndarray:
    """Derivatives of predictions by p, (T, nx, np): all steps are worlds of one Batch."""
    knots = lw.Batch(model(p), len(at.ctrl))
    knots.qpos[:], knots.qvel[:], knots.ctrl[:] = at.qpos, at.qvel, at.ctrl
    found = knots.transition_fd(centered=True, sensors=False, wrt=("state", *WANTED))
    S = np.concatenate(list(found.state.values()), axis=2)
    for t in range(1, len(S) if whole else 0):  # the state that a step starts from depends on p
        S[t] += found.A[t] @ S[t - 1]
    return S / NOISE[:, None]


def fit(seen: Record, guess: np.ndarray, whole: bool, rounds: int = 20) -> np.ndarray:
    """Gauss-Newton with Levenberg's brake, in logarithms: p of every round, (rounds, np)"""
    path, brake = [guess], 1e-3
    at, errors = predict(guess, seen, whole)
    while len(path) <= rounds and brake < 1e6:
        p = path[-1]
        J = slopes(p, at, whole).reshape(-1, len(p)) * p
        H = J.T @ J
        while brake < 1e6:
            step = np.linalg.solve(H + brake * np.diag(np.diag(H)), J.T @ errors.ravel())
            new = p * np.exp(np.clip(step, -0.7, 0.7))
            new_at, new_errors = predict(new, seen, whole)
            if (new_errors**2).sum() < (errors**2).sum():
                path, at, errors, brake = [*path, new], new_at, new_errors, max(brake / 10, 1e-9)
                break
            brake *= 10.0
        if np.abs(path[-1] / p - 1.0).max() < 1e-5:
            break
    return np.array(path)


def main(steps: int = 300, plot: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Relative errors of what was found, of an exact record and of a noisy one."""
    exact = fit(motion(steps, 0.0), GUESS, whole=False)
    seen, noisy = motion(steps, 1.0), GUESS[None]
    for part in (4, 2, 1):  # a longer and longer part: far ahead, a wrong model says little
        path = fit(seen.first(steps // part), noisy[-1], whole=True)
        noisy = np.concatenate([noisy, path[1:]])
    print(f"{'':28}{'true':>8}{'guessed':>9}{'found':>9}{'with noise':>12}")
    for name, *values in zip(NAMES, TRUE, GUESS, exact[-1], noisy[-1], strict=True):
        print("{:28}{:8.3f}{:9.3f}{:9.3f}{:12.3f}".format(name, *values))
    errors = exact[-1] / TRUE - 1.0, noisy[-1] / TRUE - 1.0
    print(f"largest error {np.abs(errors[0]).max():.1e}, with noise {np.abs(errors[1]).max():.1e}")
    if plot:
        draw(exact, noisy, plot)
    return errors


def draw(exact: np.ndarray, noisy: np.ndarray, file: str) -> None:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 2, sharey=True, figsize=(10, 4.4), layout="constrained")
    for ax, path, title in (
        (axes[0], exact, "exact record: each step from the one before"),
        (axes[1], noisy, "noisy sensors: the motion from its beginning"),
    ):
        for name, values in zip(NAMES, (path / TRUE).T, strict=True):
            ax.plot(values, marker="o", ms=3, lw=1.2, label=name.partition(" [")[0])
        ax.axhline(1.0, color="#666666", lw=0.8, ls=":")
        ax.set(xlabel="round of Gauss-Newton", title=title)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("found / true")
    axes[1].legend(frameon=False)
    fig.savefig(file, dpi=130)
    plt.close(fig)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default="", metavar="FILE", help="where to write a plot")
    main(plot=parser.parse_args().plot)
