"""Whether the integers of an MjModel lead anywhere outside of its arrays."""

import numpy as np

from ..mjconst import (
    CHART_QUAT,
    DYN_INTEGRATOR,
    DYN_MUSCLE,
    EQ_JOINT,
    EQ_TENDON,
    GAIN_DCMOTOR,
    GAIN_PID,
    GAIN_SO3,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SDF,
    INPUT_FF,
    INPUT_POS,
    INPUT_VEL,
    INPUT_VOLTAGE,
    JNT_BALL,
    JNT_FREE,
    OBJ_BODY,
    OBJ_SITE,
    TENDON_FIXED,
    TRN_BODY,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_SLIDERCRANK,
    TRN_SO3,
    TRN_TENDON,
    WRAP_CYLINDER,
    WRAP_JOINT,
    WRAP_SITE,
    WRAP_SPHERE,
)
from .ranges import ALLOWED, RANGES, SPANS
from .sensing import sensor_problems, tree_problems

_SENSED = (sensor_problems, tree_problems)


def problems(mj):
    """What is wrong with the structure of an MjModel, a line for each field; [] if it is sound.

    The checks of a later group rely on those before.
    """
    for group in (_ranges, _spans, _references, _trees, _matrices, _meshes, *_SENSED):
        if found := [line for line in group(mj) if line]:
            return found
    return []


def size_of(mj, text):
    """A size by its name, `name+1`, or a number."""
    name, _, more = text.partition("+")
    return int(name) if name.isdigit() else getattr(mj, name) + int(more or 0)


def within(name, values, low, high):
    """'' or the first value that is not from low on and below high."""
    values = np.asarray(values)
    with np.errstate(invalid="ignore"):
        bad = ~((values >= low) & (values < high))
    return _first(name, values, bad, f"in [{low}, {high})") if bad.any() else ""


def among(name, values, allowed):
    bad = ~np.isin(values, allowed)
    return _first(name, values, bad, f"one of {allowed}") if bad.any() else ""


def _first(name, values, bad, wanted):
    place = tuple(int(k) for k in np.argwhere(bad)[0])
    index = ", ".join(map(str, place))
    return f"{name}[{index}] is {values[place]}; it must be {wanted}"


# -------------------------------------------------------------------------------------- the groups


def _ranges(mj):
    for name, (low, high) in RANGES.items():
        if name == "eq_type" and mj.nflex:  # such a model is refused by that name
            continue
        yield within(name, getattr(mj, name), low, size_of(mj, high))
    for name, allowed in ALLOWED.items():
        yield among(name, getattr(mj, name), allowed)
    for name in ("exclude_signature", "pair_signature"):
        for part in (getattr(mj, name) >> 16, getattr(mj, name) & 0xFFFF):
            yield within(f"the bodies of {name}", part, 0, mj.nbody)


def _spans(mj):
    for first, count, size in SPANS:
        yield _span(first, getattr(mj, first), count, getattr(mj, count), getattr(mj, size))
    dofs = np.ones(mj.njnt, int)
    dofs[mj.jnt_type == JNT_BALL], dofs[mj.jnt_type == JNT_FREE] = 3, 6
    yield _span("jnt_dofadr", mj.jnt_dofadr, "jnt_type", dofs, mj.nv)
    yield _span("jnt_qposadr", mj.jnt_qposadr, "jnt_type", dofs + (dofs > 1), mj.nq)
    cells = mj.hfield_nrow.astype(np.int64) * mj.hfield_ncol
    yield _span("hfield_adr", mj.hfield_adr, "hfield_nrow * hfield_ncol", cells, mj.nhfielddata)
    yield within("actuator_outnum", mj.actuator_outnum, 1, 4)
    yield within("D_diag", mj.D_diag, 0, mj.D_rownnz)
    yield within("M_rownnz", mj.M_rownnz, 1, mj.nv + 1)
    # buffers of delays: their head, times, values
    samples, interp = mj.actuator_history.T.astype(np.int64)
    yield within("actuator_history", samples, 0, mj.nhistory + 1)
    yield within("actuator_history", interp, 0, 3)
    length = np.where(samples > 0, 2 + samples * (1 + mj.actuator_ctrlnum), 0)
    adr = "actuator_historyadr"
    yield _span(adr, mj.actuator_historyadr, "actuator_history", length, mj.nhistory)
    yield _plastic("jnt_plasticadr", mj.jnt_plasticadr, np.where(dofs > 1, 4, 1), mj.nplastic)
    yield _plastic("tendon_plasticadr", mj.tendon_plasticadr, np.full(mj.ntendon, 2), mj.nplastic)


def _span(first, start, count, number, size):
    """'' or the first element whose span is not within a size."""
    start, number = np.asarray(start, np.int64), np.asarray(number, np.int64)
    bad = (number < 0) | ((number > 0) & ((start < 0) | (start + number > size)))
    if not bad.any():
        return ""
    k = int(np.flatnonzero(bad)[0])
    return f"{first}[{k}] is {start[k]} and {count} {number[k]}; these must lie within {size}"


def _plastic(name, adr, number, size):
    return _span(name, adr, "the numbers from there on", np.where(adr >= 0, number, 0), size)


def _references(mj):
    """Ids whose kind another field says."""
    yield data_ids(mj, mj.geom_dataid)
    yield _where("site_dataid", mj.site_dataid, mj.site_type == GEOM_MESH, 0, mj.nmesh)
    kind = mj.wrap_type
    for types, size in (
        ((WRAP_JOINT,), mj.njnt), ((WRAP_SITE,), mj.nsite),
        ((WRAP_SPHERE, WRAP_CYLINDER), mj.ngeom),
    ):  # fmt: skip
        yield _where("wrap_objid", mj.wrap_objid, np.isin(kind, types), 0, size)
    yield side_sites(mj, mj.wrap_prm)
    yield _paths(mj)
    yield wrapped_armature(mj, mj.tendon_armature)
    kind, first, second = mj.actuator_trntype, mj.actuator_trnid[:, 0], mj.actuator_trnid[:, 1]
    joint = np.isin(kind, (TRN_JOINT, TRN_JOINTINPARENT)) | ((kind == TRN_SO3) & (second < 0))
    name = "actuator_trnid"
    yield _where(name, first, joint, 0, mj.njnt)
    yield _where(name, first, kind == TRN_TENDON, 0, mj.ntendon)
    yield _where(name, first, kind == TRN_BODY, 0, mj.nbody)
    site = ~joint & ~np.isin(kind, (TRN_TENDON, TRN_BODY))
    yield _where(name, first, site, 0, mj.nsite)
    yield _where(name, second, site, np.where(kind == TRN_SLIDERCRANK, 0, -1), mj.nsite)
    yield from _actuators(mj)
    kind = mj.eq_type
    ours = kind <= EQ_TENDON
    yield _where("eq_objtype", mj.eq_objtype, ours & (kind < EQ_JOINT) &
                 (mj.eq_objtype != OBJ_SITE), OBJ_BODY, OBJ_BODY + 1)  # fmt: skip
    sites = (kind < EQ_JOINT) & (mj.eq_objtype == OBJ_SITE)
    for on, size in (
        (sites, mj.nsite), ((kind < EQ_JOINT) & ~sites, mj.nbody), (kind == EQ_JOINT, mj.njnt),
        (kind == EQ_TENDON, mj.ntendon),
    ):  # fmt: skip
        yield _where("eq_obj1id", mj.eq_obj1id, on, 0, size)
        yield _where("eq_obj2id", mj.eq_obj2id, on, np.where(kind < EQ_JOINT, 0, -1), size)


def _actuators(mj):
    """Inputs and activations that the kind of an actuator needs."""
    dyn, gain, spec = mj.actuator_dyntype, mj.actuator_gaintype, mj.actuator_ctrlspec
    ctrl, act = mj.actuator_ctrlnum, mj.actuator_actnum
    needed = np.where((dyn >= DYN_INTEGRATOR) & (dyn <= DYN_MUSCLE), 1, 0)
    needed = np.where(dyn == DYN_INTEGRATOR, ctrl, needed)
    yield _at_least("actuator_actnum", act, needed, "actuator_dyntype")
    bits = sum((spec & bit != 0).astype(int) for bit in _INPUTS)
    needed = np.where(np.isin(gain, (GAIN_DCMOTOR, GAIN_PID)), bits, 1)
    needed = np.where(gain == GAIN_SO3, np.where(spec == CHART_QUAT, 4, 3), needed)
    yield _at_least("actuator_ctrlnum", ctrl, needed, "actuator_gaintype and actuator_ctrlspec")
    yield _at_least(
        "actuator_outnum", mj.actuator_outnum, np.where(gain == GAIN_SO3, 3, 1), "actuator_gaintype"
    )


_INPUTS = (INPUT_POS, INPUT_VEL, INPUT_FF, INPUT_VOLTAGE)


def _at_least(name, values, needed, by):
    short = np.flatnonzero(values < needed)
    if not short.size:
        return ""
    k = int(short[0])
    return f"{name}[{k}] is {values[k]}; by {by} it must be {needed[k]} or more"


def _paths(mj):
    """'' or what is wrong with the objects along tendons.

    A fixed tendon has joints; along a spatial one, a geom has a site before and behind it.
    """
    follow = np.cumsum(mj.tendon_num) - mj.tendon_num
    if not np.array_equal(mj.tendon_adr, follow) or mj.tendon_num.sum() != mj.nwrap:
        return "tendon_adr and tendon_num do not agree: paths follow each other"
    kind, tendon = mj.wrap_type, np.repeat(np.arange(mj.ntendon), mj.tendon_num)
    fixed = mj.tendon_type[tendon] == TENDON_FIXED
    wrong = fixed != (kind == WRAP_JOINT)
    if wrong.any():
        return _first("wrap_type", kind, wrong, "a joint's on fixed tendons, and on no other")
    geom, padded = np.isin(kind, (WRAP_SPHERE, WRAP_CYLINDER)), np.pad(kind, 1)
    owner = np.pad(tendon, 1, constant_values=-1)
    before = (padded[:-2] == WRAP_SITE) & (owner[:-2] == tendon)
    behind = (padded[2:] == WRAP_SITE) & (owner[2:] == tendon)
    alone = geom & ~(before & behind)
    return _first("wrap_type", kind, alone, "between two sites") if alone.any() else ""


def data_ids(mj, geom_dataid):
    """'' or what is wrong with the meshes and height fields of geoms."""
    fields, meshes = mj.geom_type == GEOM_HFIELD, np.isin(mj.geom_type, (GEOM_MESH, GEOM_SDF))
    for mask, low, size in (
        (fields, 0, mj.nhfield), (meshes, 0, mj.nmesh), (~fields & ~meshes, -1, mj.nmesh),
    ):  # fmt: skip
        if line := _where("geom_dataid", geom_dataid, mask, low, size):
            return line
    return ""


def side_sites(mj, wrap_prm):
    """'' or what is wrong with the ids among the numbers: sites on whose side a tendon wraps."""
    geoms = np.isin(mj.wrap_type, (WRAP_SPHERE, WRAP_CYLINDER))
    whole = np.where(geoms & np.isfinite(wrap_prm), np.trunc(wrap_prm), wrap_prm)
    if geoms.any() and (wrap_prm[geoms] != whole[geoms]).any():
        return _first("wrap_prm", wrap_prm, geoms & (wrap_prm != whole), "a site's id, or -1")
    return _where("wrap_prm", wrap_prm, geoms, -1, mj.nsite)


def wraps(mj):
    """Mask: tendons that wrap around geoms."""
    geoms = np.isin(mj.wrap_type, (WRAP_SPHERE, WRAP_CYLINDER))
    return (
        np.bincount(np.repeat(np.arange(mj.ntendon), mj.tendon_num)[geoms], minlength=mj.ntendon)
        > 0
    )


def wrapped_armature(mj, tendon_armature):
    """'' or which tendon wraps around geoms and has armature, which MuJoCo does not simulate."""
    bad = wraps(mj) & (tendon_armature != 0)
    wanted = "0, since the tendon wraps around geoms, and MuJoCo has no armature for such"
    return _first("tendon_armature", tendon_armature, bad, wanted) if bad.any() else ""


def _where(name, values, mask, low, high):
    low = np.broadcast_to(low, values.shape)
    with np.errstate(invalid="ignore"):
        bad = mask & ~((values >= low) & (values < high))
    if not bad.any():
        return ""
    k = int(np.flatnonzero(bad)[0])
    return _first(name, values, bad, f"in [{low[k]}, {high})")


def _trees(mj):
    """Parents come before children, so that walks to the root end."""
    bodies, dofs = np.arange(mj.nbody), np.arange(mj.nv)
    for name in ("body_rootid", "body_weldid"):
        yield within(name, getattr(mj, name), 0, bodies + 1)
    yield within("body_parentid", mj.body_parentid, 0, np.maximum(bodies, 1))
    yield within("dof_parentid", mj.dof_parentid, -1, dofs)
    # what belongs together says so from both sides
    for adr, num, back in (
        ("body_jntadr", "body_jntnum", "jnt_bodyid"), ("body_dofadr", "body_dofnum", "dof_bodyid"),
        ("body_geomadr", "body_geomnum", "geom_bodyid"),
    ):  # fmt: skip
        yield _partition(adr, getattr(mj, adr), num, getattr(mj, num), back, getattr(mj, back))
    number = np.where(mj.jnt_type == JNT_FREE, 6, np.where(mj.jnt_type == JNT_BALL, 3, 1))
    yield _partition("jnt_dofadr", mj.jnt_dofadr, "jnt_type", number, "dof_jntid", mj.dof_jntid)
    tree = "tree_dofadr", mj.tree_dofadr, "tree_dofnum", mj.tree_dofnum
    yield _partition(*tree, "dof_treeid", mj.dof_treeid)
    mocap = np.sort(mj.body_mocapid[mj.body_mocapid >= 0])
    if not np.array_equal(mocap, np.arange(mj.nmocap)):
        yield f"body_mocapid is {mj.body_mocapid}; it must have each of 0 to {mj.nmocap - 1} once"


def _partition(first, start, count, number, back, owner):
    """'' or what is wrong with spans that must have every element once, which names its owner."""
    wanted = np.repeat(np.arange(len(start)), number)
    if len(wanted) == len(owner) and np.array_equal(wanted, owner):
        begins = np.cumsum(number) - number
        off = (number > 0) & (start != begins)
        if not off.any():
            return ""
        k = int(np.flatnonzero(off)[0])
        return f"{first}[{k}] is {start[k]}; by {count} it must be {begins[k]}"
    return f"{count} and {back} do not agree"


def _matrices(mj):
    """Rows of M and D follow each other, and have the columns that the tree of dofs gives them."""
    for letter, size in (("M", mj.nC), ("D", mj.nD), ("B", mj.nB)):
        yield _follow(f"{letter}_rowadr", mj, letter, size)
    yield _follow("ten_J_rowadr", mj, "ten_J", mj.nJten)
    rows = [mj.M_colind[a : a + n] for a, n in zip(mj.M_rowadr, mj.M_rownnz, strict=True)]
    for i, row in enumerate(rows):
        p = int(mj.dof_parentid[i])
        above = rows[p] if p >= 0 and len(row) > 1 else row[:0]
        if row[-1] != i or not np.array_equal(row[:-1], above):
            yield f"the columns of row {i} in M_colind are not those of its parent, and itself"
            return
    # a row of D has the dofs above it, itself, and those below, which follow it
    below = np.zeros(mj.nv, int)
    for i in range(mj.nv - 1, -1, -1):
        if mj.dof_parentid[i] >= 0:
            below[mj.dof_parentid[i]] += 1 + below[i]
    chains: list = []
    for i, (adr, diag, nnz) in enumerate(zip(mj.D_rowadr, mj.D_diag, mj.D_rownnz, strict=True)):
        p = int(mj.dof_parentid[i])
        chains.append([*chains[p], p] if p >= 0 else [])
        wanted = [*chains[i], *range(i, i + 1 + below[i])]
        if diag != len(chains[i]) or mj.D_colind[adr : adr + nnz].tolist() != wanted:
            yield f"the columns of row {i} in D_colind are not the dofs above it and below"
            return
    yield _rising("ten_J_colind", mj.ten_J_colind, mj.ten_J_rowadr, mj.ten_J_rownnz)
    # each number of M stands at the same place of D
    row = np.repeat(np.arange(mj.nv), mj.M_rownnz)
    row_D = np.repeat(np.arange(mj.nv), mj.D_rownnz)
    same = (mj.D_colind[mj.mapD2M] == mj.M_colind) & (row_D[mj.mapD2M] == row)
    if not same.all():
        yield f"mapD2M[{int(np.flatnonzero(~same)[0])}] leads to another number of D"


def _follow(name, mj, prefix, size):
    adr, number = getattr(mj, f"{prefix}_rowadr"), getattr(mj, f"{prefix}_rownnz")
    wanted = np.cumsum(number) - number
    off = np.flatnonzero(adr != wanted)
    if off.size:
        return f"{name}[{off[0]}] is {adr[off[0]]}; rows follow each other: {wanted[off[0]]}"
    return "" if number.sum() == size else f"{prefix}_rownnz must add up to {size}"


def _rising(name, columns, adr, number):
    """'' or that the columns of some row do not rise."""
    if len(columns) < 2:
        return ""
    starts = np.zeros(len(columns), bool)
    starts[adr[number > 0]] = True
    off = np.flatnonzero((np.diff(columns) <= 0) & ~starts[1:])
    return (
        f"{name}[{off[0] + 1}] is {columns[off[0] + 1]}; columns of a row rise" if off.size else ""
    )


def _meshes(mj):
    """Polygons and hulls name vertices of their mesh, vertices polygons of theirs."""
    for i in range(mj.nmesh):
        vertices, polygons = int(mj.mesh_vertnum[i]), int(mj.mesh_polynum[i])
        own = slice(mj.mesh_polyadr[i], mj.mesh_polyadr[i] + polygons)
        corners = _gather(mj.mesh_polyvert, mj.mesh_polyvertadr[own], mj.mesh_polyvertnum[own])
        yield within(f"mesh_polyvert of mesh {i}", corners, 0, vertices)
        own = slice(mj.mesh_vertadr[i], mj.mesh_vertadr[i] + vertices)
        around = _gather(mj.mesh_polymap, mj.mesh_polymapadr[own], mj.mesh_polymapnum[own])
        yield within(f"mesh_polymap of mesh {i}", around, 0, max(polygons, 1))
        yield within(f"mesh_extrema of mesh {i}", mj.mesh_extrema[i], 0, max(vertices, 1))
        if mj.mesh_graphadr[i] >= 0:
            yield _hull(mj, i, vertices)


def _gather(values, adr, number):
    """values[adr : adr + number] of all spans."""
    number = number.astype(np.int64)
    first = np.repeat(adr - (np.cumsum(number) - number), number)
    return values[first + np.arange(number.sum())]


def _hull(mj, i, vertices):
    """The graph of a hull: counts, where edges start, vertices, edges that end with -1, faces."""
    graph, adr = mj.mesh_graph, int(mj.mesh_graphadr[i])
    what = f"mesh_graph of mesh {i}"
    if adr + 2 > len(graph):
        return f"{what} has no room for its counts"
    nvert, nface = (int(n) for n in graph[adr : adr + 2])
    nedge = nvert + 3 * nface
    if nvert < 0 or nface < 0 or adr + 2 + 2 * nvert + nedge + 3 * nface > len(graph):
        return f"{what} has counts of {nvert} vertices and {nface} faces, for which it has no room"
    starts, ids, edges, faces = np.split(
        graph[adr + 2 : adr + 2 + 2 * nvert + nedge + 3 * nface],
        np.cumsum([nvert, nvert, nedge]),
    )
    closed = nvert == 0 or (nedge > 0 and edges[-1] == -1)
    lines = (
        within(f"{what}, start of edges,", starts, 0, max(nedge, 1)),
        within(f"{what}, vertices,", ids, 0, max(vertices, 1)),
        within(f"{what}, edges,", edges, -1, max(nvert, 1)),
        within(f"{what}, faces,", faces, 0, max(vertices, 1)),
        "" if closed else f"{what} has edges that do not end with -1",
    )
    return next((line for line in lines if line), "")
