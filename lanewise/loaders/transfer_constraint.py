"""Contacts and constraint rows, between an MjData and the lanes of a Data.

MjData has the rows that exist, one after another. A Data has a static row for every constraint but
contacts, and contacts by direction: an elliptic contact's rows are its directions, and the edges of
a pyramid are u0 + mu_j u_j and u0 - mu_j u_j, from which the directions follow.
"""

import mujoco
import numpy as np

from ..engine.constraint.impedance import impedance_slope, row_parameters
from ..fields import DATA
from ..lanes import vec

_CONTACT = [f.name for f in DATA if f.name.startswith("contact.")]
_TYPE = mujoco.mjtConstraint
_DUAL = ("efc_b", "efc_force", "efc_state")  # what a dual solver leaves, and nobody makes anew
# MuJoCo's names of what rows have, and the endings of ours
_NUMBERS = {
    "efc_R": "R", "efc_D": "D", "efc_vel": "vel", "efc_aref": "aref", "efc_force": "force",
}  # fmt: skip


def put_constraint(model, d, sources):
    """Contacts and rows of MjDatas, one for each lane; the other fields are there already."""
    active = set()
    for lane in range(d.width):
        source = sources[lane if lane < len(sources) else 0]
        _put_contacts(model, d, lane, source)
        if source.nefc:
            active |= _put_rows(model, d, lane, source)
    d.arrays["ncon_most"][...] = max(source.ncon for source in sources)
    d.arrays["dual_made"][...] = mujoco.mj_isDual(model.mj)
    d.arrays["nactive"][...] = len(active)
    d.arrays["active_row"][: len(active)] = sorted(active)


def _put_contacts(model, d, lane, source):
    n, contact = source.ncon, source.contact
    for name in _CONTACT:
        array = d.arrays[name][:n, ..., lane]
        array[...] = np.reshape(getattr(contact, name.partition(".")[2]), array.shape)
    bodies = model.geom_bodyid[contact.geom] if n else np.zeros((0, 2))
    d.arrays["con_body1"][:n, lane] = bodies[:, 0]
    d.arrays["con_body2"][:n, lane] = bodies[:, 1]
    d.arrays["con_agreed1"][:n] = d.arrays["con_agreed2"][:n] = -1  # worlds may have others
    d.arrays["con_on"][:n, lane] = contact.efc_address >= 0


def _put_rows(model, d, lane, source):
    """Rows of one MjData; returns which static rows it has."""
    J = dense_jacobian(model, source)
    jar = J @ source.qacc - source.efc_aref
    static = source.ne + source.nf + source.nl
    places = static_rows(model, source, J)
    for name in ("pos", "margin", "frictionloss", "state", *_NUMBERS.values()):
        d.arrays[f"row_{name}"][places, ..., lane] = getattr(source, f"efc_{name}")[:static]
    d.arrays["row_KBI"][places, :, lane] = source.efc_KBIP[:static, :3]
    d.arrays["row_jar"][places, lane] = jar[:static]
    d.arrays["row_on"][places, lane] = 1.0
    for i, r in enumerate(places):
        span = slice(model.row_rowadr[r], model.row_rowadr[r] + model.row_rownnz[r])
        d.arrays["row_J"][span, lane] = J[i, model.row_colind[span]]
    pyramid = model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    for k, contact in enumerate(source.contact):
        if contact.efc_address >= 0:
            _put_contact_rows(d, lane, k, source, jar, pyramid and contact.dim > 1)
    for name in _DUAL:
        d.arrays[name][: source.nefc, lane] = getattr(source, name)
    return set(places)


def _put_contact_rows(d, lane, k, source, jar, pyramid):
    contact = source.contact[k]
    dim, first = contact.dim, contact.efc_address
    rows = slice(first, first + (2 * (dim - 1) if pyramid else dim))
    d.arrays["con_KBI"][k, :, lane] = source.efc_KBIP[first, :3]
    d.arrays["con_Bfriction"][k, lane] = (
        0.0 if pyramid or dim == 1 else source.efc_KBIP[first + 1, 1]
    )
    numbers = {name: getattr(source, efc)[rows] for efc, name in _NUMBERS.items()}
    numbers["jar"] = jar[rows]
    for name, values in numbers.items():
        if pyramid and name in ("R", "D"):
            values = values[:1]
        elif pyramid:
            values = _directions(values, contact.friction[: dim - 1], name == "force")
        d.arrays[f"con_{name}"][k, :, lane] = np.pad(values, (0, 6 - len(values)))


def _directions(edges, mu, is_force):
    """What the edges of a pyramid have, in the directions of the contact."""
    plus, minus = edges[0::2], edges[1::2]
    if is_force:
        return np.concatenate([[edges.sum()], mu * (plus - minus)])
    return np.concatenate([[0.5 * (plus[0] + minus[0])], 0.5 * (plus - minus) / mu])


def _edges(u, mu):
    """The other way, for velocities and accelerations."""
    return np.stack([u[0] + mu * u[1:], u[0] - mu * u[1:]], axis=1).ravel()


def dense_jacobian(model, source):
    """efc_J of an MjData as an (nefc, nv) matrix."""
    n, nv = source.nefc, model.nv
    if not mujoco.mj_isSparse(model.mj):
        return np.reshape(source.efc_J[: n * nv], (n, nv))
    J = np.zeros((n, nv))
    for i in range(n):
        span = slice(source.efc_J_rowadr[i], source.efc_J_rowadr[i] + source.efc_J_rownnz[i])
        J[i, source.efc_J_colind[span]] = source.efc_J[span]
    return J


def static_rows(model, source, J):
    """The static row of each row of an MjData that is no contact."""
    places, sub = [], 0
    for i in range(source.ne + source.nf + source.nl):
        kind, k = source.efc_type[i], int(source.efc_id[i])
        if kind == _TYPE.mjCNSTR_EQUALITY:
            sub = sub + 1 if i and source.efc_id[i - 1] == k else 0
            places.append(model.eq_rowadr[k] + sub)
        elif kind == _TYPE.mjCNSTR_FRICTION_DOF:
            places.append(model.dof_rowadr[k])
        elif kind == _TYPE.mjCNSTR_FRICTION_TENDON:
            places.append(model.tendon_rowadr[k, 0])
        elif kind == _TYPE.mjCNSTR_LIMIT_JOINT:
            ball = model.jnt_type[k] == mujoco.mjtJoint.mjJNT_BALL
            places.append(model.jnt_rowadr[k] + (not ball and J[i, model.jnt_dofadr[k]] < 0))
        else:
            span = slice(model.ten_J_rowadr[k], model.ten_J_rowadr[k] + model.ten_J_rownnz[k])
            along = J[i, model.ten_J_colind[span]] @ source.ten_J[span]
            places.append(model.tendon_rowadr[k, 1] + (along < 0))
    return [int(r) for r in places]


def get_constraint(model, d, lane, out):
    """Contacts and rows of one lane, into an MjData whose other fields are those of the lane.

    MuJoCo itself makes room for the rows, from the contacts and positions, and finds their islands;
    then they are filled.
    """
    out.ncon = 0
    contact = mujoco.MjContact()
    for k in range(int(d.arrays["ncon"][lane])):
        contact.flex[:] = contact.elem[:] = contact.vert[:] = -1
        for name in _CONTACT:
            value, inner = d.arrays[name][k, ..., lane], name.partition(".")[2]
            if value.ndim:
                getattr(contact, inner)[:] = value.reshape(getattr(contact, inner).shape)
            else:
                old = getattr(contact, inner)
                setattr(contact, inner, int(value) if isinstance(old, int) else float(value))
        mujoco.mj_addContact(model.mj, out, contact)
    mujoco.mj_makeConstraint(model.mj, out)
    mujoco.mj_island(model.mj, out)
    mujoco.mj_projectConstraint(model.mj, out)  # efc_AR, of dual solvers
    if out.nefc != int(d.arrays["nefc"][lane]):
        return
    places = static_rows(model, out, dense_jacobian(model, out))
    for name in ("pos", "margin", "state", *_NUMBERS.values()):
        getattr(out, f"efc_{name}")[: len(places)] = d.arrays[f"row_{name}"][places, ..., lane]
    out.efc_KBIP[: len(places), :3] = d.arrays["row_KBI"][places, :, lane]
    for i, r in enumerate(places):
        out.efc_KBIP[i, 3] = _row_slope(model, d, lane, r)
    pyramid = model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    for k, contact in enumerate(out.contact):
        if contact.efc_address >= 0:
            _get_contact_rows(d, lane, k, out, pyramid and contact.dim > 1)
    imp = out.efc_KBIP[:, 2]
    out.efc_diagA[:] = out.efc_R * imp / (1 - imp)
    out.efc_b[:] = dense_jacobian(model, out) @ out.qacc_smooth - out.efc_aref
    if d.arrays["dual_made"]:
        for name in _DUAL:
            getattr(out, name)[:] = d.arrays[name][: out.nefc, lane]


def _row_slope(model, d, lane, r):
    """The derivative of the impedance of a static row: see engine/constraint/impedance.py."""
    pos = d.arrays["row_pos"][:, lane]
    equality = model.row_type[r] == _TYPE.mjCNSTR_EQUALITY
    # rows of an equality have that of its first, and those of a connect or weld a common residual
    r = r - model.row_sub[r] if equality else r
    kind = model.eq_type[model.row_id[r]] if equality else -1
    if kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
        residual = np.linalg.norm(pos[r : r + (3 if kind == mujoco.mjtEq.mjEQ_CONNECT else 6)])
    else:
        residual = pos[r] - d.arrays["row_margin"][r, lane]
    solimp = row_parameters(model.struct, r)[2:7]
    return np.ravel(impedance_slope(solimp, residual))[0]


def _get_contact_rows(d, lane, k, out, pyramid):
    contact = out.contact[k]
    dim, first, mu = contact.dim, contact.efc_address, contact.friction[: contact.dim - 1]
    ours = {name: d.arrays[f"con_{name}"][k, :dim, lane] for name in ("jar", *_NUMBERS.values())}
    rows = slice(first, first + (2 * (dim - 1) if pyramid else dim))
    out.efc_KBIP[rows, :3] = d.arrays["con_KBI"][k, :, lane]
    solimp = vec(*contact.solimp[:, None])
    r = np.array([contact.dist - contact.includemargin])
    out.efc_KBIP[rows, 3] = impedance_slope(solimp, r)
    if pyramid:
        jar = _edges(ours["jar"], mu)
        ours = {
            "R": ours["R"][0],
            "D": ours["D"][0],
            **{n: _edges(ours[n], mu) for n in ("vel", "aref")},
        }
        ours["force"] = np.where(jar < 0, -ours["D"] * jar, 0.0)
    elif dim > 1:
        out.efc_KBIP[first + 1 : first + dim, 0] = 0.0
        out.efc_KBIP[first + 1 : first + dim, 1] = d.arrays["con_Bfriction"][k, lane]
    for efc, name in _NUMBERS.items():
        getattr(out, efc)[rows] = ours[name]
    state = mujoco.mjtConstraintState
    if pyramid or dim == 1:
        out.efc_state[rows] = np.where(out.efc_force[rows] > 0, state.mjCNSTRSTATE_QUADRATIC, 0)
    else:
        out.efc_state[rows] = _cone_state(ours["jar"], mu, contact.mu)


def _cone_state(jar, friction, mu):
    """Zone of an elliptic contact."""
    state, N, T = mujoco.mjtConstraintState, jar[0] * mu, np.linalg.norm(jar[1:] * friction)
    if N >= mu * T:
        return state.mjCNSTRSTATE_SATISFIED
    return state.mjCNSTRSTATE_QUADRATIC if mu * N + T <= 0 else state.mjCNSTRSTATE_CONE
