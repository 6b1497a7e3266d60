"""A thousand gliders, each launched a little differently, in gusty air.

A model glider of 1.8 m span is a rigid body with a wing, a tail and a fin, cut into strips that
feel the air where they are: a kernel, inside of the step. Speed, attitude and turn of the
launch differ between worlds, and so does the wind, which changes every half second.

    python examples/gliders.py --plot gliders.png
    python examples/gliders.py --view              # one of them, in the viewer
"""

import argparse
import time

import numpy as np

import lanewise as lw
from lanewise.flight import Air, Flights, FlightState, RigidBody, Surface

HEIGHT, SPEED = 8.0, 8.0  # of the launch [m, m/s]
GUST = 0.7  # [m/s]

# x forward, y to the left, z up; the origin is on the wing, the mass a little ahead of it
SHAPE = """
  <geom type="capsule" size=".02" fromto=".35 0 -.02 -.9 0 0" rgba=".9 .9 .92 1"/>
  <geom type="box" size=".09 .45 .005" pos="0 .45 .06" euler="6 -3 0" rgba=".85 .3 .2 1"/>
  <geom type="box" size=".09 .45 .005" pos="0 -.45 .06" euler="-6 -3 0" rgba=".85 .3 .2 1"/>
  <geom type="box" size=".05 .22 .004" pos="-.85 0 0" rgba=".2 .3 .5 1"/>
  <geom type="box" size=".06 .004 .1" pos="-.85 0 .1" rgba=".2 .3 .5 1"/>
"""
GROUND = """
  <light type="directional" dir="-.3 .4 -1"/>
  <geom type="plane" size="0 0 2" rgba=".42 .56 .34 1" friction=".6"/>
"""


def glider() -> lw.Model:
    """The body and its surfaces; chords are tilted by the incidence, spans by the dihedral."""
    tilt, rise = np.deg2rad(3.0), np.deg2rad(6.0)
    left = Surface(
        at=(0.045, 0.45, 0.06), chord=0.18 * np.array([np.cos(tilt), 0.0, np.sin(tilt)]),
        span=0.9 * np.array([0.0, np.cos(rise), np.sin(rise)]), aspect=10.0, zero_lift=-2.0,
    )  # fmt: skip
    tail = Surface(at=(-0.825, 0.0, 0.0), chord=(0.1, 0.0, 0.0), span=(0.0, 0.44, 0.0), strips=4)
    fin = Surface(at=(-0.82, 0.0, 0.1), chord=(0.12, 0.0, 0.0), span=(0.0, 0.0, 0.2), strips=2)
    body = RigidBody(
        mass=0.7, inertia=(0.06, 0.05, 0.1), com=(0.02, 0.0, 0.0), gravity=(0.0, 0.0, -9.81),
        timestep=0.01, name="glider", extra_xml={"worldbody": GROUND, "body": SHAPE},
    )  # fmt: skip
    start = FlightState([0.0, 0.0, HEIGHT], [1.0, 0.0, 0.0, 0.0], [SPEED, 0.0, -0.5], np.zeros(3))
    xml = body.xml({"launch": start.mujoco(com=body.com)})  # a keyframe, for the viewer
    return Air([left, left.mirrored(), tail, fin], density=1.2).load(xml)


def launches(n: int, rng: np.random.Generator) -> FlightState:
    """Forward from one place, with errors of speed, attitude and turn."""
    turn = np.deg2rad([8.0, 4.0, 6.0]) * rng.standard_normal((n, 3))  # roll, pitch, yaw
    q = lw.frames.quat_integrate(np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)), turn, 1.0)
    forward = lw.frames.rot_vec_quat(np.tile([1.0, 0.0, -0.08], (n, 1)), q)
    v = SPEED * (1.0 + 0.1 * rng.standard_normal((n, 1))) * forward
    p = np.tile([0.0, 0.0, HEIGHT], (n, 1))
    return FlightState(p, q, v, 0.3 * rng.standard_normal((n, 3)))


def fly(n: int, seconds: float, seed: int = 0) -> tuple[np.ndarray, float]:
    """Paths (time, gliders, 3) [m], ten records a second, and what flying took [s]."""
    rng = np.random.default_rng(seed)
    flights = Flights(glider(), n, interval=0.1, substeps=10, start=launches(n, rng))
    wind = flights.batch.parameters.expand("wind")
    paths, begin = [flights.state.p_WBcm], time.perf_counter()
    for k in range(round(seconds * 10)):
        if k % 5 == 0:
            wind[:] = GUST * rng.standard_normal((n, 3)) * [1.0, 1.0, 0.5]
        flights.step()
        paths.append(flights.state.p_WBcm)
    return np.array(paths), time.perf_counter() - begin


def landings(paths: np.ndarray) -> np.ndarray:
    """Which record each glider touched the ground at; the last, if it is still in the air."""
    down = paths[:, :, 2] < 0.15
    return np.where(down.any(0), down.argmax(0), len(paths) - 1)


def main(n: int = 1000, seconds: float = 15.0, plot: str = "") -> tuple[np.ndarray, np.ndarray]:
    paths, took = fly(n, seconds)
    landed = landings(paths)
    down = paths[-1, :, 2] < 0.15
    way = np.linalg.norm(paths[landed, np.arange(n), :2], axis=1)
    print(f"{n} gliders, {seconds:g} s each: {n * seconds / took:,.0f} times real time")
    print(f"{down.sum()} have landed, after {landed[down].mean() / 10:.1f} s on average")
    print(f"they went {way.mean():.0f} m, {np.percentile(way, 5):.0f} to "
          f"{np.percentile(way, 95):.0f} m for nine of ten")  # fmt: skip
    if plot:
        draw(paths, landed, plot)
    return way, down


def draw(paths: np.ndarray, landed: np.ndarray, file: str) -> None:
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    fig, (above, side) = plt.subplots(
        2, sharex=True, figsize=(8.5, 11), layout="constrained", height_ratios=(5, 1)
    )
    way = np.linalg.norm(paths[landed, np.arange(len(landed)), :2], axis=1)
    for ax, columns in ((above, (0, 1)), (side, (0, 2))):
        lines = [paths[: landed[i] + 1, i][:, columns] for i in range(len(landed))]
        ax.add_collection(LineCollection(lines, array=way, cmap="viridis", lw=0.5, alpha=0.5))
        ax.spines[["top", "right"]].set_visible(False)
        ax.autoscale()
    ends = paths[landed, np.arange(len(landed))]
    above.scatter(ends[:, 0], ends[:, 1], s=4, c=way, cmap="viridis", zorder=3)
    above.plot(0, 0, "o", color="#c8452d", ms=7, zorder=4)
    above.set_aspect("equal", adjustable="datalim")
    above.set(ylabel="to the left [m]", title=f"{len(landed)} gliders, launched at one place")
    side.set(xlabel="ahead [m]", ylabel="height [m]", ylim=(0.0, None))
    fig.savefig(file, dpi=130)
    plt.close(fig)


def show() -> None:
    """One glider in the viewer, from its launch."""
    flights = Flights(glider(), 1, start="launch")
    print("the glider flies away: tick Follow in the panel, then Run")
    lw.view(flights.batch)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default="", metavar="FILE", help="where to write a plot")
    parser.add_argument("--view", action="store_true", help="show one glider in the viewer")
    given = parser.parse_args()
    show() if given.view else main(plot=given.plot)
