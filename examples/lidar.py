"""A lidar on every robot: rays in the frame of a site, in all worlds at once.

Each world has the same walls, and a cart at a place of its own that turns as it drives. The lidar
looks around in one call; what it sees gives the place of the nearest wall, and a scan of heights
the bumps ahead.
"""

import numpy as np

import lanewise as lw

XML = """
<mujoco>
  <asset>
    <hfield name="bumps" nrow="2" ncol="9" size="6 6 .2 .1" elevation="0 0 0 0 0 0 .5 1 1
      0 0 0 0 0 0 .5 1 1"/>
  </asset>
  <worldbody>
    <geom type="hfield" hfield="bumps"/>
    <geom name="east" type="box" pos="4 0 1" size=".1 4 1"/>
    <geom name="north" type="box" pos="0 4 1" size="4 .1 1"/>
    <body name="cart" pos="0 0 .4">
      <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/>
      <geom type="box" size=".3 .2 .1"/>
      <site name="lidar" pos=".1 0 .2"/>
    </body>
  </worldbody>
</mujoco>
"""


def main() -> None:
    b = lw.Batch(lw.load(XML), nsim=64)
    b.qpos = np.random.default_rng(0).uniform(-2, 2, size=(64, 3))

    # 64 directions around the site; the cart does not see itself
    angle = np.linspace(-np.pi, np.pi, 64, endpoint=False)
    around = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    dist, geom = b.ray([0, 0, 0], around, frame="lidar", bodyexclude="cart", cutoff=20.0)

    seen = np.where(dist < 0, np.inf, dist)
    nearest = seen.argmin(axis=1)
    print("world   nearest wall          at      towards")
    for sim in range(0, 64, 16):
        name = b.model.mj.geom(geom[sim, nearest[sim]]).name
        to = np.degrees(angle[nearest[sim]])
        print(f"{sim:5d}   {name:12s} {seen[sim].min():10.3f} m  {to:8.1f} degrees to the left")

    # the wall is where the lidar and the world's own numbers say it is
    x, y, _ = b.site_xpos[:, 0].T
    assert np.all(np.abs(seen.min(axis=1) - np.minimum(3.9 - x, 3.9 - y)) < 0.02)

    # heights of the ground half a metre apart ahead of the cart, which may stand askew
    ahead = np.stack([np.linspace(0.5, 2.0, 4), np.zeros(4)], axis=1)
    height = b.height_scan(ahead, frame=("body", "cart"))
    print(f"heights ahead of world 0: {np.round(height[0], 3)}")
    assert height.shape == (64, 4)


if __name__ == "__main__":
    main()
