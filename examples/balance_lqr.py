"""LQR: a humanoid stands on one leg, and keeps standing when it is pushed from all sides.

The pose is held by stiff springs until it rests; what the springs do, motors do from then on. The
derivatives of a step there, A and B, give the feedback. Half of the worlds use it; in the others
the motors go on as they were.

    python examples/balance_lqr.py --plot balance.png
"""

import argparse

import numpy as np

import lanewise as lw

# the root so that the left foot is flat on the floor and the centre of mass above it
ROOT = (0.0, 0.0, 0.9658, 0.99832, -0.04917, 0.02837, -0.0113)
ANGLES = {
    "left_hip_pitch": 0.1, "left_knee": 0.15, "left_ankle_pitch": -0.107, "left_ankle_roll": 0.101,
    "right_hip_pitch": 0.6, "right_knee": 1.2, "left_shoulder_roll": 0.4,
    "right_shoulder_roll": 0.4,
}  # fmt: skip
PUSH, BEGIN, END = 20.0, 0.2, 0.4  # N at the chest, and when [s]


def rest(m: lw.Model) -> lw.Data:
    """A world at rest in the pose, motors doing what it needs."""
    stiff = lw.load(lw.models.path("humanoid"))
    stiff.jnt_stiffness[1:], stiff.dof_damping[6:] = 3000.0, 150.0
    held, d = lw.Data(stiff), lw.Data(m)
    lw.reset_data(stiff, held, "stand")
    held.qpos[:7] = ROOT
    for name, angle in ANGLES.items():
        held.joint(name).qpos = angle
    stiff.qpos_spring[7:] = held.qpos[7:]
    lw.step(stiff, held, 400)
    lw.forward(stiff, held)
    d.qpos = held.qpos
    lw.forward(m, d)
    d.ctrl = (held.qfrc_passive - d.qfrc_passive)[6:] / m.actuator_gear[:, 0]
    lw.forward(m, d)
    d.qacc_warmstart = d.qacc
    return d


def riccati(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> np.ndarray:
    """The P of x' P x, what is still to be paid from x on; each turn doubles the horizon."""
    P, G, change = Q, B @ np.linalg.solve(R, B.T), 1.0
    while change > 1e-12:
        W = np.linalg.solve(np.eye(len(A)) + G @ P, A)
        V = np.linalg.solve(np.eye(len(A)) + G @ P, G)
        more = A.T @ P @ W
        A, G, P = A @ W, G + A @ V @ A.T, P + more
        change = np.abs(more).max() / np.abs(P).max()
    return P


def feedback(m: lw.Model, d: lw.Data) -> np.ndarray:
    """K (nu, 2 nv): controls that return from (positions, velocities) beside those of d."""
    # what the solver leaves undone is divided by eps: let it leave less
    tolerance, m.opt.tolerance = m.opt.tolerance, 1e-13
    A, B, _, _ = lw.transition_fd(m, d, centered=True, sensors=False)
    m.opt.tolerance = tolerance
    # the centre of mass shall be above the foot; arms may move more freely than the rest
    over = lw.jac_subtree_com(m, d, "pelvis") - lw.jac_body_com(m, d, "left_foot")[0]
    names = [m.mj.joint(j).name for j in m.dof_jntid]
    weight = [0.1 if k < 3 or "shoulder" in n or "elbow" in n else 1.0 for k, n in enumerate(names)]
    Q = np.diag(np.r_[weight, np.full(m.nv, 0.01)])
    Q[: m.nv, : m.nv] += 1000.0 * over.T @ over
    R = 3.0 * np.eye(m.nu)
    P = riccati(A, B, Q, R)
    return np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)


def main(nsim: int = 64, seconds: float = 4.0, plot: str = "") -> tuple[int, int]:
    """How many of nsim worlds stand in the end, with feedback and without."""
    m = lw.load(lw.models.path("humanoid"))
    d = rest(m)
    K = feedback(m, d)
    b = lw.Batch(m, 2 * nsim)
    b.qpos[:] = d.qpos
    angle = 2.0 * np.pi * np.arange(2 * nsim) / nsim
    force = PUSH * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    push = b.xfrc_applied[:, m.mj.body("chest").id, :2]
    height, com = [], []
    for k in range(round(seconds / m.opt.timestep)):
        push[:] = force * (BEGIN <= k * m.opt.timestep < END)
        x = np.hstack([lw.differentiate_pos(m, 1.0, d.qpos, b.qpos), b.qvel])
        x[nsim:] = 0.0  # nothing is seen there
        b.ctrl[:] = np.clip(d.ctrl - x @ K.T, -1.0, 1.0)
        b.step()
        height.append(b.qpos[:, 2].copy())
        com.append(b.subtree_com[:nsim, 0, :2].copy())
    stands = height[-1] > 0.8 * d.qpos[2]
    result = int(stands[:nsim].sum()), int(stands[nsim:].sum())
    print(f"pushed with {PUSH:g} N for {END - BEGIN:.1f} s on one leg, after {seconds:g} s:")
    print(f"with feedback    {result[0]:3} of {nsim} stand")
    print(f"without feedback {result[1]:3} of {nsim} stand")
    if plot:
        draw(np.array(height), np.array(com) - com[0], m.opt.timestep, plot)
    return result


def draw(height: np.ndarray, com: np.ndarray, dt: float, file: str) -> None:
    import matplotlib.pyplot as plt

    nsim = com.shape[1]
    t = dt * np.arange(1, len(height) + 1)
    fig, (ax, sway) = plt.subplots(
        2, sharex=True, figsize=(8, 6.5), layout="constrained", height_ratios=(3, 2)
    )
    for axis in (ax, sway):
        axis.axvspan(BEGIN, END, color="#f2d388", lw=0, label=f"push, {PUSH:g} N")
        axis.spines[["top", "right"]].set_visible(False)
    for worlds, color, label in (
        (slice(nsim, None), "#3d5a80", "motors as they were"),
        (slice(nsim), "#c8452d", "with feedback"),
    ):
        lines = ax.plot(t, height[:, worlds], color=color, lw=0.7, alpha=0.6)
        lines[0].set(label=f"{label}, {nsim} worlds")
    ax.set(ylabel="height of the pelvis [m]", xlim=(0.0, t[-1]), ylim=(0.0, None))
    ax.set(title="A humanoid on one leg, pushed from all sides")
    legend = ax.legend(loc="center right", frameon=False)
    for line in legend.get_lines():
        line.set(linewidth=2.0, alpha=1.0)
    way = 100.0 * np.linalg.norm(com, axis=2)
    sway.plot(t, way, color="#c8452d", lw=0.7, alpha=0.6)
    sway.set(xlabel="time [s]", ylabel="centre of mass off by [cm]", ylim=(0.0, None))
    sway.set_title("with feedback", fontsize="medium")
    fig.savefig(file, dpi=130)
    plt.close(fig)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default="", metavar="FILE", help="where to write a plot")
    main(plot=parser.parse_args().plot)
