"""A budget for a run: what a passage may take is set aside before it is begun, so that the budget isn't passed."""

from dataclasses import dataclass
from typing import Literal

from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.indexing.expected_tokens import Expectation, Tokens
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage
from hipporag_neo4j.prices import Price, PriceTable

Stop = Literal["max_tokens", "max_cost", "uncounted"]
"""Why a run began no more passages: its budget, or an endpoint that doesn't count tokens, so that no budget can be
kept."""

_MARGIN_UNKNOWN = 2.0
_MARGIN = 1.25


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend on the language model: tokens, in and out together, and money in the currency of `price`.

    Answers that are kept from before cost nothing.
    """

    max_tokens: int | None = None
    max_cost: float | None = None
    price: Price | None = None

    def passed_by(self, tokens: Tokens) -> Stop | None:
        """Which limit so many tokens would pass, None for neither."""
        if self.max_tokens is not None and tokens.total > self.max_tokens:
            return "max_tokens"
        if self.max_cost is not None and self.price is not None:
            return "max_cost" if self.price.cost(tokens.prompt, tokens.completion) > self.max_cost else None
        return None


def make_budget(max_tokens: int | None, max_cost: float | None, model: str, prices: PriceTable) -> Budget | None:
    """The budget of a run, None where nothing is limited.

    Raises ConfigurationError when money is limited and the table has no price of the model.
    """
    if max_tokens is None and max_cost is None:
        return None
    price = prices.price(model)
    if max_cost is not None and price is None:
        raise ConfigurationError(
            f"Money can't be limited for the language model {model!r}: {prices.place} has no price of it. Give a table "
            "that does (--prices, HIPPORAG_PRICES; docs/cost.md shows its form), or limit tokens with --max-tokens."
        )
    return Budget(max_tokens, max_cost, price)


class Purse:
    """Keeps a budget. For the one thread that begins passages.

    For each passage under way more is set aside than is expected: a quarter above the highest share of its expectation
    that a passage has taken so far. While that is unknown, one passage at a time is begun, with twice the expectation
    set aside. So a budget is passed only by a passage that takes more than all before it by more than a quarter, and
    never by more than what passages under way take.
    """

    def __init__(self, budget: Budget, expectation: Expectation) -> None:
        self._budget = budget
        self._expectation = expectation
        self._expected: dict[str, Tokens] = {}
        self._reserved: dict[str, Tokens] = {}
        self._spent = Tokens()
        self._highest: Tokens | None = None
        self._counts = True

    def reserve(self, passage: IdentifiedPassage) -> Stop | None:
        """Set aside what a passage may take; None if it is, else the limit that would be passed."""
        if not self._counts:
            return "uncounted"
        expected = self._expectation.passage(passage.extracted.passage)
        share = self._highest
        margin = _MARGIN if share else _MARGIN_UNKNOWN
        share = share or Tokens(1.0, 1.0)
        amount = Tokens(
            margin * share.prompt * expected.prompt,
            margin * share.completion * expected.completion,
        )
        passed = self._budget.passed_by(sum(self._reserved.values(), self._spent) + amount)
        if passed is not None:
            return passed
        self._expected[passage.id] = expected
        self._reserved[passage.id] = amount
        return None

    @property
    def one_at_a_time(self) -> bool:
        """Whether nobody knows yet how far expectations are to be trusted."""
        return self._highest is None

    def settle(self, passage: IdentifiedPassage, spent: Tokens, *, typical: bool, counted: bool) -> None:
        """A passage took this much. `typical`: both of its calls were made and answered; `counted`: with tokens."""
        self._reserved.pop(passage.id, None)
        expected = self._expected.pop(passage.id, None)
        self._spent += spent
        self._counts = self._counts and counted
        if expected is not None and typical and counted:
            before = self._highest or Tokens()
            self._highest = Tokens(
                max(before.prompt, spent.prompt / expected.prompt),
                max(before.completion, spent.completion / max(expected.completion, 1.0)),
            )
