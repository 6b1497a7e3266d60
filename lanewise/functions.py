"""The public functions on one Data: every stage by its name, the step, and the state."""

import fnmatch
import functools
import inspect
import re
import textwrap
import time

import numpy as np

from .components import INTEGRATION, component_names, spec_bits, state_index
from .data import Data
from .engine.pipeline import HOOKED
from .engine.stages import SECTIONS, STAGES
from .errors import whole_number
from .fields import READ, STATE
from .hooks import refuse_hooks
from .lanes import JIT, Kernel
from .mjconst import ENBL_INVDISCRETE, INT_RK4, TIMER_FORWARD, TIMER_INVERSE
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
        m.watch.look()
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


def _about(stage):
    """The docstring of a stage: its kernel's, and the fields that it writes, from their table."""
    text = inspect.cleandoc(stage.kernel.__doc__ or "")
    more = "\n\nIn every world of d, a Data of the Model m, `times` times over."
    if not stage.section:
        names = ", ".join(dict.fromkeys(_stages_of(stage.kernel)))
        return f"{text}{more} It calls these stages, as far\nas the model asks for them:\n\n" + (
            _wrapped(names)
        )
    lines = [_wrapped(f"{f.name} {f.said} {f.doc}", "        ") for f in _written(stage, text)]
    if not lines:
        return text + more
    axis = "with several worlds after an axis of them"
    return f"{text}{more} It writes, beside\nworkspace of the kernels, and {axis}:\n\n" + (
        "\n".join(lines)
    )


def _wrapped(text, more="    "):
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent=more)


def _stages_of(kernel):
    """The stages that a kernel calls, itself or through kernels that are none."""
    function = kernel.python_function
    for name in function.__code__.co_names:
        called = function.__globals__.get(name)
        if isinstance(called, Kernel):
            yield from [name] if name in STAGES else _stages_of(called)


def _written(stage, text):
    """The fields of a stage's section that users read; if others write there, those it names."""
    fields = [f for f in READ if f.stage == stage.section]
    if len(SECTIONS[stage.section]) == 1:
        return fields
    made = text.partition("\n\n")[0].rpartition("=>")[2]
    words = [word for word in re.findall(r"[\w*]+", made) if word != "*"]
    moved = [f for f in STATE if f.name in _MOVED and "next state" in made]
    return moved + [f for f in fields if any(fnmatch.fnmatchcase(f.name, w) for w in words)]


_MOVED = ("time", "qpos", "qvel", "act")  # what an integrator moves of the state


# every stage by its name, from the table of stages; public.py gives them to users
STAGE_FUNCTIONS = {name: _stage(name, _about(stage)) for name, stage in STAGES.items()}

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
    """Advance every world of d by nstep time steps of m.opt.timestep [s]: `forward`, then the
    model's integrator. mj_step

    It writes the state, d.time, d.qpos (nq,), d.qvel (nv,), d.act (na,), and all else that
    `forward` computes, of the state before the last step. A world with bad numbers is reset, and
    counted in d.warning.
    """
    if not isinstance(d, Data) or d.model is not m:
        check_arguments(m, d)
    if type(nstep) is not int or nstep < 0:
        nstep = _not_negative(nstep, "nstep")
    watch = m.watch
    if watch.memory.tobytes() != watch.seen:
        watch.look()
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


def _timed(timer):
    """A function of m and d whose time goes to a timer, beside those of its stages."""

    def decorate(function):
        @functools.wraps(function)
        def run(m, d, *arguments, **named):
            begin = time.perf_counter_ns()
            function(m, d, *arguments, **named)
            if d.timing:
                seconds = 1e-9 * (time.perf_counter_ns() - begin)
                d.arrays["timer.duration"][timer] += seconds
                d.arrays["timer.number"][timer] += d.lanes

        return run

    return decorate


@_timed(TIMER_FORWARD)
def forward_skip(m, d, skipstage=0, skipsensor=False):
    """`forward`, when positions (skipstage 1), or velocities too (2), are computed already.
    mj_forwardSkip

    What is skipped stays as it is in d; skipsensor leaves d.sensordata (nsensordata,) alone.
    """
    _before_forces(m, d, skipstage, skipsensor)
    _control(m, d)
    for stage in (fwd_actuation, fwd_acceleration, fwd_constraint):
        stage(m, d)
    if not skipsensor:
        sensor_acc(m, d)


_control = _stage("user_control")


@_timed(TIMER_INVERSE)
def inverse_skip(m, d, skipstage=0, skipsensor=False):
    """`inverse`, when positions (skipstage 1), or velocities too (2), are computed already.
    mj_inverseSkip

    What is skipped stays as it is in d; skipsensor leaves d.sensordata (nsensordata,) alone.
    """
    _check_inverse(m)
    _before_forces(m, d, skipstage, skipsensor)
    inverse_force(m, d)
    if not skipsensor:
        sensor_acc(m, d)


def inverse(m, d):
    """(state, qacc) => qfrc_inverse, the force that qacc takes, and all that leads to it

    As mj_inverse. Set d.qacc (nv,) [m/s^2|rad/s^2] before, and read d.qfrc_inverse (nv,) [N|Nm]:
    what has to be applied beside passive forces and those of constraints. ctrl, qfrc_applied and
    xfrc_applied do not count.
    """
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
    """Force [N] and torque [Nm] of a contact on its second geom, in the contact's frame: (6,)

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
    """J x, (nefc,): a number for each constraint row, in the order of efc_*; x is (nv,), over dofs.
    mj_mulJacVec

    With several worlds x may have a row for each, (worlds, nv), and the result has: as many numbers
    as the world with the most rows, zeros beyond those that a world has.
    """
    return np.squeeze(np.einsum("wij,wj->wi", _jacobian(m, d), _rows(d, x, m.nv)), _one(d))


def mul_jac_t_vec(m, d, x):
    """J' x, (nv,): a number for each dof; x is (nefc,), over constraint rows in the order of efc_*.
    mj_mulJacTVec

    With several worlds x may be (worlds, nefc), with the nefc of the world that has the most.
    """
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


_solve_vector, _half_solve_vector, _mul_vector = (
    _stage(name) for name in ("solve_vector", "half_solve_vector", "mul_vector")
)


def solve_m(m, d, x):
    """inverse(M) x, with the factors that `factor_m` left; x is (nv,) or a row for each world,
    (worlds, nv), as the result is. mj_solveM"""
    return _on_vector(_solve_vector, m, d, x)


def solve_m2(m, d, x):
    """D^(-1/2) inverse(L') x, with the factors M = L' D L that `factor_m` left: half of `solve_m`.

    The sum of its squares is x' inverse(M) x; x is (nv,) or a row for each world. mj_solveM2
    """
    return _on_vector(_half_solve_vector, m, d, x)


def mul_m(m, d, x):
    """M x, with the M that `crb` left; x is (nv,) or a row for each world, (worlds, nv), as the
    result is. mj_mulM"""
    return _on_vector(_mul_vector, m, d, x)


def full_m(m, d):
    """M, the inertia [kg, kg m, kg m^2] in the space of dofs, as a dense matrix (nv, nv); of
    several worlds (worlds, nv, nv). d has M: see `crb`. mj_fullM"""
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
    """The signed distance [m] of two geoms (numbers or names), and its points on both: dist, fromto

    fromto is (6,) [m]: a point on geom1, then one on geom2, in W. Beyond distmax the distance is
    distmax, and fromto zero. With several worlds they are (worlds,) and (worlds, 6). d has
    positions. mj_geomDistance
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
    """Whether a point, (3,) [m] in W, is inside a site (number or name); d has positions.

    The shape of a mesh is its convex hull. With several worlds, point may be (worlds, 3), and the
    answer is (worlds,). mj_insideSite
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
    """Set every world of d to the model's reference state, or to a keyframe (number or name), and
    everything computed to zero. mj_resetData, mj_resetDataKeyframe"""
    check_arguments(m, d)
    d.reset(keyframe)


def state_size(m, spec=INTEGRATION):
    """Length of a state vector with the components of spec.

    spec is bits of mujoco.mjtState, the name of a component ("qpos") or of a set of MuJoCo's
    ("physics", "fullphysics", "user", "integration"), or several of these.
    """
    check_model(m)
    return len(state_index(m, spec))


def get_state(m, d, spec=INTEGRATION):
    """The state components of spec, as in `state_size`, as a vector, (size,); of several worlds
    (worlds, size). mj_getState"""
    check_arguments(m, d)
    rows = d.state_lanes[state_index(m, spec), : d.lanes].T.copy()
    return rows[0] if d.lanes == 1 else rows


def set_state(m, d, state, spec=INTEGRATION):
    """Set the state components of spec, as in `state_size`, from a vector, (size,), or from a row
    for each world, (worlds, size). Nothing is computed anew. mj_setState"""
    check_arguments(m, d)
    index = state_index(m, spec)
    state = np.asarray(state, dtype=float)
    if state.shape not in ((len(index),), (d.lanes, len(index))):
        raise ValueError(
            f"state must have shape ({len(index)},) or ({d.lanes}, {len(index)}) for this spec,"
            f" got {state.shape}"
        )
    d.state_lanes[index, : d.lanes] = np.broadcast_to(state, (d.lanes, len(index))).T


def extract_state(m, state, srcsig, dstsig):
    """The components of dstsig out of state vectors (..., size) that have those of srcsig.

    Both are specs as in `state_size`, and srcsig has all of dstsig. The answer is (..., size of
    dstsig). As mj_extractState.
    """
    check_model(m)
    source, wanted = spec_bits(srcsig, "srcsig"), spec_bits(dstsig, "dstsig")
    if wanted & ~source:
        missing = ", ".join(component_names(wanted & ~source))
        raise ValueError(f"dstsig must be a part of srcsig, which has no {missing}")
    index = state_index(m, source)
    state = np.asarray(state, dtype=float)
    if not state.ndim or state.shape[-1] != len(index):
        raise ValueError(
            f"state must have shape (..., {len(index)}) for this srcsig, got {state.shape}"
        )
    return state[..., np.isin(index, state_index(m, wanted))]


def copy_state(m, source, target, spec=INTEGRATION):
    """Copy the state components of spec, as in `state_size`, from one Data to another with as many
    worlds. mj_copyState"""
    set_state(m, target, get_state(m, source, spec), spec)
