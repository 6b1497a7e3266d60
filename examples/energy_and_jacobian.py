"""Beside the state: energies, poses, and the Jacobian of a point on a robot arm."""

import mujoco
import numpy as np

import lanewise as lw


def main() -> None:
    mj = mujoco.MjModel.from_xml_path(str(lw.models.path("arm")))
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    mj.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    m = lw.load(mj)

    batch = lw.Batch(m, nsim=4)
    batch.reset(keyframe=0)
    batch.ctrl[:, 0] = [0.0, 0.5, 1.0, 1.5]  # turn the first axis, a different angle in each world
    energy = batch.bind("energy")
    for _ in range(4):
        batch.step(nstep=20)
        print(f"{batch.time[0]:.2f} s   kinetic energy", np.array2string(energy[:, 1], precision=4))

    grip = m.site("grip").id
    batch.bind("site_xpos")
    batch.forward()
    point = batch.site_xpos[:, grip]
    jacp, _ = batch.jac(int(m.site_bodyid[grip]), point)
    velocity = np.einsum("wij,wj->wi", jacp, batch.qvel)
    print("the grip's velocity, m/s:")
    print(np.array2string(velocity, precision=4, suppress_small=True))


if __name__ == "__main__":
    main()
