"""The state of a Data or Batch as Ptera Software has it, and the engine under its free flight.

    s = ptera.read(m, d)          # s.position_E_Eo, s.R_pas_E_to_BP1, s.omegas_BP1__E, ...
    ptera.write(m, d, forces_E=f, moments_E_CgP1=t)

    ptera.install()               # from here on, Ptera Software flies on Lanewise
    with ptera.installed(): ...   # or in here

One body that is free is an Airplane; E are Earth axes, which are the world's, BP1 body axes.

    position_E_Eo     p_WBcm_W                     [m]
    R_pas_E_to_BP1    R_BW, a passive matrix
    velocity_E__E     v_WBcm_W                     [m/s]
    omegas_BP1__E     w_WB_B                       [degrees per second]
    forces_E          f_W: xfrc_applied[0:3]       [N]
    moments_E_CgP1    t_Bcm_W: xfrc_applied[3:6]   [N m]

MuJoCoModel has the interface of pterasoftware._mujoco_model.MuJoCoModel of Ptera Software 5.1, and
is made in its place once installed. It differs in one thing: get_state is of the state after the
step. The original reads xmat, which a step leaves as its last stage needed it: one step old with
Euler, implicit and implicitfast. `install(attitude="stage")` has that too, for comparisons.
"""

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import Data
from ..errors import ConventionError
from ..flight.flight_state import FlightState, quaternion_of_passive
from ..flight.free_body import free_body
from ..flight.rigid_body import RigidBody
from ..functions import STAGE_FUNCTIONS, get_state, set_state
from ..loaders import load
from .simulation import Arrays, Changes, Worlds, says_choices

START = "start"  # the keyframe of the original's models
MATRIX = slice(0, 3)  # the rotation in a 4 x 4 transformation

_step, _forward = STAGE_FUNCTIONS["step"], STAGE_FUNCTIONS["forward"]


# ---- arrays of a running simulation


@dataclass(frozen=True, eq=False)
class PteraState(Arrays):
    """Arrays of Ptera Software's; with several worlds, a leading axis of them.

    position_E_Eo   (3,) [m] the centre of gravity
    R_pas_E_to_BP1  (3, 3) passive: turns components in Earth axes into those in body axes
    velocity_E__E   (3,) [m/s]
    omegas_BP1__E   (3,) [degrees per second] in body axes
    forces_E        (3,) [N] applied at the centre of gravity
    moments_E_CgP1  (3,) [N m] about the centre of gravity
    time            [s]
    """

    position_E_Eo: np.ndarray
    R_pas_E_to_BP1: np.ndarray
    velocity_E__E: np.ndarray
    omegas_BP1__E: np.ndarray
    forces_E: np.ndarray
    moments_E_CgP1: np.ndarray
    time: Any


@says_choices
def read(m: Any, d: Any, *, body: str | int | None = None) -> PteraState:
    """The present state of the body, by default of the only one that is free."""
    worlds = Worlds(m, d)
    free = free_body(worlds.model, body)
    qpos, qvel = worlds.field("qpos")[:, free.qpos], worlds.field("qvel")[:, free.qvel]
    com = worlds.rows("body_ipos", free.number)
    s = FlightState.from_mujoco(qpos, qvel, com=com).ptera()
    loads = worlds.field("xfrc_applied")[:, free.number].copy()
    time = np.array(worlds.field("time"), float).reshape(worlds.n)
    arrays = (
        s["position_E_Eo"], s["R_pas_E_to_BP1"], s["velocity_E__E"], s["omegas_BP1__E"],
        loads[:, :3], loads[:, 3:], time,
    )  # fmt: skip
    return PteraState(*map(worlds.result, arrays))


@says_choices
def write(
    m: Any, d: Any, *, body: str | int | None = None, position_E_Eo: Any = None,
    R_pas_E_to_BP1: Any = None, velocity_E__E: Any = None, omegas_BP1__E: Any = None,
    forces_E: Any = None, moments_E_CgP1: Any = None,
) -> None:  # fmt: skip
    """Set qpos, qvel and xfrc_applied of the body. Nothing is computed: forward does that.

    What is not given stays as it is: another attitude or angular velocity alone leaves the centre
    of gravity, and its velocity, where they are.
    """
    worlds = Worlds(m, d)
    free, changes = free_body(worlds.model, body), Changes(worlds)
    com = worlds.rows("body_ipos", free.number)
    qpos, qvel = worlds.field("qpos")[:, free.qpos], worlds.field("qvel")[:, free.qvel]
    now = FlightState.from_mujoco(qpos, qvel, com=com)
    vectors = {"p_WBcm": now.p_WBcm, "v_WBcm_W": now.v_WBcm_W, "w_WB_B": now.w_WB_B}
    for name, given, here in (
        ("position_E_Eo", position_E_Eo, "p_WBcm"),
        ("velocity_E__E", velocity_E__E, "v_WBcm_W"),
        ("omegas_BP1__E", omegas_BP1__E, "w_WB_B"),
    ):
        if given is not None:
            vectors[here] = worlds.given(given, (3,), name)
    if omegas_BP1__E is not None:
        vectors["w_WB_B"] = np.deg2rad(vectors["w_WB_B"])
    q_WB = now.q_WB
    if R_pas_E_to_BP1 is not None:
        R = worlds.given(R_pas_E_to_BP1, (3, 3), "R_pas_E_to_BP1")
        q_WB = quaternion_of_passive(R, "R_pas_E_to_BP1")
    moved = (position_E_Eo, R_pas_E_to_BP1, velocity_E__E, omegas_BP1__E)
    if any(given is not None for given in moved):
        qpos, qvel = FlightState(q_WB=q_WB, **vectors).mujoco(com=com)
        changes["qpos"][:, free.qpos], changes["qvel"][:, free.qvel] = qpos, qvel
    for name, given, place in (
        ("forces_E", forces_E, slice(0, 3)),
        ("moments_E_CgP1", moments_E_CgP1, slice(3, 6)),
    ):
        if given is not None:
            changes["xfrc_applied"][:, free.number, place] = worlds.given(given, (3,), name)
    changes.write()


# ---- the engine of Ptera Software's free flight


class MuJoCoModel:
    """The rigid body of a free flight, as pterasoftware._mujoco_model.MuJoCoModel has it, on
    Lanewise.

    Arguments, methods, properties and private members are those of the original, so that its
    solver, its files and its tests find what they look for: `_model` is MuJoCo's own MjModel, on
    whose memory Lanewise computes, and `_data` a lanewise.Data.
    """

    __slots__ = (
        "_body_id",
        "_data",
        "_initial_key_frame_id",
        "_initial_qpos",
        "_initial_qvel",
        "_model",
        "_mujoco_assets",
        "_xml_str",
    )  # fmt: skip

    fresh = True  # whether get_state's attitude is of the state, or of the last stage of the step

    def __init__(
        self,
        name: str,
        mass: float,
        omegas_BP1__E: np.ndarray,
        T_pas_BP1_CgP1_to_E_CgP1: np.ndarray,
        vCg_E__E: np.ndarray,
        I_BP1_CgP1: np.ndarray,
        delta_time: float,
        integrator: str = "RK4",
        extra_xml: Mapping[str, str] | None = None,
        mujoco_assets: dict[str, bytes] | None = None,
    ) -> None:
        """omegas_BP1__E in degrees per second; T_pas_BP1_CgP1_to_E_CgP1 (4, 4) passive; vCg_E__E in
        m/s; I_BP1_CgP1 (3, 3) in kg m^2; delta_time in s. There is no gravity: weight is a load."""
        inertia = np.asarray(I_BP1_CgP1, float)
        body = RigidBody(
            mass, (inertia + inertia.T) / 2.0, gravity=np.zeros(3), timestep=delta_time,
            integrator=integrator, name=name, extra_xml=extra_xml,
        )  # fmt: skip
        R_pas_E_to_BP1 = np.asarray(T_pas_BP1_CgP1_to_E_CgP1, float)[MATRIX, MATRIX].T
        start = FlightState.from_ptera({
            "position_E_Eo": np.zeros(3), "R_pas_E_to_BP1": R_pas_E_to_BP1,
            "velocity_E__E": vCg_E__E, "omegas_BP1__E": omegas_BP1__E,
        })  # fmt: skip
        self._xml_str = body.xml({START: start.mujoco()})
        self._mujoco_assets = mujoco_assets
        self._initial_key_frame_id = 0
        self._make(mujoco_assets)
        self._body_id = int(self._model.body(name).id)
        self._initial_qpos, self._initial_qvel = self._data.qpos.copy(), self._data.qvel.copy()
        self._initial_qpos.flags.writeable = self._initial_qvel.flags.writeable = False

    def _make(self, assets: dict[str, bytes] | None) -> None:
        model = load(self._xml_str, assets)
        self._model, self._data = model.mj, Data(model)
        self._data.reset(self._initial_key_frame_id)
        _forward(model, self._data)

    def _rebuild_engine(self) -> None:
        """After a file was read: model and data from the XML, at the start."""
        self._make(None)

    @property
    def xml_str(self) -> str:
        """The MJCF that the model is made of."""
        return self._xml_str

    @property
    def body_id(self) -> int:
        """The number of the airplane's body."""
        return self._body_id

    @property
    def initial_key_frame_id(self) -> int:
        """The number of the keyframe that it starts from."""
        return self._initial_key_frame_id

    @property
    def initial_qpos(self) -> np.ndarray:
        """qpos at the start, (7,) [m, -]; read-only."""
        return self._initial_qpos

    @property
    def initial_qvel(self) -> np.ndarray:
        """qvel at the start, (6,) [m/s, rad/s]; read-only."""
        return self._initial_qvel

    def apply_loads(self, forces_E: np.ndarray, moments_E_CgP1: np.ndarray) -> None:
        """A force [N] at the centre of gravity and a moment [N m] about it, in Earth axes, until
        others are given."""
        loads = self._data.xfrc_applied[self._body_id]
        loads[:3], loads[3:] = forces_E, moments_E_CgP1

    def step(self) -> None:
        """A step of delta_time."""
        _step(self._data.model, self._data)

    def get_state(self) -> dict[str, Any]:
        """position_E_Eo, R_pas_E_to_BP1, velocity_E__E, omegas_BP1__E [degrees per second] and
        time: copies, of the present moment."""
        d = self._data
        state = FlightState.from_mujoco(d.qpos, d.qvel, time=float(d.time)).ptera()
        if not self.fresh:
            state["R_pas_E_to_BP1"] = d.xmat[self._body_id].reshape(3, 3).T.copy()
        return state

    def reset(self) -> None:
        """Back to the start: time zero, no loads."""
        d = self._data
        d.qpos[:], d.qvel[:] = self._initial_qpos, self._initial_qvel
        d.time, d.xfrc_applied[:] = 0.0, 0.0
        _forward(d.model, d)

    def save_state(self) -> np.ndarray:
        """The state that integration goes on from, with loads and warm start."""
        return get_state(self._data.model, self._data)

    def restore_state(self, state: np.ndarray) -> None:
        """Go on from what save_state returned."""
        set_state(self._data.model, self._data, state)
        _forward(self._data.model, self._data)


def install(attitude: str = "fresh") -> None:
    """Put MuJoCoModel in the place of Ptera Software's: for problems that are made from now on,
    and for files that are read.

    attitude: "fresh", of the state that get_state tells; or "stage", the one that the last stage of
    a step left behind, as in the original.
    """
    if attitude not in ("fresh", "stage"):
        raise ConventionError(f"attitude must be 'fresh' or 'stage'; got {attitude!r}")
    MuJoCoModel.fresh = attitude == "fresh"
    _put(MuJoCoModel)


def uninstall() -> None:
    """Give Ptera Software its own engine back."""
    _put(_ORIGINAL.get("class"))


@contextmanager
def installed(attitude: str = "fresh") -> Iterator[type[MuJoCoModel]]:
    """As install, for the time of a with statement."""
    install(attitude)
    try:
        yield MuJoCoModel
    finally:
        uninstall()


_ORIGINAL: dict[str, Any] = {}


def _put(engine: Any) -> None:
    """Put a class where Ptera Software looks for its engine: its own module, which problems refer
    to, and what reads and writes files."""
    if engine is None:
        return  # it was never replaced
    own, files = _ptera("_mujoco_model"), _ptera("_serialization")
    if not hasattr(own, "MuJoCoModel") or "MuJoCoModel" not in getattr(
        files, "_CLASS_REGISTRY", {}
    ):
        version = getattr(_ptera(""), "__version__", "of this version")
        raise ImportError(
            f"Ptera Software {version} has no MuJoCoModel to replace: 5.1 has, pip install"
            " pterasoftware==5.1.0"
        )
    _ORIGINAL.setdefault("class", own.MuJoCoModel)
    own.MuJoCoModel = files.MuJoCoModel = files._CLASS_REGISTRY["MuJoCoModel"] = engine


def _ptera(name: str) -> Any:
    try:
        return importlib.import_module("pterasoftware" + (f".{name}" if name else ""))
    except ModuleNotFoundError as error:
        raise ImportError(
            f"this needs Ptera Software 5.1, and {error.name} is not installed: pip install"
            " --no-deps pterasoftware==5.1.0 (its MuJoCo is older than Lanewise's), and pip install"
            " cmocean numba pyvista scipy threadpoolctl tqdm webp"
        ) from error
