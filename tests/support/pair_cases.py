"""Sizes and poses of two geoms, drawn so that the hard ones are among them."""

import itertools

import mujoco
import numpy as np

from support.narrow_phase import Case


def rotation(quat):
    mat = np.empty(9)
    mujoco.mju_quat2Mat(mat, np.asarray(quat, float) / np.linalg.norm(quat))
    return mat.reshape(3, 3)


def _turns():
    """The 24 rotations that take axes to axes."""
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            mat = np.diag(signs)[:, order]
            if np.linalg.det(mat) > 0.0:
                yield mat


TURNS = list(_turns())


def random_case(rng):
    """Anything: random sizes and rotations, from deep inside to apart."""
    size1, size2 = rng.uniform(0.05, 1.0, (2, 3)) * rng.choice([1.0, 0.1], (2, 3), p=[0.8, 0.2])
    pos1 = rng.normal(size=3)
    pos2 = pos1 + rng.normal(size=3) * rng.choice([0.2, 0.5, 1.0])
    mat1, mat2 = rotation(rng.normal(size=4)), rotation(rng.normal(size=4))
    return Case(size1, pos1, mat1, size2, pos2, mat2, rng.choice([0.0, 0.01, 0.3, -0.02]))


def aligned_case(rng):
    """Numbers without rounding: faces in one plane, edges on edges, centres in one place."""
    size1, size2 = rng.integers(1, 5, (2, 3)) / 4.0
    pos1, apart = rng.integers(-4, 5, (2, 3)) / 4.0
    apart = apart * rng.choice([0.0, 1.0, 1.0, 2.0], 3)
    mat1, mat2 = (TURNS[i] for i in rng.integers(len(TURNS), size=2))
    return Case(size1, pos1, mat1, size2, pos1 + apart, mat2, rng.choice([0.0, 0.25, 0.5, -0.125]))


def tilted_case(rng):
    """Parallel but for an angle between round-off and a hundredth."""
    case = aligned_case(rng)
    if rng.random() < 0.5:
        case = case._replace(pos2=case.pos1 + rng.normal(size=3) * rng.choice([0.0, 0.3, 0.7]))
    both = rotation(rng.normal(size=4)) if rng.random() < 0.5 else np.eye(3)
    tilt = rotation(np.append(1.0, rng.normal(size=3) * 10.0 ** rng.integers(-17, -1)))
    return case._replace(mat1=both @ case.mat1, mat2=both @ case.mat2 @ tilt)
