"""Every public function, class and method says what it takes and gives: help() is enough to use it.

Shapes are looked for in the docstrings of all that take or give arrays; the others are listed here.
"""

import inspect
import re

import pytest

import lanewise as lw
from lanewise import public
from lanewise.batch.named import Named
from lanewise.named import DataObject

SIZE = r"(?:\d+|n\w*|k|worlds|lanes|size|controls|\.\.\.)"
SHAPE = re.compile(rf"\({SIZE},\)|\((?:{SIZE}, )+{SIZE}\)|\bscalar\b|\(\.\.\.\)")
LEAST = 40  # characters

# what neither takes nor gives arrays
WITHOUT = {
    "copy_state": "copies", "get_data": "gives an MjData", "kernel": "takes a function",
    "load": "takes a file", "put_data": "takes an MjData", "reset_data": "takes a keyframe",
    "state_size": "gives a number",
    # workspace of the kernels
    "reference_constraint": "writes what `expose_constraint` shows",
    # made of others, whose docstrings have them
    "forward": "", "fwd_position": "", "fwd_velocity": "", "step1": "", "step2": "",
    "Batch.bound": "names", "Batch.error": "a text", "Batch.get_data": "an MjData",
    "Batch.get_model": "an MjModel", "Batch.made_of": "yes or no", "Batch.models": "models",
    "Batch.parameters": "arrays of the user's shapes", "Batch.set_const": "takes worlds",
    "Batch.set_models": "takes models", "Batch.unbind": "takes a name",
    "Data.bind": "takes elements of an MjSpec", "Data.reset": "takes a keyframe",
    "Model.keyframe_id": "gives a number", "Model.parameters": "arrays of the user's shapes",
    "report": "a text", "set_const": "takes a model",
    "Model.save": "takes a path", "view": "takes worlds",
}  # fmt: skip


def shown(thing: object) -> set[str]:
    """What completion shows beside fields."""
    return {name for name in dir(thing) if not name.startswith("_")}


def members() -> dict[str, object]:
    m = lw.load("<mujoco/>")
    objects = {"Batch": lw.Batch(m, 1, 1), "Data": lw.Data(m), "Model": m}
    found: dict[str, object] = {name: getattr(lw, name) for name in public.__all__}
    for name, thing in objects.items():
        kind = type(thing)
        for member in sorted(shown(thing) & shown(kind)):
            value = inspect.getattr_static(kind, member)
            if inspect.isfunction(value) or (isinstance(value, property) and by_hand(value)):
                found[f"{name}.{member}"] = value
    return found


def by_hand(value: property) -> bool:
    """Whether a property is no field: those are made by a loop over their table."""
    return "<locals>" not in value.fget.__qualname__


MEMBERS = members()


def finds_by_name(function: object) -> bool:
    """Whether it gives an object by its name, whose attributes are fields."""
    source = inspect.getsource(function) if inspect.isfunction(function) else ""
    return bool(re.search(rf"return ({Named.__name__}|{DataObject.__name__})\(", source))


@pytest.mark.parametrize("name", MEMBERS)
def test_docstring(name):
    thing = MEMBERS[name]
    text = inspect.getdoc(thing) or ""
    if isinstance(thing, type):
        assert len(text) >= LEAST / 2
        return
    assert len(text) >= LEAST or SHAPE.search(text), text
    if name not in WITHOUT and not finds_by_name(thing):
        assert SHAPE.search(text), f"{name} says nothing of shapes: {text}"


def test_stages_say_what_they_write():
    text = lw.kinematics.__doc__
    assert "xpos (nbody, 3) [m] p_WBo_W" in text and "=>" in text
    # of a section that several stages write, what each of them has
    assert "qH (nC,)" in lw.euler.__doc__ and "qLU" not in lw.euler.__doc__
    assert "qpos (nq,)" in lw.rungekutta4.__doc__
    assert (
        "efc_AR (" in lw.project_constraint.__doc__
        and "efc_D (" not in lw.project_constraint.__doc__
    )
    assert "kinematics, com_pos" in lw.fwd_position.__doc__
    assert max(len(line) for line in lw.expose_constraint.__doc__.splitlines()) <= 100


@pytest.mark.parametrize("word", ["nstep", "ids", "(nsim, nu)", "stage", "control", "[s]"])
def test_help_of_a_step_is_enough(word):
    assert word in inspect.getdoc(lw.Batch.step)
