"""How shapes look: whether they are seen, and their colour."""

from typing import Any

from .stage_values import plain

GREY = (0.5, 0.5, 0.5, 1.0)


def is_guide(prim: Any) -> bool:
    """Whether it is drawn only where it helps, as shapes that collide often are."""
    from pxr import UsdGeom

    return str(UsdGeom.Imageable(prim).ComputePurpose()) in ("guide", "proxy")


def is_seen(prim: Any) -> bool:
    """Whether it is drawn."""
    from pxr import UsdGeom

    form = UsdGeom.Imageable(prim)
    return str(form.ComputeVisibility()) != "invisible" and not is_guide(prim)


def colour(prim: Any) -> tuple[float, ...]:
    """(r, g, b, a): of the prim itself, or of the material that it has."""
    from pxr import UsdGeom, UsdShade

    shape = UsdGeom.Gprim(prim)
    colours, opacity = shape.GetDisplayColorAttr().Get(), shape.GetDisplayOpacityAttr().Get()
    if colours:
        return (*plain(colours[0], True), float(opacity[0]) if opacity else 1.0)
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    if not material:
        return GREY
    shader = material.ComputeSurfaceSource()[0]
    if not shader:
        return GREY
    for name in ("diffuseColor", "diffuse_color_constant", "base_color"):
        found = shader.GetInput(name)
        rgb = found.Get() if found else None
        if rgb is not None and len(rgb) == 3:
            return (*plain(rgb, True), 1.0)
    return GREY
