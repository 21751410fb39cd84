"""What each number that a person can set does to a retrieval, and the tests that show it for all other numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.hipporag import HippoRAG
from tests.graphs import keep_all, passage

QUESTION = "Where was the teacher of the founder of brindle observatory born?"
CHAIN = [
    passage("1", ("brindle observatory", "founded by", "edda lorne")),
    passage("2", ("edda lorne", "studied under", "otto vann")),
    passage("3", ("otto vann", "born in", "vessland"), ("vessland", "borders", "kord")),
    passage("4", ("edda lornes", "discovered", "comet odgaard")),
    passage("5", ("lake mirr", "lies in", "kord"), ("lake mirr", "holds", "brown trout")),
]
"""A chain of facts; passage 4 hangs on it by a synonym alone, "edda lorne" and "edda lornes"."""

Observe = Callable[[HippoRAG], Any]
Relation = Callable[[Any, Any], bool]


@dataclass(frozen=True)
class Effect:
    """`observe` with the setting at each of two values, the smaller first, beside `also`; `expected` of the two."""

    values: tuple[float, float]
    observe: Observe
    expected: Relation
    also: Mapping[str, Any] = field(default_factory=dict)


def ask(rag: HippoRAG, mode: Mode, *, entities: Sequence[str] = (), **options: Any) -> RetrievalResult:
    given: dict[str, Any] = {"entities": entities, "fact_filter": keep_all}
    return rag.retrieve(QUESTION, mode=mode, **(given | options))


def shown(mode: Mode, looks: int = 1) -> Observe:
    """How many facts each look shows."""
    return lambda rag: [len(look.shown) for look in ask(rag, mode, looks=looks).looks]


def seeds(mode: Mode, looks: int = 1) -> Observe:
    """How many phrases seed."""
    return lambda rag: len(ask(rag, mode, looks=looks).seeds)


def reached(rag: HippoRAG) -> set[str]:
    """The passages that a walk from otto vann, whom 2 and 3 mention, reaches over the phrases."""
    return {p.id for p in ask(rag, "hipporag1", entities=["Otto Vann"]).passages}


def passages_to_phrases(mode: Mode, **options: Any) -> Observe:
    """What all passages weigh as seeds, in parts of what all phrases weigh."""

    def observe(rag: HippoRAG) -> float:
        phrases = sum(seed.weight for seed in ask(rag, mode, **options).seeds)
        return (1 - phrases) / phrases

    return observe


def named(**options: Any) -> Observe:
    """What the seeds that the question names weigh together."""
    return lambda rag: sum(seed.weight for seed in ask(rag, "hybrid", **options).seeds if seed.entity is not None)


def held_by_passages(rag: HippoRAG) -> float:
    """What the walk leaves with the passages, where it starts from phrases alone."""
    return sum(p.score for p in ask(rag, "hipporag2").passages)


def kept_without_llm(rag: HippoRAG) -> int:
    return len(rag.retrieve(QUESTION, mode="hybrid", no_llm=True).looks[0].kept)


def are(first: object, second: object) -> Relation:
    """The two observations, by hand."""
    return lambda one, other: bool(one == first and other == second)


def times(factor: float) -> Relation:
    """The second is so many times the first."""
    return lambda one, other: one > 0 and abs(other / one - factor) < 1e-6 * factor


def more(one: Any, other: Any) -> bool:
    """The second is more, or holds more, than the first."""
    return bool(one < other)


NEAR, ONE_STEP, ALL = {"2", "3"}, {"1", "2", "3"}, {"1", "2", "3", "4", "5"}
ONE_FACT = {"hybrid_facts": 1}
NOTHING_IN_PASSAGES = ONE_FACT | {"further_passages": 0, "further_facts": 2}

EFFECTS: dict[str, Effect] = {
    "damping": Effect((0.0, 0.5), reached, are(NEAR, ALL)),
    "iterations": Effect((1, 20), reached, are(NEAR, ALL)),
    "tolerance": Effect((1e-7, 1.0), reached, are(ALL, ONE_STEP)),
    "minimum": Effect((1e-6, 0.3), reached, are(ALL, NEAR)),
    "fact_weight": Effect((0.0, 2.0), reached, are(NEAR, ALL)),
    "synonym_weight": Effect((0.0, 2.0), reached, are(ALL - {"4"}, ALL)),
    "mention_weight": Effect((1.0, 3.0), held_by_passages, more, {"hipporag2_passage_weight": 0.0}),
    "hipporag2_facts": Effect((2, 4), shown("hipporag2"), are([2], [4])),
    "hipporag2_passage_weight": Effect((0.05, 0.1), passages_to_phrases("hipporag2"), times(2)),
    "hipporag2_passage_seeds": Effect((1, 3), passages_to_phrases("hipporag2"), more),
    "hybrid_facts": Effect((3, 6), shown("hybrid"), are([3], [6])),
    "hybrid_passage_weight": Effect((0.02, 0.06), passages_to_phrases("hybrid"), times(3)),
    "hybrid_passage_seeds": Effect((1, 3), passages_to_phrases("hybrid"), more),
    "entity_weight": Effect((0.2, 0.4), named(entities=["Otto Vann"]), more),
    "seed_phrases": Effect((1, 3), seeds("hipporag2"), are(1, 3)),
    "further_facts": Effect((1, 2), shown("hybrid", 2), are([1, 1], [1, 2]), ONE_FACT),
    "second_look_phrase_facts": Effect((0, 2), shown("hybrid", 2), are([1], [1, 2]), NOTHING_IN_PASSAGES),
    "third_look_phrase_facts": Effect((0, 2), shown("hybrid", 3), are([1, 2], [1, 2, 1]), NOTHING_IN_PASSAGES),
    "further_passages": Effect(
        (0, 5), shown("hybrid", 2), are([1], [1, 6]), ONE_FACT | {"second_look_phrase_facts": 0}
    ),
    "further_seed_phrases": Effect((1, 3), seeds("hybrid", 2), are(1, 3), ONE_FACT),
    "further_minimum": Effect((0.0, 0.5), seeds("hybrid", 2), more, ONE_FACT | {"further_seed_phrases": 100}),
    "no_llm_margin": Effect((0.0, 2.0), kept_without_llm, are(1, 7)),
    "no_llm_entity_weight": Effect((0.1, 5.0), named(no_llm=True, entities=None, fact_filter=None), more),
    "no_llm_passage_weight": Effect(
        (0.05, 0.1), passages_to_phrases("hybrid", no_llm=True, entities=None, fact_filter=None), times(2)
    ),
}
"""Settings of retrieval. tests/integration/test_settings_effects.py tries them on a server."""

SHOWN_ELSEWHERE = {
    "query_timeout": "tests/integration/test_connection.py::test_a_statement_that_takes_too_long_is_ended",
    "projection_megabytes": "tests/integration/test_projection.py::test_so_many_megabytes_of_projections_are_kept",
    "llm_concurrency": "tests/integration/test_settings_effects.py::test_passages_are_read_so_many_at_a_time",
    "llm_timeout": "tests/unit/llm/test_openai_model.py::test_what_may_pass_is_tried_again",
    "llm_retries": "tests/unit/llm/test_openai_model.py::test_what_stays_is_an_error_that_says_what_to_do",
    "llm_deadline": "tests/unit/llm/test_openai_model.py::test_the_deadline_ends_retries_and_shortens_attempts",
    "llm_max_tokens": "tests/integration/test_settings_effects.py::test_an_answer_may_have_so_many_tokens",
    "index_max_tokens": "tests/integration/test_budget.py::test_most_of_a_budget_is_used",
    "index_max_cost": "tests/integration/test_budget.py::test_money_is_never_passed",
    "embedding_batch_size": "tests/unit/embedding/test_endpoint.py::test_the_vectors_are_the_endpoints_in_batches",
    "embedding_timeout": "tests/unit/embedding/test_endpoint.py::test_silence_is_a_time_out",
    "embedding_retries": "tests/unit/embedding/test_endpoint.py::test_a_failure_that_passes_is_tried_again",
    "passage_size": "tests/integration/test_settings_effects.py::test_a_passage_holds_so_many_characters",
    "synonym_threshold": "tests/integration/test_settings_effects.py::test_phrases_are_synonyms_from_the_threshold_on",
    "reading_characters": "tests/integration/test_settings_effects.py::test_so_many_characters_are_read_for_an_answer",
}
"""All other numbers, each with a test that fails if it were ignored."""
