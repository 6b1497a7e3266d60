"""What the numbers of all systems are for a state of the crooked body: a line a system.

Written from documents about each system and checked against the engines that can be installed; it
imports nothing of Lanewise and knows no rows. For systems that cannot be installed (Isaac Lab 3,
Isaac Sim, Isaac Gym, BVH, SONIC) these lines are all there is.
"""

import numpy as np

from engines import crooked


def numbers(state):
    """{system: (pose, velocity, wrench, generalized force)} of a crooked.State"""
    s, R = state, state.R
    p, p_c, v, v_c, w = s.p, s.p_com, s.v, s.v_com, s.w
    v_B, w_B = R.T @ v, R.T @ w
    f, t_c, t = s.f, s.t, s.t_origin
    f_B, t_B = R.T @ f, R.T @ t
    t_w = t + np.cross(p, f)  # about the world's origin
    v_w = v + np.cross(w, -p)  # of the point that is there
    wxyz, xyzw = s.q, np.roll(s.q, -1)
    principal = np.roll(crooked.quaternion_of(R @ crooked.R_BI), -1)
    inverse = s.q * [1.0, -1.0, -1.0, -1.0]
    degree = np.pi / 180.0  # a force that does work on degrees is so much less
    physx = [v_c, w], [f, t_c], [f, t_c]
    lab = [v_c, w], [f_B, R.T @ t_c], [f, t_c]
    made = {
        "mujoco": ([p, wxyz], [v, w_B], [f, t_c], [f, t_B]),
        "newton": ([p, xyzw], *physx),
        "isaaclab-2": ([p, wxyz], *lab),
        "isaaclab-3": ([p, xyzw], *lab),
        "isaacsim": ([p, wxyz], *physx),
        "isaacgym": ([p, xyzw], *physx),
        "physx": ([p, xyzw], *physx),
        "sapien": ([p, wxyz], *physx),
        "drake": ([wxyz, p], [w, v], [t, f], [t, f]),
        "pinocchio": ([p, xyzw], [v_B, w_B], [f_B, t_B], [f_B, t_B]),
        "pybullet": ([p_c, principal], *physx),
        "genesis": ([p, wxyz], [v, w_B], [f, t], [f, t_B]),
        "modern-robotics-body": ([p, wxyz], [w_B, v_B], [t_B, f_B], [t_B, f_B]),
        "modern-robotics-spatial": ([p, wxyz], [w, v_w], [t_w, f], [t_w, f]),
        "ros": ([p, xyzw], [v_B, w_B], [f_B, t_B], [f_B, t_B]),
        "scipy": ([p, xyzw], [w, v], [t, f], [t, f]),
        "usd": ([p, xyzw], [v_c, w / degree], [f, t_c], [f, t_c * degree]),
        "smpl": ([p, wxyz], [v, w], [f, t], [f, t]),
        "bvh": ([p, wxyz], [v, w / degree], [f, t], [f, t * degree]),
        "sonic": ([p, wxyz], [v, w], [f, t], [f, t]),
        "ptera": ([p_c, inverse], [v_c, w_B / degree], [f, t_c], [f, R.T @ t_c * degree]),
    }  # fmt: skip
    return {name: tuple(np.concatenate(x) for x in parts) for name, parts in made.items()}


def stacked(states=None):
    """{system: the same four, of all states}"""
    rows = [numbers(s) for s in (states or crooked.STATES)]
    return {name: tuple(np.stack(x) for x in zip(*(row[name] for row in rows), strict=True))
            for name in rows[0]}  # fmt: skip
