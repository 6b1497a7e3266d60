"""What an environment shows of its worlds: pictures as arrays, or a page in the browser.

Pictures are Gymnasium's own: the same camera, the same buffers. They are drawn in a process of
their own (lanewise/runs/painting.py), so environments may be forked, copied and used from threads.
"""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ..errors import UnknownName, UnknownNumber, no_such, whole_number
from ..public import Batch, load, view
from ..runs.painting import Painter
from ..viewer.opening import PORT, PortInUse
from .options import Option
from .seeds import Draws

if TYPE_CHECKING:
    from .vector import VectorEnv

MODES = ("human", "rgb_array", "depth_array", "rgbd_tuple")
LARGEST = 8192  # pixels of a side
IN_A_WINDOW = 16  # worlds that a page shows, if nobody says which
STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
# fields of the model that can be seen; where worlds have their own, pictures show them
SEEN = (
    "body_pos", "body_quat", "geom_pos", "geom_quat", "geom_size", "geom_rgba", "site_pos",
    "site_quat", "jnt_pos", "jnt_axis", "qpos0", "cam_pos", "cam_quat", "light_pos", "light_dir",
    "mat_rgba", "tendon_rgba",
)  # fmt: skip
_CAMERA = {name for name in dir(mujoco.MjvCamera) if not name.startswith("_")}


def picture_of(
    env: "VectorEnv", mode: str, worlds: Sequence[int] | str | None, *, width: int, height: int,
    camera_id: int | None = None, camera_name: str | None = None,
    default_camera_config: Mapping[str, Any] | None = None, max_geom: int = 1000,
    visual_options: Mapping[int, bool] | None = None,
) -> "Pictures | Window":  # fmt: skip
    """What draws in a render_mode; the arguments are those of Gymnasium's MujocoEnv."""
    if mode not in MODES:
        choices = ", ".join(map(repr, MODES))
        raise ValueError(f"render_mode is None or one of {choices}; got {mode!r}")
    shown = _shown(env.num_envs, worlds, IN_A_WINDOW if mode == "human" else 1)
    mj = env.model.mj
    looks = _view(mj, camera_id, camera_name, default_camera_config or {})
    how = {
        "flags": _flags(visual_options or {}), "max_geom": _between(1, None, max_geom, "max_geom"),
        "rgb": mode != "depth_array", "depth": mode in ("depth_array", "rgbd_tuple"),
    }  # fmt: skip
    size = _between(1, LARGEST, width, "width"), _between(1, LARGEST, height, "height")
    return Window(env, shown) if mode == "human" else Pictures(env, shown, size, looks, how)


class Pictures:
    """Pictures of worlds, each from a camera of its own."""

    def __init__(
        self, env: "VectorEnv", worlds: tuple[int, ...], size: tuple[int, int],
        looks: dict[str, Any], how: dict[str, Any],
    ):  # fmt: skip
        self._env, self._worlds = env, worlds
        self._size, self._looks, self._how = size, looks, how
        self._fields: tuple[str, ...] = ()
        self._painter: Painter | None = None

    def render(self) -> tuple[Any, ...]:
        """An array of each world, or (pixels, depths)."""
        batch = self._env.batch
        own = own_fields(batch)
        if self._painter is None or tuple(own) != self._fields:
            self.close()
            self._fields = tuple(own)
            self._painter = Painter(
                self._env.model, self._size, self._looks, STATE, fields=self._fields, **self._how
            )
        pictures = []
        for world, state in zip(self._worlds, states_of(batch, self._worlds)):
            rows = tuple(values[world] for values in own.values())
            picture = self._painter.draw(state, rows, camera=world)
            pictures.append(picture if len(picture) > 1 else picture[0])
        return tuple(pictures)

    def close(self) -> None:
        if self._painter is not None:
            self._painter.close()


class Window(Option):
    """A page in the browser that shows worlds while they are stepped, in real time.

    It has a Batch of its own, into which states are copied: whatever is tried out in the page, the
    environment does not notice.
    """

    def __init__(self, env: "VectorEnv", worlds: tuple[int, ...]):
        self._env, self._worlds = env, list(worlds)
        self._viewer: Any = None
        self._due = 0.0  # when the next step may begin
        self._begun = True  # whether an episode has, since worlds were last shown
        env.options = (*env.options, self)

    def act(self, actions: np.ndarray, live: np.ndarray | None) -> np.ndarray:
        """Wait until as much time has passed as was simulated."""
        now = time.monotonic()
        time.sleep(max(0.0, self._due - now))
        self._due = max(self._due, now) + self._env.dt
        return actions

    def start(self, which: np.ndarray, draws: Draws) -> None:
        self._begun = True

    def see(self, obs: np.ndarray, which: np.ndarray | None) -> np.ndarray:
        """Show the worlds, unless the page is busy: a step does not wait for pictures."""
        if self._begun:
            self.render()
        elif self._viewer.lock.acquire(blocking=False):
            try:
                self.render()
            finally:
                self._viewer.lock.release()
        return obs

    def render(self) -> None:
        """Show the worlds as they are."""
        if self._viewer is None:
            self._viewer = self._opened()
        self._begun = False
        shown, batch = self._viewer.session.batch, self._env.batch
        with self._viewer.lock:
            for name, values in own_fields(batch).items():
                shown.expand(name)[:] = values[self._worlds]
            shown.set_state(states_of(batch, self._worlds), STATE)

    def _opened(self) -> Any:
        shown = Batch(load(self._env.model.mj), len(self._worlds), 1)
        name = type(self._env.task).__name__
        try:
            return view(shown, port=PORT, name=name, block=False)
        except PortInUse:
            return view(shown, port=0, name=name, block=False)

    def close(self) -> None:
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy or pickle, which opens a page of its own."""
        return {**vars(self), "_viewer": None, "_begun": True}


def states_of(batch: Batch, worlds: Sequence[int]) -> np.ndarray:
    """A state vector of each, in any order."""
    ids, places = np.unique(worlds, return_inverse=True)
    return batch.get_state(STATE, ids)[places]


def own_fields(batch: Batch) -> dict[str, np.ndarray]:
    """Rows of the fields that can be seen and in which worlds differ."""
    rows = {name: batch.expanded(name) for name in SEEN}
    return {name: values for name, values in rows.items() if values is not None}


# ----------------------------------------------------------------------------------------- checking


def _shown(n: int, worlds: Any, most: int) -> tuple[int, ...]:
    if worlds is None:
        return tuple(range(min(n, most)))
    if isinstance(worlds, str):
        if worlds != "all":
            raise ValueError(f"render_worlds is 'all' or numbers of environments, got {worlds!r}")
        return tuple(range(n))
    shown = tuple(whole_number(i, "a number of render_worlds") for i in worlds)
    wrong = [i for i in shown if not 0 <= i < n]
    if wrong:
        raise UnknownNumber(f"render_worlds has {wrong[0]}: there are {n} environments, from 0")
    return shown


def _view(
    mj: Any, camera_id: int | None, camera_name: str | None, config: Mapping[str, Any]
) -> dict[str, Any]:
    """Attributes of an MjvCamera, as Gymnasium sets them: a camera of the model, or a free one."""
    if camera_id is not None and camera_name is not None:
        raise ValueError("give camera_id or camera_name, not both")
    if camera_name is not None:
        names = [mj.camera(i).name for i in range(mj.ncam)]
        if camera_name not in names:
            raise UnknownName(no_such("camera", camera_name, names))
        camera_id = names.index(camera_name)
    number = -1 if camera_id is None else _between(-1, mj.ncam - 1, camera_id, "camera_id")
    if number >= 0:
        return {"type": int(mujoco.mjtCamera.mjCAMERA_FIXED), "fixedcamid": number}
    looks: dict[str, Any] = {"about": "geoms"}
    for name, value in config.items():
        if name not in _CAMERA:
            raise UnknownName(no_such("attribute of a camera", name, sorted(_CAMERA)))
        looks[name] = np.asarray(value, float).tolist() if np.ndim(value) else _number(value)
    return looks


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (float, np.floating)) else int(value)


def _flags(options: Mapping[int, bool]) -> dict[int, bool]:
    most = int(mujoco.mjtVisFlag.mjNVISFLAG) - 1
    return {_between(0, most, int(k), "a flag of visual_options"): bool(x)
            for k, x in options.items()}  # fmt: skip


def _between(low: int, high: int | None, value: Any, name: str) -> int:
    n = whole_number(value, name)
    if n < low or (high is not None and n > high):
        bounds = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} is {bounds}, got {n}")
    return n
