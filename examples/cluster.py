"""Worlds on the nodes of a Ray cluster: one of them dies in the middle, and no bit changes.

Where no cluster is at hand (RAY_ADDRESS), two nodes are started on this machine.
"""

import os
import signal
from contextlib import nullcontext

import numpy as np

import lanewise as lw


@lw.kernel
def hold(m, d, p):
    """a servo in every joint: it goes to the nodes with the model, and is compiled into the step"""
    for i in range(m.nu):
        q, v = d.qpos[7 + i], d.qvel[6 + i]
        d.ctrl[i] = p.gain[0] * (p.pose[i] - q) - p.gain[1] * v


def servoed() -> lw.Model:
    humanoid = lw.load(lw.models.path("humanoid"))
    pose = humanoid.key_qpos[0, 7 : 7 + humanoid.nu]
    return lw.load(humanoid, control=hold, parameters={"gain": [0.5, 0.05], "pose": pose})


def main(nsim: int = 40, rounds: int = 6) -> None:
    model = servoed()
    near = lw.Batch(model, nsim)
    push = np.random.default_rng(0).normal(size=(rounds, nsim, 2))
    at_hand = "RAY_ADDRESS" in os.environ
    with (
        nullcontext() if at_hand else lw.cluster.Trial(nodes=2),
        lw.cluster.Batch(model, nsim) as b,
    ):
        print(b)
        for worlds in (near, b):
            worlds.reset(keyframe=0)
        for k in range(rounds):
            for worlds in (near, b):
                worlds.qvel[:, :2] += push[k]  # rows are NumPy's, and go out with the next call
                worlds.step(nstep=20)
            if k == 2 and not at_hand:
                os.kill(b.nodes[-1].pid, signal.SIGKILL)
                print(f"killed the process of {b.nodes[-1].worlds} worlds")
            height = b.body("chest").xpos[:, 2]
            print(f"{b.time[0]:.1f} s: chests at {height.min():.2f} to {height.max():.2f} m")
        same = np.array_equal(b.state, near.state)
        print("the same bits as on one machine" if same else "other bits than on one machine")
        recorded = b.rollout(50, record=("qpos", "sensordata"))
        print({item: recorded[item].shape for item in recorded})


if __name__ == "__main__":
    main()
