"""Random MJCF models for comparing engines.

`generate(seed)` writes one model as MJCF text. A model is a random tree: bodies hang below random
earlier bodies, carry zero to three joints of every kind with off-centre anchors, crooked frames and
offset inertias, and are decorated with geoms, sites, cameras and lights. On top of the tree come
tendons that pass through the sites and wrap around the geoms, actuators of every transmission and
force law, and physics options; with `constraints=True` also all that touches or holds. About a
third of the bodies are deliberately plain (centred, unrotated), because an engine takes its short
cuts there.

Everything is drawn from one seeded stream, so a seed is a model. A drawn model that MuJoCo's
compiler rejects is drawn again with one feature switched off; `REDUCED[seed]` then says which
feature and what the compiler said. `random_state` of `states.py` makes states for these models.
"""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from support.generator_actuators import Actuators
from support.generator_constraints import Constraints
from support.generator_drawing import say
from support.generator_extras import Extras
from support.states import random_state

__all__ = ["INTEGRATORS", "REDUCED", "Switches", "generate", "random_state"]

INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")

# seed -> [(the feature that was switched off, the compiler's complaint that made it necessary)]
REDUCED: dict[int, list[tuple[str, str]]] = {}


@dataclass(frozen=True)
class Switches:
    """What a random model may contain: False removes a feature, True leaves it to chance."""

    bodies: int = 10  # at most this many, besides the world
    mocap: bool = True
    mesh: bool = True
    hollow: bool = True  # massless jointed bodies that carry a welded one
    plain: bool = True  # centred, unrotated bodies among the crooked ones
    fluid: bool = True
    plastic: bool = True  # springs that yield
    tendons: bool = True
    wrapping: bool = True
    actuators: bool = True
    muscle: bool = True
    dcmotor: bool = True
    pid: bool = True
    orientation: bool = True
    adhesion: bool = True
    delay: bool = True
    flags: bool = True  # disable and enable flags
    keyframes: bool = True
    constraints: bool = False  # contacts, limits, dry friction, equalities
    hfield: bool = True  # with constraints: a height field as the floor
    extras: bool = False  # other ways to write a model: classes, frames, replicas, sensors
    integrator: str | None = None  # one of INTEGRATORS, or None: drawn

    def without(self, feature: str) -> "Switches":
        return replace(self, **{feature: False})


# tried in this order, one at a time, when the compiler rejects a drawn model
REDUCTIONS = (
    *("extras", "muscle", "orientation", "dcmotor", "pid", "delay", "plastic", "hollow"),
    *("wrapping", "adhesion", "hfield", "mesh", "mocap", "tendons", "actuators", "constraints"),
)


def generate(seed: int, **switches) -> str:
    """MJCF text of the random model number `seed`; `switches` are the fields of `Switches`."""
    wanted = Switches(**switches)
    text, complaint = _attempt(seed, wanted)
    if text is not None:
        return text
    REDUCED[seed] = []
    for feature in REDUCTIONS:
        if not getattr(wanted, feature):
            continue
        text, _ = _attempt(seed, wanted.without(feature))
        if text is not None:
            REDUCED[seed].append((feature, complaint))
            return text
    bare = wanted
    for feature in REDUCTIONS:
        bare = bare.without(feature)
    text, last = _attempt(seed, bare)
    if text is None:
        raise RuntimeError(f"seed {seed} does not compile, even without {REDUCTIONS}: {last}")
    REDUCED[seed].append(("all", complaint))
    return text


def _attempt(seed: int, switches: Switches) -> tuple[str | None, str]:
    """(MJCF text, "") or (None, what the compiler said)."""
    draft = _Draft(np.random.default_rng([seed, 20]), switches)
    draft.write()
    try:
        spec_text = draft.text()
        mj_model = mujoco.MjModel.from_xml_string(spec_text)
        if switches.keyframes and draft.chance(0.6):
            draft.keyframes(mj_model)
            spec_text = draft.text()
            mj_model = mujoco.MjModel.from_xml_string(spec_text)
    except ValueError as error:
        return None, str(error)
    return spec_text, ""


class _Draft(Actuators, Constraints, Extras):
    """One model in the making: the XML tree and the names that later elements may refer to."""

    def __init__(self, rng: np.random.Generator, switches: Switches):
        super().__init__(rng)
        self.on = switches
        self.root = ET.Element("mujoco", model="random")
        self.bodies: list[str] = []
        self.moving: list[str] = []  # bodies with at least one joint at or above them
        self.joints: dict[str, list[str]] = {"free": [], "ball": [], "slide": [], "hinge": []}
        self.sites: list[tuple[str, str]] = []  # (site, body)
        self.round_geoms: list[tuple[str, str]] = []  # (geom, body): those a tendon can wrap around
        self.geoms: list[tuple[str, str]] = []
        self.tendons: list[str] = []
        self.nsite = self.ngeom = self.ncam = self.nlight = 0
        self.limited = True  # whether a range is also a limit
        self.meshes = ["wedge"]
        self.hfield = False

    # ---- the model, section by section

    def text(self) -> str:
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode")

    def write(self) -> None:
        compiler = ET.SubElement(self.root, "compiler", angle="radian", autolimits="true")
        if self.chance(0.15):
            compiler.set("alignfree", "true")
        self.options()
        ET.SubElement(self.root, "size", nuserdata=str(self.rng.integers(4)))
        if self.on.mesh:
            self.assets()
        self.tree()
        if self.on.tendons:
            self.write_tendons()
        if self.on.actuators:
            self.write_actuators()
        if self.on.constraints:
            self.write_equalities()
            self.write_contacts()
        if self.on.extras:
            self.write_extras()

    def options(self) -> None:
        option = ET.SubElement(
            self.root,
            "option",
            timestep=say(self.log_between(0.0005, 0.01)),
            gravity=say(self.vector(4.0) + [0, 0, -6]),
            magnetic=say(self.vector(0.5)),
            integrator=self.on.integrator or self.pick(INTEGRATORS),
            jacobian=self.pick(("dense", "sparse", "auto")),
        )
        if self.on.fluid and self.chance(0.35):
            if self.chance(0.8):
                option.set("density", say(self.log_between(1, 1000)))
            if self.chance(0.8):
                option.set("viscosity", say(self.log_between(1e-5, 1)))
            if self.chance(0.6):
                option.set("wind", say(self.vector(2.0)))
        if self.chance(0.25):
            groups = self.rng.choice(6, self.rng.integers(1, 4), replace=False)
            option.set("actuatorgroupdisable", " ".join(map(str, groups)))
        flag = ET.SubElement(option, "flag")
        self.limited = self.on.constraints or self.chance(0.7)
        if self.limited and not self.on.constraints:
            flag.set("constraint", "disable")
        if self.on.constraints:
            self.solver_options(option, flag)
        if not self.on.flags:
            return
        if self.chance(0.6):
            flag.set("energy", "enable")
        for name in ("spring", "damper", "gravity", "clampctrl", "actuation", "eulerdamp"):
            if self.chance(0.07):
                flag.set(name, "disable")
        for name in ("warmstart", "refsafe", "sensor", "island", "midphase", "autoreset"):
            if self.chance(0.05):
                flag.set(name, "disable")

    def assets(self) -> None:
        asset = ET.SubElement(self.root, "asset")
        ET.SubElement(asset, "mesh", name="wedge", vertex=say(self.between(-0.2, 0.2, 18)))
        if self.on.constraints:
            self.meshes += self.hulls(asset)
            self.hfield = self.on.hfield and self.chance(0.2)
            if self.hfield:
                self.terrain(asset)

    # ---- the tree

    def tree(self) -> None:
        world = ET.SubElement(self.root, "worldbody")
        self.bodies.append("world")
        if self.on.constraints and self.chance(0.85):
            self.floor(world, self.hfield)
        self.decorate(world, "world", static=True, plain=False)
        elements = {"world": world}
        depth_first = self.between(0.2, 0.95)  # a chain of bodies or a bush
        moves = {"world": False}
        for i in range(self.rng.integers(1, self.on.bodies + 1)):
            name = f"b{i}"
            late = self.bodies[-1] if self.chance(depth_first) else self.pick(self.bodies)
            mocap = self.on.mocap and self.chance(0.08)
            parent = "world" if mocap or self.chance(0.12) else late
            body = ET.SubElement(elements[parent], "body", name=name)
            plain = self.on.plain and self.chance(0.3)
            self.place(body, 0.3, plain)
            if mocap:
                body.set("mocap", "true")
            elif self.chance(0.25):
                body.set("gravcomp", say(self.between(-0.5, 1.5)))
            jointed = not mocap and not self.chance(0.15)
            if jointed:
                self.write_joints(body, name, parent == "world", plain)
            moves[name] = jointed or moves[parent]
            hollow = jointed and self.on.hollow and self.chance(0.06)
            if hollow:
                inside = ET.SubElement(body, "body", name=f"{name}_in", pos=say(self.vector(0.1)))
                self.inertial(inside, plain=False)
                self.bodies.append(f"{name}_in")
                elements[f"{name}_in"], moves[f"{name}_in"] = inside, True
            else:
                self.inertial(body, plain)
            self.bodies.append(name)
            elements[name] = body
            # a mocap body is not static for the compiler's rules on planes
            static = not moves[name] and not mocap
            self.decorate(body, name, static, plain, massless=hollow)
        self.moving = [name for name in self.bodies if moves[name]]
        # these may aim at any body, so they come when all bodies are known
        for name, element in elements.items():
            self.eyes(element, name)

    def write_joints(self, body: ET.Element, name: str, top: bool, plain: bool) -> None:
        if top and self.chance(0.45):
            if self.chance(0.5):
                joint = ET.SubElement(body, "freejoint", name=f"{name}_free")
                if self.chance(0.3):
                    joint.set("align", self.pick(("true", "false")))
            else:
                joint = ET.SubElement(body, "joint", type="free", name=f"{name}_free")
                self.joint_dynamics(joint, "free")
            self.joints["free"].append(f"{name}_free")
            return
        rotations = 0
        plain_axes = self.rng.permutation(3)  # all different, or the inertia matrix is singular
        for k in range(self.rng.choice((1, 2, 3), p=(0.65, 0.2, 0.15))):
            kind = self.pick(("hinge", "hinge", "hinge", "slide", "slide", "ball"))
            # the compiler allows no rotation after a ball joint; before one, a hinge must have its
            # own anchor, or the inertia matrix is singular
            after_ball = rotations >= 3 and kind != "slide"
            if after_ball or (kind == "ball" and rotations and plain):
                kind = "slide"
            rotations += {"slide": 0, "hinge": 1, "ball": 3}[kind]
            joint = ET.SubElement(body, "joint", type=kind, name=f"{name}_{kind}{k}")
            self.joints[kind].append(f"{name}_{kind}{k}")
            if not plain or self.chance(0.3):
                joint.set("pos", say(self.vector(0.15)))
            if kind != "ball":
                axis = np.eye(3)[plain_axes[k]] if plain else self.vector(1.0)
                joint.set("axis", say(axis))
            self.joint_dynamics(joint, kind)

    def joint_dynamics(self, joint: ET.Element, kind: str) -> None:
        scalar = kind in ("slide", "hinge")
        if self.chance(0.5):
            joint.set("damping", say(self.polynomial(1.5)))
        if self.chance(0.4):
            joint.set("stiffness", say(self.polynomial(20.0)))
        if self.chance(0.4):
            joint.set("armature", say(self.log_between(0.005, 0.5)))
        if self.chance(0.15):
            joint.set("actuatorgravcomp", "true")
        if self.on.plastic and kind != "free" and self.chance(0.12):
            joint.set("springyield", say(self.between(0.02, 0.5)))
            joint.set("stiffness", say(self.polynomial(20.0)))
        if scalar:
            if self.chance(0.4):
                joint.set("springref", say(self.vector(0.4, 1)))
            if self.chance(0.4):
                joint.set("ref", say(self.vector(0.4, 1)))
            if self.chance(0.2):
                joint.set("actuatorfrcrange", say(self.interval(-6, 6)))
        if scalar and self.chance(0.5):
            joint.set("range", say(self.interval(-2, 2)))
        elif kind == "ball" and self.chance(0.3):
            joint.set("range", say([0, self.between(0.3, 2)]))
        if joint.get("range") and not self.limited:
            joint.set("limited", "false")
        if self.on.constraints:
            self.joint_constraints(joint, kind)

    def inertial(self, body: ET.Element, plain: bool) -> None:
        """An explicit inertia with offset and rotation, or a geom to take the inertia from."""
        if plain or self.chance(0.3):
            self.ngeom += 1
            geom = ET.SubElement(body, "geom", name=f"g{self.ngeom}", size="0.11 0.13 0.07")
            geom.set("type", self.pick(("sphere", "box", "ellipsoid")))
            geom.set("mass", say(self.log_between(0.2, 4)))
            if self.on.constraints:
                self.contact_parameters(geom)
            else:
                geom.set("contype", "0")
                geom.set("conaffinity", "0")
            self.geoms.append((f"g{self.ngeom}", body.get("name")))
            if geom.get("type") == "sphere":
                self.round_geoms.append((f"g{self.ngeom}", body.get("name")))
            return
        mass = self.log_between(0.2, 4)
        inertial = ET.SubElement(body, "inertial", mass=say(mass), pos=say(self.vector(0.1)))
        # the moments of a box with unequal sides keep the triangle inequality
        x, y, z = self.between(0.1, 0.5, 3) ** 2
        moments = mass / 12 * np.array([y + z, z + x, x + y])
        if self.chance(0.5):
            inertial.set("quat", say(self.unit_quat()))
            inertial.set("diaginertia", say(moments))
        else:
            axes = np.zeros(9)
            mujoco.mju_quat2Mat(axes, self.unit_quat())
            axes = axes.reshape(3, 3)
            full = axes @ np.diag(moments) @ axes.T
            entries = full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            inertial.set("fullinertia", " ".join(f"{x:.8g}" for x in entries))

    def decorate(self, body, name: str, static: bool, plain: bool, massless=False) -> None:
        """Geoms and sites of one body."""
        for _ in range(self.rng.integers(0, 3)):
            self.geom(body, name, static, plain, massless)
        for _ in range(self.rng.integers(1, 4)):
            site = ET.SubElement(body, "site", name=f"s{self.nsite}")
            self.sites.append((f"s{self.nsite}", name))
            self.nsite += 1
            self.place(site, 0.25, plain=plain and self.chance(0.4))

    def geom(self, body, name: str, static: bool, plain: bool, massless: bool) -> None:
        kinds = ["sphere", "sphere", "capsule", "ellipsoid", "cylinder", "cylinder", "box"]
        kinds += ["plane"] if static else []
        kinds += ["mesh"] if self.on.mesh else []
        kind = self.pick(kinds)
        geom = ET.SubElement(body, "geom", name=f"g{self.ngeom}_{kind}", type=kind)
        self.geoms.append((geom.get("name"), name))
        self.ngeom += 1
        self.place(geom, 0.15, plain)
        if kind == "mesh":
            geom.set("mesh", self.pick(self.meshes) if self.on.constraints else "wedge")
        else:
            geom.set("size", say(self.between(0.03, 0.2, 3)))
        if massless:
            geom.set("mass", "0")
        if kind in ("sphere", "cylinder"):
            self.round_geoms.append((geom.get("name"), name))
        if self.on.fluid and self.chance(0.3) and kind not in ("plane", "mesh"):
            geom.set("fluidshape", "ellipsoid")
            if self.chance(0.6):
                geom.set("fluidcoef", say(self.between(0.1, 2.0, 5)))
        if self.on.constraints:
            self.contact_parameters(geom)
        else:
            geom.set("contype", "0")
            geom.set("conaffinity", "0")

    def eyes(self, body: ET.Element, name: str) -> None:
        """Cameras and lights, in every tracking mode."""
        modes = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
        for kind in ("camera", "light"):
            if not self.chance(0.35):
                continue
            count = self.ncam if kind == "camera" else self.nlight
            eye = ET.SubElement(body, kind, name=f"{kind}{count}", mode=self.pick(modes))
            eye.set("pos", say(self.vector(0.5)))
            if kind == "camera":
                self.ncam += 1
                eye.set("quat", say(self.unit_quat()))
            else:
                self.nlight += 1
                eye.set("dir", say(self.vector(1.0)))
            if eye.get("mode").startswith("target"):
                others = [b for b in self.bodies if b not in (name, "world")]
                if others:
                    eye.set("target", self.pick(others))
                else:
                    eye.set("mode", "trackcom")

    # ---- tendons

    def write_tendons(self) -> None:
        tendon = ET.SubElement(self.root, "tendon")
        scalar = self.joints["slide"] + self.joints["hinge"]
        for i in range(self.rng.integers(0, 4)):
            fixed = bool(scalar) and self.chance(0.45)
            element = ET.SubElement(tendon, "fixed" if fixed else "spatial", name=f"t{i}")
            if fixed:
                wraps = False
                number = self.rng.integers(1, min(4, len(scalar)) + 1)
                for joint in map(str, self.rng.choice(scalar, number, replace=False)):
                    coef = say(self.vector(1.0, 1))
                    ET.SubElement(element, "joint", joint=joint, coef=coef)
            else:
                wraps = self.path(element)
            self.tendons.append(f"t{i}")
            self.tendon_dynamics(element, wraps)

    def path(self, spatial: ET.Element) -> bool:
        """The points of a spatial tendon, branch after branch; whether it has a wrapping geom."""
        wraps = False
        branches = self.rng.choice((1, 2, 3), p=(0.7, 0.2, 0.1))
        for branch in range(branches):
            if branches > 1 and (branch > 0 or self.chance(0.7)):
                ET.SubElement(spatial, "pulley", divisor=say(self.between(0.5, 4)))
            number = min(self.rng.integers(2, 5), len(self.sites))
            chosen = self.rng.choice(len(self.sites), number, replace=False)
            for k, index in enumerate(chosen):
                ET.SubElement(spatial, "site", site=self.sites[index][0])
                last = k == number - 1
                if not last and self.on.wrapping and self.round_geoms and self.chance(0.5):
                    wraps = True
                    geom, body = self.pick(self.round_geoms)
                    around = ET.SubElement(spatial, "geom", geom=geom)
                    if self.chance(0.5):
                        near = [site for site, owner in self.sites if owner == body]
                        if not near or self.chance(0.2):
                            near = [site for site, _ in self.sites]
                        around.set("sidesite", self.pick(near))
        return wraps

    def tendon_dynamics(self, tendon: ET.Element, wraps: bool) -> None:
        if self.chance(0.6):
            tendon.set("stiffness", say(self.polynomial(30.0)))
        if self.chance(0.6):
            tendon.set("damping", say(self.polynomial(1.5)))
        if self.chance(0.4):
            rest = self.between(0.1, 0.8, 2)
            if self.chance(0.3):
                rest[0] = 0.0
            tendon.set("springlength", say(np.sort(rest) if self.chance(0.6) else rest[1]))
        # the compiler knows no inertia for a path around a geom
        if self.chance(0.35) and not wraps:
            tendon.set("armature", say(self.log_between(0.01, 0.5)))
        if self.chance(0.25):
            tendon.set("actuatorfrcrange", say(self.interval(-5, 5)))
        if self.on.plastic and self.chance(0.12):
            tendon.set("springyield", say(self.between(0.02, 0.2)))
            tendon.set("stiffness", say(self.polynomial(30.0)))
        if self.chance(0.4):
            tendon.set("range", say([self.between(-0.5, 0.2), self.between(0.4, 1.5)]))
            if not self.limited:
                tendon.set("limited", "false")
        if self.on.constraints:
            self.tendon_constraints(tendon)

    # ---- keyframes

    def keyframes(self, mj_model: mujoco.MjModel) -> None:
        keyframe = ET.SubElement(self.root, "keyframe")
        for k in range(self.rng.integers(1, 4)):
            mj_data = random_state(mj_model, self.rng, history=False)
            key = ET.SubElement(keyframe, "key", name=f"key{k}", time=say(self.between(0, 2)))
            parts = {
                "qpos": mj_data.qpos,
                "qvel": mj_data.qvel,
                "act": mj_data.act,
                "ctrl": mj_data.ctrl,
                "mpos": mj_data.mocap_pos.ravel(),
                "mquat": mj_data.mocap_quat.ravel(),
            }
            for attribute, values in parts.items():
                if len(values) and self.chance(0.7):
                    key.set(attribute, say(values))
