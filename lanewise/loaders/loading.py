"""lanewise.load: MJCF, URDF, MJB, USD, MjSpec and MjModel, through MuJoCo's own compiler.

The Model gets a copy of the MjModel, and its fields point into that copy's memory. Scalars of
MjOption have no array in the bindings; they lie at fixed distances from the option arrays that have
one, which is checked against their values.
"""

import copyreg
import ctypes
import functools

import mujoco
import numpy as np

from ..callbacks.user_code import user_code
from ..errors import IncompatibleMuJoCo, ModelError
from ..fields import CONSTANT_SIZES, MODEL, OWN_SIZES
from ..hooks import hook_places, refuse_hooks
from ..installation import MUJOCO
from ..limits import FIXED
from ..model import Model
from .broken import sound_copy
from .compiling import check_room, compiled
from .hearing import heard
from .refusals import refuse_unsupported
from .saving import Origin
from .structure import derive
from .structure_collision import default_capacity
from .versions import Versions


def load(
    source, assets=None, *, base=None, packages=None, control=None, passive=None, act_dyn=None,
    act_gain=None, act_bias=None, sensor=None, collision=None, contact_filter=None, observe=None,
    parameters=None, state=None, scratch=None, outputs=None,
):  # fmt: skip
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
    refuse_hooks()
    user = user_code(
        collision, parameters, state, scratch, outputs, control=control, passive=passive,
        act_dyn=act_dyn, act_gain=act_gain, act_bias=act_bias, sensor=sensor,
        contact_filter=contact_filter, observe=observe,
    )  # fmt: skip
    if user is None and isinstance(source, Model) and source.user is not None:
        user = source.user.copy()
    nuserdata = user.declared.nuserdata if user else 0
    try:
        with heard():
            mj, origin = compiled(source, assets, base, packages, nuserdata)
            refuse_unsupported(mj)
            return from_mjmodel(mj, user, origin)
    except (IndexError, KeyError, UnicodeDecodeError) as error:  # of arrays that MuJoCo let pass
        raise ModelError(f"the model is damaged, its arrays lead outside: {error}") from error


def _unpickled(versions, mj, user):
    """A Model from its pickle; that the versions are ours was seen when the first was read."""
    return _copied(mj, user, Origin(None, "a pickle"))


copyreg.pickle(Model, lambda m: (_unpickled, (Versions(), m.mj, m.user)))


def load_again(model):
    """A copy of a Model."""
    return _copied(model.mj, model.user, model.origin)


def _copied(mj, user, origin):
    mj = sound_copy(mj)
    refuse_unsupported(mj)
    return from_mjmodel(mj, user and user.copy(), origin)


def from_mjmodel(mj, user=None, origin=None):
    """A Model on the memory of mj, which the caller gives away."""
    sizes = dict(CONSTANT_SIZES)
    arrays = {**dict(_option_arrays(mj)), **_flag_arrays(mj)}
    check_room(mj)
    reset_rows = _reset_rows(mj)
    derived = {**derive(mj), "reset_state": reset_rows[0].copy(), "hook_places": hook_places()}
    for f in MODEL:
        if f.stage == "sizes":
            sizes[f.name] = len(derived[OWN_SIZES[f.name]]) if f.own else getattr(mj, f.name)
            arrays[f.name] = _locked(np.array([sizes[f.name]], np.int64))
    for f in MODEL:
        if f.name not in arrays:
            array = derived[f.name] if f.own else _view(mj, f.name)
            arrays[f.name] = _checked(f, array, sizes)
    sizes["nconmax"], sizes["njmax"] = default_capacity(mj, user)
    sizes["nobserved"] = user.declared.nobserved if user else 0
    return Model(mj, arrays, sizes, reset_rows, load_again, origin or Origin(None), user)


def _view(mj, name):
    """What kernels read of a field: its memory, or of what cannot change a copy of their own."""
    array = getattr(mj, name)
    return _locked(array.copy()) if name in FIXED else array[...]


def _locked(array):
    array.flags.writeable = False
    return array


_KINDS = {
    "float": "f8", "float32": "f4", "int32": "i4", "int64": "i8", "byte": ("u1", "b1"),
    "plain": "f8", "row": "f8",
}  # fmt: skip


def _checked(field, array, sizes):
    """The MjModel's own array; kernels rely on its layout."""
    ok = array.dtype.str[1:] in _KINDS[field.dtype] and array.flags.c_contiguous
    if not ok or array.size != field.numbers(1) * int(np.prod(field.shape(sizes))):
        raise IncompatibleMuJoCo(f"{field.name} is {array.dtype}{array.shape} in this MuJoCo")
    return array


# scalars of mjOption: (array that they lie near, first scalar's distance in bytes, type, names in
# order)
_SCALARS = (
    ("gravity", -56, ctypes.c_double, (
        "timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance",
        "sleep_tolerance",
    )),
    ("magnetic", 24, ctypes.c_double, ("density", "viscosity", "o_margin")),
    ("o_friction", 40, ctypes.c_int32, (
        "integrator", "cone", "jacobian", "solver", "iterations", "ls_iterations",
        "noslip_iterations", "ccd_iterations", "disableflags", "enableflags", "disableactuator",
    )),
)  # fmt: skip


def _option_arrays(mj):
    """{opt.name: array} over the memory of mj.opt."""
    for near, offset, ctype, names in _SCALARS:
        start = getattr(mj.opt, near).ctypes.data + offset
        for k, name in enumerate(names):
            value = ctype.from_address(start + k * ctypes.sizeof(ctype))
            if value.value != getattr(mj.opt, name) and value.value == value.value:
                raise IncompatibleMuJoCo(f"mjOption.{name} is not where MuJoCo {MUJOCO} has it")
            yield f"opt.{name}", np.frombuffer(memoryview(value), np.dtype(ctype))
    for name in ("gravity", "wind", "magnetic", "o_solref", "o_solimp", "o_friction"):
        yield f"opt.{name}", getattr(mj.opt, name)


_FLAGS = ("flg_gravcomp", "flg_surfacevel", "flg_adhesion")  # in the order in which they lie


@functools.cache
def _flag_offset():
    """Where mjModel has its flags: found by setting them."""
    mj = mujoco.MjModel.from_xml_string("<mujoco/>")
    # sizes and flags stand before the options
    head = (ctypes.c_uint8 * (mj.opt.gravity.ctypes.data - mj._address)).from_address(mj._address)
    places = []
    for name in _FLAGS:
        before = bytes(head)
        setattr(mj, name, True)
        places.append(max((k for k, x in enumerate(bytes(head)) if x != before[k]), default=-1))
    if places[0] < 0 or places != [places[0], places[0] + 1, places[0] + 2]:
        raise IncompatibleMuJoCo(f"mjModel's flags are not where MuJoCo {MUJOCO} has them")
    return places[0]


def _flag_arrays(mj):
    """{flag: array} over the memory of mj."""
    start = mj._address + _flag_offset()
    flags = [ctypes.c_uint8.from_address(start + k) for k in range(len(_FLAGS))]
    return {
        name: np.frombuffer(memoryview(x), np.uint8) for name, x in zip(_FLAGS, flags, strict=True)
    }


def _reset_rows(mj):
    """State vectors after mj_resetData, and after mj_resetDataKeyframe for each keyframe."""
    try:
        data = mujoco.MjData(mj)
    except mujoco.FatalError as error:
        raise ModelError(f"MuJoCo cannot make room for this model: {error}") from None
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    rows = np.zeros((1 + mj.nkey, mujoco.mj_stateSize(mj, spec)))
    mujoco.mj_getState(mj, data, rows[0], spec)
    for k in range(mj.nkey):
        mujoco.mj_resetDataKeyframe(mj, data, k)
        mujoco.mj_getState(mj, data, rows[1 + k], spec)
    return rows
