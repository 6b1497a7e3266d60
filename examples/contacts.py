"""Contacts of every world as arrays: where they are, how hard they press, who touches whom.

Sixteen worlds drop a sphere and a box on a plane, the box with different friction, and a wind blows
from the left. Forces of contacts come summed by body and by pair of geoms.
"""

import numpy as np

import lanewise as lw

XML = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="ball" pos="0 0 0.12"><freejoint/><geom name="ball" size="0.1" density="500"/></body>
    <body name="box" pos="1 0 0.12">
      <freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" density="500"/>
    </body>
  </worldbody>
</mujoco>
"""


def main() -> None:
    m = lw.load(XML)
    b = lw.Batch(m, nsim=16)
    b.expand("geom_friction")[:, 2, 0] = np.linspace(0.05, 1.0, 16)  # the box's, in every world
    b.expand("geom_priority")[:, 2] = 1  # its friction counts, not the floor's
    b.xfrc_applied[:, 2, 0] = 12.0  # N, on the box

    dist, ncon, total = b.contact.dist, b.ncon, b.body_contact
    b.step(nstep=400)
    force, number = b.pair_force("floor", "box")

    weight = -m.body_mass * m.opt.gravity[2]
    print(f"contacts in each world   {ncon[0]} ... {ncon[-1]}, deepest {dist.min():.1e} m")
    print(f"floor on ball, vertical  {total[0, 1, 2]:.3f} N, its weight {weight[1]:.3f} N")
    print("friction   floor on box, along and up    contacts   slid by")
    for sim in range(0, 16, 5):
        mu = 0.05 + 0.95 * sim / 15
        slid = b.qpos[sim, 7] - 1
        along, up = force[sim, 0], force[sim, 2]
        print(f"{mu:8.2f}   {along:8.2f} N  {up:8.2f} N  {number[sim]:8d} {slid:8.3f} m")

    assert np.allclose(total[:, 1, 2], weight[1], rtol=1e-3)
    assert b.qpos[0, 7] > 1.5 > 1.01 > b.qpos[-1, 7]


if __name__ == "__main__":
    main()
