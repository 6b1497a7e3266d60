"""docs/from-mujoco.md: every function of MuJoCo's has a line, and what the line names exists."""

import copy
import inspect
import re
from pathlib import Path

import mujoco
import mujoco.batch
import mujoco.introspect.functions
import numpy as np
import pytest

import lanewise as lw
import twins
from lanewise import public, rollout

# what MuJoCo's chapter on simulation names beside functions of its present header
CHAPTER = (
    "mj_makeModel", "mj_stackAlloc", "mjMARKSTACK", "mjFREESTACK", "mjCOLLISIONFUNC",
    "mju_user_error", "mju_user_warning", "mju_user_malloc", "mju_user_free", "mjcb_control",
    "mjcb_time",
)  # fmt: skip

NO_HEADER = ("Callbacks", "Standard math", "No longer in MuJoCo", "The Python bindings")
GROUPS = pytest.mark.parametrize("group", dict.fromkeys(twin.group for twin in twins.TWINS))


def mujoco_functions() -> set[str]:
    """Those of the header and of the bindings, callbacks, and those of the chapter."""
    bound = {name for name in dir(mujoco) if re.match(r"mj[a-su-z]*_", name)}
    hooks = {name.removeprefix("set_") for name in dir(mujoco) if name.startswith("set_mj")}
    return {*mujoco.introspect.functions.FUNCTIONS, *bound, *hooks, *CHAPTER}


def test_every_function_of_mujoco_has_a_line():
    known = mujoco_functions()
    assert len(known) > 550
    assert not sorted(name for name in known if twins.twin_of(name) is None)


def reference_groups() -> dict[str, str]:
    """{function: group} of MuJoCo's API reference"""
    text = Path(mujoco.__path__[0], "doc", "APIreference", "functions.rst").read_text()
    lines, group, found = text.splitlines(), "", {}
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"^"}:
            group = line
        if name := re.fullmatch(r"\.\. _(mj[a-z]*_\w+):", line):
            found[name[1]] = group
    return found


def test_groups_are_those_of_the_reference():
    wrong, groups = [], reference_groups()
    for twin in twins.TWINS:
        for name in twin.names if twin.group not in NO_HEADER else ():
            if "*" in name:
                assert any(twin.covers(known) and groups[known] == twin.group for known in groups)
            elif groups.get(name) != twin.group:
                wrong.append((name, twin.group, groups.get(name)))
    assert not wrong


def lines(group: str) -> list[twins.Twin]:
    return [twin for twin in twins.TWINS if twin.group == group]


@GROUPS
def test_a_line_says_something(group):
    for twin in lines(group):
        assert twin.one or twin.batch or twin.numpy or twin.none, twin
        assert not (twin.one and (twin.none or twin.numpy)), twin


# ---- names of ours


@pytest.fixture(scope="module")
def roots():
    m = lw.load(lw.models.path("pendulum"))
    return {
        "lw": lw, "m": m, "d": lw.Data(m), "b": lw.Batch(m, 1), "source": lw.Batch(m, 1),
        "mujoco": mujoco, "np": np, "copy": copy, "rollout": rollout, "spec": mujoco.MjSpec(),
        "conventions": lw.conventions,
    }  # fmt: skip


def found(name: str, roots: dict):
    """What a name with dots stands for; AttributeError if it is nothing."""
    first, *rest = name.split(".")
    thing = roots[first]
    for part in rest:
        thing = getattr(thing, part)
    return thing


def quoted(text: str) -> list[str]:
    """Code in a note that names something of ours."""
    pieces = [
        piece.replace("(...", "(x").replace("=)", "=x)") for piece in re.findall(r"`([^`]+)`", text)
    ]
    return [piece for piece in pieces if re.match(r"(lw|m|d|b|conventions)\.\w", piece)]


def parameters(name: str) -> dict[str, str]:
    """{parameter: type} of a function of the bindings, whose docstring has them"""
    text = (getattr(mujoco, name).__doc__ or "").strip().splitlines()[0]
    inside = text[text.index("(") + 1 : text.rindex(") ->")]
    return dict(re.findall(r"(\w+): (.*?)(?=, \w+: |$)", inside))


@GROUPS
def test_names_exist_and_take_the_arguments(group, roots):
    pieces = ((*t.one, *t.batch, *quoted(t.note + t.none)) for t in lines(group))
    for code in (code for piece in pieces for code in piece):
        names = list(twins.dotted(code))
        assert names, code
        for name in names:
            if name.split(".")[0] in roots:
                found(name, roots)
        for name, positional, keywords in twins.calls(code):
            if name.startswith("mujoco.mj"):
                assert positional == len(parameters(name.removeprefix("mujoco.")))
            elif name.split(".")[0] in ("lw", "m", "d", "b", "source", "rollout"):
                signature = inspect.signature(found(name, roots))
                signature.bind(*range(positional), **dict.fromkeys(keywords))


def test_every_function_of_ours_is_on_the_page():
    named = {name for twin in twins.TWINS for code in twins.codes(twin)
             for name in twins.dotted(code)}  # fmt: skip
    named |= {n for t in twins.TWINS for c in quoted(t.note + t.none) for n in twins.dotted(c)}
    functions = {
        name for name in public.__all__
        if not isinstance(getattr(lw, name), type) or not issubclass(getattr(lw, name), Exception)
    }  # fmt: skip
    missing = {name for name in functions if f"lw.{name}" not in named and name not in twins.OURS}
    # what `load`, `transition_fd`, `inverse_fd` and `report` give
    assert missing == {"Model", "Transition", "InverseSlopes", "Report"}
    methods = {name for name, x in inspect.getmembers(lw.Batch, inspect.isfunction)}
    missing = {
        name for name in methods
        if not name.startswith("_") and f"b.{name}" not in named
        and f"Batch.{name}" not in twins.OURS and not hasattr(mujoco.batch.Batch, name)
    }  # fmt: skip
    assert not missing


def test_what_is_ours_alone_exists_and_has_no_twin():
    named = {name for twin in twins.TWINS for code in twins.codes(twin)
             for name in twins.dotted(code)}  # fmt: skip
    for name in twins.OURS:
        assert found(f"lw.{name}", {"lw": lw})
        assert f"lw.{name}" not in named and name.replace("Batch.", "b.") not in named


# ---- NumPy beside mju_*

ALIASES = {"mju_copy": {"data": "vec"}, "mju_norm": {"vec": "res"}, "mju_normalize": {"vec": "res"}}
EXACT = {"mju_round": -2.5, "mju_sigmoid": 0.3}
NO_ORACLE = ("mju_standardNormal", "mju_printMat", "mju_printMatSparse")  # random, or prints
IN_NUMPY = [
    (name, twin.numpy)
    for twin in twins.TWINS
    for name in twin.names
    if twin.numpy and hasattr(mujoco, name) and name not in NO_ORACLE
]


def drawn(name: str, rng: np.random.Generator) -> dict:
    """Arguments for a function of the bindings."""
    given = {}
    for argument, kind in parameters(name).items():
        shape = re.search(r'"\[(\w+), (\w+)\]"', kind)
        if shape:
            rows, columns = (int(n) if n.isdigit() else 4 for n in shape.groups())
            dtype = re.search(r"numpy\.(float64|float32|int32)", kind)[1]
            size = rows if shape[2] == "1" else (rows, columns)
            given[argument] = (10 * rng.normal(size=size)).astype(dtype)
        else:
            given[argument] = EXACT.get(name, float(rng.normal()))
    if name.startswith("mju_chol"):
        mat = given["mat"] / 10
        given["mat"] = np.linalg.cholesky(mat @ mat.T + np.eye(4))
        if name == "mju_cholFactor":
            given["mat"] = given["mat"] @ given["mat"].T
        given |= {"mindiag": 1e-9} if "mindiag" in given else {}
        given |= {"flg_plus": 1} if "flg_plus" in given else {}
    if name == "mju_eig3":
        mat = given["mat"].reshape(3, 3)
        given["mat"] = mat + mat.T
    if name == "mju_clip":
        given |= {"min": -0.1, "max": 0.2}
    return given


@pytest.mark.parametrize(("name", "code"), IN_NUMPY)
def test_numpy_does_the_same(name, code):
    theirs = drawn(name, np.random.default_rng(0))
    ours = copy.deepcopy(theirs) | {"np": np, "mujoco": mujoco}
    ours |= {ours_: ours[theirs_] for ours_, theirs_ in ALIASES.get(name, {}).items()}
    flat = {k: v.reshape(-1) if name == "mju_eig3" and k == "mat" else v for k, v in theirs.items()}
    returned = getattr(mujoco, name)(*flat.values())
    place, is_expression = next(iter(theirs)), True
    try:
        result = eval(code, ours)
    except SyntaxError:
        exec(code, ours)
        is_expression = False
    if not is_expression or result is None:  # it changes its argument
        np.testing.assert_allclose(ours[place], flat[place], rtol=1e-13, atol=1e-13)
    elif name == "mju_eig3":
        np.testing.assert_allclose(result[0][::-1], flat["eigval"], rtol=1e-12)
    elif returned is None or name.startswith("mju_chol"):
        expected = np.tril(flat[place]) if name.startswith("mju_chol") else flat[place]
        expected = flat["res"] if name == "mju_cholSolve" else expected
        np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)
    else:
        assert result == pytest.approx(returned, rel=1e-13)
