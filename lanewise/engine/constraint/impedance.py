"""Impedance and reference of constraint rows: how stiff, how damped, how much regularized.

A row's acceleration should follow, with r its residual and v its velocity,

    (1)  aref = -B v - K I r.

The impedance I, between 0 and 1, says how far it does. With A the row's diagonal of J inv(M) J', a
force f changes its acceleration a0 to a0 + A f, and the solver asks for (A + R) f = aref - a0. So

    (2)  R = (1 - I) / I A   gives   a0 + A f = (1 - I) a0 + I aref.

I depends on r by a curve (solimp: low, high, width, mid, power p), with x = |r| / width:

    (3)  I = low + (high - low) y,   y = x^p / mid^(p-1) up to x = mid,
                                     y = 1 - (1 - x)^p / (1 - mid)^(p-1) from there to x = 1.

K and B come from solref: a time constant t and a damping ratio z, or -K and -B themselves, scaled
so that a row with the impedance `high` has them:

    (4)  K = 1 / (high t z)^2,   B = 2 / (high t),
         or K = -solref[0] / high^2,   B = -solref[1] / high.

A time constant is at least two time steps (flag refsafe).

The frictional rows j of a contact, with coefficients of friction mu_j, have R in proportion to that
of the normal; the edges of a pyramid share one, with which the pyramid is as stiff in friction as
the elliptic cone:

    (5)  R_1 = R / impratio,   R_j = R_1 mu_1^2 / mu_j^2,   mu = mu_1 sqrt(R_1 / R)
    (6)  R_edge = 2 mu^2 R, where A of an edge is (1 + mu_1^2) A.

The discrete integrator evaluates a row's spring and damper at the end of the step, at v + h a and
r + h (v + h a). Solved for a, (1) then has r + h v in the place of r and is divided by

    (7)  f = 1 + h B + h^2 K I,

and so is R, which may be no less than the greatest impedance gives. Rows are then stable with any
time constant, so none is raised; but a limit or contact with h^2 K I > 1 would bounce back, and
refsafe replaces its K and B by the stiffest that do not, with the same damping ratio. The diagonal
A is that of the metric M + h D + h^2 K: the approximation is scaled by what the metric adds to M's
diagonal.
"""

from ...lanes import (
    abs_,
    all_lanes,
    any_lane,
    clip,
    concat,
    kernel,
    maximum,
    minimum,
    not_,
    pow,
    splat,
    sqrt,
    vec,
    where,
)
from ...mjconst import (
    CNSTR_EQUALITY,
    CNSTR_FRICTION_DOF,
    CNSTR_FRICTION_TENDON,
    CNSTR_LIMIT_JOINT,
    CONE_PYRAMIDAL,
    DSBL_REFSAFE,
    ENBL_DIAGEXACT,
    EQ_CONNECT,
    EQ_JOINT,
    EQ_WELD,
    INT_DISCRETE,
    MAXIMP,
    MINIMP,
    MINVAL,
)
from ..smooth.contact_jacobian import add_contact_force
from ..smooth.inertia import solve
from ..spatial import zeros6
from .equality import body_of

TRANSLATION, ROTATION = 0, 1  # columns of body_invweight0


@kernel
def regularize_constraint(m, d):
    """(row_J, row_pos, contact, M or the metric) => (row_KBI, row_R, row_D, con_*, contact.mu)"""
    d.rows_made = 0
    metric = has_metric(m, d)
    row_impedance(m, d, metric)
    contact_impedance(m, d, metric)


@kernel
def has_metric(m, d):
    """Whether the discrete integrator's metric is another than M in some world."""
    added = splat(0.0)
    if m.opt.integrator == INT_DISCRETE:
        for i in range(m.nv):
            added = added + abs_(d.efm_sdiag[i])
    return any_lane(added != 0.0)


# -------------------------------------------------------------------------------- rows and contacts


@kernel
def row_impedance(m, d, metric):
    """Static rows => (row_KBI, row_R, row_D)"""
    kbi, exact = zeros_lane3(), metric or m.opt.enableflags & ENBL_DIAGEXACT
    for a in range(d.nactive):
        r = d.active_row[a]
        kind = m.row_type[r]
        if kind != CNSTR_EQUALITY or m.row_sub[r] == 0:  # rows of an equality have the same
            is_friction = kind == CNSTR_FRICTION_DOF or kind == CNSTR_FRICTION_TENDON
            prm = row_parameters(m, r)
            KB, residual = stiffness_damping(m, prm[0:2], prm[3]), row_residual(m, d, r)
            one_sided = kind >= CNSTR_LIMIT_JOINT
            kbi = spring_damper(m, KB, prm[2:7], residual, is_friction, one_sided)
        # the diagonal; for more than an approximation the row is laid out over the dofs
        A = splat(row_weight(m, r))
        if exact:
            for i in range(m.nv):
                d.dof_work[i] = 0.0
            for e in range(m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]):
                d.dof_work[m.row_colind[e]] = d.row_J[e]
            A = true_diagonal(m, d, A, metric)
        R, on = regularization(m, A, kbi), d.row_on[r] > 0.0
        d.row_KBI[r] = kbi
        d.row_R[r] = R
        d.row_D[r] = where(on, 1.0 / R, 0.0)


@kernel(inline=True)
def splat_vec4(x):
    x = splat(x)
    return vec(x, x, x, x)


@kernel(inline=True)
def zeros_lane3():
    return vec(splat(0.0), splat(0.0), splat(0.0))


@kernel
def row_parameters(m, r):
    """solref and solimp of a static row"""
    kind, i = m.row_type[r], m.row_id[r]
    if kind == CNSTR_EQUALITY:
        prm = concat(m.eq_solref[i], m.eq_solimp[i])
    elif kind == CNSTR_FRICTION_DOF:
        prm = concat(m.dof_solref[i], m.dof_solimp[i])
    elif kind == CNSTR_FRICTION_TENDON:
        prm = concat(m.tendon_solref_fri[i], m.tendon_solimp_fri[i])
    elif kind == CNSTR_LIMIT_JOINT:
        prm = concat(m.jnt_solref[i], m.jnt_solimp[i])
    else:
        prm = concat(m.tendon_solref_lim[i], m.tendon_solimp_lim[i])
    return prm + concat(zeros6(), vec(splat(0.0)))


@kernel
def row_residual(m, d, r):
    """What the impedance depends on: a distance, or the length of an equality's residual."""
    if m.row_type[r] == CNSTR_EQUALITY and m.eq_type[m.row_id[r]] <= EQ_WELD:
        square = splat(0.0)
        for s in range(r, r + (3 if m.eq_type[m.row_id[r]] == EQ_CONNECT else 6)):
            square = square + d.row_pos[s] * d.row_pos[s]
        return sqrt(square)
    return d.row_pos[r] - d.row_margin[r]


@kernel
def row_slope(m, d, r):
    """I' of a static row; rows of an equality have that of its first"""
    if m.row_type[r] == CNSTR_EQUALITY:
        r = r - m.row_sub[r]
    return impedance_slope(row_parameters(m, r)[2:7], row_residual(m, d, r))


@kernel
def row_weight(m, r):
    """Approximate diagonal of J inv(M) J', from inverse inertias at qpos0."""
    kind, i = m.row_type[r], m.row_id[r]
    # friction and limits: of their dof or tendon
    if kind == CNSTR_FRICTION_DOF:
        return m.dof_invweight0[i]
    if kind == CNSTR_LIMIT_JOINT:
        return m.dof_invweight0[m.jnt_dofadr[i]]
    if kind != CNSTR_EQUALITY:
        return m.tendon_invweight0[i]
    # connects and welds: of both bodies; the last three rows of a weld are rotations
    if m.eq_type[i] <= EQ_WELD:
        b1, b2 = body_of(m, i, 0), body_of(m, i, 1)
        motion = ROTATION if m.row_sub[r] >= 3 else TRANSLATION
        return m.body_invweight0[b1, motion] + m.body_invweight0[b2, motion]
    # coupled joints and tendons: of both, if there are two
    first, second = m.eq_obj1id[i], m.eq_obj2id[i]
    if m.eq_type[i] == EQ_JOINT:
        weight = m.dof_invweight0[m.jnt_dofadr[first]]
        if second >= 0:
            weight = weight + m.dof_invweight0[m.jnt_dofadr[second]]
        return weight
    weight = m.tendon_invweight0[first]
    if second >= 0:
        weight = weight + m.tendon_invweight0[second]
    return weight


@kernel
def contact_impedance(m, d, metric):
    """Contacts => (con_KBI, con_Bfriction, con_R, con_D, contact.mu)"""
    pyramid, exact = m.opt.cone == CONE_PYRAMIDAL, metric or m.opt.enableflags & ENBL_DIAGEXACT
    even = not any_lane(m.opt.impratio != 1.0)
    KB, damping = zeros_lane3(), splat(0.0)
    for k in range(d.ncon_most):
        on, dim = d.con_on[k] > 0.0, d.contact.dim[k]
        b1, b2 = where(on, d.con_body1[k], 0.0), where(on, d.con_body2[k], 0.0)
        friction = d.contact.friction[k]
        mu, rough = friction[0], on & (dim > 1.0)
        # the diagonal of the normal, or of a pyramid's first edge
        A = weight_of(m, d.con_agreed1[k], b1) + weight_of(m, d.con_agreed2[k], b2)
        if pyramid:
            A = where(rough, A + mu * mu * A, A)
        if exact:
            arm = where(rough & pyramid, mu, 0.0)
            for i in range(m.nv):
                d.dof_work[i] = 0.0
            first_row = concat(vec(splat(1.0), arm), splat_vec4(0.0))
            add_contact_force(m, d, k, first_row, on, d.dof_work)
            A = true_diagonal(m, d, A, metric)
        # spring, damper and impedance of the normal; mostly contacts have the same parameters
        ref, imp = d.contact.solref[k], d.contact.solimp[k]
        if k == 0 or not same_spring(d, k):
            KB = stiffness_damping(m, ref, imp[1])
            if not pyramid:
                damping = friction_damping(m, d, k, ref, imp[1])
        r = d.contact.dist[k] - d.contact.includemargin[k]
        kbi = spring_damper(m, KB, imp, r, False, True)
        # regularization, (2) and (5)
        R = regularization(m, A, kbi)
        R1 = R
        if not even:
            R1 = R / maximum(m.opt.impratio, MINVAL)
            mu = mu * sqrt(R1 / R)
        d.con_KBI[k] = kbi
        d.contact.mu[k] = where(rough, mu, 0.0)
        # by edge (6), or by direction (5)
        if pyramid:
            R = where(rough, 2.0 * mu * mu * R, R)
            d.con_R[k, 0] = where(on, R, 0.0)
            d.con_D[k, 0] = where(on, 1.0 / R, 0.0)
        else:
            d.con_Bfriction[k] = damping
            store_by_direction(d, k, on, dim, R, R1, friction)


@kernel(inline=True)
def weight_of(m, agreed, b):
    """Inverse mass of a body: the one that all worlds have, or else b, another in each."""
    if agreed >= 0:
        return splat(m.body_invweight0[agreed, TRANSLATION])
    return m.body_invweight0[b, TRANSLATION]


@kernel
def same_spring(d, k):
    """Whether contact k has the springs and dampers of the one before, in all worlds"""
    c = d.contact
    ref, ref0, own, own0 = (
        c.solref[k],
        c.solref[k - 1],
        c.solreffriction[k],
        c.solreffriction[k - 1],
    )
    same = (ref[0] == ref0[0]) & (ref[1] == ref0[1]) & (c.solimp[k, 1] == c.solimp[k - 1, 1])
    return all_lanes(same & (own[0] == own0[0]) & (own[1] == own0[1]))


@kernel
def store_by_direction(d, k, on, dim, R, R1, friction):
    """con_R and con_D of an elliptic contact by (5), as many as it has directions"""
    store_direction(d, k, 0, on, R)
    store_direction(d, k, 1, on & (dim > 1.0), R1)
    R_mu2 = R1 * friction[0] * friction[0]
    store_direction(d, k, 2, on & (dim > 2.0), R_mu2 / (friction[1] * friction[1]))
    for j in range(3, 6):
        d.con_R[k, j] = 0.0
        d.con_D[k, j] = 0.0
    # spin, and rolling about two axes
    if any_lane(on & (dim > 3.0)):
        store_direction(d, k, 3, on & (dim > 3.0), R_mu2 / (friction[2] * friction[2]))
        if any_lane(on & (dim > 4.0)):
            store_direction(d, k, 4, on & (dim > 4.0), R_mu2 / (friction[3] * friction[3]))
            store_direction(d, k, 5, on & (dim > 5.0), R_mu2 / (friction[4] * friction[4]))


@kernel(inline=True)
def store_direction(d, k, j, has, R):
    """con_R and con_D of direction j, in the worlds that have it."""
    d.con_R[k, j] = where(has, R, 0.0)
    d.con_D[k, j] = where(has, 1.0 / R, 0.0)


@kernel
def friction_damping(m, d, k, ref, high):
    """B of the frictional rows: by solreffriction, or where that is zero, by solref"""
    own = d.contact.solreffriction[k]
    given = (own[0] > 0.0) & (own[1] > 0.0)
    given = given | ((own[0] <= 0.0) & (own[1] <= 0.0) & ((own[0] != 0.0) | (own[1] != 0.0)))
    KB = stiffness_damping(m, where(given, own, ref), high)
    return KB[1]


# ----------------------------------------------------------------------------------------- formulas


@kernel
def spring_damper(m, KB, solimp, r, is_friction, one_sided):
    """K, B and I of a row with K and B by stiffness_damping, solimp and residual r"""
    K, B, standard = KB[0], KB[1], KB[2]
    imp = impedance(solimp, r)
    # friction has no position to return to
    if is_friction:
        K = splat(0.0)
    if m.opt.integrator == INT_DISCRETE and one_sided and not m.opt.disableflags & DSBL_REFSAFE:
        h = m.opt.timestep
        excess = h * h * K * imp
        stiff = standard * excess > 1.0
        # K at the bound; B with it, as far as R / f stays above its least: f = 2 + h B <= top
        top = MAXIMP * (1.0 - imp) / maximum(imp * (1.0 - MAXIMP), MINVAL)
        K = where(stiff, 1.0 / (h * h * imp), K)
        slower = minimum(B / sqrt(where(stiff, excess, 1.0)), maximum(top - 2.0, 0.0) / h)
        B = where(stiff, slower, B)
    return vec(K, B, imp)


@kernel
def stiffness_damping(m, ref, high):
    """(4): K, B, and 1 where they are given by a time constant; `high` is the second of solimp"""
    h = m.opt.timestep
    # both positive: the standard format; one of them: MuJoCo's default is taken
    standard = (ref[0] > 0.0) & (ref[1] > 0.0)
    mixed = not_(standard) & ((ref[0] > 0.0) | (ref[1] > 0.0))
    time, ratio = where(mixed, 0.02, ref[0]), where(mixed, 1.0, ref[1])
    standard = standard | mixed
    if m.opt.integrator != INT_DISCRETE and not m.opt.disableflags & DSBL_REFSAFE:
        time = where(standard, maximum(time, 2.0 * h), time)
    # time and ratio are the two numbers of solref, whatever the format
    high = clip(high, MINIMP, MAXIMP)
    square = high * high
    K = 1.0 / maximum(square * time * time * ratio * ratio, MINVAL)
    B = 2.0 / maximum(high * time, MINVAL)
    return vec(
        where(standard, K, -time / maximum(square, MINVAL)),
        where(standard, B, -ratio / maximum(high, MINVAL)),
        where(standard, 1.0, 0.0),
    )


@kernel
def impedance(solimp, r):
    """I(r) of (3)"""
    low, high, width, flat = ends_of(solimp)
    x, near, u, v, scale = on_curve(solimp, width, r)
    part = u * v / scale
    # outside, and where the curve is flat, constants
    y = low + where(near, part, 1.0 - part) * (high - low)
    inside = not_(flat) & (x > 0.0) & (x < 1.0)
    ends = where(flat, 0.5 * (low + high), where(x >= 1.0, high, low))
    return where(inside, y, ends)


@kernel
def impedance_slope(solimp, r):
    """The derivative of I(r)"""
    low, high, width, flat = ends_of(solimp)
    x, _, _, v, scale = on_curve(solimp, width, r)
    slope = maximum(solimp[4], 1.0) * v / scale * (high - low) / width
    inside = not_(flat) & (x > 0.0) & (x < 1.0)
    return where(inside, where(r < 0.0, -slope, slope), 0.0)


@kernel(inline=True)
def ends_of(solimp):
    """low, high and width of (3), and where it is flat."""
    low, high = clip(solimp[0], MINIMP, MAXIMP), clip(solimp[1], MINIMP, MAXIMP)
    flat = (low == high) | (solimp[2] <= MINVAL)
    return low, high, where(flat, 1.0, solimp[2]), flat


@kernel(inline=True)
def on_curve(solimp, width, r):
    """x of (3), whether it is before the middle, u; u and the middle to the power p - 1

    u and the middle are measured from the end of the curve that is nearer.
    """
    mid, power = clip(solimp[3], MINIMP, MAXIMP), maximum(solimp[4], 1.0)
    x = abs_(r) / width
    near = x <= mid
    u, end = where(near, x, 1.0 - x), where(near, mid, 1.0 - mid)
    v, scale = u, end  # p - 1 mostly is 1
    if any_lane(power != 2.0):
        v, scale = pow(u, power - 1.0), pow(end, power - 1.0)
    return x, near, u, v, scale


@kernel(inline=True)
def implicit_factor(m, kbi):
    """(7): what the discrete integrator divides aref and R of a row by"""
    h, K, B, imp = m.opt.timestep, kbi[0], kbi[1], kbi[2]
    return 1.0 + h * B + h * h * K * imp


@kernel
def regularization(m, A, kbi):
    """(2): R = (1 - I) / I * A"""
    imp = kbi[2]
    R = maximum((1.0 - imp) * A / imp, MINVAL)
    if m.opt.integrator == INT_DISCRETE:
        least = maximum((1.0 - MAXIMP) * A / MAXIMP, MINVAL)
        R = maximum(R / implicit_factor(m, kbi), least)
    return R


@kernel
def true_diagonal(m, d, A, metric):
    """The diagonal of a row that lies in dof_work: exact, or its approximation A scaled

    Exact is y' inv(M) y, or that of the metric. Otherwise A is multiplied by the ratio of what the
    diagonals of the metric and of M alone give.
    """
    total, plain = splat(0.0), splat(0.0)
    # exact
    if m.opt.enableflags & ENBL_DIAGEXACT:
        for i in range(m.nv):
            d.dof_work2[i] = d.dof_work[i]
        if metric:
            solve(m, d.H_factor, d.qHDiagInv, d.dof_work2)
        else:
            solve(m, d.M_factor, d.qLDiagInv, d.dof_work2)
        for i in range(m.nv):
            total = total + d.dof_work[i] * d.dof_work2[i]
        return total
    # scaled
    for i in range(m.nv):
        square = d.dof_work[i] * d.dof_work[i]
        diagonal = d.M[m.M_rowadr[i] + m.M_rownnz[i] - 1]
        total = total + square / maximum(diagonal + d.efm_sdiag[i], MINVAL)
        plain = plain + square / maximum(diagonal, MINVAL)
    return where(plain > MINVAL, A * (total / where(plain > MINVAL, plain, 1.0)), A)
