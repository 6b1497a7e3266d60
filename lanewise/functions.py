"""The public functions on one Data: every stage by its name, the step, and the state."""

import time

import numpy as np

from .data import Data
from .engine.pipeline import HOOKED
from .engine.stages import STAGES
from .errors import whole_number
from .fields import STATE
from .hooks import refuse_hooks
from .lanes import JIT
from .mjconst import ENBL_INVDISCRETE, INT_RK4
from .model import Model
from .naming import number_of
from .running import advance_python, runner


def _stage(name, doc=None, count="times"):
    """The public function of a stage: its kernel, run on a Data `times` times."""
    run = runner(name)

    def stage(m, d, times=1):
        if not isinstance(d, Data) or d.model is not m:
            check_arguments(m, d)
        if type(times) is not int or times < 0:
            times = _not_negative(times, count)
        refuse_hooks()
        while times:
            run(m, d)
            # again, if there was no room for something
            if not (d.notice.value and d.attend()):
                times -= 1

    stage.__name__ = stage.__qualname__ = name
    stage.__doc__ = doc
    return stage


def _not_negative(value, name):
    value = whole_number(value, name)
    if value < 0:
        raise ValueError(f"{name} must not be negative, got {value}")
    return value


# what would have been right, by the type that was given
_ADVICE = {
    "MjModel": ": lanewise.load makes a Model of it",
    "MjSpec": ": lanewise.load makes a Model of it",
    "str": ": lanewise.load makes a Model of a file",
    "MjData": ": lanewise.put_data(m, mj_data) makes a Data of it",
    "Batch": ": a Batch has methods of its own, such as b.step(nstep=1)",
    "Model": ": lanewise.Data(m) makes a Data of a Model",
    "Data": ": the Model comes first, then the Data",
}


def check_model(m):
    """Refuse what is no Model."""
    if not isinstance(m, Model):
        kind = type(m).__name__
        advice = _ADVICE.get(kind, ": lanewise.load makes one")
        raise TypeError(f"the first argument must be a lanewise.Model, got {kind}{advice}")


def check_arguments(m, d):
    """Refuse what is no Model and a Data of it."""
    check_model(m)
    if not isinstance(d, Data):
        kind = type(d).__name__
        advice = _ADVICE.get(kind, ": lanewise.Data(m) makes one")
        raise TypeError(f"the second argument must be a lanewise.Data, got {kind}{advice}")
    if d.model is not m:
        raise ValueError("this Data was made for another Model; make one with lanewise.Data(m)")


# every stage by its name, from the table of stages; public.py gives them to users
STAGE_FUNCTIONS = {name: _stage(name, stage.kernel.__doc__) for name, stage in STAGES.items()}

fwd_position, fwd_velocity, fwd_actuation, fwd_acceleration, fwd_constraint, inverse_force = (
    STAGE_FUNCTIONS[name]
    for name in (
        "fwd_position", "fwd_velocity", "fwd_actuation", "fwd_acceleration", "fwd_constraint",
        "inverse_force",
    )
)  # fmt: skip
sensor_pos, sensor_vel, sensor_acc = (
    STAGE_FUNCTIONS[name] for name in ("sensor_pos", "sensor_vel", "sensor_acc")
)
_contact_force = STAGE_FUNCTIONS["contact_force"]


def step(m, d, nstep=1):
    """Advance every world of d by nstep time steps: `forward`, then the model's integrator."""
    if not isinstance(d, Data) or d.model is not m:
        check_arguments(m, d)
    if type(nstep) is not int or nstep < 0:
        nstep = _not_negative(nstep, "nstep")
    advance = d.advance if JIT else advance_python(m, d)
    if d.spare:
        d.follow()
    if nstep > 1:
        nstep = _advance_in_slices(d, advance, nstep)
    noticed = advance(nstep)
    while noticed:
        noticed = advance(_attend(d, noticed))


def _attend(d, noticed):
    """Look at what the engine's `steps` noticed; how many steps are left, for which there is room
    now."""
    if noticed == HOOKED:
        refuse_hooks()
    d.attend()
    return noticed >> 1


_SLICE = 0.02  # seconds after which Python looks whether it was interrupted


def _advance_in_slices(d, advance, nstep):
    """Make steps until the rest takes no longer than a slice; how many are left."""
    at_once = 1 if d.spare else max(1, min(100, 5000 // (d.sizes["nv"] + 1)))
    while nstep > at_once:
        start = time.perf_counter()
        noticed = advance(at_once)
        nstep -= at_once - (_attend(d, noticed) if noticed else 0)
        if d.spare:  # spare lanes follow at every step: solvers may leave them out
            d.follow()
        else:
            took = time.perf_counter() - start
            at_once = max(1, int(at_once * min(4.0, _SLICE / max(took, 1e-9))))
    return nstep


def forward_skip(m, d, skipstage=0, skipsensor=False):
    """`forward`, when positions (skipstage 1), or velocities too (2), are computed already."""
    _before_forces(m, d, skipstage, skipsensor)
    _control(m, d)
    for stage in (fwd_actuation, fwd_acceleration, fwd_constraint):
        stage(m, d)
    if not skipsensor:
        sensor_acc(m, d)


_control = _stage("user_control")


def inverse_skip(m, d, skipstage=0, skipsensor=False):
    """`inverse`, when positions (skipstage 1), or velocities too (2), are computed already."""
    _check_inverse(m)
    _before_forces(m, d, skipstage, skipsensor)
    inverse_force(m, d)
    if not skipsensor:
        sensor_acc(m, d)


def inverse(m, d):
    """(state, qacc) => qfrc_inverse, the force that qacc takes, and all that leads to it"""
    inverse_skip(m, d)


def _before_forces(m, d, skipstage, skipsensor):
    """What positions and velocities give, as far as it is not to be skipped."""
    if skipstage not in (0, 1, 2):
        raise ValueError(f"skipstage must be 0, 1 or 2 (mujoco.mjtStage), got {skipstage!r}")
    for stage, sensors in ((fwd_position, sensor_pos), (fwd_velocity, sensor_vel))[
        int(skipstage) :
    ]:
        stage(m, d)
        if not skipsensor:
            sensors(m, d)


def _check_inverse(m):
    check_model(m)
    if m.mj.opt.enableflags & ENBL_INVDISCRETE and m.mj.opt.integrator == INT_RK4:
        raise ValueError(
            "discrete inverse dynamics (invdiscrete) does not exist for RK4:"
            " use Euler, implicit, implicitfast or discrete"
        )


def contact_force(m, d, contact=None):
    """Force and torque of a contact on its second geom, in the contact's frame: (6,)

    Without a number, of all contacts: (ncon, 6). With several worlds, a leading axis of them; zeros
    where a world has no such contact, or it makes no force.
    """
    _contact_force(m, d)
    number = d.arrays["ncon"][: d.lanes].astype(int)
    force = np.zeros((d.lanes, max(number, default=0), 6))
    for world, n in enumerate(number):
        force[world, :n] = d.arrays["contact_force"][:n, :, world]
    if contact is not None:
        contact = whole_number(contact, "contact")
        if not 0 <= contact < force.shape[1]:
            raise ValueError(f"contact must be in [0, {force.shape[1]}), got {contact}")
        force = force[:, contact]
    return force[0] if d.lanes == 1 else force


# these two say more than their stages
STAGE_FUNCTIONS |= {"step": step, "contact_force": contact_force}


def mul_jac_vec(m, d, x):
    """J x, x over dofs: a number for each constraint row, in the order of efc_*."""
    return np.squeeze(np.einsum("wij,wj->wi", _jacobian(m, d), _rows(d, x, m.nv)), _one(d))


def mul_jac_t_vec(m, d, x):
    """J' x, x over constraint rows in the order of efc_*: a number for each dof."""
    J = _jacobian(m, d)
    return np.squeeze(np.einsum("wij,wi->wj", J, _rows(d, x, J.shape[1])), _one(d))


def _one(d):
    return 0 if d.lanes == 1 else ()


def _jacobian(m, d):
    """The dense constraint Jacobian of every world: (worlds, most rows, nv)."""
    STAGE_FUNCTIONS["expose_constraint"](m, d)
    n = int(d.arrays["nefc"][: d.lanes].max(initial=0))
    return d.arrays["efc_J"][: n * m.nv, : d.lanes].T.reshape(d.lanes, n, m.nv)


def _rows(d, x, n):
    x = np.asarray(x, dtype=float)
    if x.shape not in ((n,), (d.lanes, n)):
        raise ValueError(f"x must have shape ({n},) or ({d.lanes}, {n}), got {x.shape}")
    return np.broadcast_to(x, (d.lanes, n))


_solve_vector, _mul_vector = _stage("solve_vector"), _stage("mul_vector")


def solve_m(m, d, x):
    """inverse(M) x, with the factors that `factor_m` left; x is (nv,) or a row for each world."""
    return _on_vector(_solve_vector, m, d, x)


def mul_m(m, d, x):
    """M x, with the M that `crb` left; x is (nv,) or a row for each world."""
    return _on_vector(_mul_vector, m, d, x)


def full_m(m, d):
    """M as a dense (nv, nv) matrix, one for each world if there are several."""
    check_arguments(m, d)
    row = np.repeat(np.arange(m.nv), m.M_rownnz)
    dense = np.zeros((d.lanes, m.nv, m.nv))
    dense[:, row, m.M_colind] = dense[:, m.M_colind, row] = d.arrays["M"][:, : d.lanes].T
    return dense[0] if d.lanes == 1 else dense


def _on_vector(operation, m, d, x):
    check_arguments(m, d)
    x = np.asarray(x, dtype=float)
    if x.shape not in ((m.nv,), (d.lanes, m.nv)):
        raise ValueError(f"x must have shape ({m.nv},) or ({d.lanes}, {m.nv}), got {x.shape}")
    d.arrays["vector"][:, : d.lanes] = np.broadcast_to(x, (d.lanes, m.nv)).T
    operation(m, d)
    return d.view("vector").copy()


_distance_query = _stage("distance_query")


def geom_distance(m, d, geom1, geom2, distmax):
    """The signed distance of two geoms (numbers or names), and its points on both: dist, fromto

    fromto is (6,): a point on geom1, then one on geom2, in W. Beyond distmax the distance is
    distmax, and fromto zero. With several worlds, both have a leading axis.
    """
    check_arguments(m, d)
    d.arrays["query_geom"][:] = [number_of(m.mj, "geom", g) for g in (geom1, geom2)]
    d.arrays["query_most"][:] = float(distmax)
    _distance_query(m, d)
    dist = d.arrays["query_dist"][..., : d.lanes].reshape(d.lanes)
    ends = d.arrays["query_ends"][..., : d.lanes].reshape(6, d.lanes).T.copy()
    return (float(dist[0]), ends[0]) if d.lanes == 1 else (dist.copy(), ends)


_inside_query = _stage("inside_query")


def inside_site(m, d, site, point):
    """Whether a point, (3,) in W, is inside a site (number or name); d has positions.

    The shape of a mesh is its convex hull. With several worlds, point may have a row for each, and
    the answer has one.
    """
    check_arguments(m, d)
    point = np.asarray(point, dtype=float)
    if point.shape not in ((3,), (d.lanes, 3)):
        raise ValueError(f"point must have shape (3,) or ({d.lanes}, 3), got {point.shape}")
    d.arrays["query_site"][0] = number_of(m.mj, "site", site)
    d.arrays["query_point"][0, :, : d.lanes] = np.broadcast_to(point, (d.lanes, 3)).T
    _inside_query(m, d)
    inside = d.arrays["query_inside"].reshape(-1)[: d.lanes] > 0.0
    return bool(inside[0]) if d.lanes == 1 else inside


def reset_data(m, d, keyframe=None):
    """Set every world of d to the model's reference state, or to a keyframe (number or name)."""
    check_arguments(m, d)
    d.reset(keyframe)


STATE_INTEGRATION = (1 << len(STATE)) - 1  # mjSTATE_INTEGRATION: all components


def state_size(m, spec=STATE_INTEGRATION):
    """Length of a state vector with the components of spec, bits of mujoco.mjtState."""
    return len(_state_index(m, spec))


def get_state(m, d, spec=STATE_INTEGRATION):
    """The state components of spec (bits of mjtState) as a vector, or a row for each world."""
    check_arguments(m, d)
    rows = d.state_lanes[_state_index(m, spec), : d.lanes].T.copy()
    return rows[0] if d.lanes == 1 else rows


def set_state(m, d, state, spec=STATE_INTEGRATION):
    """Set the state components of spec from a vector, or from a row for each world."""
    check_arguments(m, d)
    index = _state_index(m, spec)
    state = np.asarray(state, dtype=float)
    if state.shape not in ((len(index),), (d.lanes, len(index))):
        raise ValueError(
            f"state must have shape ({len(index)},) or ({d.lanes}, {len(index)}) for this spec,"
            f" got {state.shape}"
        )
    d.state_lanes[index, : d.lanes] = np.broadcast_to(state, (d.lanes, len(index))).T


def _state_index(m, spec):
    """Places of the components of spec in a full state row."""
    check_model(m)
    spec = whole_number(spec, "spec")
    if not 0 <= spec <= STATE_INTEGRATION:
        raise ValueError(
            f"spec must be bits of mujoco.mjtState, at most {STATE_INTEGRATION}, got {spec}"
        )
    rows = np.arange(m.nstate)
    parts = [rows[m.state_slices[f.name]] for k, f in enumerate(STATE) if spec >> k & 1]
    return np.concatenate(parts) if parts else rows[:0]


def copy_state(m, source, target, spec=STATE_INTEGRATION):
    """Copy the state components of spec from one Data to another with as many worlds."""
    set_state(m, target, get_state(m, source, spec), spec)
