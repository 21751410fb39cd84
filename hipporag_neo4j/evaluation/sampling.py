"""How sure a mean over questions is: other questions of the same kind would have given another one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 4_000_000
"""Numbers drawn at a time: 32 MB."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How often is drawn anew, and from which start; the same seed gives the same figures."""

    resamples: int = 10_000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`; `half` is what stands after ± where there is room for one number."""

    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the interval's width."""
        return (self.high - self.low) / 2


def bootstrap_interval(values: Sequence[float], sampling: Sampling) -> Interval:
    """The 95 % interval of the mean of one value a question, by the percentile bootstrap.

    As many questions as there are are drawn with replacement, again and again; the interval leaves out 2.5 % of the
    means on either side (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3). Raises ValueError
    for no values.
    """
    given = np.asarray(values, dtype=np.float64)
    if not given.size:
        raise ValueError("no values, no interval")
    if (given == given[0]).all():
        return Interval(float(given[0]), float(given[0]))  # whatever is drawn
    draw = np.random.default_rng(sampling.seed)
    means = [
        given[draw.integers(given.size, size=(rows, given.size))].mean(axis=1)
        for rows in _portions(sampling.resamples, given.size)
    ]
    low, high = np.quantile(np.concatenate(means), [0.025, 0.975])
    return Interval(float(low), float(high))


def permutation_p(differences: Sequence[float], sampling: Sampling) -> float:
    """How often chance alone gives a mean difference this far from 0: Fisher's randomisation test, two-sided.

    If two modes were alike, each question's difference might as well have had the other sign. All signs are tried where
    that is no more than `resamples`, else so many random ones, and then it is (hits + 1) / (resamples + 1). 1 without a
    difference. Sources: Smucker, Allan and Carterette, CIKM 2007, on this test for retrieval; Phipson and Smyth, 2010,
    for the + 1.
    """
    given = np.asarray([value for value in differences if value], dtype=np.float64)
    if not given.size:
        return 1.0
    least = abs(given.sum()) - 1e-9  # sums of the same numbers in another order differ in their last digits
    if given.size < 63 and 2**given.size <= sampling.resamples:
        patterns = np.arange(2**given.size)[:, None] >> np.arange(given.size) & 1
        return float((np.abs((2 * patterns - 1) @ given) >= least).mean())
    draw = np.random.default_rng(sampling.seed)
    hits = 0
    for rows in _portions(sampling.resamples, given.size):
        signs: NDArray[np.int64] = 2 * draw.integers(2, size=(rows, given.size)) - 1
        hits += int((np.abs(signs @ given) >= least).sum())
    return (hits + 1) / (sampling.resamples + 1)


def _portions(rows: int, width: int) -> list[int]:
    """How many rows to draw at a time, so that memory doesn't grow with the questions."""
    most = max(1, _AT_ONCE // width)
    return [min(most, rows - done) for done in range(0, rows, most)]
