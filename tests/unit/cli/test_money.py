"""Money, tokens, times and sizes as people read them."""

import pytest

from hipporag_neo4j.cli.money import duration, money, size, tokens


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0.0, "0.00 USD"), (1234.5, "1,234.50 USD"), (0.0213, "0.0213 USD"), (0.00001, "less than 0.0001 USD")],
)
def test_money(amount: float, shown: str) -> None:
    assert money(amount, "USD") == shown


def test_money_of_no_currency() -> None:
    assert money(1.0, None) == "1.00"


def test_tokens() -> None:
    assert tokens(81_304.4, 9120) == "81,304 + 9,120 tokens"


@pytest.mark.parametrize(("seconds", "shown"), [(45.2, "45 s"), (720, "12 min"), (11_100, "3 h 5 min")])
def test_duration(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (512_000, "512 kB"), (1.44e9, "1.4 GB"), (3.2e10, "32 GB")],
)
def test_size(number: float, shown: str) -> None:
    assert size(number) == shown
