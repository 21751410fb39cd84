"""A reader of passages as the settings want it: how many at a time, for how much."""

from hipporag_neo4j.database import Database
from hipporag_neo4j.indexing.budget import make_budget
from hipporag_neo4j.indexing.expected_tokens import Expectation, measured_calls
from hipporag_neo4j.indexing.index_report import Progress, no_progress
from hipporag_neo4j.indexing.read_passages_by_model import ModelReader, OnSpent
from hipporag_neo4j.llm import LanguageModel
from hipporag_neo4j.llm.count_tokens import token_counter
from hipporag_neo4j.prices import load_prices
from hipporag_neo4j.runs import working_runs
from hipporag_neo4j.settings import Settings


def make_reader(
    model: LanguageModel,
    settings: Settings,
    database: Database,
    namespace: str,
    *,
    progress: Progress | None = None,
    on_spent: OnSpent | None = None,
) -> ModelReader:
    """A reader with the settings' budget. Raises ConfigurationError for a price table that is none, or where money is
    limited and the model has no price."""
    prices = load_prices(settings.prices)
    budget = make_budget(settings.index_max_tokens, settings.index_max_cost, model.name, prices)
    return ModelReader(
        model,
        settings.llm_concurrency,
        settings.prompts_dir,
        progress or no_progress,
        budget=budget,
        expectation=make_expectation(model.name, settings, database, namespace) if budget else None,
        price=prices.price(model.name),
        on_spent=on_spent,
    )


def check_budget(settings: Settings) -> None:
    """Raises ConfigurationError where the settings limit money, and the table has no price of their language model."""
    if settings.llm_model is not None:
        prices = load_prices(settings.prices)
        make_budget(settings.index_max_tokens, settings.index_max_cost, settings.llm_model, prices)


def make_expectation(model: str, settings: Settings, database: Database, namespace: str) -> Expectation:
    """What passages will take, from what this model took in the latest runs here, where it was asked in them."""
    usages = [usage for run in working_runs(database, namespace) for usage in run.calls]
    return Expectation(token_counter(model), measured_calls(usages, model), settings.prompts_dir)
