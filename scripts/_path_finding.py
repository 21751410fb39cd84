"""What scripts/path_finding_experiment measures: can the one thing that two named things share be found?

An instance has two seeds. From each, chains of facts lead to eight dead ends and to one answer, which both reach; each
fact stands in a passage of its own, and none names both seeds. The 17 ends are ranked in two ways: by how often the
passages that name an end name a seed, which is all that is seen without a walk, and by personalized PageRank. The rank
of the answer is given, as a mean over the instances; ends with the same score share the mean of their ranks.

The facts are indexed as the product indexes them, the seeds linked and weighed as in the mode hipporag1, and the walk
is the product's, with its settings. Figures go to standard output, everything else to standard error.
"""

import itertools
import json
import math
import random
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from hipporag_neo4j import HippoRAG, Settings
from hipporag_neo4j.connect import open_database
from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage, Triple
from hipporag_neo4j.errors import GraphNotFoundError, HippoRAGError
from hipporag_neo4j.indexing.pipeline import Indexer
from hipporag_neo4j.keys import phrase_key
from hipporag_neo4j.projection import ensure_projection
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.link_query import link_entities
from hipporag_neo4j.retrieval.retrieve import options_of
from hipporag_neo4j.retrieval.weigh_seeds import LinkedPhrase, weigh_by_specificity
from hipporag_neo4j.schema import Graph, open_graph
from scripts._bench.common import with_server

HOPS = (1, 2, 3)
DEAD_ENDS = 8
"""Of each seed."""
PUBLISHED = {"mentions": {1: 1.00, 2: 9.21}, "pagerank": {1: 1.00, 2: 1.00, 3: 1.00}}
"""Mean ranks as published; chance is 9."""
_USUAL_DIMENSIONS = 384
_ASKED_AT_ONCE = 50

note = Console(stderr=True)


@dataclass(frozen=True)
class Instance:
    """A question with two seeds; the first of its ends is the answer."""

    seeds: tuple[str, str]
    ends: tuple[str, ...]
    facts: tuple[tuple[str, str, str], ...]


def make_instance(number: int, hops: int, chance: random.Random) -> Instance:
    """Chains of `hops` facts from each seed to its dead ends and to the shared answer, facts in either direction."""
    seeds = (f"seed {number} a", f"seed {number} b")
    answer = f"answer {number}"
    ends, facts = [answer], []
    for side, seed in zip("ab", seeds, strict=True):
        dead = [f"end {number} {side} {chain}" for chain in range(DEAD_ENDS)]
        ends += dead
        for chain, end in enumerate([*dead, answer]):
            stops = [f"stop {number} {side} {chain} {hop}" for hop in range(1, hops)]
            path = [seed, *stops, end]
            for one, other in itertools.pairwise(path):
                facts.append((one, "leads to", other) if chance.random() < 0.5 else (other, "is reached from", one))
    chance.shuffle(facts)
    return Instance(seeds, tuple(ends), tuple(facts))


def passages_of(instances: Sequence[Instance]) -> Iterator[ExtractedPassage]:
    """One passage a fact."""
    for instance in instances:
        for fact in instance.facts:
            text = f"{' '.join(fact).capitalize()}."
            yield ExtractedPassage(Passage(text, id=text), Extraction(triples=(Triple(*fact),)))


def mean_rank(scores: Mapping[str, float], wanted: str) -> float:
    """The place of `wanted` when the highest score comes first; equal scores share the mean of their places."""
    own = scores[wanted]
    equal = [math.isclose(score, own, rel_tol=1e-6, abs_tol=1e-12) for score in scores.values()]
    higher = sum(score > own and not same for score, same in zip(scores.values(), equal, strict=True))
    return higher + (sum(equal) + 1) / 2


class RandomEmbedder:
    """A random direction for each text, the same in every run: no text is near another."""

    def __init__(self, dimensions: int) -> None:
        self.name = f"random-{dimensions}"
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions)."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
            vectors[row] = np.random.Generator(np.random.PCG64(seed)).standard_normal(self.dimensions)
        return vectors


def measure(settings: Settings, instances: Sequence[Instance]) -> dict[str, list[float]]:
    """The rank of each instance's answer by mentions and by PageRank; all instances lie in one graph, unconnected."""
    with _fresh_graph(settings) as rag:
        Indexer(rag.database, rag.init(), rag.embedder).import_extracted(passages_of(instances))
        graph = open_graph(rag.database, rag.namespace)
        ranks: dict[str, list[float]] = {"mentions": [], "pagerank": []}
        for begin in range(0, len(instances), _ASKED_AT_ONCE):
            some = instances[begin : begin + _ASKED_AT_ONCE]
            for ranked_by, found in _ask(rag, graph, some).items():
                ranks[ranked_by] += [
                    mean_rank(scores, instance.ends[0]) for scores, instance in zip(found, some, strict=True)
                ]
        return ranks


def _ask(rag: HippoRAG, graph: Graph, instances: Sequence[Instance]) -> dict[str, list[dict[str, float]]]:
    """The scores of each instance's ends, by what they are ranked by."""
    options = options_of(rag.settings)
    names = {seed: number for number, instance in enumerate(instances) for seed in instance.seeds}
    linked: list[list[LinkedPhrase]] = [[] for _ in instances]
    for phrase in finish(link_entities(Inquiry(rag._sources, graph, ""), list(names))):
        if phrase.entity is not None:
            linked[names[phrase.entity]].append(phrase)
    asked = [
        {
            "number": number,
            "phrases": [phrase_key(rag.namespace, end) for end in instance.ends],
            "seeds": [{"key": key, "weight": seed.weight} for key, seed in weigh_by_specificity(phrases).items()],
        }
        for number, (instance, phrases) in enumerate(zip(instances, linked, strict=True))
    ]
    projection = finish(ensure_projection(rag._sources.run, rag.namespace, options.weights))
    counted = rag.database.run("experiment/count_seed_mentions", namespace=rag.namespace, instances=asked)
    walked = rag.database.run(
        "experiment/score_phrases",
        graph=projection.name,
        namespace=rag.namespace,
        instances=asked,
        damping=options.walk.damping,
        iterations=options.walk.iterations,
        tolerance=options.walk.tolerance,
        concurrency=options.walk.concurrency,
    )
    return {
        "mentions": [_scores(rag, instance, number, counted) for number, instance in enumerate(instances)],
        "pagerank": [_scores(rag, instance, number, walked) for number, instance in enumerate(instances)],
    }


def _scores(rag: HippoRAG, instance: Instance, number: int, rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Scores by end; one that a statement doesn't return has the score 0."""
    found = {row["key"]: float(row["score"]) for row in rows if row["instance"] == number}
    return {end: found.get(phrase_key(rag.namespace, end), 0.0) for end in instance.ends}


@contextmanager
def _fresh_graph(settings: Settings) -> Iterator[HippoRAG]:
    """An empty graph in the settings' namespace, which is removed at the end."""
    with HippoRAG(settings, embedder=RandomEmbedder(_dimensions(settings))) as rag:
        try:
            yield rag
        finally:
            with suppress(GraphNotFoundError):
                rag.drop()


def _dimensions(settings: Settings) -> int:
    """Those of the database's vectors: it has one dimension."""
    database = open_database(settings)
    try:
        found = [row["dimensions"] for row in database.run("schema/show_indexes") if row["dimensions"]]
    finally:
        database.close()
    return found[0] if found else _USUAL_DIMENSIONS


def main(
    instances: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="Instances for each number of hops.")
    ] = 100,
    seed: Annotated[int, typer.Option(metavar="N", help="Another one gives other instances.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Rank the answers of made-up path-finding questions, one to three facts away, by mentions and by PageRank."""
    begin = time.perf_counter()
    figures: dict[str, dict[int, float]] = {"mentions": {}, "pagerank": {}}
    try:
        server = with_server(Settings())
        for hops in track(HOPS, "Indexing and walking", console=note, disable=not note.is_terminal):
            chance = random.Random(f"{seed} {hops}")
            made = [make_instance(number, hops, chance) for number in range(instances)]
            settings = server.model_copy(
                update={
                    "namespace": f"path_finding_{uuid.uuid4().hex[:12]}",
                    "normalisation": None,
                    "synonym_threshold": None,
                }
            )
            for ranked_by, ranks in measure(settings, made).items():
                figures[ranked_by][hops] = float(np.mean(ranks))
    except HippoRAGError as error:
        note.print(f"Error: {error}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1) from error
    if as_json:
        sys.stdout.write(json.dumps({**figures, "instances": instances}) + "\n")
        return
    Console().print(_table(figures, instances))
    note.print(f"{time.perf_counter() - begin:.0f} s.")


def _table(figures: Mapping[str, Mapping[int, float]], instances: int) -> Table:
    ends = 2 * DEAD_ENDS + 1
    table = Table(
        title=f"Mean rank of the answer among {ends} ends, {instances} instances (chance: {(ends + 1) / 2:g})"
    )
    for heading in ("hops", "mentions", "published", "PageRank", "published"):
        table.add_column(heading, justify="right")
    for hops in HOPS:
        cells = []
        for ranked_by in ("mentions", "pagerank"):
            published = PUBLISHED[ranked_by].get(hops)
            cells += [f"{figures[ranked_by][hops]:.2f}", "-" if published is None else f"{published:.2f}"]
        table.add_row(str(hops), *cells)
    return table


if __name__ == "__main__":
    typer.run(main)
