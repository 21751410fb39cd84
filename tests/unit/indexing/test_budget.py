"""A purse lets begin what fits a budget, whatever passages take and in whatever order they end."""

import datetime
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage
from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.indexing.budget import Budget, Purse, make_budget
from hipporag_neo4j.indexing.expected_tokens import Expectation, Tokens
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage
from hipporag_neo4j.llm.count_tokens import TokenCounter
from hipporag_neo4j.prices import Price, load_prices

EXPECTATION = Expectation(TokenCounter(lambda text: len(text) / 4, "four characters each"), {})
PRICE = Price("m", "EUR", datetime.date(2026, 5, 4), input=1000.0, output=4000.0)


def passage(number: int, characters: int = 400) -> IdentifiedPassage:
    text = "x" * characters
    return IdentifiedPassage(str(number), "hash", ExtractedPassage(Passage(text, id=str(number)), Extraction()))


def taken(given: IdentifiedPassage, share: float) -> Tokens:
    expected = EXPECTATION.passage(given.extracted.passage)
    return Tokens(round(share * expected.prompt), round(share * expected.completion))


@given(
    shares=st.lists(st.floats(0.5, 1.0), min_size=1, max_size=30),
    scale=st.floats(0.2, 2.0),
    lengths=st.lists(st.integers(50, 3000), min_size=30, max_size=30),
    budget=st.integers(0, 40_000),
    at_once=st.integers(1, 16),
    order=st.randoms(use_true_random=False),
    money=st.booleans(),
)
def test_a_budget_is_not_passed_by_passages_that_take_about_what_others_took(
    shares: list[float],
    scale: float,
    lengths: list[int],
    budget: int,
    at_once: int,
    order: random.Random,
    money: bool,
) -> None:
    """The first takes the most, so that no later one surprises."""
    limit = Budget(max_cost=budget / 500, price=PRICE) if money else Budget(max_tokens=budget)
    purse = Purse(limit, EXPECTATION)
    source = [(passage(n, lengths[n]), scale * share) for n, share in enumerate([1.0, *shares[1:]])]
    waiting: list[tuple[IdentifiedPassage, float]] = []
    spent = Tokens()
    while source or waiting:
        while source and len(waiting) < (1 if purse.one_at_a_time else at_once):
            if purse.reserve(source[0][0]) is not None:
                break
            waiting.append(source.pop(0))
        if not waiting:
            break
        ended, share = waiting.pop(order.randrange(len(waiting)))
        spent += taken(ended, share)
        purse.settle(ended, taken(ended, share), typical=True, counted=True)
        assert limit.passed_by(spent) is None


def test_a_surprise_is_passed_by_no_more_than_what_is_under_way() -> None:
    purse = Purse(Budget(max_tokens=5000), EXPECTATION)
    first = passage(0)
    assert purse.reserve(first) is None
    purse.settle(first, taken(first, 1.0), typical=True, counted=True)
    begun = []
    for number in range(1, 50):
        if purse.reserve(one := passage(number)) is not None:
            break
        begun.append(one)
    assert begun
    for one in begun:
        purse.settle(one, taken(one, 10.0), typical=True, counted=True)
    assert purse.reserve(passage(99)) == "max_tokens"


def test_what_is_set_aside_by_hand() -> None:
    """Twice the expectation while nobody knows, then a quarter above what the first one took."""
    expected = EXPECTATION.passage(passage(0).extracted.passage).total
    assert Purse(Budget(max_tokens=int(2 * expected) - 1), EXPECTATION).reserve(passage(0)) == "max_tokens"
    purse = Purse(Budget(max_tokens=int(2 * expected) + 1), EXPECTATION)
    alone = [purse.one_at_a_time]
    assert purse.reserve(passage(0)) is None
    purse.settle(passage(0), taken(passage(0), 0.5), typical=True, counted=True)
    assert [*alone, purse.one_at_a_time] == [True, False]
    # .5 is spent; two more are set aside with .625 each, and a third has no room.
    assert purse.reserve(passage(1)) is None
    assert purse.reserve(passage(2)) is None
    assert purse.reserve(passage(3)) == "max_tokens"


def test_answers_without_tokens_end_it() -> None:
    purse = Purse(Budget(max_tokens=10**6), EXPECTATION)
    assert purse.reserve(passage(0)) is None
    purse.settle(passage(0), Tokens(), typical=True, counted=False)
    assert purse.reserve(passage(1)) == "uncounted"


def test_which_limit_is_passed() -> None:
    both = Budget(max_tokens=100, max_cost=0.2, price=PRICE)
    assert both.passed_by(Tokens(80, 20)) is None
    assert both.passed_by(Tokens(80, 21)) == "max_tokens"
    assert both.passed_by(Tokens(40, 41)) == "max_cost"


def test_money_needs_a_price() -> None:
    prices = load_prices()
    assert make_budget(None, None, "unknown", prices) is None
    assert make_budget(5, None, "unknown", prices) == Budget(max_tokens=5)
    assert make_budget(None, 1.0, "gpt-4o-mini", prices) == Budget(max_cost=1.0, price=prices.price("gpt-4o-mini"))
    with pytest.raises(ConfigurationError, match="no price of it"):
        make_budget(5, 1.0, "unknown", prices)
