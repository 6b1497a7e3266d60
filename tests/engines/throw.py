"""Logs of the crooked body, thrown into the air, for detection: shared by the scripts log_*.py.

A script throws the body in its engine from the first of crooked.STATES, reads position, quaternion
and velocity through the engine's own interface after every few steps, and writes logs/<name>.npz:
pos (T, 3), quat (T, 4), twist (T, 6), dt, com; and in words which engine it was and which row of
the table the numbers are. Numbers keep the precision that the engine gives them in.

    python tests/engines/log_drake.py
"""

import sys
from pathlib import Path

import numpy as np
from crooked import COM, STATES

LOGS = Path(__file__).with_name("logs")
STATE = STATES[0]
GRAVITY = (0.0, 0.0, -9.81)
WEIGHTLESS = (0.0, 0.0, 0.0)
SAMPLES = 400
STEP = 2e-3


def record(read, step, samples=SAMPLES, every=1):
    """(pos, quat, twist): `read` gives one row of each, `step` goes on by one step."""
    rows = []
    for _ in range(samples):
        rows.append([np.array(x) for x in read()])
        for _ in range(every):
            step()
    return [np.array(column) for column in zip(*rows)]


def save(name, columns, dt, engine, version, system, **more):
    LOGS.mkdir(exist_ok=True)
    pos, quat, twist = columns
    path = LOGS / f"{name}.npz"
    np.savez_compressed(path, pos=pos, quat=quat, twist=twist, dt=dt, com=COM, engine=engine,
                        version=version, system=system, script=Path(sys.argv[0]).name,
                        **more)  # fmt: skip
    print(f"{path.name}: {engine} {version}, {len(pos)} rows, {path.stat().st_size} bytes")
