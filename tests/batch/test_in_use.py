"""Which outputs a batch computes: those that somebody wants, and not those that were looked at."""

import inspect
import pydoc
import rlcompleter
import weakref

import numpy as np
import pytest

import lanewise as lw

XML = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="box" pos="0 0 .09"><freejoint/><geom name="box" type="box" size=".1 .1 .1"/></body>
  </worldbody>
</mujoco>
"""


def make(**options):
    b = lw.Batch(lw.load(XML), 9, 1, **options)
    b.qvel[:, 0] = np.arange(9)
    return b


def in_use(b):
    """The outputs that the next call computes."""
    b.step()
    return sorted(b._runner.outputs.rows)


@pytest.mark.parametrize(
    "look",
    [
        lambda b: [hasattr(b, name) for name in dir(b)],
        lambda b: [getattr(b, name, None) for name in dir(b)] and None,
        lambda b: [hasattr(b.contact, name) for name in dir(b.contact)],
        lambda b: [hasattr(b.body("box"), name) for name in dir(b.body("box"))],
        inspect.getmembers,
        lambda b: inspect.getmembers(b.contact),
        lambda b: rlcompleter.Completer({"b": b}).complete("b.x", 0),
        lambda b: rlcompleter.Completer({"b": b}).complete("b.contact.", 0),
        pydoc.render_doc,
        repr,
    ],
)
def test_looking_binds_nothing(look):
    b = make()
    kept = look(b)  # also if the answer is kept
    assert b.bound == []
    b.step()
    assert in_use(b) == []
    del kept


def test_what_tools_see_is_right():
    b = make()
    b.step(nstep=7)
    members = dict(inspect.getmembers(b))
    np.testing.assert_array_equal(members["xpos"], b.xpos)
    assert members["qpos"] is b.qpos
    before = members["qacc"].copy()
    b.step()
    np.testing.assert_array_equal(members["qacc"], before)


def test_an_attribute_in_a_program_binds():
    b = make()
    b.xpos  # noqa: B018
    b.contact.dist  # noqa: B018
    b.body("box").xquat  # noqa: B018
    assert b.bound == ["xpos", "contact.dist", "ncon", "xquat"]
    b.step()
    b.step()
    expected = make()
    xpos = expected.bind("xpos")
    expected.step()
    expected.step()
    np.testing.assert_array_equal(b.xpos, xpos)


def test_what_is_held_is_filled():
    """An array that was asked for by getattr, or a part of it, as long as somebody has it."""
    b, bound = make(), make()
    part = getattr(b, "xpos")[:, 1]  # noqa: B009
    expected = bound.bind("xpos")
    for _ in range(3):
        b.step()
        bound.step()
        np.testing.assert_array_equal(part, expected[:, 1])
    assert b.bound == ["xpos"]
    del part
    assert b.bound == [] and in_use(b) == []


def test_what_is_asked_for_in_a_loop_is_filled():
    b, bound = make(), make()
    expected = bound.bind("xpos")
    first = weakref.ref(getattr(b, "xpos"))  # noqa: B009
    assert first() is None
    for _ in range(3):
        b.step()
        bound.step()
        assert "xpos" in b._runner.outputs.rows
        np.testing.assert_array_equal(getattr(b, "xpos"), expected)  # noqa: B009


def test_contacts_come_with_their_number():
    b = make()
    dist = getattr(b.contact, "dist")  # noqa: B009
    b.step(nstep=5)
    b.step(nstep=5)
    assert b.bound == ["contact.dist", "ncon"]
    # of the same state as the distances, which is not the present one
    np.testing.assert_array_equal((dist != 0).sum(axis=1), b.ncon)


def test_unbind():
    b = make()
    xpos, cvel = b.xpos, b.bind("cvel")
    b.step()
    b.unbind("xpos")
    assert b.bound == ["cvel"]
    before, moved = xpos.copy(), cvel.copy()
    b.step()
    np.testing.assert_array_equal(xpos, before)
    assert (cvel != moved).any()
    # a first read again: of the present state
    now = make()
    now.state[:] = b.state
    np.testing.assert_array_equal(b.xpos, now.xpos)
    b.unbind("qacc")  # was not bound


def test_unbind_of_other_names():
    b = make()
    with pytest.raises(ValueError, match="qpos is a part of the state"):
        b.unbind("qpos")
    with pytest.raises(ValueError, match="did you mean 'xpos'"):
        b.unbind("xposs")
    with pytest.raises(TypeError, match="a field's name is a string, got int"):
        b.unbind(3)
    with pytest.raises(AttributeError, match="bound cannot be assigned"):
        b.bound = []


def test_fields_are_documented_attributes():
    assert "p_WBo_W [m]" in inspect.getdoc(lw.Batch.xpos)
    names = dir(make())
    assert {"xpos", "qpos", "contact", "bound", "unbind", "resets"} <= set(names)
    assert not [name for name in names if "." in name]


def test_persistent_stays():
    b = make(persistent=True)
    assert "xpos" in b.bound and "qacc" in b.bound
    b.step()
    b.step()
    assert len(in_use(b)) == len(b.bound) > 50
