"""The table of prices: the package's own, one of the user's, and files that are none."""

import datetime
from pathlib import Path

import pytest

from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.prices import Price, load_prices

OWN = """
currency = "EUR"
date = 2026-05-04
[models."llama3.1"]
input = 2.0
output = 8
"""
DAY = datetime.date(2026, 5, 4)


def written(folder: Path, text: str) -> Path:
    file = folder / "prices.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_packages_own_table_has_a_date_a_source_and_half_prices_for_batches() -> None:
    table = load_prices()
    mini = table.price("gpt-4o-mini")
    assert mini is not None
    assert mini.date >= datetime.date(2026, 11, 30)
    assert table.source
    assert all(price.currency == "USD" for price in table.prices.values())
    for price in table.prices.values():
        if price.batch_input is not None:
            assert price.batch_cost(3_000_000, 1_000_000) == pytest.approx(price.cost(3_000_000, 1_000_000) / 2)


def test_a_table_of_ones_own_takes_the_place_of_the_packages(tmp_path: Path) -> None:
    table = load_prices(written(tmp_path, OWN))
    assert dict(table.prices) == {"llama3.1": Price("llama3.1", "EUR", DAY, 2.0, 8.0)}
    assert table.price("gpt-4o-mini") is None


def test_cost_by_hand() -> None:
    price = Price("m", "EUR", DAY, input=2.0, output=8.0, batch_input=1.0, batch_output=4.0)
    assert price.cost(500_000, 250_000) == 1.0 + 2.0
    assert price.batch_cost(500_000, 250_000) == 1.5
    assert Price("m", "EUR", DAY, 2.0, 8.0).batch_cost(1, 1) is None


def test_no_price_is_guessed_from_a_like_name() -> None:
    assert load_prices().price("gpt-4o-mini-of-my-own") is None
    assert load_prices().price("GPT-4o-mini") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("currency = ", "Invalid value"),
        (OWN.replace("EUR", "euro"), "currency"),
        (OWN.replace("2026-05-04", '"yesterday"'), "date"),
        (OWN.replace("2.0", "-2.0"), r"models.llama3.1.input"),
        (OWN.replace("2.0", "nan"), r"models.llama3.1.input"),
        (OWN.replace("input", "inptu"), r"models.llama3.1.input"),
        (OWN.replace("output", "outptu"), r"models.llama3.1.outptu"),
        ("", "currency"),
    ],
)
def test_what_is_no_table_is_refused_with_the_place(text: str, said: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ConfigurationError, match=said) as caught:
        load_prices(file)
    assert str(file) in str(caught.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="can't be read"):
        load_prices(tmp_path / "none.toml")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="can't be read"):
        load_prices(tmp_path / "bytes")
