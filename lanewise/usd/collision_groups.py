"""Collision groups as bits: a geom has the bit of its group, and meets those of all others.

MuJoCo lets two geoms touch if the contype of one has a bit of the other's conaffinity. Groups that
filter each other lack each other's bit, on both sides. Bit 0 is that of geoms in no group.
"""

from typing import Any

from .losses import Findings
from .stage_values import value

MOST = 30


class Groups:
    """The groups of a stage; `bits` of a shape."""

    def __init__(self, prims: list[Any], findings: Findings) -> None:
        from pxr import UsdPhysics

        self._findings = findings
        groups = [UsdPhysics.CollisionGroup(p) for p in prims if p.IsA(UsdPhysics.CollisionGroup)]
        self._paths = [str(g.GetPath()) for g in groups]
        if len(groups) > MOST:
            findings.refuse(f"more than {MOST} collision groups", self._paths[MOST])
            groups, self._paths = groups[:MOST], self._paths[:MOST]
        self._queries = [g.GetCollidersCollectionAPI().ComputeMembershipQuery() for g in groups]
        self._filters = [set() for _ in groups]  # type: list[set[int]]
        for k, group in enumerate(groups):
            listed = {str(p) for p in group.GetFilteredGroupsRel().GetForwardedTargets()}
            inverted = bool(value(group.GetInvertFilteredGroupsAttr()))
            for other, path in enumerate(self._paths):
                if (path in listed) != inverted:
                    self._filters[k].add(other)
                    self._filters[other].add(k)

    def bits(self, prim: Any) -> tuple[int, int]:
        """(contype, conaffinity) of a shape."""
        inside = [
            k for k, query in enumerate(self._queries) if query.IsPathIncluded(prim.GetPath())
        ]
        if not inside:
            return 1, 2 ** (len(self._paths) + 1) - 1
        if len(inside) > 1 and any(self._filters[k] for k in inside):
            self._findings.refuse("shapes in several collision groups that filter", prim)
        k = inside[0]
        meets = set(range(len(self._paths))) - self._filters[k]
        return 2 ** (k + 1), 1 + sum(2 ** (other + 1) for other in meets)
