"""Intervals and p values: by hand where they can be, else against other ways to the same number."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.evaluation.measures import mean
from hipporag_neo4j.evaluation.sampling import Interval, Sampling, bootstrap_interval, permutation_p


def test_values_that_are_all_the_same_leave_no_doubt() -> None:
    assert bootstrap_interval([0.25] * 7, Sampling()) == Interval(0.25, 0.25)
    assert bootstrap_interval([1.0], Sampling()) == Interval(1.0, 1.0)


def test_the_interval_of_two_values_by_hand() -> None:
    # The means 0, 1/2 and 1 come with probability 1/4, 1/2 and 1/4: 2.5 % on either side lie at 0 and at 1.
    assert bootstrap_interval([0.0, 1.0], Sampling()) == Interval(0.0, 1.0)


def test_the_interval_of_a_share_is_that_of_the_binomial_distribution() -> None:
    # 100 questions, half of them found: the bootstrap's mean is binomial(100, 1/2) / 100, whose 2.5 % and 97.5 %
    # quantiles are .40 and .60.
    interval = bootstrap_interval([0.0, 1.0] * 50, Sampling())
    assert (interval.low, interval.high) == pytest.approx((0.40, 0.60), abs=0.011)
    assert interval.half == pytest.approx(0.10, abs=0.011)


def test_a_seed_gives_the_same_figures_and_another_one_others() -> None:
    values = [index / 37 for index in range(37)]
    first = bootstrap_interval(values, Sampling(500, seed=1))
    assert bootstrap_interval(values, Sampling(500, seed=1)) == first
    assert bootstrap_interval(values, Sampling(500, seed=2)) != first
    assert bootstrap_interval(values, Sampling(600, seed=1)) != first


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_interval_lies_within_the_values(values: list[float]) -> None:
    interval = bootstrap_interval(values, Sampling(200))
    assert min(values) - 1e-12 <= interval.low <= interval.high <= max(values) + 1e-12


def test_more_questions_leave_less_doubt() -> None:
    assert bootstrap_interval([0.0, 1.0] * 500, Sampling()).half < bootstrap_interval([0.0, 1.0] * 50, Sampling()).half


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([1.0], 1.0),  # both signs are as far from 0
        ([1.0, 1.0, 1.0], 2 / 8),  # all plus, all minus
        ([1.0, 1.0, 0.0, 1.0], 2 / 8),  # ties say nothing
        ([0.5, 0.5, -0.5], 1.0),  # every choice of signs gives at least .5 in all
        ([1.0, 0.25, -0.25], 6 / 8),  # |±1 ± .25 ± .25| is 1.5 for two, 1 for four and .5 for two choices
    ],
)
def test_small_p_values_are_exact(differences: list[float], expected: float) -> None:
    assert permutation_p(differences, Sampling()) == pytest.approx(expected)


def test_many_questions_take_a_sample_of_the_signs() -> None:
    # 20 differences of 1, 15 plus and 5 minus: P(|binomial(20, 1/2) - 10| >= 5) = 0.0414.
    exact = 2 * sum(math.comb(20, k) for k in range(15, 21)) / 2**20
    assert permutation_p([1.0] * 15 + [-1.0] * 5, Sampling(20_000)) == pytest.approx(exact, abs=0.005)
    # Never 0, whatever was drawn.
    assert permutation_p([1.0] * 60, Sampling(999)) == 1 / 1000


def test_memory_does_not_grow_with_the_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    from hipporag_neo4j.evaluation import sampling

    values = [index / 10 for index in range(10)]
    whole = bootstrap_interval(values, Sampling(1000))
    monkeypatch.setattr(sampling, "_AT_ONCE", 70)
    portions = bootstrap_interval(values, Sampling(1000))
    assert (portions.low, portions.high) == pytest.approx((whole.low, whole.high), abs=0.03)
    assert portions.low < mean(values) < portions.high


def test_no_values_no_interval() -> None:
    with pytest.raises(ValueError, match="no interval"):
        bootstrap_interval([], Sampling())
