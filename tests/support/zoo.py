"""The models that engines are compared on, wherever they can be found.

Four places, each skipped when it is not there: our own files in `tests/models`, every loadable
MJCF file inside the installed `dm_control`, `gymnasium` and `mujoco` packages, the models that
dm_control builds in code, and a folder of public models named by LANEWISE_MODELS. `ZOO` maps a
short name to a function that compiles the model; a file that is no complete model is in
`NOT_MODELS` with the reason.
"""

import importlib.util
import os
import warnings
from functools import cache, partial
from pathlib import Path

import mujoco
import numpy as np

from support.places import MODELS

# files that the packages carry for other purposes than being loaded on their own
NOT_MODELS = {
    "dm_control/mjcf/schema.xml": "a schema of MJCF",
    "dm_control/mjcf/test_assets/attribute_test_schema.xml": "a schema of MJCF",
    "dm_control/mjcf/test_assets/included_with_invalid_filenames.xml": "invalid on purpose",
    "dm_control/mjcf/test_assets/model_with_invalid_filenames.xml": "invalid on purpose",
    "dm_control/mjcf/test_assets/test_model.xml": "moving bodies without mass",
    "dm_control/mujoco/testing/assets/model_with_assets.xml": "assets are given in code",
    "dm_control/locomotion/walkers/assets/dog_v2/scene.xml": "includes a texture twice",
    "dm_control/locomotion/walkers/assets/build_fruitfly/assets/drosophila.xml": "meshes missing",
    "dm_control/locomotion/walkers/assets/build_fruitfly/floor.xml": "meshes missing",
    "dm_control/locomotion/walkers/assets/build_fruitfly/fruitfly.xml": "meshes missing",
}


def smooth(mj_model: mujoco.MjModel) -> mujoco.MjModel:
    """The model with its constraints and sensors switched off, in place."""
    mj_model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    mj_model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SENSOR
    return mj_model


def load(name: str) -> mujoco.MjModel:
    """A fresh copy of a model of the zoo, without constraints."""
    return smooth(ZOO[name]())


def own(name: str) -> Path:
    """The path of one of our own models."""
    return MODELS / f"{name}.xml"


def _from_file(path: Path) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(path))


def _from_code(module: str, *arguments) -> mujoco.MjModel:
    """A model that a dm_control task builds in code."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # dm_control looks for a display, which it does not need here
        task = importlib.import_module(module)
    text, assets = task.get_model_and_assets(*arguments)
    return mujoco.MjModel.from_xml_string(text, assets)


def _lqr() -> mujoco.MjModel:
    return _from_code("dm_control.suite.lqr", 6, 2, np.random.RandomState(7))


def _files(folder: Path):
    return sorted(path for path in folder.rglob("*.xml") if path.is_file())


@cache
def _public_models() -> Path | None:
    """The folder of public models, if there is one."""
    named = os.environ.get("LANEWISE_MODELS")
    return Path(named) if named else None


def _collect() -> dict:
    zoo = {f"own/{path.stem}": partial(_from_file, path) for path in _files(MODELS)}
    for package in ("dm_control", "gymnasium", "mujoco"):
        spec = importlib.util.find_spec(package)
        if spec is None:
            continue
        folder = Path(spec.submodule_search_locations[0])
        for path in _files(folder):
            name = f"{package}/{path.relative_to(folder).as_posix()}"
            if name not in NOT_MODELS:
                zoo[name.removesuffix(".xml")] = partial(_from_file, path)
    if importlib.util.find_spec("dm_control"):
        zoo["dm_control/code/lqr"] = _lqr
        zoo["dm_control/code/swimmer"] = partial(_from_code, "dm_control.suite.swimmer", 8)
    public = _public_models()
    for path in _files(public) if public else ():
        name = path.relative_to(public).with_suffix("").as_posix()
        zoo[f"public/{name}"] = partial(_from_file, path)
    return zoo


ZOO = _collect()
