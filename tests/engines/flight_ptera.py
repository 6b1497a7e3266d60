"""A glide of Ptera Software's on its own engine, for lanewise.bridges.ptera.

Its solver flies 200 steps of the glider of ptera_glider.py. Kept are what the engine was made of,
the loads of each step as they were accepted, and what get_state said after it. Ptera Software is
too heavy to be installed for every test: the numbers are in flight_ptera.json.

    python tests/engines/flight_ptera.py              # needs pterasoftware; writes the file
    python tests/engines/flight_ptera.py --compare    # and lanewise; prints what docs/flight.md has
"""

import importlib.metadata
import json
import sys
from pathlib import Path

import mujoco
import numpy as np
from pterasoftware import _mujoco_model

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import ptera_glider

OUT = Path(__file__).with_suffix(".json")
STEPS = 200


class Recorded(_mujoco_model.MuJoCoModel):
    """The original, and what was done with it."""

    __slots__ = ("arguments", "snapshot", "steps")

    def __init__(self, **arguments):
        self.arguments = {k: plain(v) for k, v in arguments.items() if v is not None}
        self.steps, self.snapshot = [], 0
        super().__init__(**arguments)

    def save_state(self):
        self.snapshot = len(self.steps)
        return super().save_state()

    def restore_state(self, state):
        del self.steps[self.snapshot :]  # what was tried, and not accepted
        super().restore_state(state)

    def step(self):
        loads = self._data.xfrc_applied[self._body_id].tolist()
        super().step()
        self.steps.append({"loads": loads, **{k: plain(v) for k, v in self.get_state().items()}})


def plain(value):
    return value.tolist() if isinstance(value, np.ndarray) else value


def main():
    flights = {}
    _mujoco_model.MuJoCoModel = Recorded
    for integrator in ("RK4", "implicitfast"):
        solver, positions, _ = ptera_glider.fly(STEPS, integrator)
        engine = solver.unsteady_problem._mujoco_model
        flights[integrator] = {
            "arguments": engine.arguments, "steps": engine.steps, "end": positions[-1].tolist(),
        }  # fmt: skip
    about = {
        "script": Path(__file__).name, "engine": "pterasoftware",
        "version": importlib.metadata.version("pterasoftware"), "mujoco": mujoco.__version__,
    }  # fmt: skip
    OUT.write_text(json.dumps({**about, "flights": flights}) + "\n")


def compare():
    """How far flights on Lanewise are from those on the original, with the MuJoCo that is here."""
    from lanewise.bridges import ptera

    def fly(*args, engine=None, **how):
        if engine is None:
            return ptera_glider.fly(*args, **how)[1:]
        with ptera.installed(engine):
            return ptera_glider.fly(*args, **how)[1:]

    def show(label, a, b):
        far = [np.abs(x - y).max() for x, y in zip(a, b)]
        print(f"{label:45}", "  ".join(f"{x:.1e}" for x in far), flush=True)

    kept = json.loads(OUT.read_text())
    print(f"largest differences in position [m], lift [N]; MuJoCo {mujoco.__version__}")
    for integrator, flight in kept["flights"].items():
        old = [[0.0] * 3, *(step["position_E_Eo"] for step in flight["steps"])]
        original = fly(STEPS, integrator)
        for attitude in ("stage", "fresh"):
            here = fly(STEPS, integrator, engine=attitude)
            show(f"{integrator}, {attitude}", original, here)
            show(f"{integrator}, {attitude}, MuJoCo {kept['mujoco']}", [np.array(old)], here)
    turning = {"bank": 20.0, "rates": (60.0, 40.0, 20.0)}
    exact = fly(65, "RK4", engine="fresh", **turning)
    show("turning, implicitfast and RK4", fly(65, "implicitfast", **turning), exact)
    here = fly(65, "implicitfast", engine="fresh", **turning)
    show("turning, implicitfast and RK4, fresh", here, exact)


if __name__ == "__main__":
    compare() if "--compare" in sys.argv else main()
