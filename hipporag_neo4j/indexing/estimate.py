"""What a run would take, before it starts: tokens, money, time, room in the database. No model is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from hipporag_neo4j.database import Database
from hipporag_neo4j.indexing.check_passages import OnProblem
from hipporag_neo4j.indexing.compare import Comparison, OnPassage, ToWrite
from hipporag_neo4j.indexing.expected_tokens import CALLS, Call, Expectation, Tokens
from hipporag_neo4j.indexing.foretell import (
    Content,
    Figure,
    foretell_content,
    foretell_memory,
    foretell_seconds,
)
from hipporag_neo4j.indexing.make_reader import make_expectation
from hipporag_neo4j.indexing.store_size import DEFAULT_DIMENSIONS, foretell_heap, foretell_store
from hipporag_neo4j.llm.count_tokens import rule_of_thumb
from hipporag_neo4j.prices import Price, PriceTable, load_prices
from hipporag_neo4j.runs import working_runs
from hipporag_neo4j.schema import find_graph
from hipporag_neo4j.settings import Settings
from hipporag_neo4j.status import Status, read_status
from hipporag_neo4j.text import passage_text

_PHRASE_TOKENS, _FACT_TOKENS = 4.2, 15.5
"""Of a phrase and a fact of MuSiQue, as they are embedded."""


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """What the calls of a kind will take; `calls` are those whose answer isn't kept from before."""

    call: Call
    calls: int
    prompt_tokens: float
    completion_tokens: float
    basis: str


@dataclass(frozen=True, slots=True)
class EmbeddingEstimate:
    """What embedding at an endpoint will take: passages, and the phrases and facts of new ones. No budget limits it."""

    model: str
    texts: int
    tokens: float
    price: Price | None
    basis: str

    @property
    def cost(self) -> float | None:
        """Money, in the currency of `price`."""
        return self.price.cost(self.tokens, 0) if self.price else None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What indexing a source would take. Every figure names what it rests on.

    `comparison` tells the passages by state. `cost` is None where the table has no price of the model, `batch_cost`
    where it has none for a batch; `embedding` is None where this machine embeds. `seconds` by stage: `read`, `embed`,
    `write`, `link`, `publish`. `content` is what the graph will hold; `store` the bytes that the database grows by on
    disk, `projection` and `walk` what Graph Data Science takes of Neo4j's memory, and `heap` what to give Neo4j at
    least.
    """

    model: str | None
    comparison: Comparison
    calls: tuple[CallEstimate, ...]
    embedding: EmbeddingEstimate | None
    price: Price | None
    price_table: str
    seconds: Mapping[str, Figure]
    content: Content
    store: Figure
    projection: Figure
    walk: Figure
    heap: Figure

    @property
    def tokens(self) -> Tokens:
        """Tokens of all calls."""
        return Tokens(
            sum(call.prompt_tokens for call in self.calls), sum(call.completion_tokens for call in self.calls)
        )

    @property
    def cost(self) -> float | None:
        """Money, in the currency of `price`."""
        return self.price.cost(self.tokens.prompt, self.tokens.completion) if self.price else None

    @property
    def batch_cost(self) -> float | None:
        """The same through a Batch API."""
        return self.price.batch_cost(self.tokens.prompt, self.tokens.completion) if self.price else None


class Compare(Protocol):
    """Compares a source with the graph: `HippoRAG.compare`, with its source."""

    def __call__(self, *, on_problem: OnProblem | None, on_passage: OnPassage | None) -> Comparison:
        """The comparison."""


def estimate(
    compare: Compare, settings: Settings, database: Database, namespace: str, on_problem: OnProblem | None = None
) -> Estimate:
    """What indexing a source would take with these settings."""
    prices = load_prices(settings.prices)
    model = settings.llm_model
    estimator = Estimator(model, make_expectation(model or "", settings, database, namespace))
    comparison = compare(on_problem=on_problem, on_passage=estimator.add)
    return estimator.finish(database, namespace, comparison, settings, prices)


@dataclass(slots=True)
class Estimator:
    """Hears of each passage that a run would write, and adds up what it will take."""

    model: str | None
    expectation: Expectation
    calls: dict[Call, int] = field(default_factory=lambda: dict.fromkeys(CALLS, 0))
    tokens: dict[Call, Tokens] = field(default_factory=lambda: {call: Tokens() for call in CALLS})
    asked: int = 0
    new: int = 0
    new_characters: int = 0
    text_tokens: float = 0.0

    def add(self, given: ToWrite) -> None:
        """Count a passage; what is kept of its answers costs nothing."""
        passage = given.passage.extracted.passage
        text = passage_text(passage.title, passage.text)
        self.text_tokens += rule_of_thumb(text)
        if given.state == "new":
            self.new += 1
            self.new_characters += len(text)
        kept = given.reading
        entities = kept.entities if kept is not None else None
        left = [call for call in CALLS if not (kept and (entities is not None if call == "entities" else kept.triples))]
        self.asked += bool(left)
        if left:
            expected = self.expectation.calls(passage, entities)
            for call in left:
                self.calls[call] += 1
                self.tokens[call] += expected[call]

    def finish(
        self, database: Database, namespace: str, comparison: Comparison, settings: Settings, prices: PriceTable
    ) -> Estimate:
        """The estimate, when all passages were heard of."""
        graph = find_graph(database, namespace)
        there = read_status(database, graph) if graph is not None else None
        content = foretell_content(there, self.new, self.new_characters)
        projection, walk = foretell_memory(database, content)
        size = graph.dimensions if graph is not None else DEFAULT_DIMENSIONS
        return Estimate(
            model=self.model,
            comparison=comparison,
            calls=tuple(
                CallEstimate(
                    call,
                    self.calls[call],
                    self.tokens[call].prompt,
                    self.tokens[call].completion,
                    self.expectation.basis(call),
                )
                for call in CALLS
            ),
            embedding=self._embedding(comparison, there, content, settings, prices),
            price=prices.price(self.model) if self.model else None,
            price_table=prices.place,
            seconds=foretell_seconds(
                working_runs(database, namespace),
                self.model or "",
                passages=comparison.to_write,
                asked=self.asked,
                calls=sum(self.calls.values()),
                completion_tokens=sum(tokens.completion for tokens in self.tokens.values()),
                concurrency=settings.llm_concurrency,
            ),
            content=content,
            store=foretell_store(there, content, self.new_characters, size),
            projection=projection,
            walk=walk,
            heap=foretell_heap(content, projection, walk),
        )

    def _embedding(
        self, comparison: Comparison, there: Status | None, content: Content, settings: Settings, prices: PriceTable
    ) -> EmbeddingEstimate | None:
        if settings.embedding_provider != "openai":
            return None
        phrases = content.phrases - (there.phrases if there is not None else 0)
        facts = content.facts - (there.facts if there is not None else 0)
        return EmbeddingEstimate(
            settings.embedding_model,
            texts=comparison.to_write + phrases + facts,
            tokens=self.text_tokens + _PHRASE_TOKENS * phrases + _FACT_TOKENS * facts,
            price=prices.price(settings.embedding_model),
            basis="default: by kind of letter; phrases and facts as long as MuSiQue's",
        )
