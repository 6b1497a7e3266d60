"""The rest of MJCF in random models: ways to write a model that the compiler resolves.

Defaults and classes, frames, replicas, orientations in every spelling, capsules from end to end,
totals and bounds of mass, materials, sensors, custom numbers. Nothing of it is new to an engine
that reads compiled models, but how they come out of the compiler is: bodies without names, static
parts fused, unusual sizes. Rarely something that Lanewise refuses is among it.
"""

import xml.etree.ElementTree as ET

import numpy as np

from support.generator_drawing import Drawing, say

# sensors by what they are attached to
OF_SITE = (
    *("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer"),
    "rangefinder",
)
OF_JOINT = ("jointpos", "jointvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc")
OF_BALL = ("ballquat", "ballangvel")
OF_TENDON = ("tendonpos", "tendonvel", "tendonlimitpos")
OF_BODY = ("subtreecom", "subtreelinvel", "subtreeangmom")
OF_FRAME = ("framepos", "framequat", "framexaxis", "framelinvel", "frameangvel", "framelinacc")
GLOBAL = ("clock", "e_potential", "e_kinetic")


class Extras(Drawing):
    """Writes what is left of MJCF. All other sections are there."""

    on: object  # the Switches of this model
    root: ET.Element
    bodies: list[str]
    joints: dict[str, list[str]]
    sites: list[tuple[str, str]]
    geoms: list[tuple[str, str]]
    tendons: list[str]

    def write_extras(self) -> None:
        for part in (
            self.compiler, self.classes, self.materials, self.spelled, self.frames,
            self.replicas, self.sensors, self.custom, self.appearance, self.refused,
        ):  # fmt: skip
            if self.chance(0.4):
                part()

    def compiler(self) -> None:
        compiler = self.root.find("compiler")
        choices = {
            "balanceinertia": "true", "boundmass": "0.05", "boundinertia": "0.001",
            "fusestatic": "true", "discardvisual": "true",
            "inertiafromgeom": "auto", "eulerseq": "zyx",
        }  # fmt: skip
        for name, value in choices.items():
            if self.chance(0.2):
                compiler.set(name, value)

    def classes(self) -> None:
        """Defaults of the model, and of a class that some bodies give to their children."""
        default = ET.SubElement(self.root, "default")
        joint = ET.SubElement(default, "joint", damping=say(self.between(0.01, 0.5)))
        if self.chance(0.5):
            joint.set("armature", say(self.between(0.01, 0.1)))
        ET.SubElement(default, "geom", solimp="0.9 0.95 0.002", density="700")
        soft = ET.SubElement(default, "default")
        soft.set("class", "soft")
        ET.SubElement(soft, "geom", solref="0.03 1.1", friction="0.7 0.01 0.001")
        ET.SubElement(soft, "joint", stiffness=say(self.between(0.1, 5)))
        for body in self.root.findall(".//body"):
            if self.chance(0.3):
                body.set("childclass", "soft")

    def materials(self) -> None:
        asset = self.root.find("asset")
        asset = ET.SubElement(self.root, "asset") if asset is None else asset
        texture = {"name": "grid", "type": "2d", "builtin": "checker", "width": "8", "height": "8"}
        ET.SubElement(asset, "texture", texture)
        ET.SubElement(asset, "texture", type="skybox", builtin="gradient", width="4", height="4")
        ET.SubElement(asset, "material", name="shiny", texture="grid", specular="0.3")
        for geom in self.root.findall(".//worldbody//geom"):
            if self.chance(0.5):
                geom.set("material", "shiny")

    def spelled(self) -> None:
        """Orientations in other words, and geoms from one point to another."""
        for element in self.root.findall(".//worldbody//*[@quat]"):
            if element.tag in ("inertial", "camera") or not self.chance(0.5):
                continue
            del element.attrib["quat"]
            way = self.pick(("euler", "axisangle", "xyaxes", "zaxis"))
            size = {"euler": 3, "axisangle": 4, "xyaxes": 6, "zaxis": 3}[way]
            element.set(way, say(self.vector(1.0, size)))
        for geom in self.root.findall(".//worldbody//geom[@type]"):
            if geom.get("type") in ("capsule", "cylinder") and self.chance(0.4):
                for name in ("pos", "quat", "euler", "axisangle", "xyaxes", "zaxis"):
                    geom.attrib.pop(name, None)
                geom.set("fromto", say([*self.vector(0.1), *(self.vector(0.1) + 0.2)]))
                geom.set("size", say(self.between(0.02, 0.1)))

    def frames(self) -> None:
        """Some bodies inside of a frame."""
        for parent in list(self.root.iter("body")):
            for child in list(parent.findall("body")):
                if self.chance(0.3):
                    frame = ET.Element("frame")
                    self.place(frame, 0.1, plain=False)
                    frame.append(child)
                    place = list(parent).index(child)
                    parent.remove(child)
                    parent.insert(place, frame)

    def replicas(self) -> None:
        world = self.root.find("worldbody")
        count = str(self.rng.integers(2, 5))
        replicate = ET.SubElement(world, "replicate", count=count, offset="0.3 0.02 0.05")
        body = ET.SubElement(replicate, "body", pos=say([0.6, *self.vector(0.2, 2)]))
        ET.SubElement(body, self.pick(("freejoint", "joint")))
        kind = self.pick(("sphere", "box", "capsule"))
        geom = ET.SubElement(body, "geom", type=kind, size="0.06 0.08 0.05")
        if not self.on.constraints:
            geom.set("contype", "0")
            geom.set("conaffinity", "0")

    def sensors(self) -> None:
        sensor = ET.SubElement(self.root, "sensor")
        scalar = [j for j in self.joints["slide"] + self.joints["hinge"] if self._limited(j)]
        pools = (
            (OF_SITE, "site", [site for site, _ in self.sites]),
            (OF_JOINT, "joint", scalar),
            (OF_BALL, "joint", self.joints["ball"]),
            (OF_BODY, "body", self.bodies[1:]),
        )
        for kinds, noun, pool in pools:
            for kind in kinds:
                if pool and self.chance(0.3):
                    element = ET.SubElement(sensor, kind)
                    element.set(noun, self.pick(pool))
                    if self.chance(0.2):
                        element.set("cutoff", say(self.between(0.1, 5)))
        for kind in OF_FRAME:
            if self.chance(0.3):
                name = self.pick(self.bodies[1:])
                ET.SubElement(sensor, kind, objtype=self.pick(("body", "xbody")), objname=name)
        for kind in GLOBAL:
            if self.chance(0.3):
                ET.SubElement(sensor, kind)

    def _limited(self, joint: str) -> bool:
        found = self.root.find(f".//joint[@name='{joint}']")
        return found is not None and "range" in found.attrib and found.get("limited") != "false"

    def custom(self) -> None:
        custom = ET.SubElement(self.root, "custom")
        size = int(self.rng.integers(1, 5))
        ET.SubElement(custom, "numeric", name="numbers", data=say(self.vector(1.0, size)))
        ET.SubElement(custom, "text", name="words", data="some words")
        group = ET.SubElement(custom, "tuple", name="group")
        ET.SubElement(group, "element", objtype="body", objname=self.pick(self.bodies[1:]), prm="2")

    def appearance(self) -> None:
        visual = ET.SubElement(self.root, "visual")
        ET.SubElement(visual, "map", znear="0.02")
        ET.SubElement(self.root, "statistic", extent=say(self.between(0.5, 3)), center="0 0 0.3")
        for geom in self.root.findall(".//worldbody//geom"):
            if self.chance(0.3):
                geom.set("rgba", say(np.abs(np.tanh(self.vector(1.0, 4)))))
                geom.set("group", str(self.rng.integers(0, 6)))

    def refused(self) -> None:
        """What Lanewise does not simulate, and says so."""
        kind = self.pick(("flex", "sleep", "history", "none", "none", "none", "none"))
        if kind == "flex":
            world = self.root.find("worldbody")
            cloth = ET.SubElement(world, "flexcomp", name="cloth", type="grid", count="3 3 1")
            cloth.set("spacing", "0.1 0.1 0.1")
            cloth.set("dim", "2")
            cloth.set("mass", "0.1")
        elif kind == "sleep":
            self.root.find("option/flag").set("sleep", "enable")
        elif kind == "history" and self.sites:
            sensor = self.root.find("sensor")
            sensor = ET.SubElement(self.root, "sensor") if sensor is None else sensor
            gyro = ET.SubElement(sensor, "gyro", site=self.sites[0][0], nsample="3")
            gyro.set("delay", "0.01")
