"""What breaks off goes on from there: a model that fails, a key that is refused, Ctrl-C; nothing is lost or twice."""

import concurrent.futures
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import neo4j
import numpy as np
import pytest
from numpy.typing import NDArray

from hipporag_neo4j.domain import ExtractedPassage, Passage
from hipporag_neo4j.errors import EmbeddingError, InputError, LLMAccessError, LLMError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import link_synonyms, pipeline, read_passages_by_model
from hipporag_neo4j.indexing.link_synonyms import read_phrases
from hipporag_neo4j.schema import DEFAULT_SYNONYM_THRESHOLD
from hipporag_neo4j.settings import Settings
from hipporag_neo4j.status import list_failed
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, Content, assert_same, expected_content, passage, read_content, write
from tests.llm_server import LLMServer, Reply, Request, error, extract_from_prompt
from tests.servers import TestServer

PASSAGES = [
    passage(f"p{i}", (f"grand river bridge {i}", "near", f"town {i}"), (f"town {i}", "near", f"town {i + 1}"))
    for i in range(6)
]
SPOKEN = [Passage(f"Ada met {name} in Paris.", id=name) for name in ("Bob", "Cleo", "Dora", "Emil")]


class FailingEmbedder(HashEmbedder):
    """Fails for good once it was asked for more than `texts` texts."""

    def __init__(self, texts: int) -> None:
        super().__init__(DIMENSIONS)
        self.left = texts

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions)."""
        self.left -= len(texts)
        if self.left < 0:
            raise EmbeddingError("The endpoint is gone.")
        return super().embed(texts)


@pytest.mark.parametrize("texts", [0, 5, 12, 29])
def test_an_embedder_that_fails_leaves_whole_batches_and_the_next_run_completes(
    texts: int, settings: Settings, driver: neo4j.Driver, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "_WRITTEN_AT_ONCE", 2)
    with HippoRAG(settings, embedder=FailingEmbedder(texts)) as rag, pytest.raises(EmbeddingError, match="gone"):
        write(rag, PASSAGES)
    left = read_content(driver, server, settings.namespace)
    assert len(left.passages) % 2 == 0
    assert left.facts == _expected(PASSAGES[: len(left.passages)], settings).facts
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        report = write(rag, PASSAGES)
        assert (report.unchanged, report.written) == (len(left.passages), 6 - len(left.passages))
        assert not rag.status().interrupted
    assert_same(read_content(driver, server, settings.namespace), _expected(PASSAGES, settings))


def test_ctrl_c_while_synonyms_are_linked(
    settings: Settings, driver: neo4j.Driver, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_synonyms, "_WRITE_ROWS", 3)
    real = link_synonyms._phrase_ranges

    def some_ranges(first: NDArray[np.int64], new: int) -> Iterator[tuple[int, int]]:
        yield from islice(real(first, new), 2)
        raise KeyboardInterrupt

    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        with monkeypatch.context() as patch:
            patch.setattr(link_synonyms, "_phrase_ranges", some_ranges)
            with pytest.raises(KeyboardInterrupt):
                write(rag, PASSAGES)
        status = rag.status()
        assert status.interrupted
        assert 0 < status.unlinked < status.phrases
        write(rag, PASSAGES)
        assert rag.status().unlinked == 0
    assert_same(read_content(driver, server, settings.namespace), _expected(PASSAGES, settings))


def test_passages_that_break_off_leave_what_came_before(settings: Settings) -> None:
    """A source that fails, such as a file with a broken line at its end."""

    def broken() -> Iterator[ExtractedPassage]:
        yield from PASSAGES[:3]
        raise InputError("Line 4 is no JSON.")

    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        with pytest.raises(InputError, match="Line 4"):
            write(rag, broken())
        assert rag.status().passages == 3


def test_one_passage_that_cannot_be_read_is_kept_with_the_reason_and_tried_again(
    open_rag: Callable[..., HippoRAG], llm_server: LLMServer
) -> None:
    llm_server.respond = lambda request: "I'd rather not." if "Cleo" in request.prompt else extract_from_prompt(request)
    with open_rag() as rag:
        report = rag.index(SPOKEN)
        assert (report.written, report.failed, report.unchanged) == (3, 1, 0)
        status = rag.status()
        assert status.states == {"failed": 1, "written": 3}
        assert not status.interrupted
        (failed,) = list_failed(rag.database, rag.namespace, 10)
        assert failed.passage == "Cleo"
        assert failed.error.startswith("named entities: ")
        assert "cleo" not in _phrases(rag)

        llm_server.respond = extract_from_prompt
        llm_server.requests.clear()
        report = rag.index(SPOKEN)
        assert (report.written, report.failed, report.unchanged) == (1, 0, 3)
        assert len(llm_server.chats) == 2
        assert all("Cleo" in request.prompt for request in llm_server.chats)
        assert rag.status().states == {"written": 4}
        assert list_failed(rag.database, rag.namespace, 10) == ()
        assert "cleo" in _phrases(rag)

        llm_server.requests.clear()
        report = rag.index(SPOKEN)
        assert (report.written, report.unchanged) == (0, 4)
        assert llm_server.requests == []


def test_an_endpoint_that_fails_for_one_passage(open_rag: Callable[..., HippoRAG], llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: error(500) if "Dora" in request.prompt else extract_from_prompt(request)
    with open_rag() as rag:
        report = rag.index(SPOKEN)
        assert (report.written, report.failed) == (3, 1)
        assert [failed.passage for failed in list_failed(rag.database, rag.namespace, 10)] == ["Dora"]


def test_a_refused_key_stops_the_run_after_writing_what_was_read(
    open_rag: Callable[..., HippoRAG], llm_server: LLMServer
) -> None:
    llm_server.respond = lambda request: (
        error(401, code="invalid_api_key") if len(llm_server.chats) > 4 else extract_from_prompt(request)
    )
    with open_rag(llm_concurrency=1) as rag:
        with pytest.raises(LLMAccessError):
            rag.index(SPOKEN)
        status = rag.status()
        assert status.states == {"written": 2}
        assert status.interrupted

        llm_server.respond = extract_from_prompt
        llm_server.requests.clear()
        report = rag.index(SPOKEN)
        assert (report.written, report.unchanged) == (2, 2)
        assert len(llm_server.chats) == 4
        assert not rag.status().interrupted


def test_what_was_read_beside_a_refused_call_is_written(
    open_rag: Callable[..., HippoRAG], llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has cost as much as the rest, even if all calls end at once."""
    monkeypatch.setattr(read_passages_by_model, "wait", lambda futures, return_when: concurrent.futures.wait(futures))
    llm_server.respond = lambda request: (
        error(401, code="invalid_api_key") if "Emil" in request.prompt else extract_from_prompt(request)
    )
    with open_rag(llm_concurrency=4) as rag:
        with pytest.raises(LLMAccessError):
            rag.index(SPOKEN)
        assert rag.status().states == {"written": 3}


def test_halves_of_surrogate_pairs_from_a_model_do_not_stop_it(
    open_rag: Callable[..., HippoRAG], llm_server: LLMServer
) -> None:
    llm_server.respond = lambda request: (
        json.dumps({"triples": [["Ada \ud800", "met \udfff", "Bob"], ["\ud800", "is"]]})
        if "<entities>" in request.prompt
        else json.dumps({"named_entities": ["Ada \ud800"]})
    )
    with open_rag() as rag:
        report = rag.index(SPOKEN[:1])
        assert (report.written, report.failed, report.malformed_triples) == (1, 0, 1)
        assert _phrases(rag) == {"ada", "bob"}


def test_a_changed_text_that_cannot_be_read_takes_its_old_facts_with_it(
    open_rag: Callable[..., HippoRAG], llm_server: LLMServer
) -> None:
    """They were read in another text."""
    with open_rag() as rag:
        rag.index(SPOKEN[:1])
        assert rag.status().facts == 2
        llm_server.respond = lambda request: "No."
        rag.index([Passage("Zoe met Yan.", id="Bob")])
        status = rag.status()
        assert (status.facts, status.phrases, status.states) == (0, 0, {"failed": 1})


def _phrases(rag: HippoRAG) -> set[str]:
    return set(read_phrases(rag.database, rag.init()).names)


def _expected(passages: Sequence[ExtractedPassage], settings: Settings) -> Content:
    return expected_content(
        passages, HashEmbedder(DIMENSIONS), normalisation="unicode", threshold=DEFAULT_SYNONYM_THRESHOLD
    )


def test_a_model_that_reads_nothing_ends_the_run(settings: Settings, llm_server: LLMServer) -> None:
    """An outage is told after some passages, not after the whole corpus."""
    llm_server.respond = lambda request: error(500, "out of order")
    settings = settings.model_copy(
        update={"openai_base_url": llm_server.url, "llm_model": "scripted", "llm_retries": 0, "llm_concurrency": 4}
    )
    passages = [Passage(f"Passage number {n}.", id=str(n)) for n in range(60)]
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        with pytest.raises(LLMError, match="none of the first 20 passages"):
            rag.index(passages)
        assert 20 <= rag.status().states["failed"] <= 32
    assert len(llm_server.chats) < 40


def test_an_endpoint_that_stops_answering_ends_the_run(settings: Settings, llm_server: LLMServer) -> None:
    """An outage in the middle is told as well; answers that can't be read are no outage, however many there are."""

    def respond(request: Request) -> str | Reply:
        number = int(request.prompt.split("Passage number ")[-1].split(".")[0])
        if number < 10:
            return extract_from_prompt(request)
        return "I'd rather not." if number < 40 else error(500, "out of order")

    llm_server.respond = respond
    settings = settings.model_copy(
        update={"openai_base_url": llm_server.url, "llm_model": "scripted", "llm_retries": 0, "llm_concurrency": 1}
    )
    passages = [Passage(f"Passage number {n}.", id=str(n)) for n in range(100)]
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        with pytest.raises(LLMError, match="none of the last 20 passages"):
            rag.index(passages)
        assert rag.status().states == {"failed": 50, "written": 10}
