"""The actuators of random models: every transmission, dynamics, gain and bias of MuJoCo 4.0."""

import xml.etree.ElementTree as ET

from support.generator_drawing import Drawing, say


class Actuators(Drawing):
    """Writes the <actuator> section. The tree has filled in the names an actuator may act on."""

    on: object  # the Switches of this model
    root: ET.Element
    bodies: list[str]
    joints: dict[str, list[str]]
    sites: list[tuple[str, str]]
    tendons: list[str]

    def write_actuators(self) -> None:
        actuator = ET.SubElement(self.root, "actuator")
        kinds = ["general"] * 5 + ["motor", "position", "velocity", "intvelocity", "damper"]
        kinds += ["cylinder"] + ["muscle"] * 2 * self.on.muscle + ["adhesion"] * self.on.adhesion
        kinds += ["dcmotor"] * 3 * self.on.dcmotor + ["pid"] * 2 * self.on.pid
        kinds += ["orientation"] * 2 * self.on.orientation
        for i in range(self.rng.integers(0, 7)):
            kind = self.pick(kinds)
            element = ET.Element(kind, name=f"a{i}")
            if not self.transmission(element, kind):
                continue
            actuator.append(element)
            getattr(self, f"act_{kind}")(element)
            self.actuator_common(element, kind)

    def transmission(self, element: ET.Element, kind: str) -> bool:
        """Attaches an actuator; False when this model has nothing it could be attached to."""
        if kind == "adhesion":
            element.set("body", self.pick(self.bodies[1:]))
            return True
        sites = [site for site, _ in self.sites]
        if kind == "orientation":
            if self.joints["ball"] and self.chance(0.7):
                element.set("joint", self.pick(self.joints["ball"]))
            elif len(sites) > 1:
                site, refsite = self.rng.choice(sites, 2, replace=False)
                element.set("site", str(site))
                element.set("refsite", str(refsite))
            else:
                return False
            return True
        scalar = self.joints["slide"] + self.joints["hinge"]
        targets = ["joint"] * 4 * bool(scalar)
        targets += ["rotation", "rotation"] * bool(self.joints["ball"] + self.joints["free"])
        targets += ["jointinparent"] * bool(scalar + self.joints["ball"] + self.joints["free"])
        targets += ["tendon"] * 3 * bool(self.tendons)
        targets += ["refsite", "crank"] * (len(sites) > 1) + ["site"]
        if kind in ("muscle",):
            targets = [target for target in targets if target not in ("site", "refsite")]
        if not targets:
            return False
        target = self.pick(targets)
        if target == "joint":
            element.set("joint", self.pick(scalar))
        elif target == "rotation":
            element.set("joint", self.pick(self.joints["ball"] + self.joints["free"]))
        elif target == "jointinparent":
            anyone = scalar + self.joints["ball"] + self.joints["free"]
            element.set("jointinparent", self.pick(anyone))
        elif target == "tendon":
            element.set("tendon", self.pick(self.tendons))
        elif target == "site":
            element.set("site", self.pick(sites))
        elif target == "refsite":
            site, refsite = self.rng.choice(sites, 2, replace=False)
            element.set("site", str(site))
            element.set("refsite", str(refsite))
        else:
            crank, slider = self.rng.choice(sites, 2, replace=False)
            element.set("cranksite", str(crank))
            element.set("slidersite", str(slider))
            element.set("cranklength", say(self.between(0.05, 1.0)))
        self.gear(element, target)
        if target in ("joint", "tendon"):
            if self.chance(0.2):
                element.set("damping", say(self.polynomial(1.0)))
            wraps = target == "tendon" and self.wraps(element.get("tendon"))
            if self.chance(0.2) and not wraps:
                element.set("armature", say(self.log_between(0.01, 0.2)))
        return True

    def wraps(self, tendon: str) -> bool:
        return self.root.find(f"./tendon/*[@name='{tendon}']/geom") is not None

    def gear(self, element: ET.Element, target: str) -> None:
        if target in ("joint", "tendon", "crank"):
            if self.chance(0.7):
                element.set("gear", say(self.vector(1.5, 1)))
            return
        gear = self.vector(1.0, 6)
        form = self.pick(("both", "linear", "angular", "angular"))
        if form == "linear":
            gear[3:] = 0
        if form == "angular":
            # a ball joint takes its axis from the first three numbers, a site from the last three
            gear[3:] = gear[3:] if target in ("site", "refsite") else gear[:3]
            gear[:3] = 0 if target in ("site", "refsite") else gear[:3]
        element.set("gear", say(gear))

    def actuator_common(self, element: ET.Element, kind: str) -> None:
        if self.chance(0.4):
            element.set("group", str(self.rng.integers(0, 6)))
        ranged = kind in ("damper", "adhesion") or element.get("inheritrange") is not None
        unranged = kind == "pid" and "pos" not in element.get("input")
        if not ranged and not unranged and self.chance(0.5):
            element.set("ctrlrange", say(self.interval(-1.2, 1.2)))
        if kind == "orientation":
            if self.chance(0.5):
                element.set("forcerange", say([0, self.between(0.5, 10)]))
        elif kind != "dcmotor" and self.chance(0.4):
            element.set("forcerange", say(self.interval(-8, 8)))
        if self.on.delay and self.chance(0.25) and element.get("input") != "none":
            element.set("nsample", str(self.rng.integers(1, 7)))
            element.set("interp", self.pick(("zoh", "linear", "cubic")))
            if self.chance(0.8):
                element.set("delay", say(self.log_between(0.0005, 0.03)))

    def activation(self, element: ET.Element) -> None:
        """The attributes that only an actuator with an activation takes."""
        if self.chance(0.5):
            element.set("actrange", say(self.interval(-1, 1)))
        if self.chance(0.5):
            element.set("actearly", "true")

    def act_general(self, element: ET.Element) -> None:
        dyn = self.pick(("none", "integrator", "filter", "filterexact"))
        element.set("dyntype", dyn)
        element.set("dynprm", say(self.log_between(0.003, 0.5)))
        if dyn != "none":
            self.activation(element)
        element.set("gaintype", self.pick(("fixed", "affine")))
        element.set("gainprm", say(self.vector(3.0)))
        element.set("biastype", self.pick(("none", "affine")))
        element.set("biasprm", say([*self.vector(2.0, 2), -self.between(0, 2)]))

    def act_motor(self, element: ET.Element) -> None:
        pass

    def servo(self, element: ET.Element) -> None:
        element.set("kp", say(self.log_between(0.5, 50)))
        if self.chance(0.35):
            element.set("kv", say(self.between(0.05, 3)))
        elif self.chance(0.4) and element.get("joint"):
            element.set("dampratio", say(self.between(0.3, 1.5)))
        target = element.get("joint") or element.get("tendon")
        bounded = target and self.root.find(f".//*[@name='{target}'][@range]") is not None
        ball = target in self.joints["ball"]
        if bounded and not ball and self.chance(0.4):
            element.set("inheritrange", say(self.between(0.5, 1.2)))

    def act_position(self, element: ET.Element) -> None:
        self.servo(element)
        if self.chance(0.3):
            element.set("timeconst", say(self.log_between(0.005, 0.3)))

    def act_velocity(self, element: ET.Element) -> None:
        element.set("kv", say(self.between(0.05, 3)))

    def act_intvelocity(self, element: ET.Element) -> None:
        self.servo(element)
        if element.get("inheritrange") is None and self.chance(0.6):
            element.set("actrange", say(self.interval(-1, 1)))

    def act_damper(self, element: ET.Element) -> None:
        element.set("kv", say(self.between(0.1, 3)))
        element.set("ctrlrange", say([0, self.between(0.5, 2)]))

    def act_cylinder(self, element: ET.Element) -> None:
        element.set("timeconst", say(self.log_between(0.01, 1)))
        element.set(self.pick(("area", "diameter")), say(self.between(0.5, 3)))
        element.set("bias", say([*self.vector(1.0, 2), -self.between(0, 1)]))

    def act_muscle(self, element: ET.Element) -> None:
        # the true length range takes a simulation to find, and only scales the curves
        element.set("lengthrange", say([self.between(0.05, 0.3), self.between(0.6, 1.5)]))
        element.set("timeconst", say(self.between(0.005, 0.08, 2)))
        if self.chance(0.5):
            element.set("tausmooth", say(self.between(0.05, 0.5)))
        # automatic forces divide by the moment arms, which may cancel to round-off
        if self.chance(0.5) and element.get("joint"):
            element.set("scale", say(self.between(5, 50)))
        else:
            element.set("force", say(self.between(1, 30)))
        if self.chance(0.5):
            element.set("range", say([self.between(0.6, 0.8), self.between(0.95, 1.2)]))
            element.set("lmin", say(self.between(0.3, 0.6)))
            element.set("lmax", say(self.between(1.4, 1.8)))
            element.set("vmax", say(self.between(0.8, 2.5)))
            element.set("fpmax", say(self.between(0.8, 1.8)))
            element.set("fvmax", say(self.between(1.05, 1.6)))

    def act_adhesion(self, element: ET.Element) -> None:
        element.set("gain", say(self.between(0.5, 5)))
        element.set("ctrlrange", say([0, self.between(0.5, 2)]))

    def act_orientation(self, element: ET.Element) -> None:
        element.set("kp", say(self.log_between(0.5, 30)))
        if self.chance(0.5):
            element.set("kv", say(self.between(0.05, 2)))
        elif self.chance(0.4) and element.get("joint"):
            element.set("dampratio", say(self.between(0.3, 1.5)))
        if self.chance(0.4):
            element.set("input", "quat")
        elif self.chance(0.4):
            self.so3_integrator(element)

    def so3_integrator(self, element: ET.Element) -> None:
        """The variant with its setpoint in the activation has no shortcut; it is spelled out."""
        kp, kv = element.attrib.pop("kp"), element.attrib.pop("kv", "0")
        element.attrib.pop("dampratio", None)
        element.tag = "general"
        element.set("dyntype", "integrator")
        element.set("gaintype", "so3")
        element.set("gainprm", kp)
        element.set("biastype", "so3")
        element.set("biasprm", f"0 -{kp} -{kv}")
        if self.chance(0.3):
            element.set("actearly", "true")

    def act_pid(self, element: ET.Element) -> None:
        self.servo(element)
        tokens = [token for token in ("pos", "vel", "ff") if self.chance(0.7)] or ["pos"]
        element.set("input", " ".join(tokens))
        if "pos" in tokens:
            if self.chance(0.5):
                element.set("ki", say(self.between(0.5, 10)))
                if self.chance(0.5):
                    element.set("imax", say(self.between(0.05, 0.5)))
            if self.chance(0.4):
                element.set("slewmax", say(self.between(0.3, 5)))
        else:
            element.attrib.pop("inheritrange", None)
        if "vel" in tokens and self.chance(0.4):
            element.set("velrange", say(self.interval(-1, 1)))
        if "ff" in tokens and self.chance(0.4):
            element.set("ffrange", say(self.interval(-1, 1)))

    def act_dcmotor(self, element: ET.Element) -> None:
        if self.chance(0.3):
            nominal = [self.between(6, 48), self.between(1, 5), self.between(5, 60)]
            element.set("nominal", say(nominal))
        else:
            element.set("resistance", say(self.between(0.3, 4)))
            element.set("motorconst", say(self.between(0.05, 0.8, self.pick((1, 2)))))
        inductance = self.chance(0.4)
        if inductance:
            value = self.log_between(0.001, 0.05)
            element.set("inductance", say([value] if self.chance(0.5) else [0, value]))
        if self.chance(0.35):
            thermal = [self.between(1, 5), self.between(5, 50), 0, 0.004, 25, self.between(15, 35)]
            element.set("thermal", say(thermal))
        if self.chance(0.4):
            rate = self.between(5, 100) if inductance and self.chance(0.5) else 0
            element.set("saturation", say([self.between(0.5, 5), 0, rate]))
        if self.chance(0.4):
            cogging = [self.between(0.01, 0.3), self.rng.integers(2, 13), self.between(0, 3)]
            element.set("cogging", say(cogging))
        if self.chance(0.35):
            coulomb = self.between(0.05, 0.5)
            static = coulomb * self.between(1.1, 2)
            lugre = [self.between(5, 100), self.between(0.1, 1), coulomb, static]
            element.set("lugre", say([*lugre, self.between(0.05, 0.5)]))
        signatures = ("voltage", "voltage", "pos", "pos vel", "vel", "ff", "pos vel ff", "none")
        signature = self.pick((*signatures, "pos voltage", "pos vel ff voltage"))
        element.set("input", signature)
        if {"pos", "vel", "ff"} & set(signature.split()):
            ki = self.between(0.5, 5) if "pos" in signature and self.chance(0.6) else 0
            slew = self.between(0.5, 5) if self.chance(0.4) else 0
            imax = self.between(0.05, 0.5) if ki and self.chance(0.5) else 0
            vmax = self.between(3, 24) if self.chance(0.5) else 0
            gains = [self.between(1, 20), ki, self.between(0, 1), slew, imax, vmax]
            element.set("controller", say(gains))
