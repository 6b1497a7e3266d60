"""Code of the user's in collision detection: functions for pairs of geom types, and a filter."""

import copy
import pickle

import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import not_, vec, where

NO_CONTACT = 1e10
LIFT = 0.25


@lw.kernel
def lifted(dist):
    return dist - LIFT


@lw.kernel
def cushioned(m, d, g1, g2, reach, mask):
    """Spheres that touch before they meet, and only in the direction of z."""
    apart = d.geom_xpos[g2] - d.geom_xpos[g1]
    dist = lifted(apart[2] - m.geom_size[g1, 0] - m.geom_size[g2, 0])
    d.found_dist[0] = where(mask & not_(dist > reach), dist, NO_CONTACT)
    d.found_pos[0] = d.geom_xpos[g1] + apart * 0.5
    d.found_frame[0] = vec(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    return 1


@lw.kernel
def high_enough(m, d, g1, g2):
    return d.geom_xpos[g2, 2] > 0.5


@lw.kernel
def never(m, d, g1, g2):
    return False


TWO = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 1"><freejoint/><geom size=".2"/></body>
    <body pos="0 0 1.5"><freejoint/><geom size=".2"/></body>
  </worldbody>
</mujoco>
"""


def _collide(m, heights):
    d = lw.Data(m, len(heights))
    d.qpos[:, 9] = heights
    lw.kinematics(m, d)
    lw.collision(m, d)
    return d


def test_function_of_the_users():
    text = TWO.replace('size=".2"', 'size=".2" margin=".1"')
    m = lw.load(text, collision={("sphere", "sphere"): cushioned})
    d = _collide(m, [1.3, 1.5, 1.59, 1.7])
    # reach 0.2 decides, within bounding spheres that are 0.6 apart at most
    assert d.ncon.tolist() == [1, 1, 1, 0]
    assert np.allclose(d.contact.dist[:3, 0], [-0.35, -0.15, -0.06])
    assert np.array_equal(d.contact.frame[0, 0].reshape(3, 3)[0], [0, 0, 1])


def test_filter_of_the_users():
    plain, picky = lw.load(TWO), lw.load(TWO, contact_filter=high_enough)
    heights = [1.3, 0.1, -0.2]
    assert _collide(plain, heights).ncon.tolist() == [1, 1, 1]
    assert _collide(picky, heights).ncon.tolist() == [1, 0, 0]
    assert _collide(lw.load(TWO, contact_filter=never), heights).ncon.tolist() == [0, 0, 0]


def test_user_code_in_a_step_and_in_a_batch():
    m = lw.load(TWO, collision={("sphere", "sphere"): cushioned}, contact_filter=high_enough)
    d = lw.Data(m)
    d.qpos[9] = 1.3
    b = lw.Batch(m, nsim=11)
    b.qpos[:, 9] = 1.3
    for _ in range(3):
        lw.step(m, d)
        b.step()
    assert d.qvel[2] < -0.1 < d.qvel[8]  # pushed apart
    assert np.array_equal(b.qpos, np.tile(d.qpos, (11, 1)))
    b.expand("geom_friction")  # from now on the model's numbers are lanes
    b.reset()
    b.qpos[:, 9] = 1.3
    b.step(nstep=3)
    assert np.allclose(b.qpos, d.qpos, atol=1e-12)


def test_user_code_is_kept_by_copies():
    m = lw.load(TWO, contact_filter=never)
    for other in (copy.copy(m), pickle.loads(pickle.dumps(m)), lw.load(m)):
        assert not _collide(other, [1.3, 1.2]).ncon.any()


def test_bad_user_code():
    with pytest.raises(ValueError, match="plane, hfield, sphere"):
        lw.load(TWO, collision={("sphere", "ball"): cushioned})
    with pytest.raises(TypeError, match=r"@lanewise\.kernel"):
        lw.load(TWO, contact_filter=lambda m, d, g1, g2: True)
