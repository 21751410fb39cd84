"""What is written once: only what is new is embedded, what was there is replaced, documents stay whole."""

import threading
from collections.abc import Callable
from dataclasses import replace

import neo4j
import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import ConfigurationError, InputError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import link_synonyms
from hipporag_neo4j.indexing.split_text import split_passage
from hipporag_neo4j.settings import Settings
from tests.embedders import CountingEmbedder, HashEmbedder
from tests.graphs import DIMENSIONS, passage, read_content, write
from tests.llm_server import LLMServer
from tests.servers import TestServer

SIZE = 300


def test_only_what_is_new_is_embedded(settings: Settings) -> None:
    embedder = CountingEmbedder(DIMENSIONS)
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
        with pytest.raises(ConfigurationError, match="tune-synonyms --apply"):
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
    with HippoRAG(reading(settings, llm_server), embedder=HashEmbedder(DIMENSIONS)) as rag:
        with pytest.raises(InputError, match="doc#1"):
            rag.index([LONG, Passage("Something else.", id="doc#1")])
        for thread in threading.enumerate():  # calls under way: closing shall cut no new connection
            if thread.name.startswith("extract"):
                thread.join()


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
