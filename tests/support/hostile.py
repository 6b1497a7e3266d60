"""Values that no field should have, written through every door of a model.

Run in a process of its own, since what it looks for is a crash:

    python -m support.hostile NAME ... [--numbers] [--few] [--seed N]

--numbers: of fields with fractions, else of those with integers; --few: one
value by two doors.

It says what it is about to do before it does it, so that the last line names the culprit. An error
or a step that comes to its end are both fine.
"""

import copy
import sys
import warnings

import mujoco
import numpy as np

import lanewise as lw
from lanewise.errors import LanewiseError
from lanewise.limits import CHECKED, FIXED
from support import zoo

REFUSED = (LanewiseError, ValueError, TypeError, AttributeError, IndexError, lw.SimulationError)
INTEGERS = (10**6, -(10**6), 2**31 - 1, -(2**31), 77, -2, -1, 0, 1, 3)
NUMBERS = (np.nan, np.inf, -np.inf, 1e300, 1e9, -1.0, 0.0)
NSIM = 3


def fields(mj, numbers):
    """Fields that a hostile value may stand in: integers and flags, or numbers."""
    for name in sorted(n for n in dir(mj) if not n.startswith(("_", "flex", "skin", "tex"))):
        array = getattr(mj, name)
        if isinstance(array, np.ndarray) and array.size and (array.dtype.kind == "f") == numbers:
            yield name, array


def doors(mj):
    """{door: function (field, place, value)}, each on a model of its own if it lets a value in."""
    loaded = []

    def model():
        if not loaded:
            loaded.append(lw.load(mj))
        return loaded[0]

    def run(m):
        loaded.clear()
        d = lw.Data(m)
        lw.step(m, d)
        lw.reset_data(m, d)

    def item(name, place, value):
        m = model()
        getattr(m, name)[place] = value
        run(m)

    def past(name, place, value):
        m = model()
        getattr(m.mj, name)[place] = value
        run(m)

    def whole(name, place, value):
        m = model()
        setattr(m, name, value)
        run(m)

    def source(name, place, value):
        other = copy.copy(mj)
        getattr(other, name)[place] = value
        run(lw.load(other))

    def models(name, place, value):
        other = copy.copy(mj)
        getattr(other, name)[place] = value
        b = lw.Batch(mj, NSIM, 1)
        b.set_models([mj, other, mj])
        b.step()

    def expand(name, place, value):
        b = lw.Batch(mj, NSIM, 1)
        b.expand(name)[(1, *place)] = value
        b.step()

    def derive(name, place, value):
        b = lw.Batch(mj, NSIM, 1)
        b.expand(name)[(1, *place)] = value
        b.set_const()
        b.step()

    return {f.__name__: f for f in (item, past, whole, source, models, expand, derive)}


def attack(name, numbers, few, seed):
    """All fields of a model, by all doors; the values by turns."""
    mj, rng = zoo.load(name), np.random.default_rng(seed)
    mj.opt.timestep = 0.002
    values = NUMBERS if numbers else INTEGERS
    for field, array in fields(mj, numbers):
        ways = doors(mj)
        for door in rng.permutation(list(ways))[: 2 if few else None]:
            write = ways[door]
            if door == "past" and field not in FIXED | CHECKED and not numbers:
                continue
            for value in rng.permutation(values)[: 1 if few else 3]:
                value = value.item() if numbers else int(value)
                place = tuple(int(rng.integers(n)) for n in array.shape)
                print(f"{name}: {door} {field}[{place}] = {value}", flush=True)
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    try:
                        write(field, place, value)
                    except (*REFUSED, OverflowError, mujoco.FatalError):
                        pass


def main(arguments):
    seed = int(arguments[arguments.index("--seed") + 1]) if "--seed" in arguments else 0
    for name in arguments:
        if name in zoo.ZOO:
            attack(name, "--numbers" in arguments, "--few" in arguments, seed)
    print("all done")


if __name__ == "__main__":
    main(sys.argv[1:])
