"""What MuJoCo's own schemas, and Newton's, say beside USD Physics.

MuJoCo's exporters write options, joints, contacts, sites, actuators, equalities and keyframes as
attributes with the prefix mjc:, in MuJoCo's words. Newton's schemas have some of them under its own
names, in units of the stage, per degree where it is angles. They are read by these names, whether
or not this USD has the schemas; only what is written down counts.
"""

from typing import Any

import mujoco
import numpy as np

from .losses import Findings
from .stage_values import DEGREE, Units, authored, schemas

LIMITED = {
    "true": mujoco.mjtLimited.mjLIMITED_TRUE,
    "false": mujoco.mjtLimited.mjLIMITED_FALSE,
    "auto": mujoco.mjtLimited.mjLIMITED_AUTO,
}
_GAINS = {k.name.removeprefix("mjGAIN_").lower(): k for k in mujoco.mjtGain.__members__.values()}
_BIASES = {k.name.removeprefix("mjBIAS_").lower(): k for k in mujoco.mjtBias.__members__.values()}
_BIASES["fixed"] = mujoco.mjtBias.mjBIAS_NONE  # as MuJoCo 4.0's own exporter has it
_DYNAMICS = {k.name.removeprefix("mjDYN_").lower(): k for k in mujoco.mjtDyn.__members__.values()}
_OPTIONS = (
    "timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance",
    "sleep_tolerance", "density", "viscosity", "o_margin", "iterations", "ls_iterations",
    "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints", "magnetic", "wind",
    "o_friction", "o_solref", "o_solimp",
)  # fmt: skip
_WORDS = {
    "integrator": ("mjINT_", mujoco.mjtIntegrator),
    "cone": ("mjCONE_", mujoco.mjtCone),
    "jacobian": ("mjJAC_", mujoco.mjtJacobian),
    "solver": ("mjSOL_", mujoco.mjtSolver),
}
EQUALITY = len(mujoco.MjSpec().add_equality().data)  # numbers that an equality has


def set_options(spec: Any, scene: Any, findings: Findings) -> None:
    """Options and flags of a scene."""
    for name in _OPTIONS:
        found = authored(scene, f"mjc:option:{name}")
        if found is not None:
            if np.ndim(found):
                getattr(spec.option, name)[:] = np.asarray(found)
            else:
                setattr(spec.option, name, found)
    for name, (prefix, enum) in _WORDS.items():
        word = authored(scene, f"mjc:option:{name}")
        if word is not None:
            known = {k.removeprefix(prefix).lower(): v for k, v in enum.__members__.items()}
            if str(word).lower() in known:
                setattr(spec.option, name, known[str(word).lower()])
            else:
                findings.refuse(f"mjc:option:{name} {word}, which this MuJoCo has not", scene)
    for kind, enum, field in (
        ("mjDSBL_", mujoco.mjtDisableBit, "disableflags"),
        ("mjENBL_", mujoco.mjtEnableBit, "enableflags"),
    ):
        for key, bit in enum.__members__.items():
            on = authored(scene, f"mjc:flag:{key.removeprefix(kind).lower()}")
            if on is not None and bool(on) == (field == "enableflags"):
                setattr(spec.option, field, getattr(spec.option, field) | int(bit))
    per_second = authored(scene, "newton:timeStepsPerSecond", "physxScene:timeStepsPerSecond")
    if per_second and authored(scene, "mjc:option:timestep") is None:
        spec.option.timestep = 1.0 / per_second
    if authored(scene, "newton:gravityEnabled") is False:
        spec.option.gravity = np.zeros(3)
    for name in ("boundMass", "boundInertia", "setTotalMass", "balanceInertia", "alignFree"):
        found = authored(scene, f"mjc:compiler:{name}")
        if found is not None:
            setattr(spec.compiler, name.lower(), found)


def set_joint(joint: Any, prim: Any, turns: bool, units: Units) -> None:
    """Armature, damping, friction, springs and limits of a joint of MuJoCo's."""
    force = units.mass * units.length * (units.length if turns else 1.0)
    inertia = units.mass * (units.length**2 if turns else 1.0)
    rate = force / (DEGREE if turns else units.length)
    for field, own, other, unit in (
        ("armature", "mjc:armature", "newton:armature", inertia),
        ("frictionloss", "mjc:frictionloss", "newton:friction", force),
        ("damping", "mjc:damping", "newton:damping", rate),
        ("stiffness", "mjc:stiffness", "", 1.0),
    ):
        found = authored(prim, own)
        if found is None and other:
            found = authored(prim, other)
            found = None if found is None else found * unit
        if found is None and field == "armature":
            found = authored(prim, "physxJoint:armature")
            found = None if found is None else found * inertia
        if found is not None:
            many = field in ("damping", "stiffness")
            setattr(joint, field, [found, 0.0, 0.0] if many else found)
    angle = DEGREE if turns else units.length
    for field in ("ref", "springref"):
        found = authored(prim, f"mjc:{field}")
        if found is not None:
            setattr(joint, field, found * angle)
    for field in ("margin", "group"):
        found = authored(prim, f"mjc:{field}")
        if found is not None:
            setattr(joint, field, found)
    for field, name in (
        ("solref_limit", "solreflimit"), ("solimp_limit", "solimplimit"),
        ("solref_friction", "solreffriction"), ("solimp_friction", "solimpfriction"),
        ("springdamper", "springdamper"),
    ):  # fmt: skip
        found = authored(prim, f"mjc:{name}")
        if found is not None:
            setattr(joint, field, np.asarray(found, float))
    joint.actgravcomp = bool(authored(prim, "mjc:actuatorgravcomp"))
    _range(joint, prim, "mjc:actuatorfrc", "actfrc", "limited", "range")


def _range(target, prim, name, field, limited="Limited", span="Range"):
    low, high = authored(prim, f"{name}{span}:min"), authored(prim, f"{name}{span}:max")
    if low is not None or high is not None:
        setattr(target, f"{field}range", [low or 0.0, high or 0.0])
    word = authored(prim, f"{name}{limited}")
    if word is not None:
        setattr(target, f"{field}limited", LIMITED[str(word)])


def set_contact(geom: Any, prim: Any, material: Any, units: Units) -> None:
    """What MuJoCo's schema, or Newton's, says of contacts of a geom."""
    for name in ("condim", "priority", "solmix", "group"):
        found = authored(prim, f"mjc:{name}")
        if found is not None:
            setattr(geom, name, found)
    for field in ("margin", "gap"):
        found = authored(prim, f"mjc:{field}")
        if found is not None:
            setattr(geom, field, found * units.length)
    for name in ("solref", "solimp"):
        found = authored(prim, f"mjc:{name}")
        if found is not None:
            setattr(geom, name, np.asarray(found, float))
    if authored(prim, "mjc:shellinertia"):
        geom.typeinertia = mujoco.mjtGeomInertia.mjINERTIA_SHELL
    if material is not None:
        torsional = authored(material, "newton:torsionalFriction", "mjc:torsionalfriction")
        rolling = authored(material, "newton:rollingFriction", "mjc:rollingfriction")
        if torsional is not None:
            geom.friction[1] = torsional
        if rolling is not None:
            geom.friction[2] = rolling


def add_actuator(
    spec: Any, prim: Any, name: str, names: dict[str, tuple[str, str]], findings: Findings
) -> None:
    """An MjcActuator; names: of joints, tendons, sites and bodies by path."""
    target = prim.GetRelationship("mjc:target").GetForwardedTargets()
    path = str(target[0]) if target else ""
    kind, found = names.get(path, ("", "")) if path else ("", "")
    if kind not in ("joint", "site", "body", "tendon"):
        findings.refuse("MjcActuators of what is not there", prim)
        return
    transmissions = {
        "tendon": mujoco.mjtTrn.mjTRN_TENDON,
        "joint": mujoco.mjtTrn.mjTRN_JOINT,
        "site": mujoco.mjtTrn.mjTRN_SITE,
        "body": mujoco.mjtTrn.mjTRN_BODY,
    }
    actuator = spec.add_actuator(name=name, target=found, trntype=transmissions[kind])
    if kind == "joint" and authored(prim, "mjc:jointInParent"):
        actuator.trntype = mujoco.mjtTrn.mjTRN_JOINTINPARENT
    for field, words in (("gaintype", _GAINS), ("biastype", _BIASES), ("dyntype", _DYNAMICS)):
        word = authored(prim, f"mjc:{field[:-4]}Type")
        if word is not None and str(word) not in words:
            findings.refuse(f"MjcActuators with {field} {word}", prim)
        elif word is not None:
            setattr(actuator, field, words[str(word)])
    for field, attribute in (
        ("gainprm", "gainPrm"), ("biasprm", "biasPrm"), ("dynprm", "dynPrm"), ("gear", "gear"),
    ):  # fmt: skip
        numbers = authored(prim, f"mjc:{attribute}")
        if numbers is not None:
            array = np.zeros(len(getattr(actuator, field)))
            array[: len(numbers)] = numbers
            setattr(actuator, field, array)
    for field, attribute in (
        ("actdim", "actDim"), ("actearly", "actEarly"), ("group", "group"),
        ("cranklength", "crankLength"), ("inheritrange", "inheritRange"),
    ):  # fmt: skip
        number = authored(prim, f"mjc:{attribute}")
        if number is not None:
            setattr(actuator, field, number)
    for field in ("ctrl", "force", "act"):
        _range(actuator, prim, f"mjc:{field}", field)
    low, high = authored(prim, "mjc:lengthRange:min"), authored(prim, "mjc:lengthRange:max")
    if low is not None or high is not None:
        actuator.lengthrange = [low or 0.0, high or 0.0]
    for field in ("refsite", "slidersite"):
        relation = prim.GetRelationship(f"mjc:{field[:-4]}Site")
        paths = relation.GetForwardedTargets() if relation else []
        if paths:
            setattr(actuator, field, names.get(str(paths[0]), ("", ""))[1])


def add_mimic(spec: Any, prim: Any, names: dict[str, tuple[str, str]], units: Units,
              turns: bool, findings: Findings) -> None:  # fmt: skip
    """The equality of a joint that follows another."""
    if not any(name in ("NewtonMimicAPI", "MjcEqualityJointAPI") for name in schemas(prim)):
        return
    if authored(prim, "newton:mimicEnabled") is False:
        return
    paths = []
    for relation in ("newton:mimicJoint", "mjc:target"):
        found = prim.GetRelationship(relation)
        paths += [str(p) for p in found.GetForwardedTargets()] if found else []
    kind, leader = names.get(paths[0], ("", "")) if paths else ("", "")
    if kind != "joint":
        findings.wrong("joints that follow a joint that is not there", prim)
        return
    offset = authored(prim, "newton:mimicCoef0")
    offset = 0.0 if offset is None else offset * (DEGREE if turns else units.length)
    own = authored(prim, "mjc:coef0")
    data = np.zeros(EQUALITY)
    factor = authored(prim, "newton:mimicCoef1", "mjc:coef1")
    data[:2] = offset if own is None else own, 1.0 if factor is None else factor
    data[2:5] = [authored(prim, f"mjc:coef{k}") or 0.0 for k in (2, 3, 4)]
    follower = names[str(prim.GetPath())][1]
    equality = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT, name1=follower,
        name2=leader, data=data, name=f"{follower}_follows",
    )  # fmt: skip
    set_equality(equality, prim)


def add_gearing(spec: Any, prim: Any, names: dict[str, tuple[str, str]], units: Units,
                turns: bool, findings: Findings) -> None:  # fmt: skip
    """PhysxMimicJointAPI: q + gearing q_reference + offset = 0, the offset in the stage's units."""
    for schema in schemas(prim):
        if not schema.startswith("PhysxMimicJointAPI:"):
            continue
        start = f"physxMimicJoint:{schema.partition(':')[2]}"
        relation = prim.GetRelationship(f"{start}:referenceJoint")
        paths = relation.GetForwardedTargets() if relation else []
        kind, leader = names.get(str(paths[0]), ("", "")) if paths else ("", "")
        if kind != "joint" or str(prim.GetPath()) not in names:
            findings.wrong("joints that follow a joint that is not there", prim)
            continue
        gearing, offset = (authored(prim, f"{start}:{x}") for x in ("gearing", "offset"))
        data = np.zeros(EQUALITY)
        data[0] = -(offset or 0.0) * (DEGREE if turns else units.length)
        data[1] = -(1.0 if gearing is None else gearing)
        follower = names[str(prim.GetPath())][1]
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT, name1=follower,
            name2=leader, data=data, name=f"{follower}_geared",
        )  # fmt: skip


def set_equality(equality: Any, prim: Any) -> None:
    """Its impedance and reference."""
    for name in ("solref", "solimp"):
        found = authored(prim, f"mjc:{name}")
        if found is not None:
            setattr(equality, name, np.asarray(found, float))


def add_key(spec: Any, prim: Any, name: str) -> None:
    """An MjcKeyframe."""
    key = spec.add_key(name=name)
    for field in ("qpos", "qvel", "act", "ctrl", "mpos", "mquat"):
        found = authored(prim, f"mjc:{field}")
        if found is not None and len(found):
            setattr(key, field, np.asarray(found, float))
