"""Kernels, functions and policies from files, and what is said of bad ones."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.viewer.controllers import ControllerError, Policy, from_file
from support.viewing import ARM

CODE = """
import lanewise as lw

PARAMETERS = {"gain": [3.0]}
number = 7


@lw.kernel
def damp(m, d, p):
    for i in range(m.nu):
        d.ctrl[i] = -p.gain[0] * d.qvel[i]


def push(batch):
    batch.ctrl[:] = 1.5
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "controller.py"
    path.write_text(CODE)
    return path


def test_a_kernel(file):
    arguments, function = from_file(f"{file}:damp")
    assert function is None and arguments["parameters"] == {"gain": [3.0]}
    b = lw.Batch(lw.load(ARM, **arguments), nsim=2)
    b.qvel[:, :2] = [1.0, 2.0]
    b.step()
    assert b.ctrl.tolist() == [[-3.0, -6.0]] * 2


def test_a_function(file):
    arguments, function = from_file(f"{file}:push")
    b = lw.Batch(lw.load(ARM), nsim=2)
    b.step(control=function)
    assert not arguments and (b.ctrl == 1.5).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("controller.py", "FILE.py:NAME"),
        ("nowhere.py:control", "no file 'nowhere.py'"),
        ("{file}:pusch", "no function 'pusch' (did you mean 'push'?)"),
        ("{file}:number", "number of .* is a int"),
    ],
)
def test_mistakes(file, text, said):
    with pytest.raises(
        ControllerError, match=said.replace("(", r"\(").replace(")", r"\)").replace("?", r"\?")
    ):
        from_file(text.format(file=file))


def test_a_file_that_cannot_be_imported(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("1 / 0")
    with pytest.raises(ControllerError, match="cannot be imported: ZeroDivisionError"):
        from_file(f"{path}:control")


def layers(m, rng):
    return {"w1": rng.standard_normal((6, m.nq + m.nv)), "b1": rng.standard_normal(6),
            "w2": rng.standard_normal((m.nu, 6)), "b2": rng.standard_normal(m.nu)}  # fmt: skip


def test_a_policy_is_its_layers(tmp_path):
    m, rng = lw.load(ARM), np.random.default_rng(0)
    arrays = layers(m, rng)
    path = tmp_path / "policy.npz"
    np.savez(path, **arrays, scale=0.5, offset=np.array([1.0, 2.0]))
    b = lw.Batch(m, nsim=3)
    b.qvel[:] = rng.standard_normal(b.qvel.shape)
    seen = np.concatenate((b.qpos, b.qvel), axis=1)
    Policy.load(path, m)(b)
    hidden = np.tanh(seen @ arrays["w1"].T + arrays["b1"])
    assert b.ctrl == pytest.approx([1.0, 2.0] + 0.5 * (hidden @ arrays["w2"].T + arrays["b2"]))


def test_every_and_observe():
    m, rng = lw.load(ARM), np.random.default_rng(0)
    b = lw.Batch(m, nsim=2)
    policy = Policy({"w1": np.ones((2, 3)), "observe": np.array(["sensordata"]), "every": 3}, m)
    b.step(nstep=2, control=policy)
    first = b.ctrl.copy()
    assert first.any()
    b.qpos[:, 0] = 0.5
    b.step(control=policy)
    assert np.array_equal(b.ctrl, first)
    b.step(control=policy)
    assert not np.array_equal(b.ctrl, first)
    with pytest.raises(ControllerError, match="takes 4 numbers, and sees 3: sensordata 3"):
        Policy({"w1": rng.standard_normal((2, 4)), "observe": "sensordata"}, m)(b)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"w1": None}, "has no layers"),
        ({"w2": np.zeros((3, 6)), "b2": np.zeros(3)}, "has 3 outputs, and the model 2 controls"),
        ({"w2": np.zeros((2, 5))}, "must be"),
        ({"activation": "tahn"}, "no activation 'tahn'"),
    ],
)
def test_bad_policies(change, said):
    m = lw.load(ARM)
    arrays = {**layers(m, np.random.default_rng(0)), **change}
    with pytest.raises(ControllerError, match=said):
        Policy({name: x for name, x in arrays.items() if x is not None}, m)


def test_what_a_policy_sees_is_cut_at_its_limit():
    m = lw.load(ARM)
    b = lw.Batch(m, nsim=2, nthread=1)
    n = m.nq + m.nv
    weights, limit = np.ones((2, n)), np.full(n, np.inf)
    limit[m.nq] = 3.0
    b.qvel[:, 0] = 5.0, -7.0
    rest = b.qpos.sum(axis=1)
    Policy({"w1": weights, "limit": limit}, m)(b)
    assert b.ctrl[:, 0] == pytest.approx(rest + [3.0, -3.0])
    with pytest.raises(ControllerError, match=f"a number or {n} of them"):
        Policy({"w1": weights, "limit": np.ones(n + 1)}, m)


def test_what_is_no_policy_file(tmp_path):
    path = tmp_path / "policy.npz"
    with pytest.raises(ControllerError, match="no file"):
        Policy.load(path, lw.load(ARM))
    path.write_text("hello")
    with pytest.raises(ControllerError, match="is no npz file"):
        Policy.load(path, lw.load(ARM))
