"""Projected Gauss-Seidel: forces one block at a time, each at its best given all others.

With the residual r_i of (4) in problem.py, a scalar row goes to its minimum within its bounds:

    f_i <= clip(f_i - r_i / A_ii)                                                           (1)

where A has R on its diagonal. An elliptic contact is a block, in two steps. First its whole force
is scaled along its ray, not beyond the tip of the cone; then friction is optimal for the normal
force that this gave (qcqp.py).

    f <= (1 + x) f,     x = -f.r / f'A f,     x >= -1                                       (2)

A sweep visits the blocks in a random order, the same in every run. Before a sweep the forces are
extrapolated along their last change (Nesterov), with a weight that grows with the number k of
sweeps, and k starts again when the sweep turned out to go against it (O'Donoghue and Candes):

    g <= f + (k - 1)/(k + 2) (f - f_last),                                                  (3)
    k <= 0  if  (f_new - g).(g - f) < 0                                                     (4)

MuJoCo's default is to stop well before convergence, so the path is a part of the answer: order,
weights and tolerances are those of MuJoCo.
"""

from ....lanes import kernel, lane_item, load_lane, maximum, minimum, sqrt
from ....mjconst import CNSTR_CONTACT_ELLIPTIC, CNSTR_EQUALITY, DSBL_WARMSTART, MINVAL
from .block import TOO_MUCH, accept, update_friction
from .products import push, respond, response, row_dot
from .world import block_size, is_dry_friction, record_sweep, update_states


@kernel
def start_forces(m, d, n, w):
    """dual_force <= zeros, where that is better than what qacc_warmstart gave"""
    respond(m, d, 0, n, w)
    # the cost of no force is 0
    cost = 0.0
    for i in range(n):
        f = d.dual_force[i]
        cost += f * (d.dual_b[i] + 0.5 * (response(d, i, w) + d.dual_R[i] * f))
    if cost > 0.0 or m.opt.disableflags & DSBL_WARMSTART:
        for i in range(n):
            d.dual_force[i] = 0.0


@kernel
def pgs_island(m, d, first, n, scale, island, w):
    """dual_force of n rows of dual_row <= after opt.iterations sweeps or fewer; how many"""
    # the blocks, and what of A they need
    number = make_blocks(d, first, n, w)
    seed(d)
    update_states(d, first, n, w)
    age, sweeps, done = 0, 0, False  # age: sweeps since extrapolation started anew
    while sweeps < m.opt.iterations and not done:
        # extrapolate; z is still right if nothing was
        weight = (age - 1.0) / (age + 2.0)
        extrapolate(d, first, n, number, weight, w)
        if weight > 0.0 or sweeps == 0:
            respond(m, d, first, n, w)
        # one sweep; gain is by how much the cost falls
        shuffle(d, first, number)
        gain = 0.0
        for p in range(first, first + number):
            gain -= visit(d, d.dual_block[p], w)
        record_sweep(d, island, sweeps, gain * scale, first, n, w)
        done = gain * scale < lane_item(m.opt.tolerance, w)
        # extrapolation starts anew if the sweep went back
        age = 0 if sweeps > 0 and turned_back(d, first, n) else age + 1
        sweeps += 1
    update_states(d, first, n, w)
    return sweeps


@kernel
def make_blocks(d, first, n, w):
    """dual_block, dual_diag, dual_A of the rows of an island; the number of blocks"""
    number, p = 0, first
    while p < first + n:
        i = d.dual_row[p]
        d.dual_block[first + number] = i
        number += 1
        size = block_size(d, i, w)
        # A + R of the block's rows; all of it is kept only for contacts
        for r in range(size):
            for c in range(r + 1):
                a = row_dot(d, i + r, i + c, w)
                if r == c:
                    a += d.dual_R[i + r]
                    d.dual_diag[i + r] = a
                if size > 1:
                    d.dual_A[d.dual_id[i], 6 * r + c] = a
                    d.dual_A[d.dual_id[i], 6 * c + r] = a
        p += size
    return number


# ---- extrapolation


@kernel
def extrapolate(d, first, n, number, weight, w):
    """dual_force <= extrapolated (3), within its bounds; dual_ahead keeps that"""
    # f is f_last from now on
    for p in range(first, first + n):
        i = d.dual_row[p]
        f = d.dual_force[i]
        if weight > 0.0:
            d.dual_force[i] = f + weight * (f - d.dual_last[i])
        d.dual_last[i] = f
    if weight > 0.0:
        # back into the bounds, block by block
        for p in range(first, first + number):
            i = d.dual_block[p]
            if d.dual_kind[i] == CNSTR_CONTACT_ELLIPTIC:
                put_in_cone(d, i, block_size(d, i, w), w)
            else:
                d.dual_force[i] = clip_force(d, i, d.dual_force[i])
    # g of (4)
    for p in range(first, first + n):
        i = d.dual_row[p]
        d.dual_ahead[i] = d.dual_force[i]


@kernel
def put_in_cone(d, i, size, w):
    """dual_force of an elliptic contact => scaled to be admissible"""
    # the normal force, and the square of the friction that it would take
    normal, square = d.dual_force[i], 0.0
    for j in range(1, size):
        t = d.dual_force[i + j] / load_lane(d.contact.friction, (d.dual_id[i], j - 1), w)
        square += t * t
    scale = 1.0
    if normal < 0.0:
        d.dual_force[i] = 0.0
        scale = 0.0
    elif square > normal * normal:
        scale = sqrt(normal * normal / maximum(square, MINVAL))
    for j in range(1, size):
        d.dual_force[i + j] = d.dual_force[i + j] * scale


@kernel
def clip_force(d, i, f):
    """The force of a scalar row within its bounds; NaN if it is."""
    kind = d.dual_kind[i]
    if kind == CNSTR_EQUALITY:
        return f
    if is_dry_friction(kind):
        return minimum(d.dual_loss[i], maximum(-d.dual_loss[i], f))
    return maximum(0.0, f)


@kernel
def turned_back(d, first, n):
    """Whether the sweep undid a part of the extrapolation: (4)"""
    agreement = 0.0
    for p in range(first, first + n):
        i = d.dual_row[p]
        agreement += (d.dual_force[i] - d.dual_ahead[i]) * (d.dual_ahead[i] - d.dual_last[i])
    return agreement < 0.0


# ---- one block


@kernel
def visit(d, i, w):
    """Set the forces of a block to their best; by how much the cost changed"""
    if d.dual_kind[i] == CNSTR_CONTACT_ELLIPTIC:
        return visit_contact(d, i, block_size(d, i, w), w)
    # (1); the change of the cost is that of a parabola
    old = d.dual_force[i]
    residual = d.dual_b[i] + response(d, i, w) + d.dual_R[i] * old
    df = clip_force(d, i, old - residual / d.dual_diag[i]) - old
    change = df * (0.5 * df * d.dual_diag[i] + residual)
    # round-off: stay
    if change > TOO_MUCH:
        return 0.0
    d.dual_force[i] = old + df
    push(d, i, df, w)
    return change


@kernel
def visit_contact(d, i, size, w):
    """The same for an elliptic contact."""
    # the block as it is now: forces, residuals, and A from make_blocks
    for r in range(size):
        f = d.dual_force[i + r]
        d.block_old[r] = f
        d.block_residual[r] = d.dual_b[i + r] + response(d, i + r, w) + d.dual_R[i + r] * f
        for c in range(size):
            d.block_A[size * r + c] = d.dual_A[d.dual_id[i], 6 * r + c]
    # without a normal force there is no ray: a normal force alone, as (1)
    if d.block_old[0] < MINVAL:
        f = d.block_old[0] - d.block_residual[0] / d.dual_diag[i]
        d.dual_force[i] = maximum(0.0, f)
    else:
        scale_ray(d, i, size)
    update_friction(d, i, size, 1, w)
    return accept(d, i, size, w)


@kernel
def scale_ray(d, i, size):
    """dual_force of a contact <= the best multiple of itself: (2)"""
    curvature, slope = 0.0, 0.0
    for r in range(size):
        f = d.block_old[r]
        slope += f * d.block_residual[r]
        for c in range(size):
            curvature += f * d.block_A[size * r + c] * d.block_old[c]
    if curvature >= MINVAL:
        growth = maximum(-slope / curvature, -1.0)
        for j in range(size):
            d.dual_force[i + j] = d.block_old[j] + growth * d.block_old[j]


# ---- random order


@kernel
def shuffle(d, first, n):
    """dual_block <= n of its numbers in random order: Fisher and Yates"""
    for i in range(n - 1, 0, -1):
        j = first + random_number(d) % (i + 1)
        other = d.dual_block[j]
        d.dual_block[j] = d.dual_block[first + i]
        d.dual_block[first + i] = other


@kernel
def seed(d):
    """The generator's state after its seed, 0"""
    d.random_high = 0
    d.random_low = 0
    random_number(d)


@kernel
def random_number(d):
    """The next 32 bits of the generator PCG32: x <= 6364136223846793005 x + 1, then bits of x

    The 64 bits of x are two halves, multiplied in parts of 16 bits: integers here are 64 bits with
    a sign, or unbounded.
    """
    high, low = d.random_high, d.random_low
    # low times the low half of the multiplier, 0x4C957F2D: digits of 16 bits and carries
    a, b = low >> 16, low & 0xFFFF
    p = b * 0x7F2D + 1
    q = a * 0x7F2D + b * 0x4C95 + (p >> 16)
    top = a * 0x4C95 + (q >> 16)
    # what else reaches the high half: high times the low half, low times the high half
    top += high * 0x7F2D + ((high * 0x4C95 & 0xFFFF) << 16)
    top += low * 0xF42D + ((low * 0x5851 & 0xFFFF) << 16)
    # what is beyond 64 bits is lost
    d.random_high = top & 0xFFFFFFFF
    d.random_low = (q & 0xFFFF) << 16 | p & 0xFFFF
    # PCG's output: the state before, folded, and turned by its top five bits
    x = (high << 5 | low >> 27) & 0xFFFFFFFF ^ high >> 13
    turn = high >> 27
    return (x >> turn | x << (32 - turn & 31)) & 0xFFFFFFFF
