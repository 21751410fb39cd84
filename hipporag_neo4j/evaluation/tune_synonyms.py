"""What each synonym threshold would join and, with questions, what would be found; nothing is written but projections.

A threshold above the graph's own is a projection without the synonyms below it, one below it a projection with the
pairs that are missing: another projection, never other data. Each is dropped when its questions are answered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.database import Database
from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.embedding.remembering import RememberingEmbedder
from hipporag_neo4j.errors import ConfigurationError, InputError
from hipporag_neo4j.evaluation.ask import Retrieve
from hipporag_neo4j.evaluation.evaluate import run
from hipporag_neo4j.evaluation.find_gold import find_gold
from hipporag_neo4j.evaluation.query_decisions import Decisions
from hipporag_neo4j.evaluation.read_questions import Question
from hipporag_neo4j.evaluation.summarise import ModeResult
from hipporag_neo4j.indexing.link_synonyms import synonym_rows
from hipporag_neo4j.indexing.relink_synonyms import find_differences
from hipporag_neo4j.indexing.tune_synonyms import (
    Candidate,
    NearPhrases,
    find_near_phrases,
    judge_thresholds,
    pairs_from,
)
from hipporag_neo4j.projection import Shape, Weights, drop_projection, ensure_projection_with_pairs
from hipporag_neo4j.retrieval.filter_facts import FactFilter
from hipporag_neo4j.retrieval.retrieve import Options, retrieve
from hipporag_neo4j.retrieval.sources import BlockingSources
from hipporag_neo4j.schema import Graph, open_graph

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much."""

WALKING: dict[Mode, Shape] = {"hipporag1": "phrases", "hipporag2": "passages", "hybrid": "passages"}
"""The modes that walk over synonyms, and over which projection."""


@dataclass(frozen=True, slots=True)
class RecallTest:
    """Questions with gold passages, the modes they are asked in, recorded decisions, and what they are asked with."""

    questions: Sequence[Question]
    modes: Sequence[Mode]
    decisions: Decisions | None
    graph: Graph
    sources: BlockingSources
    options: Options


@dataclass(frozen=True, slots=True)
class Tuning:
    """What each threshold would join, in ascending order.

    `recall` holds, for each threshold that could be tried, the figures of each mode. `notes` say what is to be known
    about all this.
    """

    graph: Graph
    phrases: int
    unlinked: int
    candidates: tuple[Candidate, ...]
    recall: Mapping[float, Mapping[Mode, ModeResult]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def tune_synonyms(
    database: Database,
    namespace: str,
    thresholds: Sequence[float],
    *,
    samples: int = 5,
    test: RecallTest | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Try thresholds on a graph: what each joins, `samples` pairs on either side of it, and the recall of a test.

    Raises what `find_near_phrases` and `evaluation.run` raise, and ConfigurationError for a test of a mode that doesn't
    walk, or on a graph that an indexing run has yet to finish.
    """
    if test is not None:
        _check(test)
    if samples < 0:
        raise InputError(f"{samples} sample pairs can't be shown: take 0 or more.")
    near = find_near_phrases(
        database, namespace, thresholds, lambda done, total: _report(progress, "Comparing phrases", done, total)
    )
    candidates = judge_thresholds(near, thresholds, samples)
    recall: dict[float, Mapping[Mode, ModeResult]] = {}
    notes = list(_notes(near))
    if test is not None:
        _refuse_unfinished(near)
        test = replace(test, sources=replace(test.sources, embedder=RememberingEmbedder(test.sources.embedder)))
        for candidate in candidates:
            if candidate.pairs is None:
                continue
            if candidate.threshold < near.graph.synonym_threshold and test.options.weights.rule != "sum":
                notes.append(
                    f"Recall at {candidate.threshold:g}, below the graph's own threshold, can't be measured with the "
                    f"projection weights {test.options.weights.rule!r}."
                )
                continue
            recall[candidate.threshold], warnings = _measure(database, near, candidate.threshold, test, progress)
            notes += [warning for warning in warnings if warning not in notes]
        if open_graph(database, namespace).version != near.graph.version:
            notes.append("The graph was written to meanwhile: the figures of recall are not all of the same graph.")
    return Tuning(near.graph, len(near.phrases.keys), near.phrases.new, candidates, recall, tuple(notes))


def _measure(
    database: Database,
    near: NearPhrases,
    threshold: float,
    test: RecallTest,
    progress: Progress | None,
) -> tuple[Mapping[Mode, ModeResult], Sequence[str]]:
    """The figures of each mode at a threshold, and what is to be known about them."""
    namespace = near.graph.namespace
    own = near.graph.synonym_threshold
    # As float32, in which cosines are compared when phrases are linked.
    weights = test.options.weights if threshold == own else _from(test.options.weights, float(np.float32(threshold)))
    shapes = {WALKING[mode] for mode in test.modes}
    run_query = test.sources.run
    try:
        if threshold < own:
            _, missing = find_differences(database, namespace, near.phrases, pairs_from(near, threshold))
            rows = synonym_rows(near.phrases, missing)
            for shape in shapes:
                finish(ensure_projection_with_pairs(run_query, namespace, weights, shape, rows))
        result = run(
            _retrieve(test, weights),
            lambda questions: find_gold(database, namespace, questions),
            test.questions,
            test.modes,
            decisions=test.decisions,
            progress=lambda mode, done, total: _report(progress, f"{mode} at {threshold:g}", done, total),
        )
    finally:
        if threshold != own:
            for shape in shapes:
                finish(drop_projection(run_query, namespace, weights, shape))
    return {mode: result.modes[mode] for mode in test.modes}, result.warnings


def _from(weights: Weights, threshold: float) -> Weights:
    return replace(weights, synonym_from=threshold)


def _retrieve(test: RecallTest, weights: Weights) -> Retrieve:
    """How a question is asked over a projection with these weights."""
    options = replace(test.options, weights=weights)

    def ask(
        question: str,
        *,
        mode: Mode,
        limit: int,
        entities: Sequence[str] | None,
        looks: int,
        fact_filter: FactFilter | None,
    ) -> RetrievalResult:
        sources = replace(test.sources, fact_filter=fact_filter)
        return finish(
            retrieve(
                sources, test.graph, question, mode=mode, limit=limit, entities=entities, options=options, looks=looks
            )
        )

    return ask


def _check(test: RecallTest) -> None:
    for mode in test.modes:
        if mode not in WALKING:
            raise ConfigurationError(
                f"The mode {mode!r} walks over no synonyms, so its recall is the same at every threshold. Take "
                f"{', '.join(WALKING)}."
            )


def _refuse_unfinished(near: NearPhrases) -> None:
    if near.phrases.new or near.graph.version != near.graph.published:
        raise ConfigurationError(
            f"Recall can't be measured on the graph in namespace {near.graph.namespace!r}: an indexing run is under "
            "way or was cut off. Let it end, or run the same command again, which goes on from there; or leave the "
            "questions out."
        )


def _notes(near: NearPhrases) -> list[str]:
    if not near.phrases.new:
        return []
    return [
        f"{near.phrases.new:,} of {len(near.phrases.keys):,} phrases had no synonyms looked for yet: an indexing run "
        "is under way or was cut off. They are counted here as if they had."
    ]


def _report(progress: Progress | None, what: str, done: int, total: int) -> None:
    if progress is not None:
        progress(what, done, total)
