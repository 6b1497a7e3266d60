"""Speed over numbers of worlds and threads: measured, as a chart of bars, as a picture."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import measure
from .extras import need
from .terminal import in_words

ROUND = 0.2  # seconds that a round of mujoco.batch should take
PROBE = (64, 20)  # worlds and steps by which that is estimated
FEWEST_STEPS, MOST_STEPS = 5, 2000
WIDTH = 46  # characters of the longest bar
BARS = {"lanewise": ("█", "green"), "mujoco.batch": ("▒", "blue")}


@dataclass(frozen=True)
class Point:
    """What was measured with so many worlds and threads."""

    worlds: int
    threads: int
    steps: int
    measured: measure.Measured

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers: world-steps per second, by the name of the engine."""
        names = list(self.measured.seconds)
        return {
            "worlds": self.worlds, "threads": self.threads, "steps": self.steps,
            "steps_per_second": {name: self.measured.rate(name) for name in names},
            "faster_than_mujoco_batch": self.measured.ratio(),
            "largest_relative_difference": self.measured.apart,
        }  # fmt: skip


def steps_for(mj: Any, worlds: int, threads: int, cost: float) -> int:
    """Steps in a round that takes about as long as it should; cost: seconds of a world's step."""
    return max(FEWEST_STEPS, min(MOST_STEPS, int(ROUND * threads / (worlds * cost))))


def step_cost(mj: Any) -> float:
    """Seconds that mujoco.batch takes for a step of a world on one thread, about."""
    worlds, steps = PROBE
    start = measure.Worlds.scattered(mj, worlds)
    return (
        measure.compare(start, steps, 1, ("mujoco.batch",), 1).microseconds("mujoco.batch") * 1e-6
    )


def sweep(
    mj: Any, worlds: Sequence[int], threads: Sequence[int], steps: int | None, names: Sequence[str],
    tell: Callable[[str], None],
) -> Iterator[Point]:  # fmt: skip
    """Measure every combination; steps: in a round, None for as many as fit into its time."""
    cost = step_cost(mj) if steps is None else 0.0
    for nthread in threads:
        for nsim in worlds:
            tell(f"{nsim} worlds on {nthread} threads")
            number = steps or steps_for(mj, nsim, nthread, cost)
            start = measure.Worlds.scattered(mj, nsim)
            yield Point(nsim, nthread, number, measure.compare(start, number, nthread, names))


def bars(points: Sequence[Point]) -> Iterator[tuple[str, str, str]]:
    """Lines of a chart, the longest bar for the fastest: (label, bar, style)."""
    top = max(point.measured.rate(name) for point in points for name in point.measured.seconds)
    for point in points:
        for name in point.measured.seconds:
            rate = point.measured.rate(name)
            mark, style = BARS.get(name, ("░", "dim"))
            first = name == next(iter(point.measured.seconds))
            label = f"{point.worlds:>6} x {point.threads}" if first else ""
            bar = mark * max(1, round(WIDTH * rate / top))
            yield f"{label:<10} {name:<15}", f"{bar} {rate:,.0f}/s", style


def picture(points: Sequence[Point], title: str, path: str) -> None:
    """Draw rates over worlds, a line for each engine and number of threads, into a file."""
    need("matplotlib", "--plot", "plot").use("Agg")
    plt = need("matplotlib.pyplot", "--plot", "plot")
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    colours = {"lanewise": "#2a7f3f", "mujoco.batch": "#3465a4"}
    threads = sorted({point.threads for point in points})
    for name in points[0].measured.seconds:
        for nthread, style in zip(threads, ("-", "--", ":", "-.") * len(threads), strict=False):
            of = [point for point in points if point.threads == nthread]
            axes.plot(
                [point.worlds for point in of], [point.measured.rate(name) for point in of], style,
                marker="o", color=colours.get(name), label=f"{name}, {in_words(nthread, 'thread')}",
            )  # fmt: skip
    axes.set(xscale="log", xlabel="worlds", ylabel="world-steps per second", title=title)
    axes.set_xticks(worlds := sorted({point.worlds for point in points}), map(str, worlds))
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:  # a suffix that it does not know
        raise ValueError(f"--plot {Path(path).name}: {error}") from None
    finally:
        plt.close(figure)
