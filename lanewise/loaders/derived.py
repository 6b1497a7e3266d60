"""mj_setConst: constants that follow from a model's other fields, of a Model and of every world."""

import copy

import mujoco
import numpy as np

from ..errors import ModelError
from ..fields import EDITS
from ..functions import check_arguments, check_model
from ..hooks import refuse_hooks
from ..limits import FIXED, problems
from .hearing import heard
from .per_world import field_problem, model_field, write_field
from .structure import derive

# what mj_setConst writes: arrays, and flags that kernels read
MADE = [name for name, words in EDITS.items() if "made" in words]
FLAGS = tuple(name for name in MADE if name.startswith("flg_"))
OUTPUTS = tuple(name for name in MADE if name not in FLAGS)


def set_const(m, d=None):
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
    if d is None:
        check_model(m)
    else:
        check_arguments(m, d)
    refuse_hooks()
    m.watch.look()
    if found := problems(m.mj):
        raise ModelError("the constants of this model cannot be computed: " + "; ".join(found[:4]))
    made = copy.copy(m.mj)
    with heard():
        _run(made)
        own = _checked(m, made)
        _run(m.mj)
        for name, values in own.items():
            m.arrays[name][...] = values
        m.renew_reset()


def _run(mj):
    try:
        mujoco.mj_setConst(mj, mujoco.MjData(mj))
    except mujoco.FatalError as error:
        raise ModelError(f"MuJoCo cannot compute the constants of this model: {error}") from None


def _checked(m, made):
    """{own field: values} of a Model whose constants are those of an MjModel; ModelError if there
    is no such."""
    for name in MADE:
        values = np.asarray(getattr(made, name))
        if name in FIXED and not np.array_equal(values, getattr(m.mj, name)):
            raise ModelError(f"{name} would change, and it is structure: load the model anew")
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            bad = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
            raise ModelError(
                f"{name}[{', '.join(map(str, bad))}] would be {values[bad]}: check masses, inertias"
                " and poses, and what else was edited"
            )
    own = derive(made)
    for name, values in own.items():
        if values.shape != m.arrays[name].shape:
            raise ModelError(f"{name} would change its size: load the model anew")
    return {n: x for n, x in own.items() if not np.array_equal(x, m.arrays[n])}


# ------------------------------------------------------------------------------------ of a Batch


def reads(names):
    """Whether mj_setConst reads any of these fields."""
    return any("const" in EDITS.get(name, ()) or name.startswith("opt.") for name in names)


def of_worlds(mj, expanded, sims):
    """Yield (world, {field: value} or an error's text) of the worlds in sims.

    `expanded` has the rows of all worlds; all other fields are those of mj.
    """
    outputs = {n: model_field(mj, n) for n in OUTPUTS if n not in expanded}
    scratch, data, made = _scratch(mj)
    with heard():
        for sim in sims:
            # MuJoCo would follow whatever ids it is given
            if problem := field_problem(mj, {name: rows[sim] for name, rows in expanded.items()}):
                yield sim, problem
                continue
            for name, values in outputs.items():
                made[name][...] = values
            for name, rows in expanded.items():
                write_field(scratch, name, rows[sim])
            try:
                mujoco.mj_setConst(scratch, data)
            except mujoco.FatalError as error:
                scratch, data, made = _scratch(mj)
                yield sim, str(error)
                continue
            yield sim, made | {name: model_field(scratch, name) for name in FLAGS}


def _scratch(mj):
    """A copy of a model, its data, and live arrays of what mj_setConst writes there."""
    scratch = copy.copy(mj)
    return scratch, mujoco.MjData(mj), {name: model_field(scratch, name) for name in OUTPUTS}
