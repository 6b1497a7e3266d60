"""Facts of a stage, for `lanewise usd info`."""

from collections import Counter
from typing import Any

from .jointed import is_body, is_joint
from .losses import Findings
from .solids import KINDS
from .stage_spec import prims_of, spec_of_stage, units_of
from .stage_values import schemas, value


def overview(stage: Any) -> tuple[dict[str, Any], Findings]:
    """What a stage says of itself, and what of it a model would not have."""
    from pxr import UsdGeom, UsdPhysics

    findings = Findings()
    spec = spec_of_stage(stage, findings)
    prims, units = prims_of(stage), units_of(stage)
    authored = stage.HasAuthoredMetadata
    joints = [prim for prim in prims if is_joint(prim)]
    roots = [prim for prim in prims if prim.HasAPI(UsdPhysics.ArticulationRootAPI)]
    facts = {
        "up": units.up,
        "up_said": bool(authored(UsdGeom.Tokens.upAxis)),
        "metres_per_unit": units.length,
        "metres_said": bool(authored(UsdGeom.Tokens.metersPerUnit)),
        "kilograms_per_unit": units.mass,
        "prims": len(prims),
        "layers": [layer.identifier for layer in stage.GetUsedLayers() if not layer.anonymous],
        "variants": _variants(prims),
        "instances": [str(prim.GetPath()) for prim in prims if prim.IsInstance()],
        "articulation_roots": [{"path": str(prim.GetPath()), "on": _what(prim)} for prim in roots],
        "bodies": [str(prim.GetPath()) for prim in prims if is_body(prim)],
        "joints": dict(Counter(str(prim.GetTypeName()) for prim in joints)),
        "shapes": dict(
            Counter(str(p.GetTypeName()) for p in prims if p.HasAPI(UsdPhysics.CollisionAPI))
        ),
        "drawn": sum(str(p.GetTypeName()) in KINDS for p in prims),
        "drives": [drive for prim in joints for drive in _drives(prim)],
        "gravity": [float(x) for x in spec.option.gravity],
        "named": findings.named,
        "mistakes": findings.mistakes,
        "refused": findings.refused,
    }
    return facts, findings


def _variants(prims):
    found = []
    for prim in prims:
        sets = prim.GetVariantSets()
        for name in sets.GetNames():
            one = sets.GetVariantSet(name)
            found.append(
                {
                    "path": str(prim.GetPath()),
                    "set": name,
                    "chosen": one.GetVariantSelection(),
                    "choices": list(one.GetVariantNames()),
                }
            )
    return found


def _what(prim):
    return "a body" if is_body(prim) else "a joint" if is_joint(prim) else "a wrapper"


def _drives(prim):
    """The drives of a joint in the stage's own units."""
    from pxr import UsdPhysics

    for name in schemas(prim):
        if name.startswith("PhysicsDriveAPI:"):
            which = name.partition(":")[2]
            api = UsdPhysics.DriveAPI(prim, which)
            yield {
                "path": str(prim.GetPath()),
                "along": which,
                "type": str(value(api.GetTypeAttr())),
                "stiffness": value(api.GetStiffnessAttr()),
                "damping": value(api.GetDampingAttr()),
                "max_force": value(api.GetMaxForceAttr()),
                "target": value(api.GetTargetPositionAttr()),
                "target_velocity": value(api.GetTargetVelocityAttr()),
            }
