"""Adding, changing, deleting and pruning, in any order and broken off anywhere, give the graph of what is left."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import neo4j
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hipporag_neo4j.database import Database, Row
from hipporag_neo4j.domain import ExtractedPassage
from hipporag_neo4j.errors import ServerUnavailableError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import link_synonyms, pipeline, publish, take_back
from hipporag_neo4j.indexing.pipeline import Indexer
from hipporag_neo4j.indexing.prune import Prune
from hipporag_neo4j.schema import DEFAULT_SYNONYM_THRESHOLD
from hipporag_neo4j.settings import Settings
from hipporag_neo4j.text import NORMALISATIONS, Normalisation
from tests.embedders import CountingEmbedder, HashEmbedder
from tests.graphs import DIMENSIONS, Content, Fact, assert_same, expected_content, passage, read_content, write
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


@dataclass(frozen=True)
class Step:
    """Write some passages (and prune all others), or delete some; the connection is cut after so many statements."""

    kind: Literal["write", "prune", "delete"]
    passages: list[tuple[int, list[Fact]]]
    cut: int | None = None


FACTS = st.tuples(st.sampled_from(NAMES), st.sampled_from(("near", "Near!", "is")), st.sampled_from(NAMES))
PASSAGES = st.tuples(st.integers(0, 5), st.lists(FACTS, max_size=4))
STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(("write", "write", "prune", "delete")),
        st.lists(PASSAGES, min_size=1, max_size=6, unique_by=lambda p: p[0]),
        st.none() | st.integers(0, 30),
    ),
    min_size=1,
    max_size=6,
)
"""Several runs over the same few passages: each names some of them, with other facts or the same."""


class CutDatabase(Database):
    """Loses its connection when `left` statements or transactions have been run; None: never."""

    left: int | None = None

    def run(self, query: str, **parameters: Any) -> list[Row]:
        """As the database's own, while there is a connection."""
        self._spend()
        return super().run(query, **parameters)

    def write(self, *arguments: Any, **options: Any) -> Any:
        """As the database's own, while there is a connection."""
        self._spend()
        return super().write(*arguments, **options)

    def _spend(self) -> None:
        if self.left is not None:
            if self.left <= 0:
                raise ServerUnavailableError("The cable is cut.")
            self.left -= 1


class Changing:
    """A graph, and what it should hold."""

    def __init__(self, rag: HippoRAG, database: CutDatabase, read: Callable[[], Content]) -> None:
        self.database = rag.database = database
        self.rag = rag
        self.final: dict[str, ExtractedPassage] = {}
        self.indexer = Indexer(database, rag.init(), rag.embedder)
        self._read = read

    def take(self, step: Step) -> None:
        """Take the step; where it was cut off, each passage is as it was before or as it should be after."""
        named = {f"p{number}": passage(f"p{number}", *facts) for number, facts in step.passages}
        before = self.final
        kept = {} if step.kind == "prune" else {id_: p for id_, p in before.items() if id_ not in named}
        after = kept if step.kind == "delete" else kept | named
        self.database.left = step.cut
        try:
            report = self._run(step, named)
        except ServerUnavailableError:
            assert step.cut is not None
            stands = self._read().passages
            states = ((id_, p) for state in (before, after) for id_, p in state.items())
            self.final = {id_: p for id_, p in states if stands.get(id_) == p.passage.text}
            assert stands.keys() == self.final.keys()
            return
        finally:
            self.database.left = None
        self.final = after
        changed = [id_ for id_, p in named.items() if before.get(id_) != p]
        if step.kind == "delete":
            assert (report.passages, set(report.unknown)) == (len(before) - len(after), named.keys() - before.keys())
        else:
            assert (report.written, report.unchanged) == (len(changed), len(named) - len(changed))
            assert report.pruned == (len(before.keys() - after.keys()))

    def _run(self, step: Step, named: dict[str, ExtractedPassage]) -> Any:
        if step.kind == "delete":
            return self.rag.delete(named)
        prune = Prune(left_out=lambda: 0) if step.kind == "prune" else None
        return self.indexer.import_extracted(named.values(), prune=prune)


def check_steps(
    steps: list[Step],
    at_once: int,
    normalisation: Normalisation,
    settings: Settings,
    driver: neo4j.Driver,
    server: TestServer,
) -> None:
    """Take the steps; then, when a run has ended, the graph is that of the passages that are left."""
    embedder = CountingEmbedder(DIMENSIONS)
    with pytest.MonkeyPatch.context() as patch, HippoRAG(settings, embedder=embedder) as rag:
        patch.setattr(pipeline, "_WRITTEN_AT_ONCE", at_once)
        patch.setattr(link_synonyms, "_WRITE_ROWS", at_once)
        patch.setattr(take_back, "_AT_ONCE", at_once)
        patch.setattr(publish, "_DELETED_AT_ONCE", at_once)
        rag.database.close()
        database = CutDatabase(driver, name=server.database)
        graph = Changing(rag, database, lambda: read_content(driver, server, settings.namespace))
        for step in steps:
            graph.take(step)
        write(rag, [])
        found = read_content(driver, server, settings.namespace)
        expected = expected_content(
            graph.final.values(),
            HashEmbedder(DIMENSIONS),
            normalisation=normalisation,
            threshold=DEFAULT_SYNONYM_THRESHOLD,
        )
        assert_same(found, expected)
        _assert_counts(rag, expected)
        assert rag.database.run("indexing/count_deleted", namespace=rag.namespace) == [{"passages": 0}]

        embedder.texts.clear()
        before = rag.status()
        report = write(rag, list(graph.final.values()))
        assert (report.written, report.unchanged, report.synonyms) == (0, len(graph.final), 0)
        assert embedder.texts == []
        assert rag.status() == before


def _assert_counts(rag: HippoRAG, content: Content) -> None:
    status = rag.status()
    assert (status.passages, status.phrases, status.facts, status.mentions, status.synonyms) == tuple(
        map(len, (content.passages, content.phrases, content.facts, content.mentions, content.synonyms))
    )
    assert status.unlinked == 0
    assert not status.interrupted
    assert status.states == ({"written": len(content.passages)} if content.passages else {})
    assert status.passages_without_facts == len(content.passages) - len({id_ for id_, _ in content.mentions})


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
@hypothesis_settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # making a failing example small takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS, at_once=st.integers(1, 7))
def test_any_order_gives_the_last_state(
    normalisation: Normalisation,
    steps: list[Step],
    at_once: int,
    settings: Settings,
    make_namespace: Callable[[], str],
    driver: neo4j.Driver,
    server: TestServer,
) -> None:
    own = settings.model_copy(update={"namespace": make_namespace(), "normalisation": normalisation})
    check_steps(steps, at_once, normalisation, own, driver, server)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("normalisation", NORMALISATIONS)
@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=STEPS, at_once=st.integers(1, 7))
def test_any_of_many_orders_gives_the_last_state(
    normalisation: Normalisation,
    steps: list[Step],
    at_once: int,
    settings: Settings,
    make_namespace: Callable[[], str],
    driver: neo4j.Driver,
    server: TestServer,
) -> None:
    own = settings.model_copy(update={"namespace": make_namespace(), "normalisation": normalisation})
    check_steps(steps, at_once, normalisation, own, driver, server)


def test_a_phrase_that_comes_back_has_its_synonyms_again(
    settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    states = [("old mill", "near", "grand river bridge")], [("lake", "near", "sea")], [("old mill", "is", "old mills")]
    steps = [Step("write", [(0, list(facts))]) for facts in states] + [Step("write", [(1, list(states[0]))])]
    check_steps(steps, 2, "unicode", settings, driver, server)
