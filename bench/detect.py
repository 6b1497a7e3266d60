"""How long detection takes, by the number of rows; bench.conventions prints it."""

import time

import mujoco
import numpy as np

from lanewise import conventions as cv

XML = """<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody><body><freejoint/>
<inertial pos="0.13 -0.08 0.21" mass="2.7" fullinertia="0.03 0.034 0.04 0.004 -0.003 0.002"/>
</body></worldbody></mujoco>"""
COM = (0.13, -0.08, 0.21)


def thrown(rows: int) -> list[np.ndarray]:
    m = mujoco.MjModel.from_xml_string(XML)
    d = mujoco.MjData(m)
    d.qvel[:] = (0.8, -0.5, 0.3, 1.3, 0.9, -1.7)
    log = np.empty((rows, 13))
    for row in log:
        row[:7], row[7:] = d.qpos, d.qvel
        mujoco.mj_step(m, d)
    return [log[:, :3], log[:, 3:7], log[:, 7:]]


HEADS = ("rows of a log", "detection, com given, s", "com found, s")


def measure() -> list[tuple[str, ...]]:
    """Seconds of processor time, the best of three."""
    rows = []
    for number in (10, 1_000, 10_000, 100_000, 1_000_000):
        log = [np.tile(x, (max(1, number // 10_000), 1)) for x in thrown(min(number, 10_000))]
        seconds = []
        for com in (COM, None):
            rounds = []
            for _ in range(3):
                begin = time.process_time()
                cv.detect(log[0], log[1], log[2], 1e-3, com)
                rounds.append(time.process_time() - begin)
            seconds.append(f"{min(rounds):.3f}")
        rows.append((f"{number:,}", *seconds))
    return rows
