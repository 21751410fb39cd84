"""What language and embedding models cost: a table of prices that comes with the package and can be replaced."""

import datetime
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hipporag_neo4j.errors import ConfigurationError

_MILLION = 1_000_000
_Money = Annotated[float, Field(ge=0, le=_MILLION, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in units of `currency` for a million tokens, as listed on `date`.

    The `batch_` prices are those of an answer that may take a day (OpenAI's Batch API); None where none is listed.
    """

    model: str
    currency: str
    date: datetime.date
    input: float
    output: float
    batch_input: float | None = None
    batch_output: float | None = None

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """What so many tokens cost, in `currency`."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / _MILLION

    def batch_cost(self, prompt_tokens: float, completion_tokens: float) -> float | None:
        """The same in a batch; None where no such price is listed."""
        if self.batch_input is None or self.batch_output is None:
            return None
        return (prompt_tokens * self.batch_input + completion_tokens * self.batch_output) / _MILLION


class _Listed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    input: _Money
    output: _Money = 0.0
    batch_input: _Money | None = None
    batch_output: _Money | None = None


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    currency: str = Field(pattern=r"^[A-Z]{3}$")
    date: datetime.date
    source: str = ""
    models: Mapping[str, _Listed]


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by model's name; `place` is the file they come from, `source` where its author has them from."""

    place: str
    source: str
    prices: Mapping[str, Price]

    def price(self, model: str) -> Price | None:
        """The price of exactly this model; None where the table doesn't have it: none is guessed from a like name."""
        return self.prices.get(model)


def load_prices(path: Path | None = None) -> PriceTable:
    """The prices in a TOML file, those of the package without one.

    Raises ConfigurationError for a file that can't be read as a table of prices.
    """
    if path is None:
        return _packaged()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"The price table {path} can't be read: {error}. Correct --prices (HIPPORAG_PRICES), or leave it out to "
            "use the package's own."
        ) from error
    return _parse(text, str(path))


@cache
def _packaged() -> PriceTable:
    source = resources.files("hipporag_neo4j") / "prices.toml"
    return _parse(source.read_text(encoding="utf-8"), "prices.toml of the package")


def _parse(text: str, place: str) -> PriceTable:
    try:
        table = _Table.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise _no_table(place, str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the table"
        raise _no_table(place, f"{where}: {first['msg']}") from error
    prices = {
        name: Price(name, table.currency, table.date, **listed.model_dump()) for name, listed in table.models.items()
    }
    return PriceTable(place, table.source, prices)


def _no_table(place: str, problem: str) -> ConfigurationError:
    return ConfigurationError(
        f'{place} is no table of prices: {problem}. It is a TOML file with currency = "USD", date = 2026-11-30 and, '
        'for each model, [models."its name"] with input and output: what a million tokens cost. See docs/cost.md.'
    )
