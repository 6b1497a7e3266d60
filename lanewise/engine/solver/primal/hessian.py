"""The Hessian of the cost: H = M + J' K J, made of stiffnesses of bodies.

A contact penalizes the motion of a body at a point, which is linear in the body's motion
V = (w, v). With K = s'' the second derivative of its cost by u (matrix_free.py), and r its point,

    u = F (v + w x r),     W = F' K F                                                       (1)

W is the stiffness of the point's translation, and its part of the Hessian a symmetric 6x6 matrix S
on the body, like a spatial inertia: with [r] the matrix of r x

    S = | A   P |     A = -[r] W [r],     P = [r] W                                         (2)
        | P'  W |

These are 21 numbers: A of rotation (xx xy xz yy yz zz), P of rotation with translation (by rows),
and W of translation. As inertias do, stiffnesses add up towards the root. With S_i the sum for all
bodies that dof i moves, and j any dof on the way from i to the root,

    H_ij = M_ij + cdof_i . (S_i cdof_j)                                                     (3)

which is how smooth/inertia.py makes M of composite inertias.

A contact of two moving bodies acts on the dofs that move them apart, with opposite signs for the
two bodies. In one tree the block of these dofs is added directly, contact by contact:

    H_ij += a_i . (S a_j),     a_i = cdof_i for dofs of hi, -cdof_i for dofs of lo          (4)

In two trees each body has the stiffness alone, and what remains is the block of the one's dofs with
the other's. S is about the centre of hi's tree, from which lo's is at -t. With X the change of a
motion from the one centre to the other, (w, v) => (w, v + w x t), lo has the stiffness X' S X,

    P <= P + [t] W,     A <= A + [t] P_old' - P [t]                                         (5)

and dofs i of hi and j of lo have

    H_ij -= cdof_i . (S X cdof_j)                                                           (6)

From one iteration to the next few constraints change their stiffness. Only these changes are added;
but of one that is 1e20 times M, and is taken away again, round-off would be left that is more than
M. Where a world has stiff contacts (stiff.py), each Hessian is a new sum.
"""

from ....lanes import any_lane, concat, kernel, store3, vec, where
from ....mjconst import CNSTR_EQUALITY, CONE_ELLIPTIC, INT_DISCRETE, MINVAL
from ...smooth.tendon import last_dof
from ...spatial import cross, dot3, dot6, mul_stiffness, zeros3
from ..slots import every_world, seen_from, tree_shift
from .coupling import place_in_H, relative_dofs
from .edges import add_edges, edge, has_edges
from .matrix_free import angular, cone, is_friction_row, is_one_of_three, three_of_J

ROUND_OFF = 1.0 + 1e-6  # by so much 1/D may be larger than that of M


@kernel
def make_hessian(m, d, k):
    """H_sum <= that of the present point, which is number k of a search"""
    if k == 0:
        first_hessian(m, d)
    elif d.some_stiff == 1:
        begin_anew(m, d, d.world_stiff > 0.0)
    update_hessian(m, d)
    d.H_made = k + 1


@kernel
def update_hessian(m, d):
    """(slot_u, row_jar) => H_sum: what has changed since the last call is added"""
    # no body and no pair has changed yet
    for a in range(d.nlive):
        d.body_S_on[d.live_body[a]] = 0
    for p in range(d.nbodypair):
        d.pair_on[p] = 0
    # contacts: what has changed, onto bodies and pairs, or into H_sum at once
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        if m.opt.cone == CONE_ELLIPTIC:
            cone_stiffness(m, d, s)
        else:
            pyramid_stiffness(m, d, s)
    # from bodies and pairs to dofs
    add_stiffnesses(m, d)
    add_rows(m, d)
    d.H_bare = 0


@kernel
def add_stiffnesses(m, d):
    """H_sum += the stiffness of bodies and of pairs of them"""
    # by rank, whatever order the worlds brought pairs in: sums keep their bits
    for q in range(d.nbodypair):
        p = d.pair_rank[q]
        if d.pair_on[p] == 1:
            if m.body_rootid[d.pair_hi[p]] == m.body_rootid[d.pair_lo[p]]:
                add_pair(m, d, p)
            else:
                add_trees(m, d, p)
    sum_stiffness(m, d)
    add_bodies(m, d)


@kernel
def first_hessian(m, d):
    """M => H_sum; no constraint counts yet"""
    # blocks that M does not fill, M, and 1 on the diagonal of places without a dof
    for e in range(d.nH_other):
        for k in range(d.H_other[e], d.H_other[e] + 9, 3):
            store3(d.H_sum, k, zeros3())
    for k in range(m.nC):
        d.H_sum[d.M_place[k]] = d.M[k]
    for g in range(m.ngroup):
        for k in range(m.group_size[g], 3):
            d.H_sum[d.H_rowadr[g] + 9 * d.H_colnum[g] + 4 * k] = 1.0
        d.H_dirty[g] = 1
    # bounds of 1/D, with room for round-off; springs and dampers may be negative
    discrete = m.opt.integrator == INT_DISCRETE
    for k in range(m.nplace):
        i = m.group_dof[k]
        d.sol_most[k] = 1.0 / MINVAL if discrete or i < 0 else d.qLDiagInv[i] * ROUND_OFF
    if discrete:
        add_metric(m, d, every_world())
    d.H_bare = 1


@kernel
def begin_anew(m, d, mine):
    """M => H_sum, of the worlds `mine`"""
    for e in range(d.nH_other):
        for k in range(d.H_other[e], d.H_other[e] + 9):
            d.H_sum[k] = where(mine, 0.0, d.H_sum[k])
    for k in range(m.nC):
        d.H_sum[d.M_place[k]] = where(mine, d.M[k], d.H_sum[d.M_place[k]])
    for g in range(m.ngroup):
        d.H_dirty[g] = 1
    if m.opt.integrator == INT_DISCRETE:
        add_metric(m, d, mine)


@kernel(inline=True)
def what_is_new(d, x, old):
    """x, a stiffness, less what H_sum has of it: nothing in a world with stiff contacts."""
    if d.H_bare == 1:
        return x
    if d.some_stiff == 1:
        return where(d.world_stiff > 0.0, x, x - old)
    return x - old


@kernel
def add_metric(m, d, mine):
    """H_sum += what the discrete integrator adds to M, of the worlds `mine`: h D + h^2 K"""
    for i in range(m.nv):
        add_number(m, d, i, i, where(mine, d.efm_diag[i], 0.0))
        for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
            add_number(m, d, i, m.M_colind[k], where(mine, d.efm_fluid[k], 0.0))
    # tendons and actuators: s J'J of their rows
    for t in range(m.ntendon):
        adr, n, s = m.arm_rowadr[t], m.arm_rownnz[t], where(mine, d.metric_tendon[t], 0.0)
        add_row_stiffness(m, d, m.arm_colind, d.ten_arm, adr, n, s)
    for i in range(m.nactuator):
        s = where(mine, d.metric_actuator[i], 0.0)
        for o in range(m.actuator_outadr[i], m.actuator_outadr[i] + m.actuator_outnum[i]):
            add_row_stiffness(m, d, m.trn_colind, d.trn_J, m.trn_rowadr[o], m.trn_rownnz[o], s)


@kernel
def cone_stiffness(m, d, s):
    """The stiffness of an elliptic cone => what has changed, in H_sum, body_S or pair_S"""
    u, w, F = d.slot_u[s], angular(d, d.slot_w, s), d.slot_frame[s]
    W, q, b, c = cone_matrix(F, d.slot_D[s, 0], d.slot_mu[s], u, w)
    if d.slot_turns[s] == 0:
        add_stiffness(m, d, s, W)
    else:
        o, spin = cone_spin(F, d.slot_turnscale[s], w, b, c)
        add_turning(d, s, turning_stiffness(d.slot_r[s], W, o, q, spin))


@kernel(inline=True)
def cone_matrix(F, D, mu, u, w):
    """W = F' K F with K = D e0 e0' + a (e0 t' + t e0') + b 1_t + c t t', t the tangential part of U

    The middle zone has the second derivatives of Dm (N - mu T)^2 / 2, with Dm = D/(1 + mu^2):

        Dm,   a = -Dm mu/T,   b = Dm (mu^2 - mu N/T),   c = Dm mu N/T^3

    The bottom zone has D in all directions, the top zone nothing. Besides W: a e0 + c t, b, c.
    """
    N, T, top, bottom = cone(u, w, mu)
    D = where(top, 0.0, D)
    Dm, per_T = D / (1.0 + mu * mu), 1.0 / where(T > 0.0, T, 1.0)
    ratio = mu * per_T
    # K by zones
    k00 = where(bottom, D, Dm)
    a = where(bottom, 0.0, -Dm * ratio)
    b = where(bottom, D, Dm * (mu * mu - ratio * N))
    c = where(bottom, 0.0, Dm * ratio * N * per_T * per_T)
    # t along the axes of the frame
    n, f1, f2 = F[0:3], F[3:6], F[6:9]
    t = f1 * u[1] + f2 * u[2]
    p, q = n * k00 + t * a, n * a + t * c
    W = plus_outer(f2 * b, f2, zero_symmetric())
    return plus_outer(p, n, plus_outer(q, t, plus_outer(f1 * b, f1, W))), q, b, c


@kernel(inline=True)
def cone_spin(F, k, w, b, c):
    """(o, spin) of an elliptic cone: the same K for rotations about the axes, of scale k

    o is their part of t. o t' and o e0' couple them to translation.
    """
    n, f1, f2 = F[0:3], F[3:6], F[6:9]
    o = n * (w[0] * k[0]) + f1 * (w[1] * k[1]) + f2 * (w[2] * k[2])
    b3, b4, b5 = b * k[0] * k[0], b * k[1] * k[1], b * k[2] * k[2]
    spin = plus_outer(f1 * b4, f1, plus_outer(f2 * b5, f2, zero_symmetric()))
    return o, plus_outer(o * c, o, plus_outer(n * b3, n, spin))


@kernel
def pyramid_stiffness(m, d, s):
    """The stiffness of a pyramid => what has changed, in H_sum, body_S or pair_S"""
    u, D, F = d.slot_u[s], d.slot_D[s], d.slot_frame[s]
    if has_edges(d, s):
        add_edges(m, d, s)
        D = where(d.slot_stiff[s] > 0.0, zeros3(), D)
    if d.slot_turns[s] == 0:
        add_stiffness(m, d, s, pyramid_matrix(F, D[0], u, 0.0))
    else:
        spinning, o, spin = pyramid_spin(F, D, d.slot_turnscale[s], u, d.slot_w[s])
        W = pyramid_matrix(F, D[0], u, spinning)
        add_turning(d, s, turning_stiffness(d.slot_r[s], W, o, F[0:3], spin))


@kernel(inline=True)
def pyramid_matrix(F, D, u, spinning):
    """W = F' K F: K_00 is the sum of the active edges' D, of which those of spin and rolling have
    `spinning`; K_0j and K_jj are their difference and sum in direction j"""
    # edges that push, in two tangential directions
    p1, q1 = edge(u[0] + u[1], D), edge(u[0] - u[1], D)
    p2, q2 = edge(u[0] + u[2], D), edge(u[0] - u[2], D)
    k11, k22, k01, k02 = p1 + q1, p2 + q2, p1 - q1, p2 - q2
    k00 = k11 + k22 + spinning
    n, f1, f2 = F[0:3], F[3:6], F[6:9]
    g1, g2 = n * k01 + f1 * k11, n * k02 + f2 * k22
    g0 = n * k00 + f1 * k01 + f2 * k02
    W = plus_outer(f1, g1, plus_outer(f2, g2, zero_symmetric()))
    return plus_outer(n, g0, W)


@kernel(inline=True)
def pyramid_spin(F, D, k, u, w):
    """(D of the active edges of spin and rolling, o, spin), of scale k"""
    p3, q3 = edge(u[0] + w[0], D[1]), edge(u[0] - w[0], D[1])
    p4, q4 = edge(u[0] + w[1], D[2]), edge(u[0] - w[1], D[2])
    p5, q5 = edge(u[0] + w[2], D[2]), edge(u[0] - w[2], D[2])
    k33, k44, k55 = p3 + q3, p4 + q4, p5 + q5
    spinning = k33 + k44 + k55
    n, f1, f2 = F[0:3], F[3:6], F[6:9]
    o = n * ((p3 - q3) * k[0]) + f1 * ((p4 - q4) * k[1]) + f2 * ((p5 - q5) * k[2])
    k33, k44, k55 = k33 * k[0] * k[0], k44 * k[1] * k[1], k55 * k[2] * k[2]
    spin = plus_outer(f1 * k44, f1, plus_outer(f2 * k55, f2, zero_symmetric()))
    return spinning, o, plus_outer(n * k33, n, spin)


@kernel(inline=True)
def zero_symmetric():
    """Zeros of a symmetric 3x3 matrix: xx xy xz yy yz zz."""
    return vec(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel(inline=True)
def plus_outer(a, b, A):
    """A + a b', of which the upper triangle is kept; sums of such are symmetric."""
    return vec(
        A[0] + a[0] * b[0], A[1] + a[0] * b[1], A[2] + a[0] * b[2],
        A[3] + a[1] * b[1], A[4] + a[1] * b[2], A[5] + a[2] * b[2],
    )  # fmt: skip


@kernel(inline=True)
def about_center(r, W):
    """Stiffness W of the translation of a point at r, of the body: (2), 21 numbers."""
    # the rows of W, turned into moments: r x
    x, y, z = vec(W[0], W[1], W[2]), vec(W[1], W[3], W[4]), vec(W[2], W[4], W[5])
    P0, P1, P2 = z * r[1] - y * r[2], x * r[2] - z * r[0], y * r[0] - x * r[1]
    A0, A1, A2 = cross(r, P0), cross(r, P1), cross(r, P2)
    rotation = vec(A0[0], A0[1], A0[2], A1[1], A1[2], A2[2])
    return concat(rotation, concat(concat(P0, P1), concat(P2, W)))


@kernel
def add_stiffness(m, d, s, W):
    """Stiffness W of the translation of slot s's point => what has changed, in H_sum or body_S"""
    # what is new since the last iteration, in any world
    change = what_is_new(d, W, d.slot_W[s])
    d.slot_W[s] = W
    if any_lane(is_nonzero(change)):
        # two bodies of one tree have (4); else it goes to a body or a pair
        lo = d.slot_lo[s]
        if lo > 0 and m.body_rootid[d.slot_hi[s]] == m.body_rootid[lo]:
            add_contact_stiffness(m, d, s, change)
        else:
            to_body(d, s, about_center(d.slot_r[s], change))


@kernel(inline=True)
def turning_stiffness(r, W, o, q, spin):
    """The stiffness of a body, with `spin` of rotation, and o q' of rotation with translation

    They add to A and P of (2), and about the centre o q' adds to A with its arm r x q, both ways.
    """
    arm, S = cross(r, q), about_center(r, W)
    rotation = plus_outer(o, arm, plus_outer(arm, o, S[0:6] + spin))
    P = concat(S[6:9] + q * o[0], concat(S[9:12] + q * o[1], S[12:15] + q * o[2]))
    return concat(rotation, concat(P, W))


@kernel
def add_turning(d, s, S):
    """The stiffness S of the body at slot s => what has changed, in body_S or pair_S"""
    # what is new since the last iteration, in any world
    change = what_is_new(d, S, d.slot_S[s])
    if any_lane(is_any_nonzero(change)):
        to_body(d, s, change)
    d.slot_S[s] = S


@kernel(inline=True)
def is_any_nonzero(S):
    """Whether some numbers of a stiffness are not zero."""
    some = is_nonzero(S[0:6]) | is_nonzero(S[6:12]) | is_nonzero(S[15:21])
    return some | is_nonzero(S[9:15])


@kernel(inline=True)
def is_nonzero(x):
    """Whether some of six numbers are not zero."""
    some = (x[0] != 0.0) | (x[1] != 0.0) | (x[2] != 0.0)
    return some | (x[3] != 0.0) | (x[4] != 0.0) | (x[5] != 0.0)


@kernel(inline=True)
def to_body(d, s, S):
    """Stiffness S of a slot => body_S of its body, or pair_S of its two"""
    p = d.slot_pair[s]
    if p < 0:
        add_body(d, d.slot_hi[s], S)
    else:
        if d.pair_on[p] == 1:
            d.pair_S[p] = d.pair_S[p] + S
        else:
            d.pair_S[p] = S
        d.pair_on[p] = 1


@kernel
def add_body(d, b, S):
    """body_S of b += S"""
    if d.body_S_on[b] == 1:
        d.body_S[b] = d.body_S[b] + S
    else:
        d.body_S[b] = S
    d.body_S_on[b] = 1


@kernel
def about_other(S, t):
    """A stiffness about another point, from which the present one is at t: (5)."""
    A, P0, P1, P2, W = S[0:6], S[6:9], S[9:12], S[12:15], S[15:21]
    # P + [t] W
    x, y, z = vec(W[0], W[1], W[2]), vec(W[1], W[3], W[4]), vec(W[2], W[4], W[5])
    Q0, Q1, Q2 = P0 + z * t[1] - y * t[2], P1 + x * t[2] - z * t[0], P2 + y * t[0] - x * t[1]
    # [t] P_old' by columns, and -P [t] by rows
    c0, c1, c2 = cross(t, P0), cross(t, P1), cross(t, P2)
    e0, e1, e2 = cross(t, Q0), cross(t, Q1), cross(t, Q2)
    A = A + vec(
        c0[0] + e0[0], c0[1] + e1[0], c0[2] + e2[0], c1[1] + e1[1], c1[2] + e2[1], c2[2] + e2[2]
    )
    return concat(A, concat(concat(Q0, Q1), concat(Q2, W)))


@kernel
def sum_stiffness(m, d):
    """body_S of a body <= that of it and all bodies it carries: S_i of (3)"""
    for a in range(d.nlive - 1, -1, -1):
        b = d.live_body[a]
        p = m.body_weldid[m.body_parentid[b]]
        if d.body_S_on[b] == 1 and d.body_live[p] == 1:
            if d.body_S_on[p] == 1:
                d.body_S[p] = d.body_S[p] + d.body_S[b]
            else:
                d.body_S[p] = d.body_S[b]
            d.body_S_on[p] = 1


@kernel(inline=True)
def add_number(m, d, i, j, x):
    """H_sum += x at row i, column j <= i"""
    add_at_place(d, place_in_H(m, d, i, j), x)


@kernel(inline=True)
def add_at_place(d, k, x):
    d.H_sum[k] = d.H_sum[k] + x


@kernel
def add_bodies(m, d):
    """H_sum += the stiffness of bodies: (3), up the chain of every dof"""
    for i in range(m.nv):
        b = m.dof_bodyid[i]
        if d.body_live[b] == 0 or d.body_S_on[b] == 0:
            continue
        d.H_dirty[m.dof_group[i]] = 1
        f = mul_stiffness(d.body_S[b], d.cdof[i])
        # the row of M has the chain, but for a simple body
        if m.dof_simplenum[i] > 0:
            j = i
            while j >= 0:
                add_number(m, d, i, j, dot6(d.cdof[j], f))
                j = m.dof_parentid[j]
            continue
        first, end = m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]
        # dofs along the axes of the world take the force itself
        if m.dof_drift[i] == 3:
            add_at_place(d, d.M_place[first], f[3])
            add_at_place(d, d.M_place[first + 1], f[4])
            add_at_place(d, d.M_place[first + 2], f[5])
            first += 3
        for k in range(first, end):
            add_at_place(d, d.M_place[k], dot6(d.cdof[m.M_colind[k]], f))


@kernel
def add_contact_stiffness(m, d, s, W):
    """H_sum += the stiffness W of a contact between two bodies of one tree: (4)

    Only translation counts, so a dof is the translation of the point by it, rel_arm.
    """
    n, r = relative_dofs(m, d, d.slot_hi[s], d.slot_lo[s]), d.slot_r[s]
    # the dofs fall; going up from i along hi's chain tells which are hi's
    i = last_dof(m, d.slot_hi[s])
    for a in range(n):
        j = d.rel_dof[a]
        axis = d.cdof[j]
        arm = axis[3:6] + cross(axis[0:3], r)
        d.rel_arm[a] = arm if j == i else -arm
        if j == i:
            i = m.dof_parentid[i]
    for a in range(n):
        # every two of them: arm' W arm
        j, arm = d.rel_dof[a], d.rel_arm[a]
        f = vec(
            W[0] * arm[0] + W[1] * arm[1] + W[2] * arm[2],
            W[1] * arm[0] + W[3] * arm[1] + W[4] * arm[2],
            W[2] * arm[0] + W[4] * arm[1] + W[5] * arm[2],
        )
        d.H_dirty[m.dof_group[j]] = 1
        for b in range(a, n):
            add_number(m, d, j, d.rel_dof[b], dot3(d.rel_arm[b], f))


@kernel
def add_pair(m, d, p):
    """H_sum += the stiffness between two moving bodies of one tree: (4)"""
    n = relative_dofs(m, d, d.pair_hi[p], d.pair_lo[p])
    # as in add_contact_stiffness, with all six numbers of an axis
    i = last_dof(m, d.pair_hi[p])
    for a in range(n):
        j = d.rel_dof[a]
        d.rel_axis[a] = d.cdof[j] if j == i else -d.cdof[j]
        if j == i:
            i = m.dof_parentid[i]
    for a in range(n):
        j, f = d.rel_dof[a], mul_stiffness(d.pair_S[p], d.rel_axis[a])
        d.H_dirty[m.dof_group[j]] = 1
        for b in range(a, n):
            add_number(m, d, j, d.rel_dof[b], dot6(d.rel_axis[b], f))


@kernel
def add_trees(m, d, p):
    """H_sum += the coupling (6) of two bodies of different trees; body_S += what each has alone"""
    hi, lo = d.pair_hi[p], d.pair_lo[p]
    # S of hi, and (5) of lo
    t = tree_shift(m, d, hi, lo)
    add_body(d, hi, d.pair_S[p])
    add_body(d, lo, about_other(d.pair_S[p], t))
    # X cdof_j of lo's chain
    n, j = 0, last_dof(m, lo)
    while j >= 0:
        d.rel_axis[n] = seen_from(d.cdof[j], t)
        n += 1
        j = m.dof_parentid[j]
    # (6) for every dof of the one with every dof of the other
    i = last_dof(m, hi)
    while i >= 0:
        d.H_dirty[m.dof_group[i]] = 1
        f, j = -mul_stiffness(d.pair_S[p], d.cdof[i]), last_dof(m, lo)
        for a in range(n):
            add_number(m, d, i, j, dot6(d.rel_axis[a], f))
            j = m.dof_parentid[j]
        i = m.dof_parentid[i]


@kernel
def add_rows(m, d):
    """H_sum += J' D J of the static rows that are in their quadratic zone"""
    a = 0
    while a < d.nrun_row:
        r = d.run_row[a]
        change, first, n = row_change(m, d, r), m.row_rowadr[r], m.row_rownnz[r]
        if is_one_of_three(m, r):
            D = vec(change, row_change(m, d, r + 1), row_change(m, d, r + 2))
            add_three_rows(m, d, first, n, D)
            a += 3
        else:
            add_row_stiffness(m, d, m.row_colind, d.row_J, first, n, change)
            a += 1


@kernel(inline=True)
def row_change(m, d, r):
    """row_K <= D of a static row, 0 out of its quadratic zone; what is new since the last time"""
    D = row_stiffness(m, d, r, d.row_jar[r])
    change = what_is_new(d, D, d.row_K[r])
    d.row_K[r] = D
    return change


@kernel
def add_three_rows(m, d, first, n, D):
    """H_sum += J' D J of three rows, one after the other, that have the same dofs"""
    if any_lane((D[0] != 0.0) | (D[1] != 0.0) | (D[2] != 0.0)):
        for k in range(first, first + n):
            i = m.row_colind[k]
            d.H_dirty[m.dof_group[i]] = 1
            J = three_of_J(d, k, n)
            x, y, z = D[0] * J[0], D[1] * J[1], D[2] * J[2]
            for q in range(first, k + 1):
                p, J = place_in_H(m, d, i, m.row_colind[q]), three_of_J(d, q, n)
                add_at_place(d, p, x * J[0])
                add_at_place(d, p, y * J[1])
                add_at_place(d, p, z * J[2])


@kernel(inline=True)
def row_stiffness(m, d, r, x):
    """D of a static row in its quadratic zone, which equalities never leave"""
    D = d.row_D[r]
    if is_friction_row(m, r):
        bound = d.row_frictionloss[r] * d.row_R[r]
        return where((x > -bound) & (x < bound), D, 0.0)
    return D if m.row_type[r] == CNSTR_EQUALITY else edge(x, D)


@kernel
def add_row_stiffness(m, d, colind, J, first, n, D):
    """H_sum += J' D J of a row"""
    if any_lane(D != 0.0):
        for k in range(first, first + n):
            DJ = D * J[k]
            d.H_dirty[m.dof_group[colind[k]]] = 1
            for q in range(first, k + 1):
                add_number(m, d, colind[k], colind[q], DJ * J[q])
