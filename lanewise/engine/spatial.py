"""Vectors, quaternions, rotations and spatial vectors, on lanes.

A quaternion is (w, x, y, z); a matrix is nine numbers in row order; a motion or force in C is a
6-vector, rotation before translation. A spatial inertia about C is ten numbers: xx yy zz xy xz yz
of the rotational inertia, mass times centre of mass, mass.

Sums are in the order in which MuJoCo 4.0's binary adds them: where nothing is fused, the same
numbers have the same bits.
"""

from ..lanes import abs_, all_lanes, atan2, concat, kernel, sincos, splat, sqrt, vec, where
from ..mjconst import MINVAL, PI

# the squares whose roots, rounded, differ from 1 by no more than MINVAL
UNIT_LOW, UNIT_HIGH = 1.0 - 18.0 * 2.0**-53, 1.0 + 9.0 * 2.0**-52
TURN = 2.0 * PI  # a full turn


@kernel(inline=True)
def zeros3():
    z = splat(0.0)
    return vec(z, z, z)


@kernel(inline=True)
def zeros6():
    z = splat(0.0)
    return vec(z, z, z, z, z, z)


@kernel(inline=True)
def dot3(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(inline=True)
def dot6(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel(inline=True)
def norm3(a):
    return sqrt(dot3(a, a))


@kernel(inline=True)
def cross(a, b):
    return vec(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel(inline=True)
def normalize3(a):
    """a to unit length; too short to have a direction: the x axis."""
    n = norm3(a)
    short = n < MINVAL
    return where(short, vec(1.0, 0.0, 0.0), a * (1.0 / where(short, 1.0, n)))


@kernel(inline=True)
def normalize4(q):
    """q to unit length; too short: no rotation. A q of unit length to 1e-15 is left alone."""
    nn = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3])
    if all_lanes((nn >= UNIT_LOW) & (nn <= UNIT_HIGH)):
        return q
    n = sqrt(nn)
    short = n < MINVAL
    scale = where(abs_(n - 1.0) > MINVAL, 1.0 / where(short, 1.0, n), 1.0)
    return where(short, vec(1.0, 0.0, 0.0, 0.0), q * scale)


@kernel(inline=True)
def mul_quat(a, b):
    return vec(
        (a[0] * b[0] - a[1] * b[1]) - (a[2] * b[2] + a[3] * b[3]),
        (a[0] * b[1] + a[1] * b[0]) + (a[2] * b[3] - a[3] * b[2]),
        (a[0] * b[2] - a[1] * b[3]) + (a[2] * b[0] + a[3] * b[1]),
        (a[0] * b[3] + a[1] * b[2]) + (a[3] * b[0] - a[2] * b[1]),
    )


@kernel(inline=True)
def neg_quat(q):
    """The opposite rotation."""
    return vec(q[0], -q[1], -q[2], -q[3])


@kernel(inline=True)
def rot_vec_quat(v, q):
    """v turned by q: v + 2 u x (w v + u x v), w and u the scalar and vector part of q."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    t = vec(
        w * v[0] + y * v[2] - z * v[1],
        w * v[1] + z * v[0] - x * v[2],
        w * v[2] + x * v[1] - y * v[0],
    )
    return v + 2.0 * cross(q[1:4], t)


@kernel(inline=True)
def axis_angle_quat(axis, angle):
    s, c = sincos(angle * 0.5)
    return vec(c, axis[0] * s, axis[1] * s, axis[2] * s)


@kernel(inline=True)
def quat_mat(q):
    w, x, y, z = q[0], q[1], q[2], q[3]
    w2, x2, y2 = w + w, x + x, y + y
    wx, wy, wz, xy, xz, yz = w2 * x, w2 * y, w2 * z, x2 * y, x2 * z, y2 * z
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    a, b = ww - yy, xx - zz
    return vec(
        a + b, xy - wz, xz + wy,
        xy + wz, (ww + yy) - (xx + zz), yz - wx,
        xz - wy, yz + wx, a - b,
    )  # fmt: skip


@kernel(inline=True)
def mat_vec(R, v):
    return vec(
        R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
        R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
        R[6] * v[0] + R[7] * v[1] + R[8] * v[2],
    )


@kernel(inline=True)
def mat_t_vec(R, v):
    """R' v: v in the axes that are the columns of R."""
    return vec(
        R[0] * v[0] + R[3] * v[1] + R[6] * v[2],
        R[1] * v[0] + R[4] * v[1] + R[7] * v[2],
        R[2] * v[0] + R[5] * v[1] + R[8] * v[2],
    )


@kernel(inline=True)
def column(R, k):
    """Column k of R; k is 0, 1 or 2 at run time."""
    a, b, c = vec(R[0], R[3], R[6]), vec(R[1], R[4], R[7]), vec(R[2], R[5], R[8])
    if k == 0:
        return a
    return b if k == 1 else c


@kernel(inline=True)
def mul_inertia(inertia, v):
    """Momentum of a motion v under a spatial inertia: I v."""
    w, u = v[0:3], v[3:6]
    h, mass = inertia[6:9], inertia[9]
    rotational = vec(
        inertia[0] * w[0] + inertia[3] * w[1] + inertia[4] * w[2],
        inertia[3] * w[0] + inertia[1] * w[1] + inertia[5] * w[2],
        inertia[4] * w[0] + inertia[5] * w[1] + inertia[2] * w[2],
    )
    return concat(rotational + cross(h, u), u * mass - cross(h, w))


@kernel(inline=True)
def cross_motion(v, s):
    """Rate of a motion axis s that moves with v: v x s."""
    return concat(cross(v[0:3], s[0:3]), cross(v[0:3], s[3:6]) + cross(v[3:6], s[0:3]))


@kernel(inline=True)
def cross_force(v, f):
    """Rate of a force f that moves with v: v x* f."""
    return concat(cross(v[0:3], f[0:3]) + cross(v[3:6], f[3:6]), cross(v[0:3], f[3:6]))


@kernel(inline=True)
def quat_vel(q):
    """The rotation vector of q: axis times angle, the angle in (-pi, pi]."""
    s = norm3(q[1:4])
    short = s < MINVAL
    angle = 2.0 * atan2(s, q[0])
    angle = where(angle > PI, angle - 2.0 * PI, angle)
    axis = where(short, vec(1.0, 0.0, 0.0), q[1:4] * (1.0 / where(short, 1.0, s)))
    return axis * angle


@kernel(inline=True)
def sub_quat(qa, qb):
    """The rotation vector that leads from qb to qa, in the axes of qb."""
    return quat_vel(mul_quat(neg_quat(qb), qa))


@kernel(inline=True)
def mul_stiffness(S, v):
    """S v of a symmetric S: rotation, rotation with translation (by rows), translation."""
    a, b, c, x, y, z = v[0], v[1], v[2], v[3], v[4], v[5]
    return vec(
        S[0] * a + S[1] * b + S[2] * c + S[6] * x + S[7] * y + S[8] * z,
        S[1] * a + S[3] * b + S[4] * c + S[9] * x + S[10] * y + S[11] * z,
        S[2] * a + S[4] * b + S[5] * c + S[12] * x + S[13] * y + S[14] * z,
        S[6] * a + S[9] * b + S[12] * c + S[15] * x + S[16] * y + S[17] * z,
        S[7] * a + S[10] * b + S[13] * c + S[16] * x + S[18] * y + S[19] * z,
        S[8] * a + S[11] * b + S[14] * c + S[17] * x + S[19] * y + S[20] * z,
    )
