"""User code in the step: a platform that balls pass from below, and balls with a soft skin.

Kernels are written for one world and run, compiled, on eight at a time. See docs/kernels.md.
"""

import lanewise as lw
from lanewise.lanes import not_, sqrt, vec, where

MODEL = """
<mujoco>
  <default>
    <default class="ball"><geom size=".1" condim="6" friction="1 .01 .01"/></default>
  </default>
  <worldbody>
    <geom name="platform" type="box" size="1 1 .02" pos="0 0 1"/>
    <body pos="0 0 .5"><freejoint/><geom class="ball"/></body>
    <body pos=".21 0 .5"><freejoint/><geom class="ball"/></body>
  </worldbody>
</mujoco>
"""
NO_CONTACT = 1e10  # the distance of a candidate in the worlds that do not have it
SKIN = 0.02


@lw.kernel
def not_from_below(m, d, g1, g2):
    """The worlds in which a ball, the geom of lower type, does not rise towards the platform."""
    rising = d.qvel[m.body_dofadr[m.geom_bodyid[g1]] + 2] > 0.5
    return not_(rising & (m.geom_bodyid[g2] == 0))


@lw.kernel
def soft_balls(m, d, g1, g2, reach, mask):
    """Two spheres that feel each other before they meet: one candidate."""
    apart = d.geom_xpos[g2] - d.geom_xpos[g1]
    length = sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2])
    normal = apart / length
    dist = length - m.geom_size[g1, 0] - m.geom_size[g2, 0] - SKIN
    d.found_dist[0] = where(mask & not_(dist > reach), dist, NO_CONTACT)
    d.found_pos[0] = d.geom_xpos[g1] + normal * (m.geom_size[g1, 0] + 0.5 * dist)
    d.found_frame[0] = vec(normal[0], normal[1], normal[2], 0.0, 0.0, 0.0)  # any tangent
    return 1


def main(nsim: int = 64, nstep: int = 1000) -> None:
    m = lw.load(MODEL, collision={("sphere", "sphere"): soft_balls}, contact_filter=not_from_below)
    m.geom_gap[1:] = SKIN  # bounding spheres know of gaps, not of skins
    batch = lw.Batch(m, nsim)
    qpos, qvel = batch.bind("qpos"), batch.bind("qvel")
    qvel[:, [2, 8]] = 4.5  # thrown upwards
    batch.step(nstep=nstep)
    print(f"{(qpos[:, 2] > 1.1).sum()} of {nsim} balls came to rest on the platform,")
    print(f"{(qpos[:, 7] - qpos[:, 0]).mean():.3f} m from their neighbours")


if __name__ == "__main__":
    main()
