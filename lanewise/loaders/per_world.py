"""What a Batch asks of MuJoCo: fields it may vary, one world as MjModel and MjData, refusals."""

import copy
import functools

import mujoco
import numpy as np

from ..errors import UnsupportedFeature
from ..fields import DATA
from ..limits import CHECKED, FIXED, checked_problem, option_problem
from ..model import Model
from .hearing import heard
from .loading import load
from .refusals import refuse_unsupported


@functools.cache
def expandable():
    """Names of the model fields that may differ between worlds, as mujoco.batch decides."""
    from mujoco.batch import MODEL_FIELDS

    return MODEL_FIELDS


@functools.cache
def bindable():
    """Names of the data fields that mujoco.batch gives for every world."""
    from mujoco.batch import DATA_FIELDS

    return DATA_FIELDS


def is_mjmodel(x):
    return isinstance(x, mujoco.MjModel)


def own_model(model):
    """A copy of a Model or MjModel that nobody else can change."""
    if not isinstance(model, (Model, mujoco.MjModel)):
        raise TypeError(
            "the model must be a lanewise.Model or an mujoco.MjModel,"
            f" got {type(model).__name__}; see lanewise.load"
        )
    return load(model)


def model_field(mj, name):
    """A field of an MjModel or its options as an array; of bvh_aabb the part that bodies have."""
    if name.startswith("opt."):
        value = np.asarray(getattr(mj.opt, name[4:]))
        return value if value.dtype.kind == "f" else value.astype(np.int32)
    value = getattr(mj, name)
    if name.startswith("flg_"):
        return np.array([value], np.uint8)
    return value[: int(mj.body_bvhnum.sum())] if name == "bvh_aabb" else value


def write_field(mj, name, value):
    """Set a field of an MjModel or its options."""
    if not name.startswith("opt."):
        model_field(mj, name)[...] = value
    elif np.ndim(value):
        getattr(mj.opt, name[4:])[...] = value
    else:
        setattr(mj.opt, name[4:], value.item())


def world_model(mj, rows, model=None, refresh=False):
    """An MjModel like mj, with the fields in `rows`; `refresh` for what only mj_setConst writes."""
    if model is None:
        model = copy.copy(mj)
    else:
        if not isinstance(model, mujoco.MjModel):
            raise TypeError(f"model must be an mujoco.MjModel, got {type(model).__name__}")
        for name in expandable():
            shape, wanted = model_field(model, name).shape, model_field(mj, name).shape
            if shape != wanted:
                raise ValueError(
                    f"this model has other sizes: {name} has shape {shape}, not {wanted}"
                )
        for name in expandable():
            write_field(model, name, model_field(mj, name))
    for name, row in rows.items():
        write_field(model, name, row)
    if refresh:
        with heard():
            mujoco.mj_setConst(model, mujoco.MjData(model))
        for name, row in rows.items():
            write_field(model, name, row)
    return model


def world_data(model, row, warnings, derived, data=None):
    """An MjData with the state, warning counters and derived fields of one world."""
    if data is None:
        data = mujoco.MjData(model.mj)
    elif not isinstance(data, mujoco.MjData):
        raise TypeError(f"data must be an mujoco.MjData, got {type(data).__name__}")
    for f in DATA:
        if f.own or f.capacity:
            continue
        shape = f.shape(model.sizes)
        if np.size(getattr(data, f.name)) != np.prod(shape):
            raise ValueError(
                f"this MjData has other sizes than the batch's model: its {f.name} has"
                f" {np.size(getattr(data, f.name))} numbers, not {int(np.prod(shape))}"
            )
    for name, value in derived.items():
        if np.ndim(value):  # counts are MuJoCo's own
            getattr(data, name)[...] = value
    mujoco.mj_setState(model.mj, data, row, mujoco.mjtState.mjSTATE_INTEGRATION)
    for kind, (info, number) in enumerate(warnings):
        data.warning[kind].lastinfo, data.warning[kind].number = int(info), int(number)
    return data


class Refusals:
    """Whether the worlds with certain integers in their model can be run, and if not, why."""

    def __init__(self, model):
        self._mj, self._scratch = model.mj, copy.copy(model.mj)
        self._known: dict[bytes, str] = {}

    def reason(self, key, fields):
        """'' or what is wrong with a model that has these fields; `key` stands for their values."""
        if key not in self._known:
            self._known[key] = self._look(fields)
        return self._known[key]

    def _look(self, fields):
        if problem := field_problem(self._mj, fields):
            return problem
        for name, value in fields.items():
            write_field(self._scratch, name, value)
        try:
            refuse_unsupported(self._scratch)
        except UnsupportedFeature as error:
            return str(error)
        finally:
            for name in fields:
                write_field(self._scratch, name, model_field(self._mj, name))
        return ""


# which pairs of bodies may touch is found when a model is loaded
_PAIRS = {"exclude_signature", "pair_signature", "pair_geom1", "pair_geom2"}


def decides_pairs(name):
    """Whether a field, perhaps none that kernels read, says which pairs of geoms may touch."""
    return name in _PAIRS


def field_problem(mj, fields):
    """'' or why a world cannot have these values of fields, if the others are those of mj."""
    for name, value in fields.items():
        if name in FIXED and not np.array_equal(value, model_field(mj, name)):
            return f"{name} is structural: it cannot differ between worlds"
        problem = ""
        if name.startswith("opt."):
            problem = option_problem(name[4:], value)
        elif name in CHECKED:
            problem = checked_problem(mj, name, value, getattr(mj, name))
        if problem:
            return problem
    return ""
