"""Operational-space control: many arms take their grips to targets of their own, by Jacobians.

The acceleration that a spring and a damper want of the grip becomes a force there, by the inertia
that the grip feels, and that force becomes torques of the joints.
"""

import mujoco
import numpy as np

import lanewise as lw

NSIM = 256


def main() -> None:
    mj = mujoco.MjModel.from_xml_path(str(lw.models.path("arm")))
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION  # torques instead of its servos
    m = lw.load(mj)
    home, grip = mj.key_qpos[0], m.site("grip").id

    batch = lw.Batch(m, nsim=NSIM)
    batch.qpos[:] = home
    place = batch.bind("site_xpos")
    target = place[:, grip] + np.random.default_rng(0).uniform(-0.1, 0.1, (NSIM, 3))

    def control(b: lw.Batch) -> None:
        jacp, _ = b.jac_site("grip")
        velocity = b.object_velocity("site", "grip")[:, 3:]
        wanted = 100.0 * (target - b.site_xpos[:, grip]) - 20.0 * velocity
        # M^-1 J', and the inertia that the grip feels
        response = np.linalg.solve(b.full_m(), jacp.transpose(0, 2, 1))
        inertia = np.linalg.inv(jacp @ response)
        # joints rest as at home, as far as that does not move the grip
        rest = b.mul_m(20.0 * (home - b.qpos) - 9.0 * b.qvel)
        moves = np.einsum("nij,ni->nj", response, rest)
        force = np.einsum("nij,nj->ni", inertia, wanted - moves)
        b.qfrc_applied = b.qfrc_bias + rest + np.einsum("nij,ni->nj", jacp, force)

    for _ in range(5):
        distance = np.linalg.norm(place[:, grip] - target, axis=1)
        print(
            f"{batch.time[0]:.2f} s   farthest grip {1e3 * distance.max():6.1f} mm from its target"
        )
        batch.step(nstep=100, control=control)


if __name__ == "__main__":
    main()
