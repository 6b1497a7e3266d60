"""Arrays of a Model that cannot be written, or only within limits.

A guarded array is read-only for NumPy: whatever writes past `__setitem__` gets NumPy's own error.
`a[...] = x` and `a += x` come here, and either say why the field is fixed, or write if all of the
field is within its limits then. Parts of such an array are guarded, too; what is computed with it
is an ordinary array.
"""

import numpy as np

from .ranges import ALLOWED, CHECKED, FAMILIES, RANGES
from .soundness import among, data_ids, side_sites, size_of, within, wrapped_armature


class Guard:
    """What stands between a user and a field of the model `mj`.

    memory: the field, for whoever may write. written: called after a write.
    """

    def __init__(self, mj, name, memory, written=None):
        self.mj, self.name, self.memory, self.written = mj, name, memory, written
        self._loaded = memory.copy() if name in FAMILIES else None

    def array(self, part=None):
        """The field, or a view of a part of its memory, as users get it."""
        array = (self.memory if part is None else part).view(GuardedArray)
        array.flags.writeable = False
        array.guard = self
        return array

    def refuse(self):
        """Raise if the field is fixed."""
        if self.name not in CHECKED:
            raise ValueError(
                f"{self.name} is fixed in a loaded model, since it is structure: change an"
                " mujoco.MjSpec or MjModel instead, and load that"
            )

    def write(self, part, index, value):
        """part[index] = value, or raise and leave all as it was."""
        offset = part.ctypes.data - self.memory.ctypes.data
        place = np.ndarray(part.shape, part.dtype, self.memory, offset, part.strides)
        before = place.copy()
        place[index] = value
        problem = self.problem()
        if problem:
            place[...] = before
            raise ValueError(problem)
        if self.written is not None:
            self.written()

    def problem(self):
        """'' or what is wrong with the field as it is."""
        return checked_problem(self.mj, self.name, self.memory, self._loaded)


def checked_problem(mj, name, values, loaded=None):
    """'' or what is wrong with values of a field that may change within limits.

    loaded: the field as it was when it was loaded, if a change must stay in a family of kinds.
    """
    if name in FAMILIES and loaded is not None:
        family = np.isin(loaded, FAMILIES[name])
        bad = (values != loaded) & ~(family & np.isin(values, FAMILIES[name]))
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            others = f"one of {FAMILIES[name]}" if family[k] else f"{loaded[k]}, as it was"
            return (
                f"{name}[{k}] is {values[k]}; it must be {others}, since other kinds have other"
                " inputs or activations"
            )
    if name in ALLOWED:
        return among(name, values, ALLOWED[name])
    if name == "wrap_prm":
        return side_sites(mj, values)
    if name == "geom_dataid":
        return data_ids(mj, values)
    if name == "tendon_armature":
        return wrapped_armature(mj, values)
    if name == "mesh_vert":
        return "" if np.isfinite(values).all() else "mesh_vert must have finite numbers"
    if name in RANGES:
        low, high = RANGES[name]
        return within(name, values, low, size_of(mj, high))
    return ""


class GuardedArray(np.ndarray):
    """See `Guard`."""

    guard: Guard | None = None

    def __array_finalize__(self, source):
        self.guard = getattr(source, "guard", None)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **others):
        plain = [x.view(np.ndarray) if isinstance(x, GuardedArray) else x for x in inputs]
        targets = out or ()
        if method == "at" and isinstance(inputs[0], GuardedArray):
            targets = inputs[:1]
        guarded = [x for x in targets if isinstance(x, GuardedArray)]
        if not guarded:
            return getattr(ufunc, method)(*plain, **others, **({"out": out} if out else {}))
        if method == "at" or len(targets) > 1:
            raise ValueError("write to this field by an index: m.field[...] = values")
        guarded[0][...] = getattr(ufunc, method)(*plain, **others)
        return guarded[0]

    def __array_function__(self, func, types, args, kwargs):
        # what NumPy makes of it is an ordinary array
        plain = _plain((args, kwargs))
        return func(*plain[0], **plain[1])

    def __setitem__(self, index, value):
        if self.guard is None:
            self.view(np.ndarray)[index] = value
            return
        self.guard.refuse()
        if self.size:
            self.guard.write(self, index, value)

    def __reduce__(self):
        return np.asarray(self).copy().__reduce__()

    def copy(self, order="C"):
        return self.view(np.ndarray).copy(order)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def astype(self, *args, **kwargs):
        return self.view(np.ndarray).astype(*args, **kwargs)

    def __repr__(self):
        return repr(self.view(np.ndarray))


def _plain(x):
    """The same with ordinary arrays, read-only as they were."""
    if isinstance(x, GuardedArray):
        return x.view(np.ndarray)
    if isinstance(x, (tuple, list)):
        return type(x)(map(_plain, x))
    return {key: _plain(value) for key, value in x.items()} if isinstance(x, dict) else x


class Named:
    """What MuJoCo's m.body("torso") gives, its arrays guarded as the model's own are."""

    __slots__ = ("_guarded", "_view")

    def __init__(self, view, guarded):
        """view: MuJoCo's; guarded: a function that gives an array for users of one of its."""
        object.__setattr__(self, "_view", view)
        object.__setattr__(self, "_guarded", guarded)

    def __getattr__(self, name):
        value = getattr(self._view, name)
        return self._guarded(value) if isinstance(value, np.ndarray) else value

    def __setattr__(self, name, value):
        target = getattr(self, name)
        if not isinstance(target, np.ndarray):
            raise AttributeError(f"{name} cannot be assigned")
        target[...] = value

    def __dir__(self):
        return dir(self._view)

    def __repr__(self):
        return repr(self._view)
