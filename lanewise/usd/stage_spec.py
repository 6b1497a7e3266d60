"""A stage as an MjSpec.

Bodies keep the frames of their prims, so that positions mean the same in both; the world is turned
until z is up. Names are those of prims, with as much of their path as makes them differ. Where a
stage says velocities or targets of drives, the keyframe "stage" has them.
"""

from typing import Any

import mujoco
import numpy as np

from ..errors import ModelError
from . import mjc
from .acting import KEY, Acting
from .collision_groups import Groups
from .hanging import freedom
from .jointed import APART, Body, is_body, jointed, misfit
from .losses import Findings
from .lost import name_lost
from .matter import WATER, Inertial, Matter, add_geom, matter_of, of_body, of_shape
from .placing import Places, apart, inverse, quaternion
from .solids import KINDS, Solid, solid_of
from .stage_colours import colour, is_guide, is_seen
from .stage_values import DEGREE, TURNS, Units, authored, schemas, value

GRAVITY = 9.81  # [m/s^2], where the stage does not say
BALL = 0.1  # [m], radius of the ball whose inertia a body gets that has a mass and no shape


def units_of(stage: Any) -> Units:
    """Of a stage, or USD's own where it does not say: y up, centimetres, kilograms."""
    from pxr import UsdGeom, UsdPhysics

    length = UsdGeom.GetStageMetersPerUnit(stage)
    mass = UsdPhysics.GetStageKilogramsPerUnit(stage)
    return Units(length, mass, str(UsdGeom.GetStageUpAxis(stage)))


def prims_of(stage: Any) -> list[Any]:
    """All prims that are there, also those of instances."""
    from pxr import Usd

    return list(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))


def spec_of_stage(stage: Any, findings: Findings) -> mujoco.MjSpec:
    """The MjSpec of a stage; what cannot be in it is left to findings."""
    try:
        return Writer(stage, findings).spec
    except RecursionError:
        raise ModelError("prims are nested more deeply than Python follows") from None


class Writer(Acting):
    """What is being written, and names by paths of prims."""

    def __init__(self, stage, findings):
        self.findings = findings
        self.units = units_of(stage)
        self.places = Places(self.units)
        self.prims = prims_of(stage)
        self.spec = mujoco.MjSpec()
        self.spec.compiler.degree = False
        first = stage.GetDefaultPrim()
        self.spec.modelname = str(first.GetName()) if first else "stage"
        self.names = {}  # path of a prim: (what it is in MuJoCo, its name)
        self.taken = {}
        self.drives = []
        self.velocities = []
        if not self._sensible():
            return
        name_lost(self.prims, findings)
        self.groups = Groups(self.prims, findings)
        self.tree = jointed(self.prims, self.places, findings)
        self._scene()
        self._shapes_by_body()
        self._of_body(None, self.spec.worldbody)
        for root in self.tree.roots:
            self._body(root, self.spec.worldbody)
        for joint in self.tree.loops:
            self._loop(joint)
        self._filters()
        if not findings.stops:
            self._actuators()
            self._followers()
            self._keys()

    def _sensible(self):
        length, mass = self.units.length, self.units.mass
        for what, number in (("metersPerUnit", length), ("kilogramsPerUnit", mass)):
            if not 0.0 < number < np.inf:
                self.findings.wrong(f"{what} must be positive, got {number}", "/")
        if not any(_has_physics(prim) for prim in self.prims):
            self.findings.wrong(
                "it has no physics: no rigid bodies (PhysicsRigidBodyAPI) and no shapes that"
                " collide (PhysicsCollisionAPI)", "/",
            )  # fmt: skip
        return not self.findings.stops

    def name(self, kind, prim):
        """A name of its own for a prim, among objects of a kind."""
        taken = self.taken.setdefault(kind, set())
        parts = [p for p in str(prim.GetPath()).split("/") if p]
        shown = prim.GetDisplayName() if hasattr(prim, "GetDisplayName") else ""
        parts[-1] = shown or parts[-1]
        name, depth = parts[-1], 1
        while name in taken or (kind == "body" and name == "world"):
            depth += 1
            name = "/".join(parts[-depth:]) if depth <= len(parts) else f"{name}_"
        taken.add(name)
        self.names.setdefault(str(prim.GetPath()), (kind, name))
        return name

    # ---- the scene

    def _scene(self):
        from pxr import UsdPhysics

        scenes = [UsdPhysics.Scene(p) for p in self.prims if p.IsA(UsdPhysics.Scene)]
        down = -TURNS[self.units.up].T[:, 2]
        direction, size = down, GRAVITY
        for scene in scenes[1:]:
            self.findings.name("scenes beside the first, which are not read", scene.GetPrim())
        if scenes:
            said = np.array(value(scenes[0].GetGravityDirectionAttr()))
            magnitude = value(scenes[0].GetGravityMagnitudeAttr())
            if said.any():
                direction = said / np.linalg.norm(said)
            if magnitude == np.inf:
                self.findings.wrong("gravity that is infinite", scenes[0].GetPrim())
            elif magnitude >= 0.0:
                size = magnitude * self.units.length
        self.spec.option.gravity = size * (TURNS[self.units.up] @ direction) + 0.0
        if scenes:
            mjc.set_options(self.spec, scenes[0].GetPrim(), self.findings)

    # ---- bodies

    def _body(self, body: Body, parent: Any) -> None:
        self._start(body)
        X = body.X_PB
        name = self.name("body", body.prim)
        made = parent.add_body(name=name, pos=X[:3, 3], quat=quaternion(X[:3, :3]))
        if authored(body.prim, "physxRigidBody:disableGravity"):
            made.gravcomp = 1.0
        if body.kinematic and body.parent is None and not body.joints:
            made.mocap = True
            self.findings.name(
                "kinematic bodies, which are moved by mocap_pos and mocap_quat", body.prim
            )
        elif body.kinematic:
            self.findings.refuse("kinematic bodies on joints", body.prim)
        elif not body.joints:
            made.add_freejoint(name=f"{name}_free")
        for joint in body.joints:
            self._joint(joint, body, made)
        self._of_body(body, made)
        self._velocity(body, name)
        for child in body.children:
            self._body(child, made)

    def _start(self, body):
        """Put a body where its joint can have it, if it is drawn elsewhere."""
        if len(body.joints) != 1:
            return
        joint = body.joints[0]
        turns, slides = freedom(joint)
        off = misfit(joint.starts(body.X_PB), turns, slides)
        if off > APART:
            self.findings.name(
                "bodies that are drawn where their joint cannot be: they are put where the frames"
                " of the joint meet", body.prim,
            )  # fmt: skip
            X_PJ, X_CJ = joint.frames
            above = np.eye(4) if body.parent is None else body.parent.X
            body.X = above @ X_PJ @ inverse(X_CJ)

    def _velocity(self, body, name):
        from pxr import UsdPhysics

        api = UsdPhysics.RigidBodyAPI(body.prim)
        linear, angular = (
            np.array(value(a)) for a in (api.GetVelocityAttr(), api.GetAngularVelocityAttr())
        )
        if not (linear.any() or angular.any()) or body.kinematic:
            return
        if body.joints:
            self.findings.name(
                "velocities of bodies that hang on joints, which are not read", body.prim
            )
            return
        turn = TURNS[self.units.up]
        self.velocities.append(
            (f"{name}_free", turn @ linear * self.units.length, turn @ angular * DEGREE)
        )
        self.findings.name(
            "velocities, read as PhysX reads them: of the centre of mass, along the axes of the"
            f' world. The keyframe "{KEY}" has them', body.prim,
        )  # fmt: skip

    # ---- shapes

    def _shapes_by_body(self):
        """Shapes by body (None: the world), each with the prim that says how it collides."""
        self.shapes = {}
        self.wrapped = {
            str(path)
            for prim in self.prims
            if prim.GetTypeName() == "MjcTendon"
            for path in prim.GetRelationship("mjc:path").GetForwardedTargets()
        }
        for prim in self.prims:
            if str(prim.GetTypeName()) in KINDS:
                body = self.tree.body_of(prim)
                key = None if body is None else body.path
                collider = _collider(prim, body)
                if collider is not None and collider != prim:
                    self.findings.name(
                        "PhysicsCollisionAPI on what is no shape: all shapes below it collide",
                        collider,
                    )
                self.shapes.setdefault(key, []).append((prim, collider))

    def _of_body(self, body: Body | None, made: Any) -> None:
        """Geoms and sites of a body, and its mass."""
        X = np.eye(4) if body is None else body.X
        said = (
            None
            if body is None
            else matter_of(body.prim, apart(self.places.world(body.prim)), self.units)
        )
        parts: list[tuple[Any, Solid, float, float]] = []
        for prim, collider in self.shapes.get(None if body is None else body.path, ()):
            place = self.places.within(prim, X)
            if "MjcSiteAPI" in schemas(prim) or "NewtonSiteAPI" in schemas(prim):
                self._site(prim, place, made)
                continue
            wrapped = str(prim.GetPath()) in self.wrapped
            if collider is None and not wrapped and not is_seen(prim):
                continue
            solid = solid_of(prim, place, collider is not None, self.findings)
            if solid is None:
                continue
            if solid.kind not in ("mesh", "plane") and not min(solid.size) > 0.0:
                self.findings.wrong("sizes of shapes that are not positive", prim)
                continue
            name = self.name("geom", prim)
            if collider is None:
                geom = add_geom(self.spec, made, solid, name, seen=True)
                geom.rgba = colour(prim)
                own = matter_of(prim, place, self.units)
                if body is not None and (own.mass or own.density):  # MuJoCo's exporter has such
                    geom.mass = own.mass or np.nan
                    geom.density = own.density
                    parts.append((geom, solid, own.mass, own.density))
                continue
            mass, density = self._matter(prim, collider, said)
            geom = add_geom(self.spec, made, solid, name, mass, density)
            self._contact(geom, prim, collider)
            parts.append((geom, solid, mass, density))
        if body is not None:
            self._inertial(body, made, said, parts)

    def _matter(self, prim, collider, said):
        """(mass, density) of a shape, the first 0 where the second counts."""
        own = matter_of(collider, self.places.of(prim), self.units)
        if is_body(collider):  # a shape that is a body by itself: what it says is the body's
            own = Matter(density=own.density)
        if not own.silent and (own.com is not None or own.inertia is not None):
            self.findings.name("a centre or an inertia of a shape alone, which is not read", prim)
        material = _material(prim)
        densities = [own.density, 0.0 if said is None else said.density]
        if material is not None:
            density = authored(material, "physics:density") or 0.0
            densities.append(density * self.units.mass / self.units.length**3)
        return own.mass, next((x for x in densities if x > 0.0), WATER)

    def _contact(self, geom, prim, collider):
        geom.contype, geom.conaffinity = self.groups.bits(prim)
        geom.rgba = colour(prim)
        geom.group = 0 if is_seen(prim) and not is_guide(prim) else 3
        material = _material(prim)
        if material is not None:
            sliding, standing = (
                authored(material, f"physics:{x}Friction") for x in ("dynamic", "static")
            )
            geom.friction[0] = sliding or 0.0
            if sliding is None:
                self.findings.name("materials without dynamicFriction: USD has 0 then", material)
            elif standing is not None and standing != sliding:
                self.findings.name(
                    "staticFriction that is not dynamicFriction: MuJoCo has one, and gets the"
                    " latter", material,
                )  # fmt: skip
            if value(material.GetAttribute("physics:restitution")):
                self.findings.name("restitution, which MuJoCo has not", material)
        mjc.set_contact(geom, collider, material, self.units)

    def _inertial(self, body, made, said, parts):
        """The mass of a body; left to MuJoCo where its shapes say all of it."""
        whole = authored(body.prim, "newton:inertia")
        if said.silent and not any(solid.cone for _, solid, _, _ in parts):
            held = body.joints and all(j.kind == "PhysicsFixedJoint" for j in body.joints)
            if not parts and not held and not body.kinematic:
                self.findings.wrong(
                    "bodies without a mass and without shapes that collide", body.prim
                )
            return
        if said.inertia is not None and said.com is not None and said.mass > 0.0:
            shapes: list[Inertial] = []
        else:
            shapes = [of_shape(solid, mass, density) for _, solid, mass, density in parts]
        found = of_body(said, shapes)
        if whole is not None and len(whole) >= 6:
            found = Inertial(found.mass, found.com, _whole(whole, self.units))
        if found.mass > 0.0 and not found.inertia.any():
            moment = 0.4 * found.mass * BALL**2
            found = Inertial(found.mass, found.com, moment * np.eye(3))
            self.findings.name(
                f"a mass without an inertia or a shape: it is a ball of {BALL:g} m", body.prim
            )
        made.explicitinertial = True
        made.mass, made.ipos = found.mass, found.com
        _set_inertia(made, found.inertia)

    def _site(self, prim, place, made):
        solid = solid_of(prim, place, False, self.findings)
        if solid is None or solid.kind in ("mesh", "plane"):
            return
        kinds = mujoco.mjtGeom.__members__
        site = made.add_site(
            name=self.name("site", prim), pos=solid.p, quat=solid.q,
            type=kinds[f"mjGEOM_{solid.kind.upper()}"], rgba=colour(prim),
        )  # fmt: skip
        site.size[: len(solid.size)] = solid.size
        group = authored(prim, "mjc:group")
        if group is not None:
            site.group = group


def _has_physics(prim):
    from pxr import UsdPhysics

    return prim.HasAPI(UsdPhysics.RigidBodyAPI) or prim.HasAPI(UsdPhysics.CollisionAPI)


def _collider(prim, body):
    """The prim that makes a shape collide: itself, or one above it that is no shape; or None."""
    from pxr import UsdPhysics

    at = prim
    while at and at.GetPath() != at.GetStage().GetPseudoRoot().GetPath():
        if at.HasAPI(UsdPhysics.CollisionAPI) and (
            at == prim or str(at.GetTypeName()) not in KINDS
        ):
            on = value(UsdPhysics.CollisionAPI(at).GetCollisionEnabledAttr())
            return at if on else None
        if body is not None and at.GetPath() == body.prim.GetPath():
            return None
        at = at.GetParent()
    return None


def _material(prim):
    """The physics material of a shape; None if it has none."""
    from pxr import UsdPhysics, UsdShade

    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    if material and material.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
        return material.GetPrim()
    return None


def _whole(numbers, units):
    """newton:inertia, (xx, yy, zz, xy, xz, yz)"""
    xx, yy, zz, xy, xz, yz = (x * units.mass * units.length**2 for x in numbers[:6])
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _set_inertia(made, inertia):
    """The moments of a matrix and their axes; where these are the body's, to the bit."""
    if np.abs(inertia - np.diag(np.diag(inertia))).max() <= 1e-12 * np.abs(inertia).max():
        made.inertia = np.diag(inertia)
        return
    xx, yy, zz = np.diag(inertia)
    made.fullinertia = [xx, yy, zz, inertia[0, 1], inertia[0, 2], inertia[1, 2]]
