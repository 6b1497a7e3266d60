"""What random models can touch and be held by: contact parameters, pairs, equalities, limits.

Contacts come in every dimension, with margins, gaps, priorities, mixing weights, adhesion and
moving surfaces; a floor is a plane, a height field or absent. Equalities are of every kind, by
bodies and by sites. Limits and dry friction are written with the joints and tendons. Solver
parameters are in the standard format, in the direct one, or left alone.
"""

import xml.etree.ElementTree as ET

import numpy as np

from support.generator_drawing import Drawing, say


class Constraints(Drawing):
    """Writes everything that ends in a constraint. The tree has filled in the names."""

    on: object  # the Switches of this model
    root: ET.Element
    bodies: list[str]
    joints: dict[str, list[str]]
    sites: list[tuple[str, str]]
    geoms: list[tuple[str, str]]
    tendons: list[str]

    # ---- parameters of the solver

    def reference(self, element: ET.Element, suffix: str = "", p: float = 0.4) -> None:
        """solref and solimp of an element, with the suffix that its attributes have."""
        if self.chance(p):
            if self.chance(0.7):
                value = [self.between(0.008, 0.05), self.between(0.5, 1.5)]
            else:
                value = [-self.between(100, 2000), -self.between(5, 80)]
            element.set(f"solref{suffix}", say(value))
        if self.chance(p):
            low = self.between(0.3, 0.9)
            power = self.pick((1.0, 2.0, self.between(1, 5)))
            width, middle = self.log_between(1e-4, 0.1), self.between(0.1, 0.9)
            value = [low, self.between(low, 0.99), width, middle, power]
            element.set(f"solimp{suffix}", say(value))

    def solver_options(self, option: ET.Element, flag: ET.Element) -> None:
        option.set("gravity", say(self.vector(0.8) + [0, 0, -8]))
        option.set("cone", self.pick(("pyramidal", "elliptic")))
        option.set("solver", self.pick(("PGS", "CG", "Newton", "Newton")))
        if self.chance(0.4):
            option.set("impratio", say(self.log_between(0.3, 20)))
        if self.chance(0.25):
            option.set("noslip_iterations", str(self.rng.integers(1, 6)))
        if not self.on.flags:
            return
        for name in ("filterparent", "multiccd", "warmstart", "refsafe", "island", "midphase"):
            if self.chance(0.1):
                flag.set(name, "disable")
        for name in ("equality", "frictionloss", "limit", "contact"):
            if self.chance(0.04):
                flag.set(name, "disable")
        if self.chance(0.1):
            flag.set("diagexact", "enable")
        if self.chance(0.1):
            flag.set("fwdinv", "enable")
        if self.chance(0.1) and option.get("integrator") != "RK4":
            flag.set("invdiscrete", "enable")

    # ---- contacts

    def hulls(self, asset: ET.Element) -> list[str]:
        """Meshes: a tetrahedron, a box, a prism, and clouds of few and many points."""
        box = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        angle = np.linspace(0, 2 * np.pi, int(self.rng.integers(3, 8)), endpoint=False)
        ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle - 1], axis=1)
        clouds = {
            "tetra": self.rng.normal(size=(4, 3)),
            "crate": box,
            "prism": np.concatenate([ring, ring * [0.7, 0.7, -1]]),
            "stone": self.rng.normal(size=(int(self.rng.integers(6, 12)), 3)),
            "gravel": self.rng.normal(size=(int(self.rng.integers(20, 60)), 3)),
        }
        names = list(
            map(str, self.rng.choice(list(clouds), self.rng.integers(1, 4), replace=False))
        )
        for name in names:
            points = clouds[name]
            points = points / np.linalg.norm(points, axis=1, keepdims=True)
            points = points * self.between(0.05, 0.2, 3)
            vertex = " ".join(f"{x:.5g}" for x in points.ravel())
            ET.SubElement(asset, "mesh", name=name, vertex=vertex)
        return names

    def terrain(self, asset: ET.Element) -> None:
        rows, columns = self.rng.integers(3, 9, 2)
        elevation = " ".join(f"{x:.3f}" for x in self.rng.random(rows * columns))
        size = [*self.between(0.8, 2, 2), self.between(0.05, 0.3), self.between(0.05, 0.2)]
        field = ET.SubElement(asset, "hfield", name="terrain", size=say(size), elevation=elevation)
        field.set("nrow", str(rows))
        field.set("ncol", str(columns))

    def floor(self, world: ET.Element, hfield: bool) -> None:
        """Below the bodies, mostly; a little tilted."""
        geom = ET.SubElement(world, "geom", name="floor")
        geom.set("pos", say([*self.vector(0.1, 2), self.between(-0.7, -0.3)]))
        geom.set("quat", say([1, *self.vector(0.03)]))
        if hfield:
            geom.set("type", "hfield")
            geom.set("hfield", "terrain")
        else:
            geom.set("type", "plane")
            geom.set("size", "4 4 0.1")
        self.geoms.append(("floor", "world"))
        self.contact_parameters(geom)

    def contact_parameters(self, geom: ET.Element) -> None:
        geom.set("condim", self.pick(("1", "3", "3", "3", "4", "6")))
        if self.chance(0.7):
            friction = [
                self.between(0.2, 1.2),
                self.log_between(1e-3, 0.1),
                self.log_between(1e-4, 0.05),
            ]
            geom.set("friction", say(np.array(friction) * (not self.chance(0.05))))
        if self.chance(0.25):
            geom.set("margin", say(self.between(0.0, 0.02)))
        if self.chance(0.2):
            geom.set("gap", say(self.between(0.0, 0.02)))
        if self.chance(0.2):
            geom.set("priority", str(self.rng.integers(1, 3)))
        if self.chance(0.3):
            geom.set("solmix", say(self.pick((0.0, self.log_between(0.01, 10)))))
        self.reference(geom, p=0.3)
        if self.chance(0.1):
            geom.set("adhesion", say(self.between(0.1, 3)))
        if self.chance(0.12):
            rotation = self.vector(0.5) * self.chance(0.5)
            geom.set("surfacevel", say([*self.vector(0.5), *rotation]))
        if self.chance(0.25):
            geom.set("contype", str(self.rng.integers(0, 4)))
            geom.set("conaffinity", str(self.rng.integers(0, 4)))

    def write_contacts(self) -> None:
        """Pairs that are named, and bodies that are excluded."""
        contact = ET.SubElement(self.root, "contact")
        names = [name for name, _ in self.geoms]
        made = set()
        for _ in range(self.rng.integers(0, 4)):
            if len(names) < 2:
                break
            first, second = map(str, self.rng.choice(names, 2, replace=False))
            if frozenset((first, second)) in made:
                continue
            made.add(frozenset((first, second)))
            pair = ET.SubElement(contact, "pair", geom1=first, geom2=second)
            pair.set("condim", self.pick(("1", "3", "4", "6")))
            if self.chance(0.7):
                friction = [*self.between(0.1, 1.2, 2), *self.between(0.001, 0.05, 3)]
                pair.set("friction", say(friction))
            if self.chance(0.3):
                pair.set("solreffriction", say([self.between(0.01, 0.05), 1]))
            if self.chance(0.3):
                pair.set("margin", say(self.between(0, 0.03)))
            if self.chance(0.3):
                pair.set("gap", say(self.between(0, 0.03)))
            if self.chance(0.1):
                pair.set("adhesion", say(self.between(0.1, 2)))
            self.reference(pair)
        if len(self.bodies) > 2 and self.chance(0.4):
            first, second = map(str, self.rng.choice(self.bodies[1:], 2, replace=False))
            ET.SubElement(contact, "exclude", body1=first, body2=second)

    # ---- equalities

    def write_equalities(self) -> None:
        equality = ET.SubElement(self.root, "equality")
        scalar = self.joints["slide"] + self.joints["hinge"]
        for i in range(self.rng.integers(0, 5)):
            kind = self.pick(("connect", "weld", "joint", "tendon"))
            by_site = kind in ("connect", "weld") and self.chance(0.4)
            sites = [site for site, _ in self.sites]
            pool = {"joint": scalar, "tendon": self.tendons}.get(kind, self.bodies[1:])
            noun = kind if kind in ("joint", "tendon") else "body"
            if by_site:
                noun, pool = "site", sites
            if not pool or (by_site and len(pool) < 2):
                continue
            chosen = list(map(str, self.rng.choice(pool, min(2, len(pool)), replace=False)))
            element = ET.SubElement(equality, kind, name=f"e{i}")
            element.set(f"{noun}1", chosen[0])
            if by_site or (len(chosen) == 2 and self.chance(0.75)):
                element.set(f"{noun}2", chosen[1])
            if noun == "body" and (kind == "connect" or self.chance(0.5)):
                element.set("anchor", say(self.vector(0.1)))
            if kind == "weld":
                self.weld(element, noun)
            if noun in ("joint", "tendon"):
                element.set("polycoef", say(self.vector(0.3, self.pick((1, 2, 5)))))
            self.reference(element)
            if self.chance(0.15):
                element.set("active", "false")

    def weld(self, element: ET.Element, noun: str) -> None:
        if self.chance(0.5):
            element.set("torquescale", say(self.pick((0.0, self.between(0.1, 2)))))
        if noun == "body" and self.chance(0.4):
            element.set("relpose", say([*self.vector(0.2), *self.unit_quat()]))

    # ---- limits and dry friction, written with their joint or tendon

    def joint_constraints(self, joint: ET.Element, kind: str) -> None:
        if self.chance(0.3) and not (kind == "free" and joint.tag == "freejoint"):
            joint.set("frictionloss", say(self.between(0.05, 1)))
            self.reference(joint, "friction")
        if joint.get("range"):
            if self.chance(0.4):
                joint.set("margin", say(self.between(0, 0.3)))
            self.reference(joint, "limit")

    def tendon_constraints(self, tendon: ET.Element) -> None:
        if self.chance(0.4):
            tendon.set("frictionloss", say(self.between(0.1, 2)))
            self.reference(tendon, "friction")
        if tendon.get("range"):
            if self.chance(0.4):
                tendon.set("margin", say(self.between(0, 0.1)))
            self.reference(tendon, "limit")
