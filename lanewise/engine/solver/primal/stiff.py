"""Contacts that hardly a dof can move: J x and J' f by the columns of J.

The tree of wrenches adds forces up before it asks what they do to dofs (matrix_free.py). But a
force may pass all axes nearly, so that little of it comes to a dof, and with exact diagonals a
contact is the stiffer the less a dof can move it: 1e15 times a mass, say. Of its wrench of 1e17 N
round-off leaves 10 N on every dof of the tree, another 10 N in each iteration. With

    (J x) = sum of c_i x_i,     (J' f)_i = c_i . f,     c_i = F (v_i + w_i x r)             (1)

round-off is in c_i. It is the same in each iteration and in both products, so that one problem is
solved from the first iteration to the last.
"""

from ....lanes import any_lane, concat, kernel, vec, where
from ...smooth.tendon import last_dof
from ...spatial import cross, dot3, dot6, zeros3, zeros6
from ..slots import tree_shift


@kernel(inline=True)
def is_stiff(d, s):
    """Whether slot s is stiff in some world"""
    return d.some_stiff == 1 and any_lane(d.slot_stiff[s] > 0.0)


@kernel
def column(m, d, s, i, side):
    """c_i of slot s, for a dof of hi (side 1) or of lo (side -1)"""
    hi, lo, F, w = d.slot_hi[s], d.slot_lo[s], d.slot_frame[s], d.cdof[i][0:3]
    r, turning = d.slot_r[s], zeros3()
    if side < 0 and m.body_rootid[hi] != m.body_rootid[lo]:
        r = r + tree_shift(m, d, hi, lo)
    v = d.cdof[i][3:6] + cross(w, r)
    sliding = vec(dot3(F[0:3], v), dot3(F[3:6], v), dot3(F[6:9], v))
    if d.slot_turns[s] == 1:
        t = d.slot_turnscale[s]
        turning = vec(t[0] * dot3(F[0:3], w), t[1] * dot3(F[3:6], w), t[2] * dot3(F[6:9], w))
    return concat(sliding, turning) * (side * 1.0)


@kernel
def motion_by_columns(m, d, s, x):
    """J x of slot s, six numbers"""
    u = zeros6()
    # up both chains, the later dof first, until they meet
    i, j = last_dof(m, d.slot_hi[s]), last_dof(m, d.slot_lo[s])
    while i != j:
        if i > j:
            u = u + column(m, d, s, i, 1) * x[i]
            i = m.dof_parentid[i]
        else:
            u = u + column(m, d, s, j, -1) * x[j]
            j = m.dof_parentid[j]
    return u


@kernel
def push_by_columns(m, d, s, f):
    """A force in the directions of slot s => sol_push, in the worlds in which the slot is stiff"""
    stiff = d.slot_stiff[s] > 0.0
    i, j = last_dof(m, d.slot_hi[s]), last_dof(m, d.slot_lo[s])
    while i != j:
        if i > j:
            push = dot6(column(m, d, s, i, 1), f)
            d.sol_push[i] = d.sol_push[i] + where(stiff, push, 0.0)
            i = m.dof_parentid[i]
        else:
            push = dot6(column(m, d, s, j, -1), f)
            d.sol_push[j] = d.sol_push[j] + where(stiff, push, 0.0)
            j = m.dof_parentid[j]
