"""How a plan becomes a better one, by the costs of samples around it.

An optimizer knows nothing of physics. It has two methods:

    sample(knots, noise) -> candidates     around the present knots (knots, nu); noise and
                                           candidates are (samples, knots, nu)
    update(candidates, costs) -> knots     from the costs (samples,), some of which are finite

Numbers are in units of the controls' ranges, whose ends are -1 and 1. Noise is standard normal, but
for its first row, which is zero: so the first candidate is the plan itself, and a plan is never
given up for a worse one unless an optimizer wants to. A sample that diverged costs infinity.
`reset` forgets what was learned from earlier calls, and `shift` tells that knots have passed.

Any object with these methods will do.
"""

import numpy as np

from ..errors import no_such
from .splines import shifted


class PredictiveSampling:
    """The best of the samples becomes the plan. noise: standard deviation of the samples."""

    def __init__(self, noise: float = 0.3):
        self.noise = _positive(noise, "noise")

    def reset(self) -> None:
        """Nothing is remembered from plan to plan."""

    def shift(self, passed: int) -> None:
        """Nothing moves with the knots."""

    def sample(self, knots: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """Candidates (samples, knots, nu) around the knots (knots, nu)."""
        return knots + self.noise * noise

    def update(self, candidates: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """The knots (knots, nu) of the sample that costs least."""
        return candidates[np.argmin(costs)]


class MPPI(PredictiveSampling):
    """The mean of all samples, each with the weight exp(-cost / temperature).

    With relative=True, costs count from the least one, in units of their standard deviation: then
    one temperature does for costs of any size. With relative=False they count as they are, as in
    the literature, where the temperature is called lambda.
    """

    def __init__(self, noise: float = 0.3, temperature: float = 0.1, relative: bool = True):
        super().__init__(noise)
        self.temperature = _positive(temperature, "temperature")
        self.relative = relative

    def update(self, candidates: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """The mean of the candidates, (knots, nu), by their weights."""
        finite = np.isfinite(costs)
        above = np.where(finite, costs, np.inf) - costs[finite].min()
        spread = float(costs[finite].std()) if self.relative else 1.0
        weights = np.exp(-above / max(self.temperature * spread, np.finfo(float).tiny))
        return np.tensordot(weights / weights.sum(), candidates, axes=1)


class CEM:
    """The cross-entropy method: a normal distribution is fitted to the best of the samples.

    noise: standard deviation at first; elites: how many count, or which part of the samples, if
    below 1; least: no knot's standard deviation falls below it, so that a plan can still change
    when the world does.
    """

    def __init__(self, noise: float = 0.4, elites: float = 0.15, least: float = 0.1):
        self.noise, self.least = _positive(noise, "noise"), _positive(least, "least")
        self.elites = _positive(elites, "elites")
        self.spread: np.ndarray | None = None  # (knots, nu), of the distribution

    def reset(self) -> None:
        """The distribution is as wide as at first."""
        self.spread = None

    def shift(self, passed: int) -> None:
        """The distribution moves with the knots, of which so many have passed."""
        if self.spread is not None and passed:
            self.spread = shifted(self.spread, passed)
            self.spread[-passed:] = self.noise  # of knots that nobody has tried yet

    def sample(self, knots: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """Candidates (samples, knots, nu) of the distribution around the knots (knots, nu)."""
        if self.spread is None:
            self.spread = np.full(knots.shape, self.noise)
        return knots + self.spread * noise

    def update(self, candidates: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """The mean (knots, nu) of the best; their spread becomes the distribution's."""
        number = self.elites if self.elites >= 1.0 else np.ceil(self.elites * len(costs))
        number = min(int(number), int(np.isfinite(costs).sum()))
        best = candidates[np.argsort(costs, kind="stable")[:number]]
        self.spread = np.maximum(best.std(axis=0), self.least)
        return best.mean(axis=0)


OPTIMIZERS = {"sampling": PredictiveSampling, "mppi": MPPI, "cem": CEM}


def make(name: str, **settings: float) -> PredictiveSampling | CEM:
    """One by name: "sampling", "mppi" or "cem"."""
    if name not in OPTIMIZERS:
        raise ValueError(no_such("optimizer", name, OPTIMIZERS))
    return OPTIMIZERS[name](**settings)


def _positive(value: float, name: str) -> float:
    if not 0.0 < value < np.inf:
        raise ValueError(f"{name} must be above 0, got {value!r}")
    return float(value)
