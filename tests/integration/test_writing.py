"""Adding and changing passages, in any order and in batches of any size, gives the graph of the last state of each."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import neo4j
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hipporag_neo4j.domain import ExtractedPassage, Passage
from hipporag_neo4j.errors import ConfigurationError, InputError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import link_synonyms, pipeline
from hipporag_neo4j.indexing.split_text import split_passage
from hipporag_neo4j.schema import DEFAULT_SYNONYM_THRESHOLD
from hipporag_neo4j.settings import Settings
from hipporag_neo4j.text import NORMALISATIONS, Normalisation
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, Content, Fact, assert_same, expected_content, passage, read_content, write
from tests.llm_server import LLMServer
from tests.servers import TestServer

NAMES = (
    "grand river bridge",
    "Grand River Bridges",
    "the grand-river bridge",
    "old mill",
    "Old Mills",
    "us",
    "U.S.",
    "us us",
    "?",
)
FACTS = st.tuples(st.sampled_from(NAMES), st.sampled_from(("near", "Near!", "is")), st.sampled_from(NAMES))
PASSAGES = st.tuples(st.integers(0, 5), st.lists(FACTS, max_size=4))
RUNS = st.lists(st.lists(PASSAGES, min_size=1, max_size=6, unique_by=lambda p: p[0]), min_size=1, max_size=4)
"""Several runs over the same few passages: each gives some of them, with other facts or the same."""


SIZE = 300


class CountingEmbedder(HashEmbedder):
    """Counts the texts it was asked for."""

    def __init__(self) -> None:
        super().__init__(DIMENSIONS)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions)."""
        self.texts += texts
        return super().embed(texts)


def check_runs(
    runs: list[list[tuple[int, list[Fact]]]],
    at_once: int,
    normalisation: Normalisation,
    settings: Settings,
    driver: neo4j.Driver,
    server: TestServer,
) -> None:
    """Write the runs; after each, the graph is that of the last state of every passage."""
    final: dict[str | None, ExtractedPassage] = {}
    embedder = CountingEmbedder()
    with pytest.MonkeyPatch.context() as patch, HippoRAG(settings, embedder=embedder) as rag:
        patch.setattr(pipeline, "_WRITTEN_AT_ONCE", at_once)
        patch.setattr(link_synonyms, "_WRITE_ROWS", at_once)
        for given_passages in runs:
            some = [passage(f"p{number}", *facts) for number, facts in given_passages]
            changed = [p for p in some if final.get(p.passage.id) != p]
            final |= {p.passage.id: p for p in some}
            report = write(rag, some)
            assert (report.written, report.unchanged) == (len(changed), len(some) - len(changed))
        found = read_content(driver, server, settings.namespace)
        expected = expected_content(
            final.values(), HashEmbedder(DIMENSIONS), normalisation=normalisation, threshold=DEFAULT_SYNONYM_THRESHOLD
        )
        assert_same(found, expected)
        _assert_counts(rag, expected)

        embedder.texts.clear()
        before = rag.status()
        report = write(rag, list(final.values()))
        assert (report.written, report.unchanged, report.synonyms) == (0, len(final), 0)
        assert embedder.texts == []
        assert rag.status() == before


def _assert_counts(rag: HippoRAG, content: Content) -> None:
    status = rag.status()
    assert (status.passages, status.phrases, status.facts, status.mentions, status.synonyms) == tuple(
        map(len, (content.passages, content.phrases, content.facts, content.mentions, content.synonyms))
    )
    assert status.unlinked == 0
    assert not status.interrupted
    assert status.states == {"written": len(content.passages)}
    assert status.passages_without_facts == len(content.passages) - len({id_ for id_, _ in content.mentions})


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
@hypothesis_settings(
    max_examples=10,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # making a failing example small takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(runs=RUNS, at_once=st.integers(1, 7))
def test_any_order_gives_the_last_state(
    normalisation: Normalisation,
    runs: list[list[tuple[int, list[Fact]]]],
    at_once: int,
    settings: Settings,
    make_namespace: Callable[[], str],
    driver: neo4j.Driver,
    server: TestServer,
) -> None:
    own = settings.model_copy(update={"namespace": make_namespace(), "normalisation": normalisation})
    check_runs(runs, at_once, normalisation, own, driver, server)


@pytest.mark.long
@pytest.mark.parametrize("normalisation", NORMALISATIONS)
@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(runs=RUNS, at_once=st.integers(1, 7))
def test_any_of_many_orders_gives_the_last_state(
    normalisation: Normalisation,
    runs: list[list[tuple[int, list[Fact]]]],
    at_once: int,
    settings: Settings,
    make_namespace: Callable[[], str],
    driver: neo4j.Driver,
    server: TestServer,
) -> None:
    own = settings.model_copy(update={"namespace": make_namespace(), "normalisation": normalisation})
    check_runs(runs, at_once, normalisation, own, driver, server)


def test_a_phrase_that_comes_back_has_its_synonyms_again(
    settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    states = [("old mill", "near", "grand river bridge")], [("lake", "near", "sea")], [("old mill", "is", "old mills")]
    check_runs(
        [[(0, list(facts))] for facts in states] + [[(1, list(states[0]))]], 2, "unicode", settings, driver, server
    )


def test_only_what_is_new_is_embedded(settings: Settings) -> None:
    embedder = CountingEmbedder()
    with HippoRAG(settings, embedder=embedder) as rag:
        write(rag, [passage("1", ("a", "r", "b"), text="One.")])
        assert sorted(embedder.texts) == ["('a', 'r', 'b')", "One.", "a", "b"]
        embedder.texts.clear()
        write(
            rag,
            [passage("1", ("a", "r", "b"), text="One."), passage("2", ("a", "r", "b"), ("a", "r", "c"), text="Two.")],
        )
        assert sorted(embedder.texts) == ["('a', 'r', 'c')", "Two.", "c"]


def test_what_a_passage_is_keeps_its_date(settings: Settings, driver: neo4j.Driver, server: TestServer) -> None:
    """A changed passage is the same node: `created` stays, properties that it lost go."""

    def node() -> dict[str, object]:
        rows = driver.execute_query(
            "MATCH (p:Passage {namespace: $n}) RETURN elementId(p) AS element, p {.*} AS properties",
            n=settings.namespace,
            database_=server.database,
        ).records
        (row,) = rows
        return {"element": row["element"], **row["properties"]}

    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, [passage("1", ("a", "r", "b"), title="Title", text="One.")])
        before = node()
        write(rag, [passage("1", ("a", "r", "b"), text="Two.")])
        after = node()
    assert before["element"] == after["element"]
    assert before["created"] == after["created"]
    assert (before["title"], after["title"]) == ("Title", "")
    assert (before["text"], after["text"]) == ("One.", "Two.")
    assert before["run"] != after["run"]


def test_a_threshold_that_joins_too_many_writes_no_synonym(
    settings: Settings, driver: neo4j.Driver, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_synonyms, "_ALWAYS_SANE", 2)
    monkeypatch.setattr(link_synonyms, "_SANE_PAIRS_PER_PHRASE", 1)
    near = [passage(str(i), (f"grand river bridge {i}", "near", f"grand river bridge {i + 1}")) for i in range(6)]
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        with pytest.raises(ConfigurationError, match="HIPPORAG_SYNONYM_THRESHOLD"):
            write(rag, near)
        content = read_content(driver, server, settings.namespace)
        assert content.synonyms == {}
        assert len(content.passages) == 6
        assert rag.status().interrupted


def test_an_endless_phrase_does_not_stop_the_others(settings: Settings) -> None:
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        report = write(rag, [passage("1", ("a", "r", "b" * 40_000), text="One."), passage("2", ("a", "r", "c"))])
        assert (report.written, report.dropped_triples) == (2, 1)
        assert rag.status().facts == 1


LONG = Passage("The harbour lies north. " * 40, id="doc")
OTHER = Passage("Nothing of it.", id="other")


@pytest.mark.parametrize(("before", "after"), [(960, 200), (200, 960), (960, 500), (500, 960)])
def test_a_document_leaves_no_part_of_what_it_was(
    settings: Settings, llm_server: LLMServer, before: int, after: int
) -> None:
    """Longer, shorter, or split otherwise: what stands there is what a fresh build would hold."""
    old, new = (replace(LONG, text=LONG.text[:length]) for length in (before, after))
    given = {part.id for part in split_passage(new, SIZE)}
    with HippoRAG(reading(settings, llm_server), embedder=HashEmbedder(DIMENSIONS)) as rag:
        rag.index([old, OTHER])
        report = rag.index([new, OTHER])
        found = {passage.id for passage in rag.retrieve("harbour", mode="dense", limit=100).passages}
    assert found == {"other"} | given
    assert report.deleted == len({part.id for part in split_passage(old, SIZE)} - given)


def test_the_id_of_a_part_cant_be_anothers(settings: Settings, llm_server: LLMServer) -> None:
    with (
        HippoRAG(reading(settings, llm_server), embedder=HashEmbedder(DIMENSIONS)) as rag,
        pytest.raises(InputError, match="doc#1"),
    ):
        rag.index([LONG, Passage("Something else.", id="doc#1")])


def test_a_part_does_not_replace_a_passage_that_was_there_nor_the_other_way_round(
    settings: Settings, llm_server: LLMServer, make_namespace: Callable[[], str]
) -> None:
    """Neither loses a word: the later one is reported, a document as a whole, and what else was given is written."""
    own = Passage("Something else.", id="doc#2")
    for first, second, said in (
        (own, LONG, r"The document 'doc', .* in parts, can't be written: .*'doc#2' as a passage of its own"),
        (LONG, own, r"The passage 'doc#2' can't be written: .*'doc#2' as part 2 of the document 'doc'"),
    ):
        namespaced = settings.model_copy(update={"namespace": make_namespace()})
        problems: list[InputError] = []
        with HippoRAG(reading(namespaced, llm_server), embedder=HashEmbedder(DIMENSIONS)) as rag:
            rag.index([first])
            with pytest.raises(InputError, match=said):
                rag.index([second])
            report = rag.index([second, OTHER], on_problem=problems.append)
            assert (report.passages, report.written, report.deleted) == (1, 1, 0)
            found = {p.id: p.text for p in rag.retrieve("harbour", mode="dense", limit=100).passages}
        kept = {part.id: part.text for part in split_passage(first, SIZE)}
        assert found == kept | {"other": OTHER.text}
        assert len(problems) == 1


def reading(settings: Settings, llm_server: LLMServer) -> Settings:
    """Settings with the scripted language model, and short passages."""
    update = {"openai_base_url": llm_server.url, "llm_model": "scripted", "passage_size": SIZE}
    return settings.model_copy(update=update)
