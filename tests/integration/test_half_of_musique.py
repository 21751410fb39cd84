"""A random half of a real corpus deleted and added back: the graph, and what is found in it, are the same as before."""

import json
import random
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import neo4j
import pytest

from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing.read_openie import read_openie
from hipporag_neo4j.settings import Settings
from tests.embedders import CachedEmbedder
from tests.graphs import Content, expected_content, read_content, write
from tests.servers import TestServer

THRESHOLD = 0.8
EXACT: dict[str, Any] = {"normalisation": "paper", "iterations": 100, "tolerance": 1e-12, "minimum": 0.0}
"""A walk to the end, whose scores don't depend on the order of the nodes in memory."""


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_half_that_goes_and_comes_back_changes_nothing(
    settings: Settings, cached_minilm: CachedEmbedder, shared_data: Path, driver: neo4j.Driver, server: TestServer
) -> None:
    folder = shared_data / "musique_train"
    read = read_openie(folder / "openie_gpt-3.5-turbo-1106.json")
    corpus = [replace(p, passage=replace(p.passage, id=str(p.row))) for p in read]
    half = [str(number) for number in random.Random(5).sample(range(len(corpus)), len(corpus) // 2)]
    with HippoRAG(settings.model_copy(update=EXACT), embedder=cached_minilm) as rag:
        assert write(rag, corpus).written == 1890
        before, rankings_before = read_content(driver, server, settings.namespace), rankings(rag, folder)

        report = rag.delete(half)
        assert (report.passages, report.unknown) == (945, ())
        assert report.facts == len(before.facts) - rag.status().facts
        others = [p for p in corpus if p.passage.id not in set(half)]
        fresh = expected_content(others, cached_minilm, normalisation="paper", threshold=THRESHOLD)
        assert_same_content(read_content(driver, server, settings.namespace), fresh)

        again = write(rag, corpus)
        assert (again.written, again.unchanged) == (945, 945)
        after = read_content(driver, server, settings.namespace)
        assert_same_content(after, before)
        assert not rag.status().interrupted
        for found, wanted in zip(rankings(rag, folder), rankings_before, strict=True):
            assert_same_ranking(found, wanted, exactly=after.synonyms.keys() == before.synonyms.keys())


def assert_same_content(found: Content, expected: Content) -> None:
    """Equal but for the last bits of a cosine, which decide about a pair at the very threshold."""
    assert found.passages == expected.passages
    assert found.phrases == expected.phrases
    assert found.facts == expected.facts
    assert found.mentions == expected.mentions
    for pair in found.synonyms.keys() ^ expected.synonyms.keys():
        score = found.synonyms.get(pair) or expected.synonyms[pair]
        assert score == pytest.approx(THRESHOLD, abs=1e-5), pair
    for pair in found.synonyms.keys() & expected.synonyms.keys():
        assert found.synonyms[pair] == pytest.approx(expected.synonyms[pair], abs=1e-5), pair


def rankings(rag: HippoRAG, folder: Path) -> list[dict[str, float]]:
    """The ten best passages of 20 questions, with their scores, best first."""
    recorded = json.loads((folder / "recorded_llm_query_decisions.json").read_text("utf-8"))
    return [
        {
            passage.id: passage.score
            for passage in rag.retrieve(entry["question"], mode="hipporag1", entities=entry["named_entities"]).passages
        }
        for entry in islice(recorded, 20)
    ]


def assert_same_ranking(found: dict[str, float], expected: dict[str, float], *, exactly: bool) -> None:
    """The same passages in the same order, ties aside; a pair at the threshold moves small scores a little."""
    tolerance = 1e-5 if exactly else 1e-3
    assert list(found.values()) == pytest.approx(list(expected.values()), rel=tolerance)
    for id_ in found.keys() & expected.keys():
        assert found[id_] == pytest.approx(expected[id_], rel=tolerance)
    last = min(expected.values())
    for id_ in found.keys() ^ expected.keys():  # only where the last place is a tie
        assert found.get(id_, expected.get(id_)) == pytest.approx(last, rel=tolerance)
