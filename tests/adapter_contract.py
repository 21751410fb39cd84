"""What every retriever for another library must do: give what `HippoRAG.retrieve` gives, and fail when it fails."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import neo4j
import pytest

from hipporag_neo4j.domain import ExtractedPassage, Extraction, MetadataValue, Passage, Triple
from hipporag_neo4j.errors import InputError, NoLanguageModelError, ServerUnavailableError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.door import door_to
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, Fact, write
from tests.llm_server import LLMServer
from tests.servers import TestServer

QUESTION = "Who in Pellick was taught by Oda Merrin?"


@dataclass(frozen=True)
class Told:
    """What an adapter tells of a passage."""

    id: str
    text: str
    title: str
    score: float
    metadata: dict[str, Any]
    notices: list[str]


def _passage(id_: str, year: int, *facts: Fact, title: str = "") -> ExtractedPassage:
    metadata: dict[str, MetadataValue] = {"test_year": year, "score": "as the author sees it"}
    said = Passage(". ".join(" ".join(fact) for fact in facts), id=id_, title=title, metadata=metadata)
    return ExtractedPassage(said, Extraction(triples=tuple(Triple(*fact) for fact in facts)))


PASSAGES = [
    _passage("a", 2019, ("Oda Merrin", "taught", "Ilse Corvane"), title="Oda Merrin"),
    _passage("b", 2020, ("Ilse Corvane", "lives in", "Pellick"), title="The rent book"),
    _passage("c", 2021, ("Runa Estermont", "lives in", "Carrowick")),
    _passage("d", 2022, ("Joss Averill", "makes", "tide viols"), ("Joss Averill", "lives in", "Pellick")),
]


class RetrieverContract(ABC):
    """The tests; a subclass says how its library asks."""

    @abstractmethod
    def ask(self, rag: HippoRAG, question: str, limit: int, **options: Any) -> list[Told]:
        """Ask as the library does, with a retriever made for this question with these options."""

    @pytest.fixture(scope="class")
    @classmethod
    def rag(cls, module_settings: Settings) -> Iterator[HippoRAG]:
        """Over a graph that the tests only read."""
        with HippoRAG(module_settings, embedder=HashEmbedder(DIMENSIONS)) as opened:
            write(opened, PASSAGES)
            opened.declare_filterable({"test_year": "int"})
            yield opened

    @pytest.mark.parametrize("options", [{"mode": "dense"}, {"mode": "bm25"}, {"mode": "hybrid", "no_llm": True}])
    @pytest.mark.parametrize("limit", [1, 3])
    def test_it_gives_what_retrieve_gives(self, rag: HippoRAG, options: dict[str, Any], limit: int) -> None:
        found = self.ask(rag, QUESTION, limit, **options)
        expected = rag.retrieve(QUESTION, limit=limit, **options).passages
        assert [told.id for told in found] == [passage.id for passage in expected]
        assert len(found) == limit
        for told, passage in zip(found, expected, strict=True):
            assert told.score == pytest.approx(passage.score, rel=1e-6)
            assert (told.title, told.metadata) == (passage.title, dict(passage.metadata))
            assert passage.text in told.text

    def test_nothing_found_is_an_empty_list(self, rag: HippoRAG) -> None:
        assert self.ask(rag, "zzz", 5, mode="bm25") == []

    @pytest.mark.parametrize(
        ("options", "ids"),
        [({"mode": "dense"}, {"b", "c"}), ({"mode": "hybrid", "no_llm": True}, {"b"})],  # no walk leads to c
    )
    def test_a_filter_is_heeded(self, rag: HippoRAG, options: dict[str, Any], ids: set[str]) -> None:
        where = {"test_year": {">=": 2020, "<": 2022}}
        found = self.ask(rag, QUESTION, 4, where=where, **options)
        expected = rag.retrieve(QUESTION, limit=4, where=where, **options).passages
        assert [told.id for told in found] == [passage.id for passage in expected]
        assert {told.id for told in found} == ids
        with pytest.raises(InputError, match="'team', which isn't declared"):
            self.ask(rag, QUESTION, 4, where={"team": "x"}, **options)

    def test_what_went_otherwise_than_asked_is_told(self, rag: HippoRAG, llm_server: LLMServer) -> None:
        llm_server.respond = lambda request: "I'd rather not."
        asking = rag.settings.model_copy(update={"openai_base_url": llm_server.url, "llm_model": "scripted"})
        with HippoRAG(asking, embedder=rag.embedder) as opened:
            found = self.ask(opened, QUESTION, 2)
        assert len(found) == 2
        for told in found:
            assert len(told.notices) == 1
            assert "asked twice" in told.notices[0]

    def test_a_bad_question_and_a_missing_model_are_errors(self, rag: HippoRAG) -> None:
        with pytest.raises(InputError, match="question is empty"):
            self.ask(rag, " ", 5, mode="dense")
        with pytest.raises(InputError, match="limit is 0"):
            self.ask(rag, QUESTION, 0, mode="dense")
        with pytest.raises(NoLanguageModelError):
            self.ask(rag, QUESTION, 5)

    def test_an_outage_is_an_error_and_passes(self, server: TestServer, rag: HippoRAG) -> None:
        auth = (server.username, server.password.get_secret_value() if server.password else "")
        with (
            door_to(server.uri) as door,
            neo4j.GraphDatabase.driver(door.uri, auth=auth, max_transaction_retry_time=0.1) as driver,
            HippoRAG(rag.settings, driver=driver, embedder=rag.embedder) as through,
        ):
            before = self.ask(through, QUESTION, 3, mode="dense")
            door.shut()
            with pytest.raises(ServerUnavailableError, match="can't be reached"):
                self.ask(through, QUESTION, 3, mode="dense")
            door.open()
            assert self.ask(through, QUESTION, 3, mode="dense") == before
