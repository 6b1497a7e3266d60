"""Which dofs can change a tendon's length, leg by leg: the fixed structure of the arms of tendons.

A row of MuJoCo's ten_J has every dof that moves a point of the path. Most of them move all of its
points, or both ends of every straight part, as one rigid body, and leave the length as it is: a
muscle between two bones of a finger has the dofs of finger, arm, spine and pelvis in its row, and
one or two of them count. The arms of a tendon, d.ten_arm, are its row without the others, where
ten_J is zero.

A leg is a straight part of a path, between points of two bodies. Only dofs that move one of its
ends and not the other change its length. A path object that begins a segment has one leg, to the
next site. If a geom stands in between, two more follow, for the worlds in which it is wrapped: to
the geom, and from there to the site.
"""

import numpy as np

from ..mjconst import TENDON_FIXED, WRAP_CYLINDER, WRAP_SITE, WRAP_SPHERE


def tendon_structure(mj):
    """Fields arm_* and leg_* of the Model, {name: int32 array}.

    arm_rownnz, arm_rowadr, arm_colind   rows of ten_arm, by tendon, in rising order of dofs
    arm_place                            where a number of ten_arm stands in ten_J
    wrap_leg                             first leg of the segment that begins there, or -1
    leg_adr                              of a leg: its first dof that moves its beginning, its first
                                         dof that moves its end, and the place after the last one
    leg_dof, leg_arm                     those dofs, and their places in ten_arm
    """
    moving = _Movers(mj)
    arms, places, rows = [], [], [0]
    legs: list = []
    first_leg = np.full(mj.nwrap, -1, np.int32)
    for t in range(mj.ntendon):
        adr = int(mj.ten_J_rowadr[t])
        columns = mj.ten_J_colind[adr : adr + mj.ten_J_rownnz[t]].tolist()
        path = range(mj.tendon_adr[t], mj.tendon_adr[t] + mj.tendon_num[t])
        own: list = []
        for k in path:
            if bodies := _bodies(mj, k, path.stop):
                first_leg[k] = len(legs) + len(own)
                own += [moving.either(a, b) for a, b in bodies]
        if mj.tendon_type[t] == TENDON_FIXED:
            counted = columns
        else:
            some = {i for near, far in own for i in near + far}
            counted = [i for i in columns if i in some]
        place = {i: rows[-1] + n for n, i in enumerate(counted)}
        legs += [[[(i, place[i]) for i in end if i in place] for end in leg] for leg in own]
        places += [adr + n for n, i in enumerate(columns) if i in place]
        arms += counted
        rows.append(len(arms))
    ends = np.cumsum([0, *(len(end) for leg in legs for end in leg)])
    spans = [(ends[2 * n], ends[2 * n + 1], ends[2 * n + 2]) for n in range(len(legs))]
    work = np.array([x for leg in legs for end in leg for x in end], np.int32).reshape(-1, 2)
    return {
        "arm_rownnz": np.diff(rows).astype(np.int32),
        "arm_rowadr": np.array(rows[:-1], np.int32),
        "arm_colind": np.array(arms, np.int32),
        "arm_place": np.array(places, np.int32),
        "wrap_leg": first_leg,
        "leg_adr": np.array(spans, np.int32).reshape(-1, 3),
        "leg_dof": work[:, 0].copy(),
        "leg_arm": work[:, 1].copy(),
    }


def arm_dofs(structure, t):
    """The dofs of tendon t that have an arm, in rising order."""
    adr = structure["arm_rowadr"][t]
    return structure["arm_colind"][adr : adr + structure["arm_rownnz"][t]].tolist()


def _bodies(mj, k, stop):
    """Pairs of bodies of the legs that begin at path object k; none if no segment does."""
    if mj.wrap_type[k] != WRAP_SITE or k + 1 == stop:
        return []
    here, after = int(mj.site_bodyid[mj.wrap_objid[k]]), mj.wrap_type[k + 1]
    if after == WRAP_SITE:
        return [(here, int(mj.site_bodyid[mj.wrap_objid[k + 1]]))]
    if after in (WRAP_SPHERE, WRAP_CYLINDER):
        around = int(mj.geom_bodyid[mj.wrap_objid[k + 1]])
        there = int(mj.site_bodyid[mj.wrap_objid[k + 2]])
        return [(here, there), (here, around), (around, there)]
    return []


class _Movers:
    """The dofs that move one body and not another, found once for each pair."""

    def __init__(self, mj):
        self._mj, self._pairs = mj, {}

    def either(self, a, b):
        """Dofs that move body a alone, and those that move b alone, in rising order."""
        if (a, b) not in self._pairs:
            one, other = body_dofs(self._mj, a), body_dofs(self._mj, b)
            self._pairs[a, b] = sorted(one - other), sorted(other - one)
        return self._pairs[a, b]


def body_dofs(mj, body):
    """The dofs that move a body."""
    body = int(mj.body_weldid[body])
    dofs = set()
    k = int(mj.body_dofadr[body] + mj.body_dofnum[body] - 1) if mj.body_dofnum[body] else -1
    while k >= 0:
        dofs.add(k)
        k = int(mj.dof_parentid[k])
    return dofs
