"""Lanewise: multi-joint physics, eight worlds in the lanes of one SIMD register.

    m = lanewise.load("humanoid.xml")
    d = lanewise.Data(m)                  # one world
    lanewise.step(m, d)
    b = lanewise.Batch(m, nsim=4096)      # many worlds, on all cores
    b.step(nstep=10)

Every stage of the pipeline is a function by its name: kinematics, com_pos, crb, ...; see
docs/fields.md for the fields that each of them computes.

    from lanewise import conventions      # what the numbers of other systems mean; NumPy only
    from lanewise import bridges          # a running simulation in their layouts

Names of the engine are imported when one of them is first used: who only converts numbers does not
wait for it. Editors and type checkers read all of them in __init__.pyi, which `make docs` writes.
"""

# written by `make docs` from lanewise/public.py and lanewise/fields

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, SupportsIndex, overload

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from . import batch as batch, bridges as bridges, cluster as cluster, conventions as conventions, flight as flight, frames as frames, models as models, motion as motion, plan as plan, runs as runs
from .viewer.window import Viewer

__version__: str
PARTS: tuple[str, ...]

class Numbers:
    """A field that can be assigned: numbers of its shape, or what broadcasts to it."""

    def __get__(self, owner: object, kind: type | None = None) -> np.ndarray: ...
    def __set__(self, owner: object, value: ArrayLike) -> None: ...

class Number:
    """The same of a single number; with several worlds it is an array of them."""

    def __get__(self, owner: object, kind: type | None = None) -> Any: ...
    def __set__(self, owner: object, value: ArrayLike) -> None: ...

class Computed:
    """A field that is computed, and cannot be assigned."""

    def __get__(self, owner: object, kind: type | None = None) -> np.ndarray: ...

class Count:
    """The same of a single number; with several worlds it is an array of them."""

    def __get__(self, owner: object, kind: type | None = None) -> Any: ...


class Options:
    """The physics options, under MuJoCo's names; see MjOption."""
    ccd_iterations: int
    """scalar most iterations of the convex collision method"""
    ccd_tolerance: float
    """scalar [m] tolerance at which it stops"""
    cone: int
    """scalar friction cone (mjtCone): 0 pyramidal, 1 elliptic"""
    density: float
    """scalar [kg/m^3] density of the medium"""
    disableactuator: int
    """scalar bits of actuator groups that are switched off"""
    disableflags: int
    """scalar bits of mjtDisableBit: standard features switched off"""
    enableflags: int
    """scalar bits of mjtEnableBit: optional features switched on"""
    gravity: Numbers
    """(3,) [m/s^2] gravitational acceleration, in W"""
    impratio: float
    """scalar ratio of frictional to normal impedance in elliptic cones"""
    integrator: int
    """scalar integrator (mjtIntegrator)"""
    iterations: int
    """scalar most iterations of a solver"""
    jacobian: int
    """scalar how efc_J is given (mjtJacobian): 0 dense, 1 sparse, 2 by size"""
    ls_iterations: int
    """scalar most iterations of a line search"""
    ls_tolerance: float
    """scalar tolerance at which a line search stops"""
    magnetic: Numbers
    """(3,) [T] magnetic flux, in W"""
    noslip_iterations: int
    """scalar most iterations of the noslip post-processing"""
    noslip_tolerance: float
    """scalar tolerance at which it stops"""
    o_friction: Numbers
    """(5,) friction of all contacts, where overriding is enabled"""
    o_margin: float
    """scalar [m] margin of all contacts, where overriding is enabled"""
    o_solimp: Numbers
    """(5,) solimp of all contacts, where overriding is enabled"""
    o_solref: Numbers
    """(2,) solref of all contacts, where overriding is enabled"""
    sdf_initpoints: int
    sdf_iterations: int
    sleep_tolerance: float
    solver: int
    """scalar constraint solver (mjtSolver)"""
    timestep: float
    """scalar [s] simulation time step"""
    tolerance: float
    """scalar tolerance at which a solver stops"""
    viscosity: float
    """scalar [Pa*s] viscosity of the medium"""
    wind: Numbers
    """(3,) [m/s] velocity of the medium, in W"""

class Contact:
    """One contact, as MjContact."""
    H: Number
    """(nconmax, 36) Hessian of an elliptic cone"""
    adhesion: Number
    """(nconmax,) [N] constant attraction"""
    dim: Count
    """(nconmax,) dimension of the contact space: 1, 3, 4 or 6"""
    dist: Number
    """(nconmax,) [m] distance between the geoms' nearest points; negative: penetration"""
    efc_address: Count
    """(nconmax,) first row among the constraints, or -1"""
    elem: Count
    exclude: Count
    """(nconmax,) why it makes no constraint: 0 it does, 1 in the gap, 3 no dofs"""
    flex: Count
    frame: Number
    """(nconmax, 9) rows: normal from geom1 to geom2, then two tangents, in W"""
    friction: Number
    """(nconmax, 5) coefficients: two tangents, spin, two of rolling"""
    geom: Count
    """(nconmax, 2) both geoms"""
    geom1: Count
    geom2: Count
    includemargin: Number
    """(nconmax,) [m] a force acts where dist is less"""
    mu: Number
    """(nconmax,) friction of the regularized cone"""
    pos: Number
    """(nconmax, 3) [m] midpoint between those points, in W"""
    solimp: Number
    """(nconmax, 5) impedance of the constraint"""
    solref: Number
    """(nconmax, 2) reference of the constraint, normal direction"""
    solreffriction: Number
    """(nconmax, 2) reference of the constraint, frictional directions"""
    surfacevel: Number
    """(nconmax, 3) [m/s] velocity of the surface: two tangents, spin"""
    vert: Count

class Contacts:
    """The contacts of a Data's worlds: `d.contact.dist` and so on, an array over contacts.

    With more than one world, arrays have a leading axis of worlds and are as long as the largest of
    `d.ncon`; numbers beyond a world's own `ncon` mean nothing.
    """
    H: Numbers
    """(nconmax, 36) Hessian of an elliptic cone"""
    adhesion: Numbers
    """(nconmax,) [N] constant attraction"""
    dim: Computed
    """(nconmax,) dimension of the contact space: 1, 3, 4 or 6"""
    dist: Numbers
    """(nconmax,) [m] distance between the geoms' nearest points; negative: penetration"""
    efc_address: Computed
    """(nconmax,) first row among the constraints, or -1"""
    elem: Computed
    exclude: Computed
    """(nconmax,) why it makes no constraint: 0 it does, 1 in the gap, 3 no dofs"""
    flex: Computed
    frame: Numbers
    """(nconmax, 9) rows: normal from geom1 to geom2, then two tangents, in W"""
    friction: Numbers
    """(nconmax, 5) coefficients: two tangents, spin, two of rolling"""
    geom: Computed
    """(nconmax, 2) both geoms"""
    geom1: Computed
    geom2: Computed
    includemargin: Numbers
    """(nconmax,) [m] a force acts where dist is less"""
    mu: Numbers
    """(nconmax,) friction of the regularized cone"""
    pos: Numbers
    """(nconmax, 3) [m] midpoint between those points, in W"""
    solimp: Numbers
    """(nconmax, 5) impedance of the constraint"""
    solref: Numbers
    """(nconmax, 2) reference of the constraint, normal direction"""
    solreffriction: Numbers
    """(nconmax, 2) reference of the constraint, frictional directions"""
    surfacevel: Numbers
    """(nconmax, 3) [m/s] velocity of the surface: two tangents, spin"""
    vert: Computed
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> Contact: ...
    @overload
    def __getitem__(self, index: slice) -> Contacts: ...
    def __iter__(self) -> Iterator[Contact]: ...

class WarningStat:
    """How often a warning was raised, and the index that the last one was about."""
    lastinfo: Number
    """(nwarning,) index that the last warning of each kind was about"""
    number: Number
    """(nwarning,) how often each warning of mjtWarning was raised"""

class Warnings:
    """The counters of a Data's warnings, in the order of mjtWarning: `d.warning[k].number`.

    `d.warning.number` are all counters of one world, or a row of them for each.
    """
    lastinfo: Numbers
    """(nwarning,) index that the last warning of each kind was about"""
    number: Numbers
    """(nwarning,) how often each warning of mjtWarning was raised"""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> WarningStat: ...
    @overload
    def __getitem__(self, index: slice) -> Warnings: ...
    def __iter__(self) -> Iterator[WarningStat]: ...

class TimerStat:
    """Seconds that a stage took, and how often it ran, as MjTimerStat: once for each world."""
    duration: float
    number: int

class Timers:
    """What stages took since the last reset, while `timing` was on: `timer["step"].duration`.

    A timer is given by its name (step, forward, inverse, position, velocity, actuation, constraint,
    advance, pos_kinematics, pos_inertia, pos_collision, pos_make, pos_project, col_broad,
    col_narrow), by mujoco.mjtTimer or by its number. Durations are in seconds. Where worlds run
    side by side, `number` counts each of them and `duration` the gang once, in every thread: so
    duration / number is the time that a thread takes for one world.
    """

    def __init__(self, workspaces: Callable[[], Iterable[Any]]) -> None:
        ...

    @property
    def duration(self) -> np.ndarray:
        """(15,) seconds in each stage, summed over threads."""

    @property
    def number(self) -> np.ndarray:
        """(15,) how often each stage ran, once for each world."""

    def clear(self) -> None:
        """Begin again from zero, as a reset does."""

    def __len__(self) -> int:
        ...

    def __iter__(self) -> Iterator[TimerStat]:
        ...
    def __getitem__(self, key: str | SupportsIndex) -> TimerStat: ...

class SolverStat:
    """What an iteration of a solver did, as MjSolverStat."""
    gradient: Count
    """(nlogmax,) of an iteration: norm of the gradient, scaled; 0 of dual solvers"""
    improvement: Count
    """(nlogmax,) of an iteration: reduction of the cost, scaled"""
    lineslope: Count
    """(nlogmax,) of an iteration: slope where the line search ended, scaled; 0 of dual solvers"""
    nactive: Count
    """(nlogmax,) of an iteration: active rows"""
    nchange: Count
    """(nlogmax,) of an iteration: rows that changed their state"""
    neval: Count
    """(nlogmax,) of an iteration: evaluations in the line search"""
    nupdate: Count
    """(nlogmax,) of an iteration: rows whose part of Newton's Hessian changed"""

class SolverStats:
    """Iterations of the last solution of the constraints, as MjData.solver has them.

    Iteration k of island i is `d.solver[200 * i + k]`, of the first 20 islands and the first 200
    iterations; `d.solver_niter[i]` says how many there were, and what stands beyond is zero.
    `d.solver.improvement` are those of one world, (4000,), or a row of them for each.
    """
    gradient: Computed
    """(nlogmax,) of an iteration: norm of the gradient, scaled; 0 of dual solvers"""
    improvement: Computed
    """(nlogmax,) of an iteration: reduction of the cost, scaled"""
    lineslope: Computed
    """(nlogmax,) of an iteration: slope where the line search ended, scaled; 0 of dual solvers"""
    nactive: Computed
    """(nlogmax,) of an iteration: active rows"""
    nchange: Computed
    """(nlogmax,) of an iteration: rows that changed their state"""
    neval: Computed
    """(nlogmax,) of an iteration: evaluations in the line search"""
    nupdate: Computed
    """(nlogmax,) of an iteration: rows whose part of Newton's Hessian changed"""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> SolverStat: ...
    @overload
    def __getitem__(self, index: slice) -> SolverStats: ...
    def __iter__(self) -> Iterator[SolverStat]: ...

class BatchSolver:
    """Iterations of the solver in a Batch's worlds: arrays (nsim, nisland, 200), bound when first
    asked for.

    They are of the first 20 islands and the first 200 iterations. World i took
    `b.solver_niter[i, k]` of island k; what stands beyond is zero.
    """
    gradient: Computed
    """(nlogmax,) of an iteration: norm of the gradient, scaled; 0 of dual solvers"""
    improvement: Computed
    """(nlogmax,) of an iteration: reduction of the cost, scaled"""
    lineslope: Computed
    """(nlogmax,) of an iteration: slope where the line search ended, scaled; 0 of dual solvers"""
    nactive: Computed
    """(nlogmax,) of an iteration: active rows"""
    nchange: Computed
    """(nlogmax,) of an iteration: rows that changed their state"""
    neval: Computed
    """(nlogmax,) of an iteration: evaluations in the line search"""
    nupdate: Computed
    """(nlogmax,) of an iteration: rows whose part of Newton's Hessian changed"""

class BatchContacts:
    """The contacts of a Batch's worlds: arrays (nsim, nconmax, ...), bound when first asked for.

    World i has `b.ncon[i]` contacts; what stands beyond is zero.
    """
    H: Computed
    """(nconmax, 36) Hessian of an elliptic cone"""
    adhesion: Computed
    """(nconmax,) [N] constant attraction"""
    dim: Computed
    """(nconmax,) dimension of the contact space: 1, 3, 4 or 6"""
    dist: Computed
    """(nconmax,) [m] distance between the geoms' nearest points; negative: penetration"""
    efc_address: Computed
    """(nconmax,) first row among the constraints, or -1"""
    exclude: Computed
    """(nconmax,) why it makes no constraint: 0 it does, 1 in the gap, 3 no dofs"""
    frame: Computed
    """(nconmax, 9) rows: normal from geom1 to geom2, then two tangents, in W"""
    friction: Computed
    """(nconmax, 5) coefficients: two tangents, spin, two of rolling"""
    geom: Computed
    """(nconmax, 2) both geoms"""
    geom1: Computed
    geom2: Computed
    includemargin: Computed
    """(nconmax,) [m] a force acts where dist is less"""
    mu: Computed
    """(nconmax,) friction of the regularized cone"""
    pos: Computed
    """(nconmax, 3) [m] midpoint between those points, in W"""
    solimp: Computed
    """(nconmax, 5) impedance of the constraint"""
    solref: Computed
    """(nconmax, 2) reference of the constraint, normal direction"""
    solreffriction: Computed
    """(nconmax, 2) reference of the constraint, frictional directions"""
    surfacevel: Computed
    """(nconmax, 3) [m/s] velocity of the surface: two tangents, spin"""

class DataObject:
    """One object's part of the fields of a Data: live, with a leading axis if it has worlds."""
    id: int
    name: str

class DataActuator(DataObject):
    ctrl: Numbers
    """(nu,) controls"""
    force: Numbers
    """(nout,) [N|Nm] force of actuators"""
    length: Numbers
    """(nout,) [m|rad] length of an actuator's transmission"""
    velocity: Numbers
    """(nout,) [m/s|rad/s] rate of actuator length"""
    moment: Computed

class DataBody(DataObject):
    cacc: Numbers
    """(nbody, 6) [rad/s^2,m/s^2] acceleration of a body in C, less gravity"""
    cfrc_ext: Numbers
    """(nbody, 6) [Nm,N] torque and force on a body of all but its joints, in C"""
    cfrc_int: Numbers
    """(nbody, 6) [Nm,N] torque and force of the parent on a body, in C"""
    cinert: Numbers
    """(nbody, 10) [kg*m^2,kg*m,kg] inertia of a body about C: xx yy zz xy xz yz, m*r, m"""
    crb: Numbers
    """(nbody, 10) [kg*m^2,kg*m,kg] inertia of a body and all below it, about C"""
    cvel: Numbers
    """(nbody, 6) [rad/s,m/s] velocity of a body in C, rotation before translation"""
    subtree_angmom: Numbers
    """(nbody, 3) [Nms] angular momentum about the subtree's centre of mass, in W"""
    subtree_com: Numbers
    """(nbody, 3) [m] centre of mass of a body and all below it, in W"""
    subtree_linvel: Numbers
    """(nbody, 3) [m/s] velocity of the subtree's centre of mass, in W"""
    xfrc_applied: Numbers
    """(nbody, 6) [N,Nm] force and torque applied by the user, at the centre of mass, in W"""
    ximat: Numbers
    """(nbody, 9) R_WI, row-major"""
    xipos: Numbers
    """(nbody, 3) [m] p_WBcm_W"""
    xiquat: Numbers
    """(nbody, 4) q_WI, wxyz"""
    xmat: Numbers
    """(nbody, 9) R_WB, row-major"""
    xpos: Numbers
    """(nbody, 3) [m] p_WBo_W"""
    xquat: Numbers
    """(nbody, 4) q_WB, wxyz"""

class DataCamera(DataObject):
    xmat: Numbers
    """(ncam, 9) camera orientation, row-major"""
    xpos: Numbers
    """(ncam, 3) [m] camera position, in W"""

class DataEquality(DataObject):
    active: Numbers
    """(neq,) 1 where an equality constraint is on"""

class DataGeom(DataObject):
    xmat: Numbers
    """(ngeom, 9) R_WG, row-major"""
    xpos: Numbers
    """(ngeom, 3) [m] p_WG_W"""
    xquat: Numbers
    """(ngeom, 4) q_WG, wxyz"""

class DataJoint(DataObject):
    qpos: Numbers
    """(nq,) [m|rad] generalized position; a free joint: p_WBo_W, q_WB (wxyz)"""
    cdof: Numbers
    """(nv, 6) motion axis of a dof in C, rotation before translation"""
    cdof_dot: Numbers
    """(nv, 6) rate of cdof"""
    qLDiagInv: Numbers
    """(nv,) 1/diag(D)"""
    qacc: Numbers
    """(nv,) [m/s^2|rad/s^2] acceleration"""
    qacc_smooth: Numbers
    """(nv,) [m/s^2|rad/s^2] acceleration without constraints"""
    qacc_warmstart: Numbers
    """(nv,) [m/s^2|rad/s^2] acceleration that starts the solver"""
    qfrc_actuator: Numbers
    """(nv,) [N|Nm] force of actuators on the dofs"""
    qfrc_applied: Numbers
    """(nv,) [N|Nm] generalized force applied by the user"""
    qfrc_bias: Numbers
    """(nv,) [N|Nm] Coriolis, centrifugal and gravitational force"""
    qfrc_constraint: Numbers
    """(nv,) [N|Nm] forces of constraints"""
    qfrc_inverse: Numbers
    """(nv,) [N|Nm] force that would give qacc, constraints included"""
    qfrc_passive: Numbers
    """(nv,) [N|Nm] sum of the passive forces"""
    qfrc_smooth: Numbers
    """(nv,) [N|Nm] all forces but those of constraints"""
    qvel: Numbers
    """(nv,) [m/s|rad/s] generalized velocity; a free joint: v_WBo_W, w_WB_B"""
    xanchor: Numbers
    """(njnt, 3) [m] joint anchor, in W"""
    xaxis: Numbers
    """(njnt, 3) joint axis, in W"""
    plastic: Numbers
    """(nplastic,) plastic deformation of springs"""

class DataLight(DataObject):
    xdir: Numbers
    """(nlight, 3) light direction, in W"""
    xpos: Numbers
    """(nlight, 3) [m] light position, in W"""

class DataSensor(DataObject):
    data: Numbers
    """(nsensordata,) readings of all sensors, one after another"""

class DataSite(DataObject):
    xmat: Numbers
    """(nsite, 9) R_WS, row-major"""
    xpos: Numbers
    """(nsite, 3) [m] p_WS_W"""
    xquat: Numbers
    """(nsite, 4) q_WS, wxyz"""

class DataTendon(DataObject):
    length: Numbers
    """(ntendon,) [m] tendon length"""
    velocity: Numbers
    """(ntendon,) [m/s] rate of tendon length"""
    wrapadr: Computed
    """(ntendon,) first point of a tendon's path in wrap_xpos"""
    wrapnum: Computed
    """(ntendon,) number of points in a tendon's path"""
    plastic: Numbers
    """(nplastic,) plastic deformation of springs"""

class Named:
    """One object's slices of the fields of all worlds, (nsim, ...), by MuJoCo's attribute names."""
    id: int
    name: str
    def __getattr__(self, name: str) -> np.ndarray: ...
    def __setattr__(self, name: str, value: ArrayLike) -> None: ...

class BatchParameters(MutableMapping):
    """{name: array} of a Batch's parameters: one for all worlds, or rows after `expand`."""
    def expand(self, name: str) -> np.ndarray: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def __setitem__(self, name: str, value: ArrayLike) -> None: ...
    def __delitem__(self, name: str) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

class Batch:
    """nsim worlds of a copy of the model, `model`, on nthread threads (0: one for each processor).

    persistent: all outputs are computed from the start. fresh: outputs describe the state after a
    call, for which a step computes the stages they need anew. nconmax and njmax: room for contacts
    and constraint rows of a world; what does not fit is left out, with a warning. Without them,
    room is made as it is needed. timing: whether stages are timed, see `timer`. cpu_ids: processors
    that the threads keep to, as far as there are ids: the first is for the calling thread, and only
    during calls that others take part in.

    Every field is an array with a row for each world: b.qpos (nsim, nq) and other fields of the
    state are live and can be written, b.xpos (nsim, nbody, 3) and other outputs are filled by every
    call from their first read on. Calls take `ids`, the worlds they are about, n of them: None for
    all, rising numbers (n,), or a mask (nsim,).

    A Batch is for one Python thread: calls from several wait for each other, but `status` and
    `error` are of the last one.
    """
    model: Any
    nsim: int
    nthread: int
    persistent: bool
    fresh: bool
    cpu_ids: tuple[int, ...] | None
    nstate: int
    state: np.ndarray
    warning: np.ndarray
    resets: np.ndarray
    maxuse_con: np.ndarray
    maxuse_efc: np.ndarray
    status: np.ndarray

    def __init__(self, model: Any, nsim: int, nthread: int = 0, persistent: bool = False, nconmax: int | None = None, njmax: int | None = None, fresh: bool = False, timing: bool = False, cpu_ids: Sequence[int] | None = None) -> None:
        ...

    def __copy__(self) -> Batch:
        """A Batch of its own, with the same worlds: states, outputs, models, all that was counted.
        Views of fields are new, too.
        """

    def bind(self, name: str, dtype: Any = None) -> np.ndarray:
        """A live (nsim, ...) array over a data field.

        State fields are views of the rows and can be written; rows hold float64, so eq_active is
        float64 too. Other fields are outputs and read-only: computed now, for the state that each
        world has, which changes nothing else, and copied out after every later call that computes
        them, until `unbind`. What no state alone leads to is zero until then: factors and
        derivatives of an integrator (qH, qDeriv, ...) until the next step, qfrc_inverse until
        `inverse` is called. energy and solver_fwdinv are zero unless the model enables them
        (opt.enableflags), and solver_fwdinv in worlds without constraints.

        dtype=np.float32: an array of its own, read-only, into which calls copy the field rounded to
        float32; worlds are computed in float64. Of a state field it is the state after the last
        call: what is written to b.qpos is in it after the next one.
        """

    def unbind(self, name: str) -> None:
        """Calls need not copy out a field any more, as float64 or float32. Arrays of it keep the
        numbers they have now.
        """

    @property
    def bound(self) -> list[str]:
        """The outputs that every call copies out: those that are bound, and those whose arrays
        somebody holds.
        """

    def step(self, ids: Any = None, nstep: int = 1, stage: int = 0, control: Callable[['Batch'], None] | None = None) -> None:
        """Advance worlds by nstep steps of opt.timestep [s], then compute the stages up to `stage`
        (mjtStage) anew.

        It starts from the state that each world has now: write b.ctrl (nsim, nu), b.qfrc_applied
        (nsim, nv), b.qpos (nsim, nq), ... before. ids: the worlds that move, all if None. Outputs
        that are read, such as b.xpos (nsim, nbody, 3), and b.warning (nsim, 7, 2) are filled. What
        was wrong with a world raises SimulationError when all others have moved.

        After a step, outputs describe the state before its last substep. stage=2 (mjSTAGE_VEL)
        makes those that depend on position and velocity current, stage=3 (mjSTAGE_ACC) all of them;
        a Batch with fresh=True does so by itself.

        control is a Python function of the Batch that is called in every step between its halves,
        once for all worlds: as mj_step1, control, mj_step2. It reads what follows from positions
        and velocities, and writes ctrl or other inputs.
        """

    @property
    def steps_done(self) -> np.ndarray:
        """How many steps each world made in the last call of `step` or `rollout`, (nsim,).

        Ctrl-C ends a call between two steps: the state of each world, and what was computed of it,
        are those after `steps_done[i]` steps. Worlds that a rollout stopped for a warning count
        as if they had gone on.
        """

    def forward(self, ids: Any = None, stage: int = 3) -> None:
        """Compute the stages up to `stage` (mjtStage: 1 positions, 2 velocities, 3 accelerations),
        by default all, of the worlds ids, by default all. mj_forward

        State is untouched; outputs that are read, such as b.xpos (nsim, nbody, 3) [m], are filled.
        `forward_skip` computes later stages only, and can do so after this.
        """

    def reset(self, ids: Any = None, keyframe: Any = -1, stage: int = 3) -> None:
        """Reset worlds to the model's reference state (-1 or None) or to keyframes, then compute
        stages.

        keyframe is one, by name or number, for all worlds of the call, or one for each, (n,).
        """

    def rollout(self, nstep: int, control: Any = None, control_spec: int = 64, record: Sequence[str | int] = ('qpos',), ids: Any = None, out: dict | None = None, dtype: Any = ...) -> dict:
        """Advance worlds by nstep steps and record after each; {item: (n, nstep, ...) array}.

        Before step k, the state components in control_spec (mjtState bits of inputs, by default
        ctrl) are set from control[:, k]. A record is a field's name, that of a state or output of
        user code, or mjtState bits for a state vector. A world whose warning counters rise stops,
        and its last records are repeated. `out` has arrays to record into. dtype: float64, or
        float32, to which records are rounded.

        A recorded output is what a step computed of it, before it moved the state, also in a Batch
        with fresh=True; outputs that are bound describe the state at the end there.
        """

    def get_data(self, sim: int, data: Any = None) -> Any:
        """An MjData with the state of world sim, or data, filled; in a persistent batch, with all
        that was computed.
        """

    def error(self, sim: int) -> str:
        """What was wrong with a world in its last call, or ''."""

    def state_size(self, spec: Any = 32767) -> int:
        """Length of a state vector with the components of spec.

        spec is bits of mujoco.mjtState, the name of a component ("qpos") or of a set of MuJoCo's
        ("physics", "fullphysics", "user", "integration"), or several of these; by default all.
        """

    def get_state(self, spec: Any = 32767, ids: Any = None) -> np.ndarray:
        """State vectors with the components of spec, as in `state_size`, in the order of mjtState:
        a copy, (n, size).
        """

    def set_state(self, state: Any, spec: Any = 32767, ids: Any = None) -> None:
        """Set the state components of spec, as in `state_size`, from a vector for each world,
        (n, size), or one for all.

        This is as writing to qpos, ctrl, ...: other components, warnings and outputs stay as they
        are, and so do the stages that `forward_skip` knows.
        """

    @property
    def contact(self) -> BatchContacts:
        """Contacts of all worlds: `b.contact.dist` is (nsim, nconmax), `b.ncon` says how many."""

    def pair_force(self, first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
        """What geoms `first` do to geoms `second`: the force (nsim, 3) in the world's axes, and the
        number of contacts (nsim,).

        Geoms are given by name or number, one or several. It speaks of the state that outputs
        describe; the first time, of the state that each world has now.
        """

    @property
    def parameters(self) -> BatchParameters:
        """{name: array} of the parameters of user code; `expand` gives every world its own."""

    def user(self, name: str) -> np.ndarray:
        """What user code keeps in its state, live, or left in an output, read-only: (nsim, ...)"""

    def actuator(self, key: int | str) -> Named:
        """An actuator by name or number, in all worlds: `b.actuator("knee").ctrl`, `.force`,
        `.length`; `.gainprm = ...` sets the model's, for every world.
        """

    def body(self, key: int | str) -> Named:
        """A body by name or number, in all worlds: `b.body("torso").xpos`, `.cvel`,
        `.xfrc_applied`; `.mass = ...` sets the model's, for every world.
        """

    def camera(self, key: int | str) -> Named:
        """A camera by name or number, in all worlds: `b.camera("front").xpos`, `.xmat`; `.fovy =
        ...` sets the model's, for every world.
        """

    def equality(self, key: int | str) -> Named:
        """An equality constraint by name or number, in all worlds: `b.equality("grip").data`;
        `.solref = ...` sets the model's, for every world.
        """

    def geom(self, key: int | str) -> Named:
        """A geom by name or number, in all worlds: `b.geom("foot").xpos`, `.xmat`; `.friction =
        ...` sets the model's, for every world.
        """

    def joint(self, key: int | str) -> Named:
        """A joint by name or number, in all worlds: `b.joint("knee").qpos`, `.qvel`, `.qacc`;
        `.damping = ...` sets the model's, for every world.
        """

    def keyframe(self, key: int | str) -> Named:
        """A keyframe by name or number, in all worlds: `b.keyframe("home").qpos`, `.ctrl`; what is
        assigned is the model's, for every world.
        """

    def light(self, key: int | str) -> Named:
        """A light by name or number, in all worlds: `b.light("sun").xpos`, `.xdir`; `.pos = ...`
        sets the model's, for every world.
        """

    def material(self, key: int | str) -> Named:
        """A material by name or number, in all worlds: `b.material("wood").rgba`; what is assigned
        is the model's, for every world.
        """

    def numeric(self, key: int | str) -> Named:
        """A custom numeric field by name or number, in all worlds: `b.numeric("gains").data`; what
        is assigned is the model's, for every world.
        """

    def pair(self, key: int | str) -> Named:
        """A contact pair by name or number, in all worlds: `b.pair("grip").friction`; what is
        assigned is the model's, for every world.
        """

    def sensor(self, key: int | str) -> Named:
        """A sensor by name or number, in all worlds: `b.sensor("imu").adr`, `.dim`; `.cutoff =
        ...` sets the model's, for every world.
        """

    def site(self, key: int | str) -> Named:
        """A site by name or number, in all worlds: `b.site("tip").xpos`, `.xmat`; `.pos = ...`
        sets the model's, for every world.
        """

    def tendon(self, key: int | str) -> Named:
        """A tendon by name or number, in all worlds: `b.tendon("pull").length`, `.velocity`;
        `.springyield = ...` sets the model's, for every world.
        """

    def step1(self, ids: Any = None) -> None:
        """The first half of a step, as mj_step1: what follows from positions and velocities.

        Then read outputs and write ctrl, qfrc_applied or xfrc_applied, and call `step2`. Outputs of
        accelerations stay as they were, also in a Batch with fresh=True.
        """

    def step2(self, ids: Any = None) -> None:
        """The second half of a step, as mj_step2: forces, accelerations, and the state moves on.

        Positions and velocities count as they were when they were last computed: by `step1`, by
        `forward` or another call that `forward_skip` names. What was written to qpos since then is
        moved on, but felt only by the next step. Runge-Kutta becomes Euler's method. With the
        controls set before, both halves together are a `step`, to the bit.
        """

    def forward_skip(self, skipstage: int = 0, skipsensor: bool = False, ids: Any = None) -> None:
        """`forward`, but for positions (skipstage 1, mjSTAGE_POS), or velocities too (2,
        mjSTAGE_VEL); skipsensor: sensordata stays as it was. As mj_forwardSkip.

        Stages that are skipped have the results of when they were last computed for a world: by
        `forward`, `forward_skip`, `inverse`, `inverse_skip` or `step1`, at the state that it had
        then. Later stages are those of the present state. `step`, `rollout` and `reset` leave
        nothing that could be skipped. A change of the model counts from the first stage on.

        To evaluate one world at many inputs, `sample` is faster.
        """

    def inverse(self, qacc: Any, ids: Any = None) -> np.ndarray:
        """The generalized force (n, nv) [N|Nm] that gives each world an acceleration qacc, (n, nv)
        or (nv,) [m/s^2|rad/s^2].

        As `lanewise.inverse`: with the forces of constraints that follow from qacc, without those
        of actuators, qfrc_applied and xfrc_applied, which are a part of the answer. States stay as
        they are, and outputs that are bound (qfrc_constraint, contact_force, ...) get the values
        that belong to qacc.
        """

    def inverse_skip(self, qacc: Any, skipstage: int = 0, skipsensor: bool = False, ids: Any = None) -> np.ndarray:
        """`inverse`, but for positions (skipstage 1), or velocities too (2), as in `forward_skip`;
        skipsensor: sensordata stays as it was. As mj_inverseSkip.
        """

    def sample(self, inputs: Mapping[str, Any], record: Any = ('qacc',), ids: Any = None, out: dict | None = None) -> dict:
        """Forward dynamics of each world at k variations of its state: {item: (n, k, ...) array}.

        inputs has the components of the state that vary, by name (qpos, qvel, ctrl, act,
        qfrc_applied, xfrc_applied, mocap_pos, ...), each of shape (n, k, ...) or (k, ...) for all
        worlds; the others are those of the world. A record is the name of a field of fixed size,
        computed as `forward` would if the world had that state, to the bit. `out` has arrays to
        record into.

        What the inputs cannot change is computed once: nothing but forces is computed anew if
        ctrl, act or applied forces vary, and positions are not if qvel varies. With user code that
        does more than control, all is computed for each sample.

        Every sample starts the solver from the same qacc_warmstart, that of its world unless it is
        varied. States, outputs and warnings stay as they are; a bad state is not reset.
        """

    def jac(self, body: Any, point: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """(jacp, jacr) of a point that is fixed to a body, (n, 3, nv) each: velocity of the point
        and angular velocity of the body, in the world's axes, for each unit of a number of qvel.

        body is one, by name or number, or one for each world of the call; point [m], (3,) or
        (n, 3), is given in the world frame. Points (n, k, 3), or (1, k, 3) for all worlds, give
        (n, k, 3, nv); body is one then, or (k,) or (n, k) of them. State and outputs are untouched.
        """

    def jac_body(self, body: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """(jacp, jacr) of a body's frame, (n, 3, nv) each: velocity of its origin, xpos, and
        angular velocity, in the world's axes, for each unit of a number of qvel.

        body: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """

    def jac_body_com(self, body: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """(jacp, jacr) of a body's centre of mass, (n, 3, nv) each: velocity of xipos and angular
        velocity, in the world's axes, for each unit of a number of qvel.

        body: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """

    def jac_geom(self, geom: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """(jacp, jacr) of a geom, (n, 3, nv) each: velocity of its centre, geom_xpos, and angular
        velocity, in the world's axes, for each unit of a number of qvel.

        geom: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """

    def jac_site(self, site: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """(jacp, jacr) of a site, (n, 3, nv) each: velocity of site_xpos and angular velocity, in
        the world's axes, for each unit of a number of qvel.

        site: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """

    def jac_subtree_com(self, body: Any, ids: Any = None) -> np.ndarray:
        """jacp (n, 3, nv) of the centre of mass of a body and all below it, subtree_com: its
        velocity in the world's axes, for each unit of a number of qvel; NaN if they have no mass.

        body: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """

    def angmom_mat(self, body: Any, ids: Any = None) -> np.ndarray:
        """The matrix (n, 3, nv) that qvel is multiplied by to give the angular momentum [Nms] of a
        body and all below it, about their centre of mass, in the world's axes.

        body: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """

    def jac_point_axis(self, body: Any, point: Any, axis: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """(jac_point, jac_axis) of a point and of an axis that are fixed to a body, (n, 3, nv)
        each: velocity of the point, and d(axis)/dt, for each unit of a number of qvel.

        body and point are as in `jac`; axis is (3,), (n, 3), or there are as many as points, in the
        world's axes. For the present qpos of each world; state and outputs are untouched.
        """

    def jac_dot(self, body: Any, point: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """(d jacp/dt, d jacr/dt) of a point that is fixed to a body and moves with qvel, (n, 3, nv)
        each: times qvel, what jacp qacc and jacr qacc lack to be accelerations.

        body and point are as in `jac`. For the present qpos and qvel of each world; state and
        outputs are untouched.
        """

    def object_velocity(self, kind: Any, id: Any, local: bool = False, ids: Any = None) -> np.ndarray:
        """Velocity (n, 6) of an object in each world, as `lanewise.object_velocity`: angular
        [rad/s], then linear [m/s] of its origin.

        kind: "body" (the inertial frame, at the centre of mass), "xbody" (the body's own frame),
        "geom", "site", "camera", or one of mjtObj; id: name or number, a sequence of k gives
        (n, k, 6). In the axes of the world, or with local=True in the object's own. For the present
        qpos and qvel of each world; state and outputs are untouched.
        """

    def object_acceleration(self, kind: Any, id: Any, local: bool = False, ids: Any = None) -> np.ndarray:
        """Acceleration (n, 6) of an object in each world, as `lanewise.object_acceleration`:
        angular [rad/s^2], then linear [m/s^2] of its origin. Arguments as in `object_velocity`.

        It is what an accelerometer there feels: gravity counts as an acceleration upwards. The
        forward dynamics of the present state are computed for it, with controls, applied forces and
        constraints; state and outputs are untouched.
        """

    def local_to_global(self, pos: Any, quat: Any, body: Any, sameframe: Any = 0, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """(xpos (n, 3) [m], xmat (n, 9)) in the world of a frame that is fixed in a body, as
        `lanewise.local_to_global`.

        pos and quat, in the body's frame, are (3,) and (4,), or have a row for each world; body is
        one or (n,). (1, k, 3) or (n, k, 3) are k frames of each world, and give (n, k, 3) and
        (n, k, 9). For the present qpos; state and outputs are untouched.
        """

    def apply_ft(self, force: Any, torque: Any, point: Any, body: Any, ids: Any = None) -> np.ndarray:
        """The generalized force (n, nv) of a force [N] at a point [m] of a body, and of a torque
        [Nm] on it, all in the world frame, as `lanewise.apply_ft`: to be added to `qfrc_applied`.

        force, torque and point are (3,), or (n, 3); body is one or (n,). (1, k, 3) or (n, k, 3) are
        k forces in each world, which add up. For the present qpos; state and outputs are untouched.
        """

    def mul_m(self, x: Any, ids: Any = None) -> np.ndarray:
        """M x (n, nv) of each world, with the inertia matrix of its present qpos; x is (n, nv) or
        (nv,). State and outputs are untouched.
        """

    def solve_m(self, x: Any, ids: Any = None) -> np.ndarray:
        """inverse(M) x (n, nv) of each world, as `mul_m`."""

    def solve_m2(self, x: Any, ids: Any = None) -> np.ndarray:
        """D^(-1/2) inverse(L') x (n, nv) of each world, with M = L' D L, as `mul_m`: half of
        `solve_m`. The sum of its squares is x' inverse(M) x.
        """

    def full_m(self, ids: Any = None) -> np.ndarray:
        """M (n, nv, nv), the inertia matrix of the present qpos of each world [kg, kg m, kg m^2].
        State and outputs are untouched.
        """

    def mul_jac_vec(self, x: Any, ids: Any = None) -> np.ndarray:
        """J x (n, njmax) of each world: a number for each row of its constraints, in the order of
        `efc_force`, and zeros beyond; x is (n, nv) or (nv,), as qvel is.

        J is the Jacobian of the constraints that the present qpos has: their number is nefc. State
        and outputs are untouched.
        """

    def mul_jac_t_vec(self, x: Any, ids: Any = None) -> np.ndarray:
        """J' x (n, nv) of each world, as `mul_jac_vec`: of forces of constraint rows, `efc_force`,
        the force that they make in the dofs.

        x is (n, r), or (r,) for all worlds, and no world has more than r rows; numbers beyond those
        that it has do not count.
        """

    def transition_fd(self, eps: float = 1e-06, centered: bool = False, ids: Any = None, sensors: bool = True, wrt: Sequence[Any] = ('state', 'ctrl')) -> Transition:
        """Derivatives of a step in every world, by finite differences: A, B, C, D.

        A world is a knot of a trajectory: with x = (qpos, qvel, act) and u = ctrl as it has them, y
        the state one step later and s what sensors read in that step,

            A = dy/dx (n, nx, nx), B = dy/du (n, nx, nu), C = ds/dx (n, nsensordata, nx), D = ds/du

        where nx = 2 nv + na, positions in the tangent space. eps is the size of a nudge, in the
        units of what is nudged; centered takes differences both ways. Controls are not nudged out
        of their range. sensors=False leaves C and D empty. States and outputs are untouched.

        wrt says by what to differentiate: "state", "ctrl", and real-valued fields of the model, by
        name or as a pair of a name and an index: wrt=("state", "body_mass"), or
        ("geom_friction", (3, 0)). Their derivatives are in `.state` and `.sensor` of what is
        returned, by name: (n, nx, k) and (n, nsensordata, k) for k numbers in the order of memory.
        What mj_setConst computes from a field follows it. Options are named "opt.gravity" and so
        on, parameters of user code "parameters.NAME".

            A, B, C, D = b.transition_fd()
            dy_dmass = b.transition_fd(wrt=("body_mass",)).state["body_mass"]
        """

    def inverse_fd(self, qacc: Any, eps: float = 1e-06, actuation: bool = False, ids: Any = None, sensors: bool = True) -> InverseSlopes:
        """Derivatives of inverse dynamics at accelerations qacc, (n, nv) or (nv,), in every world.

        As `lanewise.inverse_fd`, with a leading axis of worlds: DfDq (n, nv, nv), ... States and
        outputs are untouched.
        """

    def ray(self, pnt: Any, vec: Any, geomgroup: Any = None, flg_static: bool = True, bodyexclude: Any = -1, ids: Any = None, normal: bool = False, cutoff: float | None = None, frame: Any = None, yaw_only: bool = False, moving: bool = True) -> tuple[np.ndarray, ...]:
        """Distances and geoms (n, nray) that rays meet first in each world, as `lanewise.ray`; with
        normal=True also the normals (n, nray, 3).

        pnt and vec are (3,), (nray, 3) or (n, nray, 3), for the present qpos of each world; state
        and outputs are untouched. frame: where they are given, the name of a site, body, geom or
        camera, or a pair such as ("body", "torso"); yaw_only leaves out its roll and pitch. What is
        farther than `cutoff` [m] is not met. bodyexclude may be one for each ray. moving=False:
        only geoms that cannot move.
        """

    def height_scan(self, points: Any, frame: Any = None, yaw_only: bool = True, above: float = 10.0, geomgroup: Any = None, moving: bool = False, bodyexclude: Any = -1, ids: Any = None) -> np.ndarray:
        """Heights (n, npoint) of the ground in the world's z, under points (npoint, 2); NaN where
        there is none.

        points are x and y in a frame, as in `ray`, which is turned upright unless yaw_only=False;
        without one, in the world. Rays go straight down, from `above` metres over the frame. The
        ground is what cannot move; moving=True counts all geoms.
        """

    def geom_distance(self, geom1: Any, geom2: Any, distmax: float, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Signed distances (n,) of two geoms, and the nearest points (n, 6) on both, in the world.

        For the present qpos of each world; state and outputs are untouched. Beyond distmax the
        distance is distmax, and the points are zero. Geoms are given by number or name; with
        sequences of them, results are (n, npair) and (n, npair, 6).
        """

    def inside_site(self, site: Any, point: Any, ids: Any = None) -> np.ndarray:
        """Whether a point, (3,) or (n, 3) in the world, is inside a site (number or name): (n,).

        For the present qpos of each world; state and outputs are untouched. Points (n, npoint, 3)
        give (n, npoint). The shape of a mesh is its convex hull.
        """

    def expand(self, name: str) -> np.ndarray:
        """Give a model field its own value in every world: a live (nsim, ...) array of them.

        Options are named opt.<name>. After writing a field that docs/fields.md marks with
        set_const, call set_const().
        """

    def expanded(self, name: str) -> np.ndarray | None:
        """A field's values (nsim, ...) in all worlds, read-only; None if they share the model's."""

    def set_const(self, ids: Any = None) -> None:
        """mj_setConst in every world: what follows from expanded fields gets rows as well.

        Call it after an edit of expanded fields that docs/fields.md marks with set_const. After one
        of `model`, which all worlds share, it is lanewise.set_const(b.model).
        """

    def get_model(self, sim: int, model: Any = None) -> Any:
        """An MjModel of one world: a new one, or `model`, which must have the same sizes."""

    def set_models(self, models: Any) -> None:
        """Run world i on models[i] instead; one model for all, or None for the batch's.

        The models must have the sizes of the batch's model. They are copied: set them again after
        editing one. They take the place of expanded fields, and the two cannot be combined.
        """

    def made_of(self, model: Any) -> bool:
        """Whether this is the model that the batch copied."""

    @property
    def models(self) -> Any:
        """What set_models was given: None, one model, or a tuple with one for each world."""

    @property
    def timing(self) -> bool:
        """Whether stages are timed, which costs some nanoseconds each; can be assigned. What
        `timer` has by then stays, until a reset of all worlds.
        """
    @timing.setter
    def timing(self, value: bool) -> None: ...

    @property
    def timer(self) -> Timers:
        """What stages took in step, rollout, forward, reset and inverse, while `timing` was on,
        since the last reset of all worlds: `b.timer["step"].duration`, in seconds.

        A gang of eight worlds counts eight times and takes its thread's time once: duration /
        number is the time of a thread for one world and step, and with n threads at work n steps
        are made in that time.
        """

    @property
    def solver(self) -> BatchSolver:
        """Iterations of the solver: `b.solver.improvement` is (nsim, nisland, 200)."""

    @property
    def nconmax(self) -> int:
        """Room: how many contacts a world may have, a number."""

    @property
    def njmax(self) -> int:
        """Room: how many constraint rows a world may have, a number."""

    @property
    def nbytes(self) -> int:
        """Bytes of all worlds, of outputs in use, and of the threads' workspaces; `memory` has the
        parts.
        """

    def memory(self) -> dict[str, int]:
        """{part: bytes}. Of the room that threads have for contacts, constraint rows, iterations
        and convex collision, the operating system provides only what was used so far.
        """
    time: Numbers
    """scalar [s] simulation time"""
    qpos: Numbers
    """(nq,) [m|rad] generalized position; a free joint: p_WBo_W, q_WB (wxyz)"""
    qvel: Numbers
    """(nv,) [m/s|rad/s] generalized velocity; a free joint: v_WBo_W, w_WB_B"""
    act: Numbers
    """(na,) activation of actuators"""
    history: Numbers
    """(nhistory,) past controls of actuators with a delay"""
    qacc_warmstart: Numbers
    """(nv,) [m/s^2|rad/s^2] acceleration that starts the solver"""
    ctrl: Numbers
    """(nu,) controls"""
    qfrc_applied: Numbers
    """(nv,) [N|Nm] generalized force applied by the user"""
    xfrc_applied: Numbers
    """(nbody, 6) [N,Nm] force and torque applied by the user, at the centre of mass, in W"""
    eq_active: Numbers
    """(neq,) 1 where an equality constraint is on"""
    mocap_pos: Numbers
    """(nmocap, 3) [m] position of mocap bodies, in W"""
    mocap_quat: Numbers
    """(nmocap, 4) orientation of mocap bodies, wxyz"""
    userdata: Numbers
    """(nuserdata,) numbers for the user, not touched"""
    plugin_state: Numbers
    """(npluginstate,) state of plugins"""
    plastic: Numbers
    """(nplastic,) plastic deformation of springs"""
    xpos: Computed
    """(nbody, 3) [m] p_WBo_W"""
    xquat: Computed
    """(nbody, 4) q_WB, wxyz"""
    xmat: Computed
    """(nbody, 9) R_WB, row-major"""
    xipos: Computed
    """(nbody, 3) [m] p_WBcm_W"""
    xiquat: Computed
    """(nbody, 4) q_WI, wxyz"""
    ximat: Computed
    """(nbody, 9) R_WI, row-major"""
    xanchor: Computed
    """(njnt, 3) [m] joint anchor, in W"""
    xaxis: Computed
    """(njnt, 3) joint axis, in W"""
    geom_xpos: Computed
    """(ngeom, 3) [m] p_WG_W"""
    geom_xquat: Computed
    """(ngeom, 4) q_WG, wxyz"""
    geom_xmat: Computed
    """(ngeom, 9) R_WG, row-major"""
    site_xpos: Computed
    """(nsite, 3) [m] p_WS_W"""
    site_xquat: Computed
    """(nsite, 4) q_WS, wxyz"""
    site_xmat: Computed
    """(nsite, 9) R_WS, row-major"""
    subtree_com: Computed
    """(nbody, 3) [m] centre of mass of a body and all below it, in W"""
    cdof: Computed
    """(nv, 6) motion axis of a dof in C, rotation before translation"""
    cinert: Computed
    """(nbody, 10) [kg*m^2,kg*m,kg] inertia of a body about C: xx yy zz xy xz yz, m*r, m"""
    cam_xpos: Computed
    """(ncam, 3) [m] camera position, in W"""
    cam_xmat: Computed
    """(ncam, 9) camera orientation, row-major"""
    light_xpos: Computed
    """(nlight, 3) [m] light position, in W"""
    light_xdir: Computed
    """(nlight, 3) light direction, in W"""
    ten_length: Computed
    """(ntendon,) [m] tendon length"""
    ten_J: Computed
    """(nJten,) Jacobian of tendon lengths, in the structure of ten_J_colind"""
    ten_wrapadr: Computed
    """(ntendon,) first point of a tendon's path in wrap_xpos"""
    ten_wrapnum: Computed
    """(ntendon,) number of points in a tendon's path"""
    wrap_obj: Computed
    """(nwrap, 2) geom of a path point; -1 site, -2 pulley"""
    wrap_xpos: Computed
    """(nwrap, 6) [m] path points, two in a row, in W"""
    crb: Computed
    """(nbody, 10) [kg*m^2,kg*m,kg] inertia of a body and all below it, about C"""
    M: Computed
    """(nC,) [kg|kg*m^2] joint-space inertia, lower triangle, in the structure of M_colind"""
    ncon: Computed
    """scalar number of contacts"""
    ne: Computed
    """scalar number of equality rows"""
    nf: Computed
    """scalar number of friction rows"""
    nl: Computed
    """scalar number of limit rows"""
    nefc: Computed
    """scalar number of constraint rows"""
    efc_type: Computed
    """(njmax,) kind of a constraint row (mjtConstraint)"""
    efc_id: Computed
    """(njmax,) its equality, dof, joint, tendon or contact"""
    efc_J: Computed
    """(nJmax,) Jacobian, dense by rows: nv numbers for each row"""
    efc_pos: Computed
    """(njmax,) [m|rad] residual, or distance of a limit or contact"""
    efc_margin: Computed
    """(njmax,) [m|rad] distance at which it starts to act"""
    efc_frictionloss: Computed
    """(njmax,) [N|Nm] most force of dry friction"""
    efc_diagA: Computed
    """(njmax,) diagonal of J inv(M) J', exact or approximate"""
    efc_KBIP: Computed
    """(njmax, 4) stiffness, damping, impedance, derivative of the impedance"""
    efc_D: Computed
    """(njmax,) 1/R"""
    efc_R: Computed
    """(njmax,) regularization"""
    efc_vel: Computed
    """(njmax,) [m/s|rad/s] velocity"""
    efc_aref: Computed
    """(njmax,) [m/s^2|rad/s^2] reference acceleration"""
    efc_b: Computed
    """(njmax,) [m/s^2|rad/s^2] J qacc_smooth - aref"""
    efc_force: Computed
    """(njmax,) [N|Nm] force"""
    efc_state: Computed
    """(njmax,) state (mjtConstraintState)"""
    qLD: Computed
    """(nC,) L'*D*L factors of M, in the structure of M_colind"""
    qLDiagInv: Computed
    """(nv,) 1/diag(D)"""
    actuator_length: Computed
    """(nout,) [m|rad] length of an actuator's transmission"""
    moment_rownnz: Computed
    """(nout,) non-zeros in a row of actuator_moment"""
    moment_rowadr: Computed
    """(nout,) first number of a row of actuator_moment"""
    moment_colind: Computed
    """(nJmom,) dof of a number of actuator_moment"""
    actuator_moment: Computed
    """(nJmom,) moment arms, rows by force output"""
    ten_velocity: Computed
    """(ntendon,) [m/s] rate of tendon length"""
    actuator_velocity: Computed
    """(nout,) [m/s|rad/s] rate of actuator length"""
    cvel: Computed
    """(nbody, 6) [rad/s,m/s] velocity of a body in C, rotation before translation"""
    cdof_dot: Computed
    """(nv, 6) rate of cdof"""
    qfrc_spring: Computed
    """(nv,) [N|Nm] springs"""
    qfrc_damper: Computed
    """(nv,) [N|Nm] dampers"""
    qfrc_gravcomp: Computed
    """(nv,) [N|Nm] gravity compensation"""
    qfrc_fluid: Computed
    """(nv,) [N|Nm] fluid forces"""
    qfrc_adhesion: Computed
    """(nv,) [N|Nm] adhesion of contacts"""
    qfrc_passive: Computed
    """(nv,) [N|Nm] sum of the passive forces"""
    qfrc_bias: Computed
    """(nv,) [N|Nm] Coriolis, centrifugal and gravitational force"""
    act_dot: Computed
    """(na,) [1/s] rate of activation"""
    actuator_force: Computed
    """(nout,) [N|Nm] force of actuators"""
    qfrc_actuator: Computed
    """(nv,) [N|Nm] force of actuators on the dofs"""
    qfrc_smooth: Computed
    """(nv,) [N|Nm] all forces but those of constraints"""
    qacc_smooth: Computed
    """(nv,) [m/s^2|rad/s^2] acceleration without constraints"""
    qfrc_constraint: Computed
    """(nv,) [N|Nm] forces of constraints"""
    qacc: Computed
    """(nv,) [m/s^2|rad/s^2] acceleration"""
    solver_niter: Computed
    """(20,) iterations of the solver, of the first 20 islands"""
    solver_nnz: Computed
    """(20,) numbers in a dual solver's matrices, by island; Newton and CG leave it zero"""
    nisland: Computed
    """scalar number of islands; 0 if the model disables them"""
    qfrc_inverse: Computed
    """(nv,) [N|Nm] force that would give qacc, constraints included"""
    solver_fwdinv: Computed
    """(2,) difference of forward and inverse dynamics: constraint, applied force"""
    cacc: Computed
    """(nbody, 6) [rad/s^2,m/s^2] acceleration of a body in C, less gravity"""
    cfrc_int: Computed
    """(nbody, 6) [Nm,N] torque and force of the parent on a body, in C"""
    cfrc_ext: Computed
    """(nbody, 6) [Nm,N] torque and force on a body of all but its joints, in C"""
    contact_force: Computed
    """(nconmax, 6) [N,Nm] force and torque on the second geom, in the contact's frame"""
    body_contact: Computed
    """(nbody, 6) [N,Nm] sum of them on a body, at its centre of mass, in W"""
    sensordata: Computed
    """(nsensordata,) readings of all sensors, one after another"""
    actuator_power: Computed
    """(nout,) [W] power of an actuator: force times velocity"""
    joint_power: Computed
    """(nv,) [W] power of all forces on a dof but gravity and inertia"""
    qH: Computed
    """(nC,) L'*D*L factors of the modified inertia"""
    qHDiagInv: Computed
    """(nv,) 1/diag(D) of the modified inertia"""
    qDeriv: Computed
    """(nD,) derivative of (passive + actuator - bias) force by qvel"""
    qLU: Computed
    """(nD,) LU factors of M - h*qDeriv"""
    energy: Computed
    """(2,) [J] potential and kinetic energy"""
    subtree_linvel: Computed
    """(nbody, 3) [m/s] velocity of the subtree's centre of mass, in W"""
    subtree_angmom: Computed
    """(nbody, 3) [Nms] angular momentum about the subtree's centre of mass, in W"""
    observed: Computed
    """(nobserved,) what the user's kernel `observe` leaves, output by output"""

class ClusterError(LanewiseError):
    """Nodes that are not there, do not answer or cannot be used; the message has what was lost."""

class ConventionError(LanewiseError):
    """Numbers that are not what a convention says, or a convention that nobody knows."""

class Data:
    """Everything that changes in 1 to 8 worlds of a model; docs/fields.md has the fields.

    d.qpos is a live array (nq,), and (lanes, nq) with several worlds, and so is every other field;
    what is an integer is a copy. nconmax and njmax: room for contacts and constraint rows of a
    world; what does not fit is left out, with a warning. Without them, room is made as it is
    needed. timing: whether stages are timed, see `timer`.
    """
    model: Model
    lanes: int
    sizes: dict[str, int]
    state_lanes: np.ndarray
    arrays: dict[str, np.ndarray]

    def __init__(self, model: Model, lanes: int = 1, nconmax: int | None = None, njmax: int | None = None, timing: bool = False) -> None:
        ...

    def user(self, name: str) -> np.ndarray:
        """What user code keeps in its state or left in an output, live, of the shape (...) that
        lanewise.load(state=, outputs=) gave it; with several worlds after an axis of them.
        """

    def reset(self, keyframe: int | str | None = None) -> None:
        """Set all worlds to the reference state or a keyframe (number or name), and everything
        computed to zero.
        """

    @property
    def timing(self) -> bool:
        """Whether stages are timed, which costs some nanoseconds each; can be assigned. What
        `timer` has by then stays, until a reset.
        """
    @timing.setter
    def timing(self, value: bool) -> None: ...

    @property
    def nconmax(self) -> int:
        """Room: how many contacts a world may have, a number."""

    @property
    def njmax(self) -> int:
        """Room: how many constraint rows a world may have, a number."""

    @property
    def nbytes(self) -> int:
        """Bytes of all fields; `memory` has the parts."""

    def memory(self) -> dict[str, int]:
        """{part: bytes}. Of the room for contacts, constraint rows, iterations and convex
        collision, the operating system provides only what was used so far.
        """

    def view(self, name: str) -> np.ndarray:
        """The worlds' values of a field, live: of the shape (...) that docs/fields.md has, with
        several worlds after an axis of them. Workspace of the kernels, too.
        """

    def actuator(self, key: int | str) -> DataActuator:
        """An actuator, by name or number: its ctrl, force, length, velocity and moment."""

    def body(self, key: int | str) -> DataBody:
        """A body, by name or number: its xpos, xquat, cvel, xfrc_applied, ..."""

    def camera(self, key: int | str) -> DataCamera:
        """A camera, by name or number: its xpos and xmat."""

    def equality(self, key: int | str) -> DataEquality:
        """An equality constraint, by name or number: whether it is active."""

    def geom(self, key: int | str) -> DataGeom:
        """A geom, by name or number: its xpos, xmat and xquat."""

    def joint(self, key: int | str) -> DataJoint:
        """A joint, by name or number: its qpos, qvel, qacc, qfrc_applied, xaxis, ..."""

    def light(self, key: int | str) -> DataLight:
        """A light, by name or number: its xpos and xdir."""

    def sensor(self, key: int | str) -> DataSensor:
        """A sensor, by name or number: its data, (n,) with as many numbers as it has."""

    def site(self, key: int | str) -> DataSite:
        """A site, by name or number: its xpos, xmat and xquat."""

    def tendon(self, key: int | str) -> DataTendon:
        """A tendon, by name or number: its length and velocity, and where it wraps."""

    def cam(self, key: int | str) -> DataCamera:
        """A camera, by name or number: its xpos and xmat."""

    def jnt(self, key: int | str) -> DataJoint:
        """A joint, by name or number: its qpos, qvel, qacc, qfrc_applied, xaxis, ..."""

    def ten(self, key: int | str) -> DataTendon:
        """A tendon, by name or number: its length and velocity, and where it wraps."""

    def bind(self, specs: Any) -> Any:
        """What an element of the model's MjSpec is here, or several elements together."""

    def __copy__(self) -> Data:
        ...
    contact: Contacts
    warning: Warnings
    timer: Timers
    solver: SolverStats
    time: Number
    """scalar [s] simulation time"""
    qpos: Numbers
    """(nq,) [m|rad] generalized position; a free joint: p_WBo_W, q_WB (wxyz)"""
    qvel: Numbers
    """(nv,) [m/s|rad/s] generalized velocity; a free joint: v_WBo_W, w_WB_B"""
    act: Numbers
    """(na,) activation of actuators"""
    history: Numbers
    """(nhistory,) past controls of actuators with a delay"""
    qacc_warmstart: Numbers
    """(nv,) [m/s^2|rad/s^2] acceleration that starts the solver"""
    ctrl: Numbers
    """(nu,) controls"""
    qfrc_applied: Numbers
    """(nv,) [N|Nm] generalized force applied by the user"""
    xfrc_applied: Numbers
    """(nbody, 6) [N,Nm] force and torque applied by the user, at the centre of mass, in W"""
    eq_active: Numbers
    """(neq,) 1 where an equality constraint is on"""
    mocap_pos: Numbers
    """(nmocap, 3) [m] position of mocap bodies, in W"""
    mocap_quat: Numbers
    """(nmocap, 4) orientation of mocap bodies, wxyz"""
    userdata: Numbers
    """(nuserdata,) numbers for the user, not touched"""
    plugin_state: Numbers
    """(npluginstate,) state of plugins"""
    plastic: Numbers
    """(nplastic,) plastic deformation of springs"""
    state: Numbers
    """(nstate,) the whole state vector: the fields above, in their order"""
    xpos: Numbers
    """(nbody, 3) [m] p_WBo_W"""
    xquat: Numbers
    """(nbody, 4) q_WB, wxyz"""
    xmat: Numbers
    """(nbody, 9) R_WB, row-major"""
    xipos: Numbers
    """(nbody, 3) [m] p_WBcm_W"""
    xiquat: Numbers
    """(nbody, 4) q_WI, wxyz"""
    ximat: Numbers
    """(nbody, 9) R_WI, row-major"""
    xanchor: Numbers
    """(njnt, 3) [m] joint anchor, in W"""
    xaxis: Numbers
    """(njnt, 3) joint axis, in W"""
    geom_xpos: Numbers
    """(ngeom, 3) [m] p_WG_W"""
    geom_xquat: Numbers
    """(ngeom, 4) q_WG, wxyz"""
    geom_xmat: Numbers
    """(ngeom, 9) R_WG, row-major"""
    site_xpos: Numbers
    """(nsite, 3) [m] p_WS_W"""
    site_xquat: Numbers
    """(nsite, 4) q_WS, wxyz"""
    site_xmat: Numbers
    """(nsite, 9) R_WS, row-major"""
    subtree_com: Numbers
    """(nbody, 3) [m] centre of mass of a body and all below it, in W"""
    cdof: Numbers
    """(nv, 6) motion axis of a dof in C, rotation before translation"""
    cinert: Numbers
    """(nbody, 10) [kg*m^2,kg*m,kg] inertia of a body about C: xx yy zz xy xz yz, m*r, m"""
    cam_xpos: Numbers
    """(ncam, 3) [m] camera position, in W"""
    cam_xmat: Numbers
    """(ncam, 9) camera orientation, row-major"""
    light_xpos: Numbers
    """(nlight, 3) [m] light position, in W"""
    light_xdir: Numbers
    """(nlight, 3) light direction, in W"""
    ten_length: Numbers
    """(ntendon,) [m] tendon length"""
    ten_J: Numbers
    """(nJten,) Jacobian of tendon lengths, in the structure of ten_J_colind"""
    ten_wrapadr: Computed
    """(ntendon,) first point of a tendon's path in wrap_xpos"""
    ten_wrapnum: Computed
    """(ntendon,) number of points in a tendon's path"""
    wrap_obj: Computed
    """(nwrap, 2) geom of a path point; -1 site, -2 pulley"""
    wrap_xpos: Numbers
    """(nwrap, 6) [m] path points, two in a row, in W"""
    crb: Numbers
    """(nbody, 10) [kg*m^2,kg*m,kg] inertia of a body and all below it, about C"""
    M: Numbers
    """(nC,) [kg|kg*m^2] joint-space inertia, lower triangle, in the structure of M_colind"""
    ncon: Count
    """scalar number of contacts"""
    ne: Count
    """scalar number of equality rows"""
    nf: Count
    """scalar number of friction rows"""
    nl: Count
    """scalar number of limit rows"""
    nefc: Count
    """scalar number of constraint rows"""
    efc_type: Computed
    """(njmax,) kind of a constraint row (mjtConstraint)"""
    efc_id: Computed
    """(njmax,) its equality, dof, joint, tendon or contact"""
    efc_J: Numbers
    """(nJmax,) Jacobian, dense by rows: nv numbers for each row"""
    efc_pos: Numbers
    """(njmax,) [m|rad] residual, or distance of a limit or contact"""
    efc_margin: Numbers
    """(njmax,) [m|rad] distance at which it starts to act"""
    efc_frictionloss: Numbers
    """(njmax,) [N|Nm] most force of dry friction"""
    efc_diagA: Numbers
    """(njmax,) diagonal of J inv(M) J', exact or approximate"""
    efc_KBIP: Numbers
    """(njmax, 4) stiffness, damping, impedance, derivative of the impedance"""
    efc_D: Numbers
    """(njmax,) 1/R"""
    efc_R: Numbers
    """(njmax,) regularization"""
    efc_vel: Numbers
    """(njmax,) [m/s|rad/s] velocity"""
    efc_aref: Numbers
    """(njmax,) [m/s^2|rad/s^2] reference acceleration"""
    efc_b: Numbers
    """(njmax,) [m/s^2|rad/s^2] J qacc_smooth - aref"""
    efc_force: Numbers
    """(njmax,) [N|Nm] force"""
    efc_state: Computed
    """(njmax,) state (mjtConstraintState)"""
    efc_AR: Numbers
    """(nAmax,) J inv(M) J' + R, dense: nefc numbers for each row"""
    qLD: Numbers
    """(nC,) L'*D*L factors of M, in the structure of M_colind"""
    qLDiagInv: Numbers
    """(nv,) 1/diag(D)"""
    actuator_length: Numbers
    """(nout,) [m|rad] length of an actuator's transmission"""
    moment_rownnz: Computed
    """(nout,) non-zeros in a row of actuator_moment"""
    moment_rowadr: Computed
    """(nout,) first number of a row of actuator_moment"""
    moment_colind: Computed
    """(nJmom,) dof of a number of actuator_moment"""
    actuator_moment: Numbers
    """(nJmom,) moment arms, rows by force output"""
    ten_velocity: Numbers
    """(ntendon,) [m/s] rate of tendon length"""
    actuator_velocity: Numbers
    """(nout,) [m/s|rad/s] rate of actuator length"""
    cvel: Numbers
    """(nbody, 6) [rad/s,m/s] velocity of a body in C, rotation before translation"""
    cdof_dot: Numbers
    """(nv, 6) rate of cdof"""
    qfrc_spring: Numbers
    """(nv,) [N|Nm] springs"""
    qfrc_damper: Numbers
    """(nv,) [N|Nm] dampers"""
    qfrc_gravcomp: Numbers
    """(nv,) [N|Nm] gravity compensation"""
    qfrc_fluid: Numbers
    """(nv,) [N|Nm] fluid forces"""
    qfrc_adhesion: Numbers
    """(nv,) [N|Nm] adhesion of contacts"""
    qfrc_passive: Numbers
    """(nv,) [N|Nm] sum of the passive forces"""
    qfrc_bias: Numbers
    """(nv,) [N|Nm] Coriolis, centrifugal and gravitational force"""
    act_dot: Numbers
    """(na,) [1/s] rate of activation"""
    actuator_force: Numbers
    """(nout,) [N|Nm] force of actuators"""
    qfrc_actuator: Numbers
    """(nv,) [N|Nm] force of actuators on the dofs"""
    qfrc_smooth: Numbers
    """(nv,) [N|Nm] all forces but those of constraints"""
    qacc_smooth: Numbers
    """(nv,) [m/s^2|rad/s^2] acceleration without constraints"""
    qfrc_constraint: Numbers
    """(nv,) [N|Nm] forces of constraints"""
    qacc: Numbers
    """(nv,) [m/s^2|rad/s^2] acceleration"""
    solver_niter: Computed
    """(20,) iterations of the solver, of the first 20 islands"""
    solver_nnz: Computed
    """(20,) numbers in a dual solver's matrices, by island; Newton and CG leave it zero"""
    nisland: Count
    """scalar number of islands; 0 if the model disables them"""
    qfrc_inverse: Numbers
    """(nv,) [N|Nm] force that would give qacc, constraints included"""
    solver_fwdinv: Numbers
    """(2,) difference of forward and inverse dynamics: constraint, applied force"""
    cacc: Numbers
    """(nbody, 6) [rad/s^2,m/s^2] acceleration of a body in C, less gravity"""
    cfrc_int: Numbers
    """(nbody, 6) [Nm,N] torque and force of the parent on a body, in C"""
    cfrc_ext: Numbers
    """(nbody, 6) [Nm,N] torque and force on a body of all but its joints, in C"""
    contact_force: Numbers
    """(nconmax, 6) [N,Nm] force and torque on the second geom, in the contact's frame"""
    body_contact: Numbers
    """(nbody, 6) [N,Nm] sum of them on a body, at its centre of mass, in W"""
    sensordata: Numbers
    """(nsensordata,) readings of all sensors, one after another"""
    actuator_power: Numbers
    """(nout,) [W] power of an actuator: force times velocity"""
    joint_power: Numbers
    """(nv,) [W] power of all forces on a dof but gravity and inertia"""
    qH: Numbers
    """(nC,) L'*D*L factors of the modified inertia"""
    qHDiagInv: Numbers
    """(nv,) 1/diag(D) of the modified inertia"""
    qDeriv: Numbers
    """(nD,) derivative of (passive + actuator - bias) force by qvel"""
    qLU: Numbers
    """(nD,) LU factors of M - h*qDeriv"""
    efm_c: Numbers
    """(nv,) force of springs by the step's motion, -h*K*qvel"""
    efm_ca: Numbers
    """(nv,) the same of actuators"""
    efm_ck: Numbers
    """(nv,) h*K of joints' springs"""
    efm_diag: Numbers
    """(nv,) h*D + h^2*K of joints"""
    efm_sdiag: Numbers
    """(nv,) what the metric adds to the diagonal of M"""
    efm_fluid: Numbers
    """(nC,) h*D of the fluid, in the structure of M"""
    energy: Numbers
    """(2,) [J] potential and kinetic energy"""
    subtree_linvel: Numbers
    """(nbody, 3) [m/s] velocity of the subtree's centre of mass, in W"""
    subtree_angmom: Numbers
    """(nbody, 3) [Nms] angular momentum about the subtree's centre of mass, in W"""
    observed: Numbers
    """(nobserved,) what the user's kernel `observe` leaves, output by output"""
    resets: Count
    """scalar how often the world was reset because of bad numbers"""
    maxuse_con: Count
    """scalar the most contacts since the last reset"""
    maxuse_efc: Count
    """scalar the most constraint rows since the last reset"""
    efc_J_rownnz: Computed
    efc_J_rowadr: Computed
    efc_J_colind: Computed

class IncompatibleMuJoCo(LanewiseError):
    """The installed MuJoCo is not the version that Lanewise reproduces."""

class IncompatiblePickle(LanewiseError):
    """A pickle that another version of Lanewise or MuJoCo made."""

class InverseSlopes:
    """Derivatives of inverse dynamics, as mjd_inverseFD has them: a row for each dof that is
    nudged.

    f is qfrc_inverse, s what sensors read, m the inertia matrix as `M` has it; q, v and a are qpos
    (in the tangent space), qvel and qacc. DfDq, DfDv, DfDa: (nv, nv). DsDq, DsDv, DsDa:
    (nv, nsensordata). DmDq: (nv, nC). Of several worlds, arrays have a leading axis of them.
    """
    DfDq: np.ndarray
    DfDv: np.ndarray
    DfDa: np.ndarray
    DsDq: np.ndarray
    DsDv: np.ndarray
    DsDa: np.ndarray
    DmDq: np.ndarray

    def __iter__(self) -> Iterator[np.ndarray]:
        ...

    def __init__(self, DfDq: np.ndarray, DfDv: np.ndarray, DfDa: np.ndarray, DsDq: np.ndarray, DsDv: np.ndarray, DsDa: np.ndarray, DmDq: np.ndarray) -> None:
        ...

class LanewiseError(Exception):
    """Base of all errors that Lanewise raises on its own account."""

class Model:
    """A model to simulate, made by `lanewise.load`. Fields are MuJoCo's, with their shapes.

    They are live views of the memory that kernels read: m.body_mass (nbody,) [kg], m.opt.timestep
    [s]. docs/edits.md says what may be written; m.mj is the MjModel, and m.body("name") what one
    body has of the fields.
    """
    mj: mujoco.MjModel
    opt: Options
    sizes: dict[str, int]
    arrays: dict[str, np.ndarray]
    state_slices: dict[str, slice]

    def __init__(self, mj: Any, arrays: Any, sizes: Any, reset_rows: Any, made_by: Any, origin: Any, user: Any = None) -> None:
        """arrays: {field: what kernels read}; reset_rows: state after a reset, then keyframes.

        made_by: a function that makes a copy of this Model. origin: what saves it, see
        loaders/saving.py. user: the UserCode that the step calls, see callbacks/user_code.py.
        """

    def __copy__(self) -> Model:
        ...

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as it is now, with all edits, to a file: .mjb or .xml

        An MJB has all of it, to the bit, and is for this version of MuJoCo. XML is what the model
        was loaded from, with what was edited; it names mesh and texture files where they are. It
        is written only if it compiles to this very model, and else ModelError says what would be
        lost: edits of ids and kinds, say, or all of a model that was loaded from an MJB, an MjModel
        or a pickle. Code of yours (control=, ...) is not in a file.
        """

    def reset_row(self, keyframe: int | str | None = None) -> np.ndarray:
        """The state row (nstate,) of a reset world, or of a keyframe (number or name), as fields
        are now; state_slices says what is where in it.
        """

    def keyframe_id(self, keyframe: int | str | None) -> int:
        """The number of a keyframe that is given by its name, or by its number: that is checked."""

    @property
    def parameters(self) -> MutableMapping[str, np.ndarray]:
        """{name: array} of what user code reads, live: a write counts from the next step on."""
    nq: int
    """scalar the size nq"""
    nv: int
    """scalar the size nv"""
    nu: int
    """scalar the size nu"""
    na: int
    """scalar the size na"""
    nactuator: int
    """scalar the size nactuator"""
    nout: int
    """scalar the size nout"""
    nbody: int
    """scalar the size nbody"""
    njnt: int
    """scalar the size njnt"""
    ntree: int
    """scalar the size ntree"""
    nM: int
    """scalar the size nM"""
    nC: int
    """scalar the size nC"""
    nD: int
    """scalar the size nD"""
    ngeom: int
    """scalar the size ngeom"""
    nsite: int
    """scalar the size nsite"""
    ncam: int
    """scalar the size ncam"""
    nlight: int
    """scalar the size nlight"""
    nmocap: int
    """scalar the size nmocap"""
    nuserdata: int
    """scalar the size nuserdata"""
    ntendon: int
    """scalar the size ntendon"""
    nJten: int
    """scalar the size nJten"""
    nwrap: int
    """scalar the size nwrap"""
    nJmom: int
    """scalar the size nJmom"""
    nhistory: int
    """scalar the size nhistory"""
    nplastic: int
    """scalar the size nplastic"""
    neq: int
    """scalar the size neq"""
    nkey: int
    """scalar the size nkey"""
    nsensor: int
    """scalar the size nsensor"""
    nsensordata: int
    """scalar the size nsensordata"""
    npluginstate: int
    """scalar the size npluginstate"""
    npair: int
    """scalar the size npair"""
    nhfield: int
    """scalar the size nhfield"""
    nhfielddata: int
    """scalar the size nhfielddata"""
    nmesh: int
    """scalar the size nmesh"""
    nmeshvert: int
    """scalar the size nmeshvert"""
    nmeshnormal: int
    """scalar the size nmeshnormal"""
    nmeshface: int
    """scalar the size nmeshface"""
    nmeshgraph: int
    """scalar the size nmeshgraph"""
    nmeshpoly: int
    """scalar the size nmeshpoly"""
    nmeshpolyvert: int
    """scalar the size nmeshpolyvert"""
    nmeshpolymap: int
    """scalar the size nmeshpolymap"""
    nbvh: int
    """scalar the size nbvh"""
    nmat: int
    """scalar the size nmat"""
    ntrn: int
    """scalar the size ntrn"""
    narm: int
    """scalar the size narm"""
    nleg: int
    """scalar the size nleg"""
    nlegdof: int
    """scalar the size nlegdof"""
    nstate: int
    """scalar the size nstate"""
    nrun: int
    """scalar the size nrun"""
    nrow: int
    """scalar the size nrow"""
    nrowJ: int
    """scalar the size nrowJ"""
    ngroup: int
    """scalar the size ngroup"""
    nplace: int
    """scalar the size nplace"""
    nloose: int
    """scalar the size nloose"""
    nray: int
    """scalar the size nray"""
    nbodybox: int
    """scalar the size nbodybox"""
    nmeshbox: int
    """scalar the size nmeshbox"""
    nhullvert: int
    """scalar the size nhullvert"""
    nhullrow: int
    """scalar the size nhullrow"""
    nhullcell: int
    """scalar the size nhullcell"""
    flg_gravcomp: int
    """scalar whether bodies have gravity compensation, as mj_setConst found"""
    flg_adhesion: int
    """scalar likewise, whether geoms or pairs have adhesion"""
    flg_surfacevel: int
    """scalar likewise, whether geoms have a surface velocity"""
    qpos0: Numbers
    """(nq,) [m|rad] qpos at the reference pose"""
    qpos_spring: Numbers
    """(nq,) [m|rad] qpos at which springs rest"""
    body_parentid: Numbers
    """(nbody,) parent body"""
    body_rootid: Numbers
    """(nbody,) ancestor that is a child of the world"""
    body_weldid: Numbers
    """(nbody,) top ancestor without joints in between; mocap bodies are their own"""
    body_mocapid: Numbers
    """(nbody,) row in mocap_pos, or -1"""
    body_jntnum: Numbers
    """(nbody,) number of joints"""
    body_jntadr: Numbers
    """(nbody,) first joint, or -1"""
    body_dofnum: Numbers
    """(nbody,) number of degrees of freedom"""
    body_dofadr: Numbers
    """(nbody,) first degree of freedom, or -1"""
    body_geomnum: Numbers
    """(nbody,) number of geoms"""
    body_geomadr: Numbers
    """(nbody,) first geom, or -1"""
    body_sameframe: Numbers
    """(nbody,) which frames of the body coincide (mjtSameFrame)"""
    body_contype: Numbers
    """(nbody,) bits of the contact types of its geoms"""
    body_conaffinity: Numbers
    """(nbody,) bits of the contact affinities of its geoms"""
    body_bvhadr: Numbers
    """(nbody,) first box of its tree, around all its geoms, or -1"""
    body_pos: Numbers
    """(nbody, 3) [m] origin of B in the parent's frame"""
    body_quat: Numbers
    """(nbody, 4) orientation of B in the parent's frame, wxyz"""
    body_ipos: Numbers
    """(nbody, 3) [m] centre of mass in B"""
    body_iquat: Numbers
    """(nbody, 4) orientation of I in B, wxyz"""
    body_mass: Numbers
    """(nbody,) [kg] mass"""
    body_subtreemass: Numbers
    """(nbody,) [kg] mass of the body and all below it"""
    body_inertia: Numbers
    """(nbody, 3) [kg*m^2] principal moments of inertia, axes of I"""
    body_gravcomp: Numbers
    """(nbody,) share of the body's weight that is compensated"""
    body_invweight0: Numbers
    """(nbody, 2) [1/kg,1/(kg*m^2)] mean inverse inertia at qpos0: translation, rotation"""
    jnt_type: Numbers
    """(njnt,) free, ball, slide or hinge (mjtJoint)"""
    jnt_qposadr: Numbers
    """(njnt,) first number in qpos"""
    jnt_dofadr: Numbers
    """(njnt,) first number in qvel"""
    jnt_bodyid: Numbers
    """(njnt,) body it moves"""
    jnt_actuatorid: Numbers
    """(njnt,) actuator that adds damping and armature, or -1"""
    jnt_plasticadr: Numbers
    """(njnt,) first number in plastic, or -1"""
    jnt_limited: Numbers
    """(njnt,) whether it has limits"""
    jnt_actfrclimited: Numbers
    """(njnt,) whether the actuators' total force on it is limited"""
    jnt_actgravcomp: Numbers
    """(njnt,) whether gravity compensation acts through actuators"""
    jnt_pos: Numbers
    """(njnt, 3) [m] anchor in B"""
    jnt_axis: Numbers
    """(njnt, 3) axis in B"""
    jnt_stiffness: Numbers
    """(njnt,) [N/m|Nm/rad] linear stiffness"""
    jnt_stiffnesspoly: Numbers
    """(njnt, 2) coefficients of the higher powers of the spring"""
    jnt_springyield: Numbers
    """(njnt,) yield threshold of the spring"""
    jnt_range: Numbers
    """(njnt, 2) [m|rad] limits"""
    jnt_actfrcrange: Numbers
    """(njnt, 2) [N|Nm] range of the total actuator force"""
    jnt_margin: Numbers
    """(njnt,) [m|rad] distance from a limit at which it starts to act"""
    jnt_solref: Numbers
    """(njnt, 2) reference of the limits"""
    jnt_solimp: Numbers
    """(njnt, 5) impedance of the limits"""
    dof_bodyid: Numbers
    """(nv,) body it moves"""
    dof_jntid: Numbers
    """(nv,) its joint"""
    dof_parentid: Numbers
    """(nv,) previous dof towards the root, or -1"""
    dof_treeid: Numbers
    """(nv,) its kinematic tree"""
    dof_simplenum: Numbers
    """(nv,) number of consecutive simple dofs from here on"""
    dof_M0: Numbers
    """(nv,) [kg|kg*m^2] diagonal of M at qpos0"""
    dof_armature: Numbers
    """(nv,) [kg|kg*m^2] inertia added on the diagonal of M"""
    dof_damping: Numbers
    """(nv,) [Ns/m|Nms] linear damping"""
    dof_dampingpoly: Numbers
    """(nv, 2) coefficients of the higher powers of the damper"""
    dof_frictionloss: Numbers
    """(nv,) [N|Nm] most force of dry friction"""
    dof_solref: Numbers
    """(nv, 2) reference of dry friction"""
    dof_solimp: Numbers
    """(nv, 5) impedance of dry friction"""
    dof_invweight0: Numbers
    """(nv,) [1/kg|1/(kg*m^2)] inverse inertia at qpos0"""
    tree_bodyadr: Numbers
    """(ntree,) first body of the tree"""
    tree_bodynum: Numbers
    """(ntree,) number of bodies"""
    tree_dofadr: Numbers
    """(ntree,) first dof of the tree"""
    tree_dofnum: Numbers
    """(ntree,) number of dofs"""
    geom_type: Numbers
    """(ngeom,) shape (mjtGeom)"""
    geom_bodyid: Numbers
    """(ngeom,) body it is attached to"""
    geom_dataid: Numbers
    """(ngeom,) its mesh or height field, or -1"""
    geom_matid: Numbers
    """(ngeom,) its material, or -1"""
    geom_group: Numbers
    """(ngeom,) its group"""
    geom_rgba: Numbers
    """(ngeom, 4) its colour, if it has no material"""
    geom_sameframe: Numbers
    """(ngeom,) which frames coincide (mjtSameFrame)"""
    geom_size: Numbers
    """(ngeom, 3) [m] size parameters of the shape"""
    geom_pos: Numbers
    """(ngeom, 3) [m] origin in B"""
    geom_quat: Numbers
    """(ngeom, 4) orientation in B, wxyz"""
    geom_fluid: Numbers
    """(ngeom, 12) coefficients of the ellipsoid fluid model"""
    geom_contype: Numbers
    """(ngeom,) bits: kinds of contact that it offers"""
    geom_conaffinity: Numbers
    """(ngeom,) bits: kinds of contact that it accepts"""
    geom_condim: Numbers
    """(ngeom,) dimension of its contacts: 1, 3, 4 or 6"""
    geom_priority: Numbers
    """(ngeom,) the geom of higher priority decides a contact's parameters"""
    geom_solmix: Numbers
    """(ngeom,) weight in mixing solref and solimp"""
    geom_solref: Numbers
    """(ngeom, 2) reference of its contacts"""
    geom_solimp: Numbers
    """(ngeom, 5) impedance of its contacts"""
    geom_friction: Numbers
    """(ngeom, 3) friction: sliding, spinning, rolling"""
    geom_margin: Numbers
    """(ngeom,) [m] inflation of its surface"""
    geom_gap: Numbers
    """(ngeom,) [m] distance beyond the margin in which contacts are reported"""
    geom_rbound: Numbers
    """(ngeom,) [m] radius of the sphere around it; 0 where it is infinite"""
    geom_aabb: Numbers
    """(ngeom, 6) [m] box around it, in its frame: centre, half sizes"""
    geom_surfacevel: Numbers
    """(ngeom, 6) [m/s,rad/s] velocity of its surface, in its frame: linear, angular"""
    geom_adhesion: Numbers
    """(ngeom,) [N] attraction of its contacts"""
    pair_dim: Numbers
    """(npair,) dimension of the contacts of two geoms"""
    pair_geom1: Numbers
    """(npair,) first geom"""
    pair_geom2: Numbers
    """(npair,) second geom"""
    pair_solref: Numbers
    """(npair, 2) reference, normal direction"""
    pair_solreffriction: Numbers
    """(npair, 2) reference, frictional directions; zeros: as the normal one"""
    pair_solimp: Numbers
    """(npair, 5) impedance"""
    pair_margin: Numbers
    """(npair,) [m] distance below which a force acts"""
    pair_gap: Numbers
    """(npair,) [m] distance beyond that in which contacts are reported"""
    pair_adhesion: Numbers
    """(npair,) [N] attraction"""
    pair_friction: Numbers
    """(npair, 5) friction: two tangents, spin, two of rolling"""
    mesh_pos: Numbers
    """(nmesh, 3) [m] origin of the axes of its vertices, in those of the file"""
    mesh_quat: Numbers
    """(nmesh, 4) orientation of those axes, wxyz"""
    mesh_vertadr: Numbers
    """(nmesh,) first vertex"""
    mesh_vertnum: Numbers
    """(nmesh,) how many"""
    mesh_vert: Numbers
    """(nmeshvert, 3) [m] vertices, in the axes of the geom"""
    mesh_faceadr: Numbers
    """(nmesh,) first face"""
    mesh_normaladr: Numbers
    """(nmesh,) first normal"""
    mesh_normalnum: Numbers
    """(nmesh,) how many"""
    mesh_normal: Numbers
    """(nmeshnormal, 3) normals; of skins, three for each vertex: normal, two tangents"""
    mesh_face: Numbers
    """(nmeshface, 3) vertices of a face, counted in the mesh"""
    mesh_bvhadr: Numbers
    """(nmesh,) first node of its tree of boxes"""
    mesh_graphadr: Numbers
    """(nmesh,) start of the convex hull's graph, or -1"""
    mesh_graph: Numbers
    """(nmeshgraph,) graphs: sizes, where edges start, vertices, edges, faces"""
    mesh_extrema: Numbers
    """(nmesh, 27) hull vertex that is farthest along each of 27 directions"""
    mesh_polynum: Numbers
    """(nmesh,) how many polygons the hull's surface has"""
    mesh_polyadr: Numbers
    """(nmesh,) the first of them"""
    mesh_polynormal: Numbers
    """(nmeshpoly, 3) their outward normals"""
    mesh_polyvertadr: Numbers
    """(nmeshpoly,) first entry in mesh_polyvert"""
    mesh_polyvertnum: Numbers
    """(nmeshpoly,) how many corners"""
    mesh_polyvert: Numbers
    """(nmeshpolyvert,) corners, by vertex of the mesh, anticlockwise from outside"""
    mesh_polymapadr: Numbers
    """(nmeshvert,) first entry in mesh_polymap"""
    mesh_polymapnum: Numbers
    """(nmeshvert,) how many polygons have this corner"""
    mesh_polymap: Numbers
    """(nmeshpolymap,) which they are, counted in the mesh"""
    bvh_child: Numbers
    """(nbvh, 2) two nodes below, counted in the tree, or -1"""
    bvh_nodeid: Numbers
    """(nbvh,) face of a mesh, or geom, in a node without children; else -1"""
    mat_rgba: Numbers
    """(nmat, 4) colour"""
    hfield_size: Numbers
    """(nhfield, 4) [m] half extents in x and y, elevation of the top, depth of the bottom"""
    hfield_nrow: Numbers
    """(nhfield,) rows of the grid, along y"""
    hfield_ncol: Numbers
    """(nhfield,) columns of the grid, along x"""
    hfield_adr: Numbers
    """(nhfield,) first number in hfield_data"""
    hfield_data: Numbers
    """(nhfielddata,) elevations, 0 to 1, row by row"""
    site_bodyid: Numbers
    """(nsite,) body it is attached to"""
    site_sameframe: Numbers
    """(nsite,) which frames coincide (mjtSameFrame)"""
    site_pos: Numbers
    """(nsite, 3) [m] origin in B"""
    site_quat: Numbers
    """(nsite, 4) orientation in B, wxyz"""
    site_type: Numbers
    """(nsite,) shape (mjtGeom)"""
    site_dataid: Numbers
    """(nsite,) its mesh, or -1"""
    site_size: Numbers
    """(nsite, 3) [m] size parameters of the shape"""
    cam_mode: Numbers
    """(ncam,) how it follows (mjtCamLight)"""
    cam_bodyid: Numbers
    """(ncam,) body it is attached to"""
    cam_targetbodyid: Numbers
    """(ncam,) body it looks at, or -1"""
    cam_pos: Numbers
    """(ncam, 3) [m] origin in B"""
    cam_quat: Numbers
    """(ncam, 4) orientation in B, wxyz"""
    cam_poscom0: Numbers
    """(ncam, 3) [m] position from the subtree's centre of mass at qpos0, in W"""
    cam_pos0: Numbers
    """(ncam, 3) [m] position from the body at qpos0, in W"""
    cam_mat0: Numbers
    """(ncam, 9) orientation at qpos0, in W"""
    cam_projection: Numbers
    """(ncam,) 0 perspective, 1 orthographic (mjtProjection)"""
    cam_fovy: Numbers
    """(ncam,) [deg|m] vertical field of view; orthographic: its height"""
    cam_resolution: Numbers
    """(ncam, 2) pixels, width and height"""
    cam_sensorsize: Numbers
    """(ncam, 2) [m] size of the image sensor, or zeros"""
    cam_intrinsic: Numbers
    """(ncam, 4) [m] focal lengths and principal point"""
    light_mode: Numbers
    """(nlight,) how it follows (mjtCamLight)"""
    light_bodyid: Numbers
    """(nlight,) body it is attached to"""
    light_targetbodyid: Numbers
    """(nlight,) body it points at, or -1"""
    light_pos: Numbers
    """(nlight, 3) [m] position in B"""
    light_dir: Numbers
    """(nlight, 3) direction in B"""
    light_poscom0: Numbers
    """(nlight, 3) [m] position from the subtree's centre of mass at qpos0, in W"""
    light_pos0: Numbers
    """(nlight, 3) [m] position from the body at qpos0, in W"""
    light_dir0: Numbers
    """(nlight, 3) direction at qpos0, in W"""
    tendon_type: Numbers
    """(ntendon,) fixed or spatial (mjtTendon)"""
    tendon_adr: Numbers
    """(ntendon,) first object of its path"""
    tendon_num: Numbers
    """(ntendon,) number of objects in its path"""
    tendon_actuatorid: Numbers
    """(ntendon,) actuator that adds damping and armature, or -1"""
    tendon_plasticadr: Numbers
    """(ntendon,) first number in plastic, or -1"""
    tendon_actfrclimited: Numbers
    """(ntendon,) whether the actuators' total force on it is limited"""
    tendon_actfrcrange: Numbers
    """(ntendon, 2) [N] range of the total actuator force"""
    tendon_stiffness: Numbers
    """(ntendon,) [N/m] linear stiffness"""
    tendon_stiffnesspoly: Numbers
    """(ntendon, 2) coefficients of the higher powers of the spring"""
    tendon_damping: Numbers
    """(ntendon,) [Ns/m] linear damping"""
    tendon_dampingpoly: Numbers
    """(ntendon, 2) coefficients of the higher powers of the damper"""
    tendon_armature: Numbers
    """(ntendon,) [kg] inertia of its change of length"""
    tendon_lengthspring: Numbers
    """(ntendon, 2) [m] range of lengths at which its spring rests"""
    tendon_springyield: Numbers
    """(ntendon,) yield threshold of the spring"""
    tendon_length0: Numbers
    """(ntendon,) [m] length at qpos0"""
    tendon_limited: Numbers
    """(ntendon,) whether its length is limited"""
    tendon_range: Numbers
    """(ntendon, 2) [m] limits of its length"""
    tendon_margin: Numbers
    """(ntendon,) [m] distance from a limit at which it starts to act"""
    tendon_solref_lim: Numbers
    """(ntendon, 2) reference of the limits"""
    tendon_solimp_lim: Numbers
    """(ntendon, 5) impedance of the limits"""
    tendon_frictionloss: Numbers
    """(ntendon,) [N] most force of dry friction"""
    tendon_solref_fri: Numbers
    """(ntendon, 2) reference of dry friction"""
    tendon_solimp_fri: Numbers
    """(ntendon, 5) impedance of dry friction"""
    tendon_invweight0: Numbers
    """(ntendon,) [1/kg] inverse inertia at qpos0"""
    ten_J_rownnz: Numbers
    """(ntendon,) non-zeros in a row of ten_J"""
    ten_J_rowadr: Numbers
    """(ntendon,) first number of a row of ten_J"""
    ten_J_colind: Numbers
    """(nJten,) dof of a number of ten_J"""
    wrap_type: Numbers
    """(nwrap,) kind of path object (mjtWrap)"""
    wrap_objid: Numbers
    """(nwrap,) geom, site or joint of a path object"""
    wrap_prm: Numbers
    """(nwrap,) divisor, joint coefficient, or side site of a path object"""
    actuator_trntype: Numbers
    """(nactuator,) transmission (mjtTrn)"""
    actuator_dyntype: Numbers
    """(nactuator,) activation dynamics (mjtDyn)"""
    actuator_gaintype: Numbers
    """(nactuator,) gain (mjtGain)"""
    actuator_biastype: Numbers
    """(nactuator,) bias (mjtBias)"""
    actuator_ctrladr: Numbers
    """(nactuator,) first control"""
    actuator_ctrlnum: Numbers
    """(nactuator,) number of controls"""
    actuator_ctrlspec: Numbers
    """(nactuator,) what its inputs are, by gain type"""
    actuator_outadr: Numbers
    """(nactuator,) first force output"""
    actuator_outnum: Numbers
    """(nactuator,) number of force outputs"""
    actuator_actadr: Numbers
    """(nactuator,) first activation, or -1"""
    actuator_actnum: Numbers
    """(nactuator,) number of activations"""
    actuator_trnid: Numbers
    """(nactuator, 2) ids of the transmission's target"""
    actuator_group: Numbers
    """(nactuator,) group, for switching off"""
    actuator_history: Numbers
    """(nactuator, 2) samples kept and how they are interpolated"""
    actuator_historyadr: Numbers
    """(nactuator,) first number in history, or -1"""
    actuator_actlimited: Numbers
    """(nactuator,) whether activation is limited"""
    actuator_actearly: Numbers
    """(nactuator,) whether the force uses the next activation"""
    actuator_forcelimited: Numbers
    """(nactuator,) whether force is limited"""
    actuator_ctrllimited: Numbers
    """(nu,) whether a control is limited"""
    actuator_cranklength: Numbers
    """(nactuator,) [m] crank length of a slider-crank"""
    actuator_dynprm: Numbers
    """(nactuator, 10) parameters of the dynamics"""
    actuator_gainprm: Numbers
    """(nactuator, 10) parameters of the gain"""
    actuator_biasprm: Numbers
    """(nactuator, 10) parameters of the bias"""
    actuator_actrange: Numbers
    """(nactuator, 2) range of activation"""
    actuator_delay: Numbers
    """(nactuator,) [s] delay of the controls"""
    actuator_damping: Numbers
    """(nactuator,) damping added to the joint or tendon"""
    actuator_dampingpoly: Numbers
    """(nactuator, 2) coefficients of the higher powers of that damper"""
    actuator_armature: Numbers
    """(nactuator,) armature added to the joint or tendon"""
    actuator_forcerange: Numbers
    """(nactuator, 2) [N|Nm] range of force"""
    actuator_ctrlrange: Numbers
    """(nu, 2) range of a control"""
    actuator_gear: Numbers
    """(nout, 6) scale of length and force"""
    actuator_acc0: Numbers
    """(nout,) acceleration by a unit force at qpos0"""
    actuator_length0: Numbers
    """(nout,) length at qpos0"""
    actuator_lengthrange: Numbers
    """(nout, 2) range of length"""
    eq_type: Numbers
    """(neq,) kind (mjtEq): connect, weld, joint, tendon"""
    eq_objtype: Numbers
    """(neq,) what connect and weld join (mjtObj): bodies or sites"""
    eq_obj1id: Numbers
    """(neq,) first object"""
    eq_obj2id: Numbers
    """(neq,) second object, or -1"""
    eq_data: Numbers
    """(neq, 12) anchors, relative pose, scale of torque; or polynomial"""
    eq_solref: Numbers
    """(neq, 2) reference"""
    eq_solimp: Numbers
    """(neq, 5) impedance"""
    sensor_type: Numbers
    """(nsensor,) what it measures (mjtSensor)"""
    sensor_datatype: Numbers
    """(nsensor,) kind of numbers (mjtDataType)"""
    sensor_needstage: Numbers
    """(nsensor,) stage after which it is computed (mjtStage)"""
    sensor_objtype: Numbers
    """(nsensor,) kind of the object that it measures (mjtObj)"""
    sensor_objid: Numbers
    """(nsensor,) that object"""
    sensor_reftype: Numbers
    """(nsensor,) kind of the reference frame, or of a second object (mjtObj)"""
    sensor_refid: Numbers
    """(nsensor,) that object, or -1"""
    sensor_intprm: Numbers
    """(nsensor, 3) contacts: data bits, reduction, slots; rangefinders: data bits"""
    sensor_dim: Numbers
    """(nsensor,) numbers of its reading"""
    sensor_adr: Numbers
    """(nsensor,) first of them in sensordata"""
    sensor_cutoff: Numbers
    """(nsensor,) bound of a reading; 0: none"""
    sensor_history: Numbers
    """(nsensor, 2) samples kept, how they are interpolated (mjtInterp)"""
    sensor_historyadr: Numbers
    """(nsensor,) first number in history, or -1"""
    sensor_delay: Numbers
    """(nsensor,) [s] age of a reading"""
    sensor_interval: Numbers
    """(nsensor, 2) [s] period and phase of readings"""
    M_rownnz: Numbers
    """(nv,) non-zeros in a row of M, the diagonal last"""
    M_rowadr: Numbers
    """(nv,) first number of a row of M"""
    M_colind: Numbers
    """(nC,) column of a number of M"""
    D_rownnz: Numbers
    """(nv,) non-zeros in a row of qDeriv"""
    D_rowadr: Numbers
    """(nv,) first number of a row of qDeriv"""
    D_diag: Numbers
    """(nv,) place of the diagonal within a row of qDeriv"""
    D_colind: Numbers
    """(nD,) column of a number of qDeriv"""
    mapM2D: Numbers
    """(nD,) place in M of each number of qDeriv"""
    mapD2M: Numbers
    """(nC,) place in qDeriv of each number of M"""
    B_colind: np.ndarray
    B_rowadr: np.ndarray
    B_rownnz: np.ndarray
    actuator: Any
    actuator_plugin: np.ndarray
    actuator_user: np.ndarray
    bind: Any
    bind_scalar: Any
    body: Any
    body_bvhnum: np.ndarray
    body_margin: np.ndarray
    body_plugin: np.ndarray
    body_simple: np.ndarray
    body_treeid: np.ndarray
    body_user: np.ndarray
    bvh_aabb: np.ndarray
    bvh_depth: np.ndarray
    cam: Any
    cam_ipd: np.ndarray
    cam_output: np.ndarray
    cam_user: np.ndarray
    camera: Any
    dof_Madr: np.ndarray
    dof_length: np.ndarray
    efm0_L: np.ndarray
    efm0_L_colind: np.ndarray
    efm0_L_rowadr: np.ndarray
    efm0_L_rownnz: np.ndarray
    efm0_dofid: np.ndarray
    efmC_perm: np.ndarray
    eq: Any
    eq_active0: np.ndarray
    equality: Any
    exclude: Any
    exclude_signature: np.ndarray
    flex_activelayers: np.ndarray
    flex_bending: np.ndarray
    flex_bendingadr: np.ndarray
    flex_bvhadr: np.ndarray
    flex_bvhnum: np.ndarray
    flex_cellnum: np.ndarray
    flex_centered: np.ndarray
    flex_conaffinity: np.ndarray
    flex_condim: np.ndarray
    flex_contype: np.ndarray
    flex_damping: np.ndarray
    flex_dim: np.ndarray
    flex_edge: np.ndarray
    flex_edgeadr: np.ndarray
    flex_edgedamping: np.ndarray
    flex_edgeequality: np.ndarray
    flex_edgeflap: np.ndarray
    flex_edgenum: np.ndarray
    flex_edgestiffness: np.ndarray
    flex_elem: np.ndarray
    flex_elemadr: np.ndarray
    flex_elemdataadr: np.ndarray
    flex_elemedge: np.ndarray
    flex_elemedgeadr: np.ndarray
    flex_elemlayer: np.ndarray
    flex_elemnum: np.ndarray
    flex_elemtexcoord: np.ndarray
    flex_flatskin: np.ndarray
    flex_friction: np.ndarray
    flex_gap: np.ndarray
    flex_group: np.ndarray
    flex_interp: np.ndarray
    flex_margin: np.ndarray
    flex_matid: np.ndarray
    flex_node: np.ndarray
    flex_node0: np.ndarray
    flex_nodeadr: np.ndarray
    flex_nodebodyid: np.ndarray
    flex_nodenum: np.ndarray
    flex_passive: np.ndarray
    flex_plasticadr: np.ndarray
    flex_plasticmode: np.ndarray
    flex_priority: np.ndarray
    flex_radius: np.ndarray
    flex_rgba: np.ndarray
    flex_rigid: np.ndarray
    flex_selfcollide: np.ndarray
    flex_shell: np.ndarray
    flex_shelldataadr: np.ndarray
    flex_shellnum: np.ndarray
    flex_size: np.ndarray
    flex_solimp: np.ndarray
    flex_solmix: np.ndarray
    flex_solref: np.ndarray
    flex_stiffness: np.ndarray
    flex_stiffnessadr: np.ndarray
    flex_texcoord: np.ndarray
    flex_texcoordadr: np.ndarray
    flex_vert: np.ndarray
    flex_vert0: np.ndarray
    flex_vertadr: np.ndarray
    flex_vertbodyid: np.ndarray
    flex_vertcell: np.ndarray
    flex_vertnum: np.ndarray
    flex_yield: np.ndarray
    flexedge_J_colind: np.ndarray
    flexedge_J_rowadr: np.ndarray
    flexedge_J_rownnz: np.ndarray
    flexedge_invweight0: np.ndarray
    flexedge_length0: np.ndarray
    flexedge_rigid: np.ndarray
    from_binary_path: Any
    from_xml_path: Any
    from_xml_string: Any
    geom: Any
    geom_castshadow: np.ndarray
    geom_plugin: np.ndarray
    geom_user: np.ndarray
    hfield: Any
    hfield_pathadr: np.ndarray
    jnt: Any
    jnt_group: np.ndarray
    jnt_user: np.ndarray
    joint: Any
    key: Any
    key_act: np.ndarray
    key_ctrl: np.ndarray
    key_mpos: np.ndarray
    key_mquat: np.ndarray
    key_plastic: np.ndarray
    key_qpos: np.ndarray
    key_qvel: np.ndarray
    key_time: np.ndarray
    keyframe: Any
    light: Any
    light_active: np.ndarray
    light_ambient: np.ndarray
    light_attenuation: np.ndarray
    light_bulbradius: np.ndarray
    light_castshadow: np.ndarray
    light_cutoff: np.ndarray
    light_diffuse: np.ndarray
    light_exponent: np.ndarray
    light_intensity: np.ndarray
    light_range: np.ndarray
    light_softness: np.ndarray
    light_specular: np.ndarray
    light_texid: np.ndarray
    light_type: np.ndarray
    mapM2M: np.ndarray
    mat: Any
    mat_emission: np.ndarray
    mat_metallic: np.ndarray
    mat_reflectance: np.ndarray
    mat_roughness: np.ndarray
    mat_shininess: np.ndarray
    mat_specular: np.ndarray
    mat_texid: np.ndarray
    mat_texrepeat: np.ndarray
    mat_texuniform: np.ndarray
    material: Any
    mesh: Any
    mesh_bvhnum: np.ndarray
    mesh_facenormal: np.ndarray
    mesh_facenum: np.ndarray
    mesh_facetexcoord: np.ndarray
    mesh_octadr: np.ndarray
    mesh_octnum: np.ndarray
    mesh_pathadr: np.ndarray
    mesh_scale: np.ndarray
    mesh_texcoord: np.ndarray
    mesh_texcoordadr: np.ndarray
    mesh_texcoordnum: np.ndarray
    nB: int
    nJfe: int
    name_actuatoradr: np.ndarray
    name_bodyadr: np.ndarray
    name_camadr: np.ndarray
    name_eqadr: np.ndarray
    name_excludeadr: np.ndarray
    name_flexadr: np.ndarray
    name_geomadr: np.ndarray
    name_hfieldadr: np.ndarray
    name_jntadr: np.ndarray
    name_keyadr: np.ndarray
    name_lightadr: np.ndarray
    name_matadr: np.ndarray
    name_meshadr: np.ndarray
    name_numericadr: np.ndarray
    name_pairadr: np.ndarray
    name_pluginadr: np.ndarray
    name_sensoradr: np.ndarray
    name_siteadr: np.ndarray
    name_skinadr: np.ndarray
    name_tendonadr: np.ndarray
    name_texadr: np.ndarray
    name_textadr: np.ndarray
    name_tupleadr: np.ndarray
    names: bytes
    names_map: np.ndarray
    narena: int
    nbuffer: int
    nbvhdynamic: int
    nbvhstatic: int
    nconmax: int
    nefm0L: int
    nefm0dof: int
    nefmCvert: int
    nemax: int
    nexclude: int
    nflex: int
    nflexbending: int
    nflexedge: int
    nflexelem: int
    nflexelemdata: int
    nflexelemedge: int
    nflexnode: int
    nflexshelldata: int
    nflexstiffness: int
    nflextexcoord: int
    nflexvert: int
    ngravcomp: int
    njmax: int
    nmeshdegmax: int
    nmeshtexcoord: int
    nnames: int
    nnames_map: int
    nnumeric: int
    nnumericdata: int
    noct: int
    npaths: int
    nplugin: int
    npluginattr: int
    npolygonmax: int
    nskin: int
    nskinbone: int
    nskinbonevert: int
    nskinface: int
    nskintexvert: int
    nskinvert: int
    ntex: int
    ntexdata: int
    ntext: int
    ntextdata: int
    ntuple: int
    ntupledata: int
    numeric: Any
    numeric_adr: np.ndarray
    numeric_data: np.ndarray
    numeric_size: np.ndarray
    nuser_actuator: int
    nuser_body: int
    nuser_cam: int
    nuser_geom: int
    nuser_jnt: int
    nuser_sensor: int
    nuser_site: int
    nuser_tendon: int
    oct_aabb: np.ndarray
    oct_child: np.ndarray
    oct_coeff: np.ndarray
    oct_depth: np.ndarray
    pair: Any
    pair_signature: np.ndarray
    paths: bytes
    plugin: np.ndarray
    plugin_attr: np.ndarray
    plugin_attradr: np.ndarray
    plugin_stateadr: np.ndarray
    plugin_statenum: np.ndarray
    sensor: Any
    sensor_noise: np.ndarray
    sensor_plugin: np.ndarray
    sensor_user: np.ndarray
    signature: int
    site: Any
    site_group: np.ndarray
    site_matid: np.ndarray
    site_rgba: np.ndarray
    site_user: np.ndarray
    skin: Any
    skin_boneadr: np.ndarray
    skin_bonebindpos: np.ndarray
    skin_bonebindquat: np.ndarray
    skin_bonebodyid: np.ndarray
    skin_bonenum: np.ndarray
    skin_bonevertadr: np.ndarray
    skin_bonevertid: np.ndarray
    skin_bonevertnum: np.ndarray
    skin_bonevertweight: np.ndarray
    skin_face: np.ndarray
    skin_faceadr: np.ndarray
    skin_facenum: np.ndarray
    skin_group: np.ndarray
    skin_inflate: np.ndarray
    skin_matid: np.ndarray
    skin_pathadr: np.ndarray
    skin_rgba: np.ndarray
    skin_texcoord: np.ndarray
    skin_texcoordadr: np.ndarray
    skin_vert: np.ndarray
    skin_vertadr: np.ndarray
    skin_vertnum: np.ndarray
    stat: Any
    tendon: Any
    tendon_group: np.ndarray
    tendon_matid: np.ndarray
    tendon_rgba: np.ndarray
    tendon_treeid: np.ndarray
    tendon_treenum: np.ndarray
    tendon_user: np.ndarray
    tendon_width: np.ndarray
    tex: Any
    tex_adr: np.ndarray
    tex_colorspace: np.ndarray
    tex_contenttypeadr: np.ndarray
    tex_data: np.ndarray
    tex_height: np.ndarray
    tex_nchannel: np.ndarray
    tex_pathadr: np.ndarray
    tex_type: np.ndarray
    tex_width: np.ndarray
    text_adr: np.ndarray
    text_data: bytes
    text_size: np.ndarray
    texture: Any
    tree_sleep_policy: np.ndarray
    tuple: Any
    tuple_adr: np.ndarray
    tuple_objid: np.ndarray
    tuple_objprm: np.ndarray
    tuple_objtype: np.ndarray
    tuple_size: np.ndarray
    vis: Any

class ModelError(LanewiseError):
    """A model that cannot be read or compiled."""

class Report:
    """What `lanewise.report` found: text by print() or str(), numbers by to_dict()."""

    def __init__(self, facts: dict[str, Any]) -> None:
        ...

    def to_dict(self) -> dict[str, Any]:
        """The numbers, in dicts, lists, ints, floats and strings. SI units; bytes.

        What differs between worlds is {"min", "mean", "max"}. None: energy and fwdinv where the
        model does not enable them.
        """

class SimulationError(LanewiseError):
    """Some worlds of a call could not be run. They keep their state; the others ran to completion.

    `ids` lists them, and Batch.error(i) says what was wrong.
    """

    def __init__(self, ids: np.ndarray, message: str, ncall: int) -> None:
        ...

class Transition:
    """Derivatives of a step: y is the next state, s what sensors read, x the state, u the controls.

    A state is (qpos, qvel, act), its positions in the tangent space: nx = 2 nv + na numbers. Of a
    Batch or a Data with several worlds, all arrays have a leading axis of worlds.
    `A, B, C, D = lw.transition_fd(m, d)` unpacks the first four.

    A: dy/dx (nx, nx). B: dy/du (nx, nu). C: ds/dx (nsensordata, nx). D: ds/du (nsensordata, nu).
    state, sensor: {name: dy/dp (nx, k)} and {name: ds/dp (nsensordata, k)}, by what else was asked
    for: p are the k numbers of a model's field, in the order in which they lie in memory.
    """
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    state: dict[str, np.ndarray]
    sensor: dict[str, np.ndarray]

    def __iter__(self) -> Iterator[np.ndarray]:
        ...

    def __init__(self, A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, state: dict[str, np.ndarray] = ..., sensor: dict[str, np.ndarray] = ...) -> None:
        ...

class UnknownName(LanewiseError):
    """A name that nothing of that kind has; the message has near ones, and what there is."""

class UnknownNumber(LanewiseError):
    """A number that nothing of that kind has; the message has how many there are."""

class UnsupportedFeature(LanewiseError):
    """A model or call needs what is not built; `features` maps each feature to its elements."""

    def __init__(self, features: Any, advice: Any = '', what: Any = 'this model uses features that are not supported') -> None:
        ...

def actuator_velocity(m: Model, d: Data, times: int = 1) -> None:
    """(trn_J, qvel) => actuator_velocity

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        actuator_velocity (nout,) [m/s|rad/s] rate of actuator length
    """

def angmom_mat(m: Any, d: Any, body: Any) -> np.ndarray:
    """The matrix (3, nv) that qvel is multiplied by to give the angular momentum [Nms] of a body
    and all below it, about their centre of mass: subtree_angmom. mj_angmomMat

    (k, 3, nv) of a sequence of bodies; with several worlds, after an axis of them.
    """

def apply_ft(m: Any, d: Any, force: Any, torque: Any, point: Any, body: Any) -> np.ndarray:
    """The generalized force (nv,) of a force (3,) [N] at a point (3,) [m] of a body, and of a
    torque (3,) [Nm] on it, all in W: jacp' force + jacr' torque. mj_applyFT

    Forces (k, 3), torques, points and bodies (k,) add up. d has positions. With several worlds
    the result is (worlds, nv), and shapes are as in `lw.jac`.
    """

def camlight(m: Model, d: Data, times: int = 1) -> None:
    """(xpos, xquat, subtree_com) => (cam_xpos, cam_xmat, light_xpos, light_xdir)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        cam_xpos (ncam, 3) [m] camera position, in W
        cam_xmat (ncam, 9) camera orientation, row-major
        light_xpos (nlight, 3) [m] light position, in W
        light_xdir (nlight, 3) light direction, in W
    """

def collision(m: Model, d: Data, times: int = 1) -> None:
    """(geom_xpos, geom_xmat) => ncon, contact, maxuse_con

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        ncon scalar number of contacts
        contact.dist (nconmax,) [m] distance between the geoms' nearest points; negative:
            penetration
        contact.pos (nconmax, 3) [m] midpoint between those points, in W
        contact.frame (nconmax, 9) rows: normal from geom1 to geom2, then two tangents, in W
        contact.includemargin (nconmax,) [m] a force acts where dist is less
        contact.friction (nconmax, 5) coefficients: two tangents, spin, two of rolling
        contact.solref (nconmax, 2) reference of the constraint, normal direction
        contact.solreffriction (nconmax, 2) reference of the constraint, frictional directions
        contact.solimp (nconmax, 5) impedance of the constraint
        contact.adhesion (nconmax,) [N] constant attraction
        contact.surfacevel (nconmax, 3) [m/s] velocity of the surface: two tangents, spin
        contact.mu (nconmax,) friction of the regularized cone
        contact.H (nconmax, 36) Hessian of an elliptic cone
        contact.dim (nconmax,) dimension of the contact space: 1, 3, 4 or 6
        contact.geom (nconmax, 2) both geoms
        contact.exclude (nconmax,) why it makes no constraint: 0 it does, 1 in the gap, 3 no dofs
        contact.efc_address (nconmax,) first row among the constraints, or -1
    """

def com_pos(m: Model, d: Data, times: int = 1) -> None:
    """(xipos, ximat, xanchor, xaxis, xmat) => (subtree_com, cinert, cdof)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        subtree_com (nbody, 3) [m] centre of mass of a body and all below it, in W
        cdof (nv, 6) motion axis of a dof in C, rotation before translation
        cinert (nbody, 10) [kg*m^2,kg*m,kg] inertia of a body about C: xx yy zz xy xz yz, m*r, m
    """

def com_vel(m: Model, d: Data, times: int = 1) -> None:
    """(cdof, qvel) => (cvel, cdof_dot): (3) and (4), from the root to the leaves

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        cvel (nbody, 6) [rad/s,m/s] velocity of a body in C, rotation before translation
        cdof_dot (nv, 6) rate of cdof
    """

def compare_fwdinv(m: Model, d: Data, times: int = 1) -> None:
    """solver_fwdinv <= norms of the differences: forward minus inverse dynamics

    Of constraint forces, and of applied forces. What forward dynamics found is left as it was.
    Zeros in worlds without constraints.

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        solver_fwdinv (2,) difference of forward and inverse dynamics: constraint, applied force
    """

def contact_force(m: Model, d: Data, contact: int | None = None) -> np.ndarray:
    """Force [N] and torque [Nm] of a contact on its second geom, in the contact's frame: (6,)

    Without a number, of all contacts: (ncon, 6). With several worlds, a leading axis of them; zeros
    where a world has no such contact, or it makes no force.
    """

def copy_state(m: Model, source: Data, target: Data, spec: int = 32767) -> None:
    """Copy the state components of spec, as in `state_size`, from one Data to another with as many
    worlds. mj_copyState
    """

def crb(m: Model, d: Data, times: int = 1) -> None:
    """(cinert, cdof) => (crb, M): composite rigid bodies (1), then (2)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        crb (nbody, 10) [kg*m^2,kg*m,kg] inertia of a body and all below it, about C
        M (nC,) [kg|kg*m^2] joint-space inertia, lower triangle, in the structure of M_colind
    """

def differentiate_pos(m: Any, dt: Any, qpos1: Any, qpos2: Any) -> np.ndarray:
    """The velocity qvel (..., nv) that leads from qpos1 to qpos2, (..., nq), in the time dt [s].
    mj_differentiatePos

    Quaternions turn the shorter way. Leading axes broadcast, as in `integrate_pos`.
    """

def discrete(m: Model, d: Data, times: int = 1) -> None:
    """qacc => next state: it is the difference of velocities already

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        time scalar [s] simulation time
        qpos (nq,) [m|rad] generalized position; a free joint: p_WBo_W, q_WB (wxyz)
        qvel (nv,) [m/s|rad/s] generalized velocity; a free joint: v_WBo_W, w_WB_B
        act (na,) activation of actuators
    """

def energy_pos(m: Model, d: Data, times: int = 1) -> None:
    """(xipos, qpos, ten_length) => energy[0], potential

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        energy (2,) [J] potential and kinetic energy
    """

def energy_vel(m: Model, d: Data, times: int = 1) -> None:
    """(M, qvel) => energy[1], kinetic: v' M v / 2

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        energy (2,) [J] potential and kinetic energy
    """

def euler(m: Model, d: Data, times: int = 1) -> None:
    """(qacc, forces) => next state; with dampers: (qH, qHDiagInv) too

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        time scalar [s] simulation time
        qpos (nq,) [m|rad] generalized position; a free joint: p_WBo_W, q_WB (wxyz)
        qvel (nv,) [m/s|rad/s] generalized velocity; a free joint: v_WBo_W, w_WB_B
        act (na,) activation of actuators
        qH (nC,) L'*D*L factors of the modified inertia
        qHDiagInv (nv,) 1/diag(D) of the modified inertia
    """

def expose_constraint(m: Model, d: Data, times: int = 1) -> None:
    """(row_*, con_*) => efc_*

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        efc_type (njmax,) kind of a constraint row (mjtConstraint)
        efc_id (njmax,) its equality, dof, joint, tendon or contact
        efc_J (nJmax,) Jacobian, dense by rows: nv numbers for each row
        efc_pos (njmax,) [m|rad] residual, or distance of a limit or contact
        efc_margin (njmax,) [m|rad] distance at which it starts to act
        efc_frictionloss (njmax,) [N|Nm] most force of dry friction
        efc_diagA (njmax,) diagonal of J inv(M) J', exact or approximate
        efc_KBIP (njmax, 4) stiffness, damping, impedance, derivative of the impedance
        efc_D (njmax,) 1/R
        efc_R (njmax,) regularization
        efc_vel (njmax,) [m/s|rad/s] velocity
        efc_aref (njmax,) [m/s^2|rad/s^2] reference acceleration
        efc_b (njmax,) [m/s^2|rad/s^2] J qacc_smooth - aref
        efc_force (njmax,) [N|Nm] force
        efc_state (njmax,) state (mjtConstraintState)
        efc_AR (nAmax,) J inv(M) J' + R, dense: nefc numbers for each row
    """

def extract_state(m: Model, state: ArrayLike, srcsig: Any, dstsig: Any) -> np.ndarray:
    """The components of dstsig out of state vectors (..., size) that have those of srcsig.

    Both are specs as in `state_size`, and srcsig has all of dstsig. The answer is (..., size of
    dstsig). As mj_extractState.
    """

def factor_m(m: Model, d: Data, times: int = 1) -> None:
    """M => (qLD, qLDiagInv)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        qLD (nC,) L'*D*L factors of M, in the structure of M_colind
        qLDiagInv (nv,) 1/diag(D)
    """

def forward(m: Model, d: Data, times: int = 1) -> None:
    """(state, controls) => qacc and all that leads to it, and what sensors read

    In every world of d, a Data of the Model m, `times` times over. It calls these stages, as far
    as the model asks for them:

        fwd_position, sensor_pos, fwd_velocity, sensor_vel, fwd_actuation, fwd_acceleration,
        fwd_constraint, sensor_acc
    """

def forward_skip(m: Model, d: Data, skipstage: int = 0, skipsensor: bool = False) -> None:
    """`forward`, when positions (skipstage 1), or velocities too (2), are computed already.
    mj_forwardSkip

    What is skipped stays as it is in d; skipsensor leaves d.sensordata (nsensordata,) alone.
    """

def full_m(m: Model, d: Data) -> np.ndarray:
    """M, the inertia [kg, kg m, kg m^2] in the space of dofs, as a dense matrix (nv, nv); of
    several worlds (worlds, nv, nv). d has M: see `crb`. mj_fullM
    """

def fwd_acceleration(m: Model, d: Data, times: int = 1) -> None:
    """(qfrc_*, xfrc_applied, qLD) => (qfrc_smooth, qacc_smooth)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        qfrc_smooth (nv,) [N|Nm] all forces but those of constraints
        qacc_smooth (nv,) [m/s^2|rad/s^2] acceleration without constraints
    """

def fwd_actuation(m: Model, d: Data, times: int = 1) -> None:
    """(ctrl, act, history, actuator_length, actuator_velocity, trn_J, qfrc_gravcomp)
    => (act_dot, actuator_force, qfrc_actuator)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        act_dot (na,) [1/s] rate of activation
        actuator_force (nout,) [N|Nm] force of actuators
        qfrc_actuator (nv,) [N|Nm] force of actuators on the dofs
    """

def fwd_constraint(m: Model, d: Data, times: int = 1) -> None:
    """(qacc_smooth, constraints) => (qacc, qfrc_constraint, forces of constraints)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        qfrc_constraint (nv,) [N|Nm] forces of constraints
        qacc (nv,) [m/s^2|rad/s^2] acceleration
        solver_niter (20,) iterations of the solver, of the first 20 islands
        solver_nnz (20,) numbers in a dual solver's matrices, by island; Newton and CG leave it zero
        nisland scalar number of islands; 0 if the model disables them
        solver.improvement (nlogmax,) of an iteration: reduction of the cost, scaled
        solver.gradient (nlogmax,) of an iteration: norm of the gradient, scaled; 0 of dual solvers
        solver.lineslope (nlogmax,) of an iteration: slope where the line search ended, scaled; 0 of
            dual solvers
        solver.nactive (nlogmax,) of an iteration: active rows
        solver.nchange (nlogmax,) of an iteration: rows that changed their state
        solver.neval (nlogmax,) of an iteration: evaluations in the line search
        solver.nupdate (nlogmax,) of an iteration: rows whose part of Newton's Hessian changed
    """

def fwd_position(m: Model, d: Data, times: int = 1) -> None:
    """(qpos, mocap) => everything that depends on position only

    In every world of d, a Data of the Model m, `times` times over. It calls these stages, as far
    as the model asks for them:

        kinematics, com_pos, camlight, tendon, crb, tendon_armature, factor_m, collision,
        make_constraint, transmission, energy_pos
    """

def fwd_velocity(m: Model, d: Data, times: int = 1) -> None:
    """(position stage, qvel) => everything that depends on position and velocity

    In every world of d, a Data of the Model m, `times` times over. It calls these stages, as far
    as the model asks for them:

        tendon_velocity, actuator_velocity, com_vel, passive, reference_constraint, rne,
        tendon_bias, energy_vel
    """

def geom_distance(m: Model, d: Data, geom1: int | str, geom2: int | str, distmax: float) -> tuple[Any, np.ndarray]:
    """The signed distance [m] of two geoms (numbers or names), and its points on both: dist, fromto

    fromto is (6,) [m]: a point on geom1, then one on geom2, in W. Beyond distmax the distance is
    distmax, and fromto zero. With several worlds they are (worlds,) and (worlds, 6). d has
    positions. mj_geomDistance
    """

def get_data(model: Model, d: Data, lane: int = 0, mj_data: mujoco.MjData | None = None) -> mujoco.MjData:
    """An MjData with the contents of one world of d."""

def get_state(m: Model, d: Data, spec: int = 32767) -> np.ndarray:
    """The state components of spec, as in `state_size`, as a vector, (size,); of several worlds
    (worlds, size). mj_getState
    """

def implicit(m: Model, d: Data, times: int = 1) -> None:
    """(qacc, forces) => qDeriv, qLU, next state

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        time scalar [s] simulation time
        qpos (nq,) [m|rad] generalized position; a free joint: p_WBo_W, q_WB (wxyz)
        qvel (nv,) [m/s|rad/s] generalized velocity; a free joint: v_WBo_W, w_WB_B
        act (na,) activation of actuators
        qDeriv (nD,) derivative of (passive + actuator - bias) force by qvel
        qLU (nD,) LU factors of M - h*qDeriv
    """

def implicitfast(m: Model, d: Data, times: int = 1) -> None:
    """(qacc, forces) => qDeriv, qH, qHDiagInv, next state

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        time scalar [s] simulation time
        qpos (nq,) [m|rad] generalized position; a free joint: p_WBo_W, q_WB (wxyz)
        qvel (nv,) [m/s|rad/s] generalized velocity; a free joint: v_WBo_W, w_WB_B
        act (na,) activation of actuators
        qH (nC,) L'*D*L factors of the modified inertia
        qHDiagInv (nv,) 1/diag(D) of the modified inertia
        qDeriv (nD,) derivative of (passive + actuator - bias) force by qvel
    """

def init_ctrl_history(m: Any, d: Any, actuator: Any, times: Any, values: Any) -> None:
    """Set what an actuator remembers: times (n,) [s], oldest first, or None for those that it has,
    and values (n, controls). With several worlds, both may have a leading axis.
    mj_initCtrlHistory
    """

def init_sensor_history(m: Any, d: Any, sensor: Any, times: Any, values: Any, phase: Any = 0.0) -> None:
    """Set what a sensor remembers: times (n,) [s] and values (n, k), k being how many numbers it
    has, as `init_ctrl_history`; phase [s] is when one with an interval was last due.
    mj_initSensorHistory
    """

def inside_site(m: Model, d: Data, site: int | str, point: ArrayLike) -> Any:
    """Whether a point, (3,) [m] in W, is inside a site (number or name); d has positions.

    The shape of a mesh is its convex hull. With several worlds, point may be (worlds, 3), and the
    answer is (worlds,). mj_insideSite
    """

def integrate_pos(m: Any, qpos: Any, qvel: Any, dt: Any) -> np.ndarray:
    """qpos (..., nq) after the time dt [s] with the velocity qvel (..., nv). mj_integratePos

    Quaternions turn, and come out normalized. Leading axes of all three broadcast; dt is one
    number, or (...).
    """

def inverse(m: Model, d: Data) -> None:
    """(state, qacc) => qfrc_inverse, the force that qacc takes, and all that leads to it

    As mj_inverse. Set d.qacc (nv,) [m/s^2|rad/s^2] before, and read d.qfrc_inverse (nv,) [N|Nm]:
    what has to be applied beside passive forces and those of constraints. ctrl, qfrc_applied and
    xfrc_applied do not count.
    """

def inverse_fd(m: Model, d: Data, eps: float = 1e-06, actuation: bool = False, sensors: bool = True) -> InverseSlopes:
    """Derivatives of inverse dynamics at (qpos, qvel, qacc) of d, as mjd_inverseFD.

    The seven arrays are DfDq, DfDv, DfDa (nv, nv), DsDq, DsDv, DsDa (nv, nsensordata) and DmDq
    (nv, nC), f the force qfrc_inverse [N, Nm], s what sensors read, m the numbers of `d.M`. Row i
    has the derivatives by dof i, of positions in the tangent space; differences are one-sided, with
    a nudge of eps. actuation takes qfrc_actuator off the force, so that actuators are no external
    force. sensors=False leaves Ds* empty. d stays as it is. Not for RK4 or noslip.
    """

def inverse_force(m: Model, d: Data, times: int = 1) -> None:
    """(position and velocity stages, qacc) => qfrc_inverse, qfrc_constraint, forces

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        qfrc_inverse (nv,) [N|Nm] force that would give qacc, constraints included
    """

def inverse_motion(m: Model, qpos: Any, qvel: Any = None, qacc: Any = None, dt: Any = None, times: Any = None, stencil: str = 'central', record: Iterable[str] = (), nthread: int = 0, **inputs: Any) -> dict[str, np.ndarray]:
    """The generalized forces that recorded motions take: {name: (..., T, ...) array}.

    qpos is (..., T, nq), the positions of T frames in any number of motions [m|rad]; quaternions
    are wxyz and need not be continuous in sign. Without qvel (..., T, nv) or qacc (..., T, nv),
    these are differences of frames, dt seconds apart or at the times (T,) or (..., T): by default
    central ones, with errors of second order in dt; the first and last qacc are those of the frames
    beside them. stencil="step" takes differences as an integrator makes them,
    v_i = (q_i - q_(i-1)) / dt and a_i = (v_(i+1) - v_i) / dt, so that a log of a simulation gives
    its own forces back, but for the ends; where there is damping, or an implicit integrator, the
    model's flag invdiscrete makes this exact.

    The answer has qfrc_inverse (..., T, nv) [N|Nm], as `Batch.inverse` has it: what actuators,
    qfrc_applied and xfrc_applied did together. Besides, it has qvel and qacc; residual, which is
    qfrc_inverse on dofs that no actuator moves, such as those of a floating base, and 0 on others;
    and what `record` names, such as qfrc_constraint, sensordata or contact_force. Of fields that
    are as long as contacts or constraint rows there is as much as the fullest frame has, zeros
    beyond the ncon or nefc of a frame.

    inputs are other components of the state (mocap_pos, mocap_quat, eq_active, userdata, ...),
    (..., T, ...) or the same for all frames. nthread is that of a Batch.
    """

def inverse_skip(m: Model, d: Data, skipstage: int = 0, skipsensor: bool = False) -> None:
    """`inverse`, when positions (skipstage 1), or velocities too (2), are computed already.
    mj_inverseSkip

    What is skipped stays as it is in d; skipsensor leaves d.sensordata (nsensordata,) alone.
    """

def jac(m: Any, d: Any, point: Any, body: Any) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of a point of a body, (3, nv) each: d(v_WP_W)/d(qvel), d(w_WB_W)/d(qvel). mj_jac

    point: (3,) [m], where it is in W now. Points (k, 3) and bodies (k,), or one of either, give
    (k, 3, nv). With several worlds, results have a leading axis of them, point may be (worlds, 3)
    and body (worlds,); (1, k, 3) or (worlds, k, 3) are several points of each.
    """

def jac_body(m: Any, d: Any, body: Any) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of a body's frame, (3, nv) each: velocity of its origin, xpos, and angular
    velocity, in W, for each unit of a number of qvel. mj_jacBody

    body: name or number; a sequence of k gives (k, 3, nv). With several worlds, after an axis of
    them. d has positions.
    """

def jac_body_com(m: Any, d: Any, body: Any) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of a body's centre of mass, xipos, (3, nv) each, as `jac_body`. mj_jacBodyCom"""

def jac_dot(m: Any, d: Any, point: Any, body: Any) -> tuple[np.ndarray, np.ndarray]:
    """(d jacp/dt, d jacr/dt), each (3, nv) [1/s], of a point of a body that moves with qvel, as
    `jac`. mj_jacDot

    jac_dot qvel is what jac qacc lacks to be the point's acceleration.
    """

def jac_geom(m: Any, d: Any, geom: Any) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of a geom's centre, geom_xpos, (3, nv) each: velocity and angular velocity in W,
    for each unit of a number of qvel. mj_jacGeom

    geom: name or number; a sequence of k gives (k, 3, nv). With several worlds, after an axis of
    them. d has positions.
    """

def jac_point_axis(m: Any, d: Any, point: Any, axis: Any, body: Any) -> tuple[np.ndarray, np.ndarray]:
    """(jac_point, jac_axis) of a point of a body, and of an axis that is fixed in it: (3, nv) each.
    mj_jacPointAxis

    axis: (3,) in W now. Its Jacobian is d(axis)/dt for each unit of qvel. Shapes as in `jac`.
    """

def jac_site(m: Any, d: Any, site: Any) -> tuple[np.ndarray, np.ndarray]:
    """(jacp, jacr) of a site, site_xpos, (3, nv) each: velocity and angular velocity in W, for each
    unit of a number of qvel. mj_jacSite

    site: name or number; a sequence of k gives (k, 3, nv). With several worlds, after an axis of
    them. d has positions.
    """

def jac_subtree_com(m: Any, d: Any, body: Any) -> np.ndarray:
    """jacp of the centre of mass of a body and all below it, subtree_com: (3, nv), or (k, 3, nv) of
    a sequence. mj_jacSubtreeCom

    NaN if they have no mass. With several worlds, after an axis of them.
    """

def kernel(function: Any = None, *, inline: Any = False, fused: Any = True) -> Any:
    """Make a function on lanes. `inline=True` for formulas, which are copied into their callers.

    With `fused=False`, a * b + c is rounded twice, in it and in all kernels that it calls: as
    MuJoCo does, so that the same numbers have the same bits.
    """

def kinematics(m: Model, d: Data, times: int = 1) -> None:
    """(qpos, mocap) => (xpos, xquat, xmat, xi*, xanchor, xaxis, geom_x*, site_x*)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        xpos (nbody, 3) [m] p_WBo_W
        xquat (nbody, 4) q_WB, wxyz
        xmat (nbody, 9) R_WB, row-major
        xipos (nbody, 3) [m] p_WBcm_W
        xiquat (nbody, 4) q_WI, wxyz
        ximat (nbody, 9) R_WI, row-major
        xanchor (njnt, 3) [m] joint anchor, in W
        xaxis (njnt, 3) joint axis, in W
        geom_xpos (ngeom, 3) [m] p_WG_W
        geom_xquat (ngeom, 4) q_WG, wxyz
        geom_xmat (ngeom, 9) R_WG, row-major
        site_xpos (nsite, 3) [m] p_WS_W
        site_xquat (nsite, 4) q_WS, wxyz
        site_xmat (nsite, 9) R_WS, row-major
    """

def load(source: str | os.PathLike[str] | Model | mujoco.MjModel | mujoco.MjSpec, assets: dict[str, bytes] | None = None, *, base: Any = None, packages: Any = None, control: Callable | None = None, passive: Callable | tuple[Callable, Callable] | None = None, act_dyn: Callable | None = None, act_gain: Callable | None = None, act_bias: Callable | None = None, sensor: Callable | None = None, collision: dict[tuple[str, str], Callable] | None = None, contact_filter: Callable | None = None, observe: Any = None, parameters: Mapping[str, ArrayLike] | None = None, state: Mapping[str, int | tuple[int, ...]] | None = None, scratch: Mapping[str, int | tuple[int, ...]] | None = None, outputs: Any = None) -> Model:
    """A Model from a file (.xml, .urdf, .mjb, .usd*), XML text, an MjSpec or an MjModel.

    `assets` maps file names to bytes, for XML that refers to files. `base`, of a URDF, is "free"
    for a root link that floats or "fixed" for one that does not; `packages` says where ROS packages
    are, {name: folder} or folders that have them. Of USD, docs/usd.md says what is read. What the
    model uses and Lanewise does not simulate raises UnsupportedFeature, all of it at once. The
    source is copied: changing it afterwards changes nothing here.

    All others are kernels of yours, compiled into the step of this model: see docs/callbacks.md.
    `control` writes controls, `passive` adds forces, `act_dyn`, `act_gain` and `act_bias` are the
    laws of actuators of type user, `sensor` reads sensors of type user, `collision` maps pairs of
    geom types to kernels that find their contacts, and `contact_filter` says which geoms may touch.
    `observe` is called when the steps of a call are done, and leaves what it makes of them in
    `outputs`, {name: size}: observations, rewards, costs, which `Batch.user(name)` gives. Kernels
    read `parameters`, {name: array}, and keep numbers of each world in `state` and, until they
    return, in `scratch`, {name: size}.
    """

def local_to_global(m: Any, d: Any, pos: Any, quat: Any, body: Any, sameframe: Any = 0) -> tuple[np.ndarray, np.ndarray]:
    """(xpos (3,) [m], xmat (9,)) in W of a frame that is fixed in a body, with the position
    pos (3,) and the orientation quat (4,), wxyz, in the body's frame. mj_local2Global

    sameframe: of mjtSameFrame; 1 is the body's frame itself and 2 its inertial frame, 3 and 4 only
    their axes. d has positions. (k, 3), (k, 4) and (k,) bodies give k frames; with several worlds,
    shapes are as in `lw.jac`.
    """

def make_constraint(m: Model, d: Data, times: int = 1) -> None:
    """(contact, poses, cdof, qpos, ten_*, eq_active) => (row_*, con_*, ne, nf, nl, nefc,
    maxuse_efc)

    Under the discrete integrator the regularization depends on the metric, and is made with it.

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        ne scalar number of equality rows
        nf scalar number of friction rows
        nl scalar number of limit rows
        nefc scalar number of constraint rows
    """

def mul_jac_t_vec(m: Model, d: Data, x: ArrayLike) -> np.ndarray:
    """J' x, (nv,): a number for each dof; x is (nefc,), over constraint rows in the order of efc_*.
    mj_mulJacTVec

    With several worlds x may be (worlds, nefc), with the nefc of the world that has the most.
    """

def mul_jac_vec(m: Model, d: Data, x: ArrayLike) -> np.ndarray:
    """J x, (nefc,): a number for each constraint row, in the order of efc_*; x is (nv,), over dofs.
    mj_mulJacVec

    With several worlds x may have a row for each, (worlds, nv), and the result has: as many numbers
    as the world with the most rows, zeros beyond those that a world has.
    """

def mul_m(m: Model, d: Data, x: ArrayLike) -> np.ndarray:
    """M x, with the M that `crb` left; x is (nv,) or a row for each world, (worlds, nv), as the
    result is. mj_mulM
    """

def multi_ray(m: Any, d: Any, pnt: Any, vec: Any, geomgroup: Any = None, flg_static: bool = True, bodyexclude: Any = -1, cutoff: float = 10000000000.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances (n,), geoms (n,) and normals (n, 3) of rays vec (n, 3) from pnt (3,) [m], all in W,
    as `mj_multiRay`; options as in `ray`.

    Geoms farther than the cutoff [m] are left out. What `mj_multiRay` does not see, this does not
    see: docs/rays.md. With several worlds, pnt may have a row for each, vec may be (worlds, n, 3),
    and the results have a leading axis of worlds.
    """

def normalize_quat(m: Any, qpos: Any) -> np.ndarray:
    """qpos (..., nq) with all its quaternions of unit length; those without a length become no
    turn. mj_normalizeQuat
    """

def object_acceleration(m: Any, d: Any, kind: Any, id: Any, local: bool = False) -> np.ndarray:
    """Acceleration (6,) of an object: angular [rad/s^2], then linear [m/s^2] of its origin, as
    `object_velocity`. mj_objectAcceleration

    It is what an accelerometer there feels: gravity counts as an acceleration upwards. d has cacc:
    call `lw.rne_post_constraint` after `lw.forward`.
    """

def object_velocity(m: Any, d: Any, kind: Any, id: Any, local: bool = False) -> np.ndarray:
    """Velocity (6,) of an object: angular [rad/s], then linear [m/s] of its origin.
    mj_objectVelocity

    kind: "body" (the inertial frame, at the centre of mass), "xbody" (the body's own frame),
    "geom", "site", "camera", or one of mjtObj; id: name or number, a sequence of k gives (k, 6).
    In the axes of W, or with local=True in the object's own. d has positions and velocities:
    `lw.fwd_velocity`, or at least `lw.com_vel`. With several worlds, after an axis of them.
    """

def observe(m: Model, d: Data, times: int = 1) -> None:
    """(everything) => observed, by the user's kernel: at the end of a call

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        observed (nobserved,) what the user's kernel `observe` leaves, output by output
    """

def passive(m: Model, d: Data, times: int = 1) -> None:
    """(qpos, qvel, plastic, ten_*, cvel, poses) => (qfrc_spring, _damper, ..., _passive)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        qfrc_spring (nv,) [N|Nm] springs
        qfrc_damper (nv,) [N|Nm] dampers
        qfrc_gravcomp (nv,) [N|Nm] gravity compensation
        qfrc_fluid (nv,) [N|Nm] fluid forces
        qfrc_adhesion (nv,) [N|Nm] adhesion of contacts
        qfrc_passive (nv,) [N|Nm] sum of the passive forces
    """

def power(m: Model, d: Data, times: int = 1) -> None:
    """(forces, velocities) => actuator_power, joint_power

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        actuator_power (nout,) [W] power of an actuator: force times velocity
        joint_power (nv,) [W] power of all forces on a dof but gravity and inertia
    """

def project_constraint(m: Model, d: Data, times: int = 1) -> None:
    """efc_AR = J inv(M) J' + R, with the metric in the place of M under the discrete integrator

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        efc_AR (nAmax,) J inv(M) J' + R, dense: nefc numbers for each row
    """

def put_data(model: Model, mj_data: mujoco.MjData | Sequence[mujoco.MjData]) -> Data:
    """A Data with the contents of one MjData, or of up to eight of them, one in each lane."""

def ray(m: Any, d: Any, pnt: Any, vec: Any, geomgroup: Any = None, flg_static: bool = True, bodyexclude: Any = -1) -> tuple[Any, Any, np.ndarray]:
    """(distance, geom, normal (3,)) of the first surface that a ray meets, from pnt (3,) [m] along
    vec (3,), all in W, as `mj_ray`; d has positions.

    The distance is in lengths of vec, and -1 without a hit, as the geom is; the normal is zero
    then. geomgroup: (6,), which groups count; flg_static: whether geoms that cannot move count;
    bodyexclude: a body, by number or name, whose geoms do not. With several worlds, pnt and vec may
    be (worlds, 3), and the results have a leading axis.
    """

def read_ctrl(m: Any, d: Any, actuator: Any, time: Any, interp: int = -1) -> np.ndarray:
    """The control (controls,) of an actuator (number or name) that takes effect at a time [s], as
    `mj_readCtrl`; most actuators have one.

    It is the one of `actuator_delay` earlier; without a history, the present one. interp: 0 the
    last sample, 1 straight lines, 2 cubic splines, -1 as the actuator says. With several worlds the
    result has a row for each, and time may be (worlds,).
    """

def read_sensor(m: Any, d: Any, sensor: Any, time: Any, interp: int = -1) -> np.ndarray:
    """What a sensor (number or name) shows at a time [s], (n,) with the n numbers that it has, as
    `mj_readSensor`; interp and several worlds as in `read_ctrl`.
    """

def reference_constraint(m: Model, d: Data, times: int = 1) -> None:
    """(rows, qvel, cvel) => (row_vel, row_aref, con_vel, con_aref)

    In every world of d, a Data of the Model m, `times` times over.
    """

def report(of: Any) -> Report:
    """What there is to know of a Data or Batch: print it, or take its `to_dict()`.

    Sizes, time, energy, contacts and constraint rows (now, the most since the last reset, and the
    room for them), iterations of the solver and what the last one gained, the difference of forward
    and inverse dynamics, warnings by kind, resets, timers with the average of a call and its share,
    and memory. Of several worlds it has the least, the mean and the most, and which worlds took the
    most iterations.
    """

def reset_data(m: Model, d: Data, keyframe: int | str | None = None) -> None:
    """Set every world of d to the model's reference state, or to a keyframe (number or name), and
    everything computed to zero. mj_resetData, mj_resetDataKeyframe
    """

def rne(m: Model, d: Data, times: int = 1) -> None:
    """(cdof, cdof_dot, cvel, cinert, qvel) => qfrc_bias

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        qfrc_bias (nv,) [N|Nm] Coriolis, centrifugal and gravitational force
    """

def rne_post_constraint(m: Model, d: Data, times: int = 1) -> None:
    """(all forces, qacc) => (cacc, cfrc_int, cfrc_ext)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        cacc (nbody, 6) [rad/s^2,m/s^2] acceleration of a body in C, less gravity
        cfrc_int (nbody, 6) [Nm,N] torque and force of the parent on a body, in C
        cfrc_ext (nbody, 6) [Nm,N] torque and force on a body of all but its joints, in C
    """

def rungekutta4(m: Model, d: Data, times: int = 1) -> None:
    """(qacc, forces) => next state, by three more evaluations of the forward dynamics

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        time scalar [s] simulation time
        qpos (nq,) [m|rad] generalized position; a free joint: p_WBo_W, q_WB (wxyz)
        qvel (nv,) [m/s|rad/s] generalized velocity; a free joint: v_WBo_W, w_WB_B
        act (na,) activation of actuators
    """

def sensor_acc(m: Model, d: Data, times: int = 1) -> None:
    """(all stages up to accelerations) => sensordata of the sensors that need them

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        sensordata (nsensordata,) readings of all sensors, one after another
    """

def sensor_pos(m: Model, d: Data, times: int = 1) -> None:
    """(position stage) => sensordata of the sensors that need no more

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        sensordata (nsensordata,) readings of all sensors, one after another
    """

def sensor_vel(m: Model, d: Data, times: int = 1) -> None:
    """(position and velocity stages) => sensordata of the sensors that need no more

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        sensordata (nsensordata,) readings of all sensors, one after another
    """

def set_const(m: Model, d: Data | None = None) -> None:
    """Compute what follows from the other fields of a Model, as mj_setConst does.

    After an edit of mass, inertia, poses, sizes, gravity compensation or contact types: of a field
    that docs/fields.md marks with set_const. It writes what is marked "by set_const" there: masses
    of subtrees, inverse weights, lengths at qpos0, bounding volumes, ... Every Data of the model
    goes on with the new constants at its next call. A Data may be given, as in MuJoCo; its state is
    left as it is.

    What MuJoCo refuses (a moving body without mass, contacts of a geom that was compiled without),
    and what would not be finite, raises ModelError and leaves everything as it was. The worlds of a
    Batch have `Batch.set_const`; for all of them at once it is `set_const(b.model)`.
    """

def set_state(m: Model, d: Data, state: ArrayLike, spec: int = 32767) -> None:
    """Set the state components of spec, as in `state_size`, from a vector, (size,), or from a row
    for each world, (worlds, size). Nothing is computed anew. mj_setState
    """

def solve_m(m: Model, d: Data, x: ArrayLike) -> np.ndarray:
    """inverse(M) x, with the factors that `factor_m` left; x is (nv,) or a row for each world,
    (worlds, nv), as the result is. mj_solveM
    """

def solve_m2(m: Model, d: Data, x: ArrayLike) -> None:
    """D^(-1/2) inverse(L') x, with the factors M = L' D L that `factor_m` left: half of `solve_m`.

    The sum of its squares is x' inverse(M) x; x is (nv,) or a row for each world. mj_solveM2
    """

def state_size(m: Model, spec: int = 32767) -> int:
    """Length of a state vector with the components of spec.

    spec is bits of mujoco.mjtState, the name of a component ("qpos") or of a set of MuJoCo's
    ("physics", "fullphysics", "user", "integration"), or several of these.
    """

def step(m: Model, d: Data, nstep: int = 1) -> None:
    """Advance every world of d by nstep time steps of m.opt.timestep [s]: `forward`, then the
    model's integrator. mj_step

    It writes the state, d.time, d.qpos (nq,), d.qvel (nv,), d.act (na,), and all else that
    `forward` computes, of the state before the last step. A world with bad numbers is reset, and
    counted in d.warning.
    """

def step1(m: Model, d: Data, times: int = 1) -> None:
    """The part of a step before controls are needed.

    In every world of d, a Data of the Model m, `times` times over. It calls these stages, as far
    as the model asks for them:

        fwd_position, sensor_pos, fwd_velocity, sensor_vel
    """

def step2(m: Model, d: Data, times: int = 1) -> None:
    """The part of a step from the controls on; Runge-Kutta becomes Euler.

    In every world of d, a Data of the Model m, `times` times over. It calls these stages, as far
    as the model asks for them:

        fwd_actuation, fwd_acceleration, fwd_constraint, sensor_acc, forward, compare_fwdinv,
        implicit, implicitfast, discrete, euler
    """

def subtree_vel(m: Model, d: Data, times: int = 1) -> None:
    """(cvel, xipos, ximat, subtree_com) => (subtree_linvel, subtree_angmom)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        subtree_linvel (nbody, 3) [m/s] velocity of the subtree's centre of mass, in W
        subtree_angmom (nbody, 3) [Nms] angular momentum about the subtree's centre of mass, in W
    """

def tendon(m: Model, d: Data, times: int = 1) -> DataTendon:
    """(qpos, xpos, xmat, geom_x*, cdof) => (ten_length, ten_arm, ten_J, ten_wrap*, wrap_*)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        ten_length (ntendon,) [m] tendon length
        ten_J (nJten,) Jacobian of tendon lengths, in the structure of ten_J_colind
        ten_wrapadr (ntendon,) first point of a tendon's path in wrap_xpos
        ten_wrapnum (ntendon,) number of points in a tendon's path
        wrap_obj (nwrap, 2) geom of a path point; -1 site, -2 pulley
        wrap_xpos (nwrap, 6) [m] path points, two in a row, in W
    """

def tendon_armature(m: Model, d: Data, times: int = 1) -> None:
    """M += a J' J (2), where two dofs are on one chain to the root

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        M (nC,) [kg|kg*m^2] joint-space inertia, lower triangle, in the structure of M_colind
    """

def tendon_bias(m: Model, d: Data, times: int = 1) -> None:
    """qfrc_bias += a J' (dJ/dt qvel) (2); only paths through sites can have armature

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        qfrc_bias (nv,) [N|Nm] Coriolis, centrifugal and gravitational force
    """

def tendon_velocity(m: Model, d: Data, times: int = 1) -> None:
    """(ten_arm, qvel) => ten_velocity

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        ten_velocity (ntendon,) [m/s] rate of tendon length
    """

def transition_fd(m: Model, d: Data, eps: float = 1e-06, centered: bool = False, sensors: bool = True) -> Transition:
    """Derivatives of a step by finite differences: A, B, C, D, as mjd_transitionFD.

    With x = (qpos, qvel, act) and u = ctrl as they are in d, y the state after `step` and s what
    sensors read in it,

        A = dy/dx (nx, nx), B = dy/du (nx, nu), C = ds/dx (nsensordata, nx), D = ds/du

    where nx = 2 nv + na: positions are nudged and compared in the tangent space (`integrate_pos`,
    `differentiate_pos`). eps is the size of a nudge, in the units of what is nudged; centered takes
    differences both ways, which costs twice as much. Controls are not nudged out of their range.
    sensors=False leaves C and D empty. d stays as it is. The solver starts from d.qacc_warmstart
    every time; its tolerance divided by eps is the noise to expect. Not for RK4.
    """

def transmission(m: Model, d: Data, times: int = 1) -> None:
    """(qpos, site_x*, cdof, ten_*, contact) => (actuator_length, trn_J, *moment*)

    In every world of d, a Data of the Model m, `times` times over. It writes, beside
    workspace of the kernels, and with several worlds after an axis of them:

        actuator_length (nout,) [m|rad] length of an actuator's transmission
        moment_rownnz (nout,) non-zeros in a row of actuator_moment
        moment_rowadr (nout,) first number of a row of actuator_moment
        moment_colind (nJmom,) dof of a number of actuator_moment
        actuator_moment (nJmom,) moment arms, rows by force output
    """

def view(worlds: Any, *, control: Callable | None = None, host: str = '127.0.0.1', port: int = 8080, name: str | None = None, play: bool = False, block: bool = True) -> Viewer | None:
    """Show the worlds of a Batch or a Data in a browser, where they can be run, dragged and looked
    at; the address is printed. Needs the extra: pip install 'lanewise[viewer]'.

    The worlds themselves are moved: when it ends, they are as they were last seen. control is a
    function of the Batch, called before each step (see Batch.step); kernels of the model run
    anyway. host: who may look, by default programs of this machine only; "0.0.0.0" lets everybody
    in who can reach it. port: 0 takes any that is free. name: what stands above the panel. play:
    run at once.

    With block=True it returns None when it is closed by Ctrl-C. With block=False it returns a
    Viewer at once: `viewer.close()` ends it, `viewer.save(path)` writes what was recorded, and who
    steps the worlds in a loop of their own, with `viewer.lock` held, sees that too.
    """
