"""Objects of a Batch by name, its contacts, and what user code declared."""

from typing import Any

import numpy as np

from ..data import user_place
from ..naming import numbers_of
from .base import BatchBase
from .contacts import OF_PAIRS, BatchContacts, pair_force
from .control import BatchParameters
from .named import Named


class BatchObjects(BatchBase):
    """The part of a Batch that finds things by their names."""

    @property
    def contact(self) -> "BatchContacts":
        """Contacts of all worlds: `b.contact.dist` is (nsim, nconmax), `b.ncon` says how many."""
        return BatchContacts(self._read)

    def pair_force(self, first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
        """What geoms `first` do to geoms `second`: the force (nsim, 3) in the world's axes, and the
        number of contacts (nsim,).

        Geoms are given by name or number, one or several. It speaks of the state that outputs
        describe; the first time, of the state that each world has now.
        """
        one, two = (numbers_of(self._model.mj, "geom", x) for x in (first, second))
        if self._unread or not self._runner.outputs.rows.keys() >= set(OF_PAIRS):
            # some may be there since an earlier state: take all of the same one
            rows = self._runner.fill(OF_PAIRS)
            for name in OF_PAIRS:
                self._read(name)
            return pair_force(rows, one, two)
        return pair_force({name: self._read(name) for name in OF_PAIRS}, one, two)

    @property
    def parameters(self) -> BatchParameters:
        """{name: array} of the parameters of user code; `expand` gives every world its own."""
        return BatchParameters(self._runner)

    def user(self, name: str) -> np.ndarray:
        """What user code keeps in its state, live, or left in an output, read-only: (nsim, ...)"""
        field, place, shape = user_place(self._model, name)
        return self.bind(field)[:, place].reshape(self.nsim, *shape)

    def actuator(self, key: int | str) -> Named:
        """An actuator by name or number, in all worlds: `b.actuator("knee").ctrl`, `.force`,
        `.length`; `.gainprm = ...` sets the model's, for every world.
        """
        return Named(self, "actuator", key)

    def body(self, key: int | str) -> Named:
        """A body by name or number, in all worlds: `b.body("torso").xpos`, `.cvel`,
        `.xfrc_applied`; `.mass = ...` sets the model's, for every world.
        """
        return Named(self, "body", key)

    def camera(self, key: int | str) -> Named:
        """A camera by name or number, in all worlds: `b.camera("front").xpos`, `.xmat`; `.fovy =
        ...` sets the model's, for every world.
        """
        return Named(self, "camera", key)

    def equality(self, key: int | str) -> Named:
        """An equality constraint by name or number, in all worlds: `b.equality("grip").data`;
        `.solref = ...` sets the model's, for every world.
        """
        return Named(self, "equality", key)

    def geom(self, key: int | str) -> Named:
        """A geom by name or number, in all worlds: `b.geom("foot").xpos`, `.xmat`; `.friction =
        ...` sets the model's, for every world.
        """
        return Named(self, "geom", key)

    def joint(self, key: int | str) -> Named:
        """A joint by name or number, in all worlds: `b.joint("knee").qpos`, `.qvel`, `.qacc`;
        `.damping = ...` sets the model's, for every world.
        """
        return Named(self, "joint", key)

    def keyframe(self, key: int | str) -> Named:
        """A keyframe by name or number, in all worlds: `b.keyframe("home").qpos`, `.ctrl`; what is
        assigned is the model's, for every world.
        """
        return Named(self, "keyframe", key)

    def light(self, key: int | str) -> Named:
        """A light by name or number, in all worlds: `b.light("sun").xpos`, `.xdir`; `.pos = ...`
        sets the model's, for every world.
        """
        return Named(self, "light", key)

    def material(self, key: int | str) -> Named:
        """A material by name or number, in all worlds: `b.material("wood").rgba`; what is assigned
        is the model's, for every world.
        """
        return Named(self, "material", key)

    def numeric(self, key: int | str) -> Named:
        """A custom numeric field by name or number, in all worlds: `b.numeric("gains").data`; what
        is assigned is the model's, for every world.
        """
        return Named(self, "numeric", key)

    def pair(self, key: int | str) -> Named:
        """A contact pair by name or number, in all worlds: `b.pair("grip").friction`; what is
        assigned is the model's, for every world.
        """
        return Named(self, "pair", key)

    def sensor(self, key: int | str) -> Named:
        """A sensor by name or number, in all worlds: `b.sensor("imu").adr`, `.dim`; `.cutoff =
        ...` sets the model's, for every world.
        """
        return Named(self, "sensor", key)

    def site(self, key: int | str) -> Named:
        """A site by name or number, in all worlds: `b.site("tip").xpos`, `.xmat`; `.pos = ...`
        sets the model's, for every world.
        """
        return Named(self, "site", key)

    def tendon(self, key: int | str) -> Named:
        """A tendon by name or number, in all worlds: `b.tendon("pull").length`, `.velocity`;
        `.springyield = ...` sets the model's, for every world.
        """
        return Named(self, "tendon", key)
