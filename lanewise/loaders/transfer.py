"""Between a Data and MuJoCo's MjData, field by field as the table names them."""

import mujoco
import numpy as np

from ..data import Data
from ..errors import ModelError, whole_number
from ..fields import DATA
from ..functions import check_arguments, check_model
from ..lanes import W
from .hearing import heard
from .structure_actuation import unpacked_moment
from .transfer_constraint import get_constraint, put_constraint


def put_data(model, mj_data):
    """A Data with the contents of one MjData, or of up to eight of them, one in each lane."""
    check_model(model)
    sources = [mj_data] if isinstance(mj_data, mujoco.MjData) else list(mj_data)
    if not 1 <= len(sources) <= W or not all(isinstance(x, mujoco.MjData) for x in sources):
        raise TypeError(f"put_data takes an mujoco.MjData or 1 to {W} of them")
    contacts = max(source.ncon for source in sources)
    rows = max(source.nefc for source in sources)
    d = Data(model, len(sources))
    d.make_room(max(contacts, d.sizes["nconmax"]), max(rows, d.sizes["njmax"]))
    for f in DATA:
        if f.own or f.capacity:
            continue
        array = d.arrays[f.name]
        for lane in range(d.width):
            source = np.asarray(getattr(sources[lane if lane < len(sources) else 0], f.name))
            if source.size != array[..., lane].size:
                raise ModelError(
                    f"this MjData is of another model: {f.name} has {source.size} numbers,"
                    f" not {array[..., lane].size}"
                )
            array[..., lane] = source.reshape(array.shape[:-1])
    for lane in range(d.width):
        source = sources[lane if lane < len(sources) else 0]
        d.arrays["ten_arm"][:, lane] = source.ten_J[model.arm_place]
        d.arrays["trn_J"][:, lane] = unpacked_moment(model.mj, source, model.arrays)
        for matrix, own in (("qLD", "M_factor"), ("qH", "H_factor")):
            d.arrays[own][:, lane] = _rows_times_diagonal(model, getattr(source, matrix))
        _put_metric(d, lane, source)
        d.arrays["ctrl_read"][:, lane] = _controls(model.mj, source)
        _put_diagnostics(d, lane, source)
    put_constraint(model, d, sources)
    return d


def _controls(mj, source):
    """What actuators are told, delayed and clamped: implicit integrators ask for it."""
    told = np.array(source.ctrl)
    for i in np.flatnonzero(mj.actuator_delay):
        place = slice(mj.actuator_ctrladr[i], mj.actuator_ctrladr[i] + mj.actuator_ctrlnum[i])
        result = np.zeros(mj.actuator_ctrlnum[i])
        found = mujoco.mj_readCtrl(mj, source, i, source.time, result, -1)
        told[place] = result if found is None else np.asarray(found).ravel()
    if not mj.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL:
        limited = mj.actuator_ctrllimited.astype(bool)
        low, high = mj.actuator_ctrlrange[limited].T
        told[limited] = np.clip(told[limited], low, high)
    return told


_ROOM = ("maxuse_con", "maxuse_efc")
_STATISTICS = [f.name for f in DATA if f.name.startswith("solver.")]


def _put_diagnostics(d, lane, source):
    """What MuJoCo has counted."""
    for name in ("nisland", *_ROOM):
        d.arrays[name][lane] = getattr(source, name)
    for k, warning in enumerate(source.warning):
        d.arrays["warning.number"][k, lane] = warning.number
        d.arrays["warning.lastinfo"][k, lane] = warning.lastinfo
        d.arrays["told"] |= bool(warning.number) << k
    for name in _STATISTICS:
        array = d.arrays[name]
        array[:, lane] = getattr(source.solver, name.partition(".")[2])[: len(array)]


def _get_diagnostics(d, lane, out):
    """The same back; islands are where MuJoCo has found them."""
    for name in _ROOM:
        setattr(out, name, int(d.arrays[name][lane]))
    for k, warning in enumerate(out.warning):
        warning.number = int(d.arrays["warning.number"][k, lane])
        warning.lastinfo = int(d.arrays["warning.lastinfo"][k, lane])
    for name in _STATISTICS:
        array = d.arrays[name]
        getattr(out.solver, name.partition(".")[2])[: len(array)] = array[:, lane]


# what the discrete integrator's stages hand on, under MuJoCo's names
_METRIC = ("efm_c", "efm_ca", "efm_ck", "efm_diag", "efm_sdiag", "efm_fluid")


def _put_metric(d, lane, source):
    """What the discrete integrator adds to M.

    MuJoCo lists the tendons and actuators that couple dofs, and has their numbers in the order of
    the list; kernels have a number for each of them.
    """
    for name in _METRIC:
        d.arrays[name][:, lane] = getattr(source, name)
    n = source.nefmT
    d.arrays["metric_tendon"][source.efm_tid[:n], lane] = source.efm_ts[:n]
    n = source.nefmA
    d.arrays["metric_actuator"][source.efm_aid[:n], lane] = source.efm_as[:n]


def _rows_times_diagonal(model, LD):
    """D L, as kernels use it, of MuJoCo's L and D."""
    diagonal = model.M_rowadr + model.M_rownnz - 1
    U = LD * np.repeat(LD[diagonal], model.M_rownnz)
    U[diagonal] = LD[diagonal]
    return U


def get_data(model, d, lane=0, mj_data=None):
    """An MjData with the contents of one world of d."""
    check_arguments(model, d)
    lane = whole_number(lane, "lane")
    if not 0 <= lane < d.lanes:
        raise ValueError(f"lane must be in [0, {d.lanes}), got {lane}")
    out = mujoco.MjData(model.mj) if mj_data is None else mj_data
    for f in DATA:
        if f.own or f.capacity or (f.dtype != "float" and not f.dims):
            continue
        value = d.arrays[f.name][..., lane]
        if f.name == "time":
            out.time = float(value)
            continue
        target = getattr(out, f.name)
        target[...] = value.reshape(target.shape)
    with heard():
        get_constraint(model, d, lane, out)
    _get_diagnostics(d, lane, out)
    return out
