"""The field table against MuJoCo: the same names, shapes, types and order of the state."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise import fields
from support import parity, zoo

MODELS = ("own/crooked", "own/tendons", "own/mocap", "own/static", "own/ballchain")

# what MjData has and Lanewise does not compute, with the reason
NOT_HERE = {
    "its fields are in the table, as contact.dist and so on": {"contact"},
    "only MuJoCo's own bookkeeping": {"tendon_efcadr", "bvh_active"},
    "flexes are refused at load": {
        *("flexvert_xpos", "flexelem_aabb", "flexedge_J", "flexedge_length", "flexedge_velocity"),
        *("bvh_aabb_dyn",),
    },
    "sleep is refused at load": {
        *("tree_asleep", "tree_awake", "body_awake", "body_awake_ind", "parent_awake_ind"),
        *("dof_awake_ind",),
    },
    "plugins are refused at load": {"plugin", "plugin_data"},
}
PREFIXES = (
    "efc_",
    "iefc_",
    "island_",
    "tree_island",
    "map_",
    "dof_island",
    "ifrc_",
    "iacc",
    "efm_",
)
PREFIXES += ("flex", "solver")


@pytest.fixture(scope="module", params=MODELS)
def mj_model(request):
    return zoo.load(request.param)


def _attribute(owner, dotted: str):
    for part in dotted.split("."):
        owner = getattr(owner, part)
    return owner


def _sizes(mj_model):
    sizes = (f for f in fields.MODEL if f.stage == "sizes" and not f.own)
    return {f.name: getattr(mj_model, f.name) for f in sizes}


def test_names_are_unique():
    for table in (fields.MODEL, fields.DATA):
        names = [field.name for field in table]
        assert len(names) == len(set(names))


def test_every_field_is_described():
    for field in (*fields.MODEL, *fields.DATA):
        assert field.doc, field
        assert field.stage, field
        kinds = ("float", "float32", "int32", "int64", "byte", "plain", "index", "row")
        assert field.dtype in kinds, field


def test_model_fields_are_mujocos(mj_model):
    sizes = {**getattr(fields, "CONSTANT_SIZES", {}), **_sizes(mj_model)}
    for field in fields.MODEL:
        if field.own:
            continue
        value = np.asarray(_attribute(mj_model, field.name))
        assert value.size == np.prod(field.shape(sizes), dtype=int), field.name
        kind = {"float": "f", "float32": "f", "int32": "ib", "int64": "ib", "byte": "ub"}[
            field.dtype
        ]
        assert value.dtype.kind in kind, (field.name, value.dtype)
        if field.dims:
            trailing = [size for size in field.dims if isinstance(size, int)]
            if trailing and value.size and not field.no_dims:
                assert value.shape[-1] == trailing[-1], field.name


def test_data_fields_are_mujocos(mj_model):
    mj_data = mujoco.MjData(mj_model)
    sizes = {**getattr(fields, "CONSTANT_SIZES", {}), **_sizes(mj_model)}
    for field in fields.DATA:
        if field.own:
            # MuJoCo allocates the metric of the discrete integrator only when it is in use
            named = field.name.startswith("efm_")
            assert named or not isinstance(getattr(mj_data, field.name, None), np.ndarray), field
            continue
        value = np.asarray(_attribute(mj_data, field.name))
        if field.capacity:  # as long as there are contacts or rows
            trailing = field.shape({**sizes, field.capacity: 0})[1:]
            assert value.shape[1:] == trailing, field.name
            continue
        assert value.size == np.prod(field.shape(sizes), dtype=int), field.name
        whole = field.dtype == "float" and value.dtype.kind not in "f"
        assert not whole or field.stage == "state", f"{field.name} is {value.dtype} in MuJoCo"


def test_views_have_mujocos_shapes(mj_model):
    m = lw.load(mj_model)
    mj_data = mujoco.MjData(mj_model)
    one, three = lw.Data(m), lw.Data(m, lanes=3)
    for field in fields.DATA:
        if field.own:
            continue
        shape = np.asarray(_attribute(mj_data, field.name)).shape
        assert np.shape(getattr(one, field.name)) == shape, field.name
        assert np.shape(getattr(three, field.name)) == (3, *shape), field.name
    for field in fields.MODEL:
        if field.own:
            continue
        expected = np.asarray(_attribute(mj_model, field.name))
        np.testing.assert_array_equal(np.asarray(_attribute(m, field.name)), expected)


def test_state_has_mujocos_order(mj_model):
    """The state components stand in the order of mjtState's bits, so a row is MuJoCo's vector."""
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    rng = np.random.default_rng(5)
    mj_data = parity.random_state(mj_model, rng)
    row = np.zeros(mujoco.mj_stateSize(mj_model, spec))
    mujoco.mj_getState(mj_model, mj_data, row, spec)
    parts = [np.ravel(getattr(mj_data, name)) for name in fields.STATE_FIELDS]
    np.testing.assert_array_equal(row, np.concatenate(parts))


def test_nothing_of_mjdata_is_forgotten(mj_model):
    """Every array of MjData is in the table or is named here with the reason."""
    mj_data = mujoco.MjData(mj_model)
    known = set(fields.DATA_FIELDS) | set().union(*NOT_HERE.values())
    missing = []
    for name in dir(mj_data):
        if name in known or name.startswith(("_", *PREFIXES)):
            continue
        if isinstance(getattr(mj_data, name), np.ndarray):
            missing.append(name)
    assert not missing


def test_every_stage_is_public():
    """What a stage of the table writes can be computed by calling it."""
    for stage in parity.FORWARD_STAGES:
        for call in parity.CALLS.get(stage, (stage,)):
            assert callable(getattr(lw, call, None)), f"lanewise.{call}"
