"""Where the Hessian has numbers: the structure of M, what couples besides, and fill.

H = M + J' D J. A contact with something that cannot move couples dofs of one chain, as M does. A
contact of two moving bodies couples the dofs that move them apart, and so does a static row: each
of these sets of dofs is a full block of H. So is, under the discrete integrator, that of a tendon
or an actuator.

Factorization eliminates dofs from the last to the first (factor.py). With C_i the columns j < i of
row i, eliminating i takes from what remains

    H_jk -= U_ij U_ik / D_i     for all j, k in C_i                                         (1)

which fills in numbers wherever two of C_i were not coupled. With p the largest of C_i it is enough
to add the others to the row of p,

    C_p <= C_p + C_i - {p},                                                                 (2)

because eliminating p, in its turn, couples all that is in its row.

All this is done with groups of three dofs (dof_group), of which few have zeros in a block. Rows of
couplings are bits, 32 groups to a number. The structure is that of the eight worlds together. Where
a world lacks a coupling it has zeros, and zeros change no bit of its result.

In memory a group's row has its blocks by rising column, its own block last, and rows follow each
other from the last group to the first, in which order they are factorized.
"""

from ....lanes import kernel
from ....mjconst import INT_DISCRETE
from ...smooth.tendon import last_dof

WORD = 32  # groups in one number of H_bits


@kernel
def couple(m, d):
    """(pairs, active rows) => the structure of H, if it is not the last one's; whether it fits"""
    groups = m.ngroup
    words = (groups + WORD - 1) // WORD
    # tables of two groups, like H_block, must fit too
    if groups * groups > d.nHmax:
        return False
    # couplings are mostly those of the last step, and so is the structure
    if d.H_made_for == 0:
        chains(m, d, words)
    elif is_known(m, d):
        return d.H_fits == 1
    remember(m, d)
    # chains, then what constraints couple
    for k in range(groups * words):
        d.H_bits[k] = d.H_chain[k]
    for p in range(d.nbodypair):
        n = relative_dofs(m, d, d.pair_hi[p], d.pair_lo[p])
        join(m, d, d.rel_dof, 0, n, 1, words)
    for a in range(d.nactive):
        r = d.active_row[a]
        if m.row_rownnz[r] > 1:
            join(m, d, m.row_colind, m.row_rowadr[r], m.row_rownnz[r], 0, words)
    # the metric of the discrete integrator couples what its springs and dampers do
    if m.opt.integrator == INT_DISCRETE:
        for t in range(m.ntendon):
            join(m, d, m.arm_colind, m.arm_rowadr[t], m.arm_rownnz[t], 0, words)
        for o in range(m.nout):
            join(m, d, m.trn_colind, m.trn_rowadr[o], m.trn_rownnz[o], 0, words)
    d.H_fits = 1 if lay_out(m, d, groups, words) else 0
    return d.H_fits == 1


@kernel
def chains(m, d, words):
    """H_chain <= the groups that each group moves with; more than M has for a simple body"""
    for k in range(m.ngroup * words):
        d.H_chain[k] = 0
    for i in range(m.nv):
        g, j = m.dof_group[i], m.dof_parentid[i]
        while j >= 0:
            c = m.dof_group[j]
            if c < g:
                place = g * words + (c >> 5)
                d.H_chain[place] = d.H_chain[place] | (1 << (c & 31))
            j = m.dof_parentid[j]


@kernel
def join(m, d, dofs, first, n, falling, words):
    """Every two of n dofs, which rise or fall, are coupled."""
    # H_joined: those of the dofs so far, all of which are earlier than the next
    for w in range(words):
        d.H_joined[w] = 0
    last = -1
    for a in range(n):
        i = dofs[first + n - 1 - a] if falling == 1 else dofs[first + a]
        g = m.dof_group[i]
        if g == last:
            continue
        last = g
        for w in range((g >> 5) + 1):
            d.H_bits[g * words + w] = d.H_bits[g * words + w] | d.H_joined[w]
        d.H_joined[g >> 5] = d.H_joined[g >> 5] | (1 << (g & 31))


@kernel
def is_known(m, d):
    """Whether the last structure was made for the same couplings."""
    if d.H_made_for != 1 + m.opt.integrator or d.nbodypair != d.nbodypair_old:
        return False
    for p in range(d.nbodypair):
        if d.pair_hi[p] != d.pair_old[p, 0] or d.pair_lo[p] != d.pair_old[p, 1]:
            return False
    # rows of one dof couple nothing
    n = 0
    for a in range(d.nactive):
        r = d.active_row[a]
        if m.row_rownnz[r] > 1:
            if n == d.nrow_old or d.row_old[n] != r:
                return False
            n += 1
    return n == d.nrow_old


@kernel
def remember(m, d):
    """pair_old, row_old <= what the structure is made for: the pairs, the rows of several dofs"""
    for p in range(d.nbodypair):
        d.pair_old[p, 0] = d.pair_hi[p]
        d.pair_old[p, 1] = d.pair_lo[p]
    n = 0
    for a in range(d.nactive):
        if m.row_rownnz[d.active_row[a]] > 1:
            d.row_old[n] = d.active_row[a]
            n += 1
    d.nbodypair_old = d.nbodypair
    d.nrow_old = n
    d.H_made_for = 1 + m.opt.integrator


@kernel
def relative_dofs(m, d, hi, lo):
    """rel_dof <= the dofs that move one of two bodies but not both, falling; their number"""
    # up both chains, the later dof first, until they meet
    n, i, j = 0, last_dof(m, hi), last_dof(m, lo)
    while i != j:
        if i > j:
            d.rel_dof[n] = i
            i = m.dof_parentid[i]
        else:
            d.rel_dof[n] = j
            j = m.dof_parentid[j]
        n += 1
    return n


@kernel
def lay_out(m, d, groups, words):
    """H_bits, filled on the way => where everything is in H; whether there is room

    A row's own block comes last. The groups that have column j are listed from
    j (groups - 1) - j (j - 1) / 2 on, which leaves room for all that could have it.
    """
    # lists of what is below a group have room for all later groups
    numbers, columns, others = 0, 0, 0
    for j in range(groups):
        d.H_belowadr[j] = j * (groups - 1) - ((j * (j - 1)) >> 1)
        d.H_belownum[j] = 0
    # rows in the order of elimination: when one is reached, it has all its fill
    for g in range(groups - 1, -1, -1):
        d.H_rowadr[g] = numbers
        d.H_coladr[g] = columns
        largest = -1
        # M has nothing but its diagonal for the dofs of a simple body
        simple = m.dof_simplenum[m.group_dof[3 * g]] > 0
        for c in range(g):
            # a block of nine numbers, listed in its row and in its column
            if (d.H_bits[g * words + (c >> 5)] >> (c & 31)) & 1:
                largest = c
                d.H_block[g * groups + c] = numbers
                d.H_col[columns] = c
                below = d.H_belowadr[c] + d.H_belownum[c]
                d.H_below[below] = g
                d.H_belowplace[below] = numbers
                d.H_belownum[c] = d.H_belownum[c] + 1
                if simple or not is_chain(d, g, c, words):
                    d.H_other[others] = numbers
                    others += 1
                if m.group_size[g] < 3 or m.group_size[c] < 3:
                    clear_block(d, numbers)
                columns += 1
                numbers += 9
                if numbers + 9 > d.nHmax:
                    return False
            else:
                d.H_block[g * groups + c] = -1
                d.H_now[g * groups + c] = -1
        # the row's own block; then its fill goes to row `largest`
        d.H_block[g * groups + g] = numbers
        if simple:
            d.H_other[others] = numbers
            others += 1
        if m.group_size[g] < 3:
            clear_block(d, numbers)
        numbers += 9
        d.H_colnum[g] = columns - d.H_coladr[g]
        if largest >= 0:
            fill_in(d, g, largest, words)
    d.nH = numbers
    d.nH_other = others
    # where M goes
    for i in range(m.nv):
        for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
            d.M_place[k] = place_in_H(m, d, i, m.M_colind[k])
    return True


@kernel(inline=True)
def clear_block(d, a):
    """Zeros in the block at a, which places without a dof keep."""
    for k in range(a, a + 9):
        d.H_sum[k] = 0.0
        d.H[k] = 0.0


@kernel(inline=True)
def is_chain(d, g, c, words):
    """Whether group c moves group g."""
    return (d.H_chain[g * words + (c >> 5)] >> (c & 31)) & 1 == 1


@kernel(inline=True)
def fill_in(d, g, p, words):
    """The columns of row g but the largest, p, join row p: (2)"""
    for w in range((p >> 5) + 1):
        d.H_bits[p * words + w] = d.H_bits[p * words + w] | d.H_bits[g * words + w]
    place = p * words + (p >> 5)
    d.H_bits[place] = d.H_bits[place] & ~(1 << (p & 31))


@kernel(inline=True)
def place_in_H(m, d, i, j):
    """Where row i has column j <= i."""
    block = d.H_block[m.dof_group[i] * m.ngroup + m.dof_group[j]]
    return block + 3 * m.dof_inner[j] + m.dof_inner[i]
