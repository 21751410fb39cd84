"""Schema versions: an older graph is refused until it is migrated, a newer one always."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

import neo4j
import pytest

from hipporag_neo4j.database import Database
from hipporag_neo4j.domain import MODES, Mode
from hipporag_neo4j.errors import GraphNotFoundError, SchemaVersionError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.migrate import MIGRATIONS, Migration, migrate_graph
from hipporag_neo4j.schema import SCHEMA_VERSION
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, keep_all, passage, write
from tests.servers import TestServer

PASSAGES = [passage("1", ("Ada", "knows", "Bob")), passage("2", ("Bob", "knows", "Cleo"))]
Set = Callable[[int], None]


@pytest.fixture
def rag(settings: Settings) -> Iterator[HippoRAG]:
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as opened:
        write(opened, PASSAGES)
        yield opened


@pytest.fixture
def set_version(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> Set:
    """Makes the graph one of another version."""

    def change(version: int) -> None:
        driver.execute_query(
            "MATCH (g:HippoGraph {namespace: $namespace}) SET g.schema_version = $version",
            namespace=rag.namespace,
            version=version,
            database_=server.database,
        )

    return change


def ask(rag: HippoRAG, mode: str) -> None:
    rag.retrieve("Who knows Bob?", mode=cast(Mode, mode), entities=["Bob"], fact_filter=keep_all)


def uses(rag: HippoRAG) -> list[Callable[[], object]]:
    """All that can be done with a graph, but dropping and migrating it."""
    return [
        rag.status,
        rag.init,
        rag.kept_answers,
        lambda: write(rag, PASSAGES),
        lambda: rag.delete(["1"]),
        lambda: rag.set_synonym_threshold(0.9),
        lambda: rag.tune_synonyms([0.9]),
        *(partial(ask, rag, mode) for mode in MODES),
    ]


def test_an_older_graph_is_refused_everywhere_and_can_be_dropped(rag: HippoRAG, set_version: Set) -> None:
    ask(rag, "dense")  # a client that has the graph open is refused as well
    set_version(SCHEMA_VERSION - 1)
    for use in uses(rag):
        with pytest.raises(SchemaVersionError, match=r"run `hipporag-neo4j migrate --namespace test_"):
            use()
    assert [graph.schema_version for graph in rag.graphs() if graph.namespace == rag.namespace] == [SCHEMA_VERSION - 1]
    assert rag.drop().passages == 2


def test_a_newer_graph_is_refused_everywhere(rag: HippoRAG, set_version: Set) -> None:
    set_version(SCHEMA_VERSION + 1)
    for use in [*uses(rag), rag.migrate]:
        with pytest.raises(SchemaVersionError, match="Upgrade hipporag-neo4j"):
            use()


def test_a_migration_in_the_middle_of_a_run_stops_it(settings: Settings, rag: HippoRAG, set_version: Set) -> None:
    class MigratingEmbedder(HashEmbedder):
        def embed(self, texts):  # type: ignore[no-untyped-def]  # as in the base class
            set_version(SCHEMA_VERSION + 1)
            return super().embed(texts)

    with HippoRAG(settings, embedder=MigratingEmbedder(DIMENSIONS)) as writer:
        with pytest.raises(SchemaVersionError, match="Upgrade"):
            write(writer, [passage("3", ("Dora", "knows", "Emil"))])
        set_version(SCHEMA_VERSION)
        assert writer.status().passages == 2


def count_up(name: str) -> Callable[[Database, str], None]:
    """A step that leaves a mark: another threshold, added up with each call."""

    def apply(database: Database, namespace: str) -> None:
        (row,) = database.run("schema/find_graph", namespace=namespace)
        threshold = row["graph"]["synonym_threshold"] + {"first": 0.01, "second": 0.02, "third": 0.04}[name]
        database.run("indexing/set_synonym_threshold", namespace=namespace, threshold=threshold)

    return apply


STEPS = tuple(
    Migration(n, f"The {name} step.", count_up(name)) for n, name in ((-1, "first"), (0, "second"), (1, "third"))
)


def test_steps_are_applied_in_order_and_each_counts_at_once(rag: HippoRAG, set_version: Set) -> None:
    def fail(database: Database, namespace: str) -> None:
        raise KeyboardInterrupt

    set_version(-1)
    broken = (*STEPS[:2], Migration(1, "Fails.", fail))
    with pytest.raises(KeyboardInterrupt):
        migrate_graph(rag.database, rag.namespace, broken)
    (there,) = [graph for graph in rag.graphs() if graph.namespace == rag.namespace]
    assert there.schema_version == 0
    migrated = migrate_graph(rag.database, rag.namespace, STEPS)
    assert (migrated.before, migrated.now, migrated.steps) == (0, 1, ("The third step.",))
    assert rag.status().graph.synonym_threshold == pytest.approx(0.8 + 0.02 + 0.04)
    again = migrate_graph(rag.database, rag.namespace, STEPS)
    assert (again.before, again.now, again.steps) == (1, 1, ())
    ask(rag, "hipporag1")


def test_a_graph_older_than_every_migration_is_told_so(rag: HippoRAG, set_version: Set) -> None:
    set_version(0)
    with pytest.raises(SchemaVersionError, match="No migration leads from schema version 0"):
        rag.migrate()
    set_version(-1)
    with pytest.raises(SchemaVersionError, match="No migration leads from schema version -1"):
        migrate_graph(rag.database, rag.namespace, STEPS[2:])


def test_there_is_nothing_to_migrate_where_there_is_no_graph(settings: Settings) -> None:
    with HippoRAG(settings) as rag, pytest.raises(GraphNotFoundError, match="holds no graph"):
        rag.migrate()


def test_the_steps_lead_to_the_version_of_this_package() -> None:
    assert [step.version for step in MIGRATIONS] == list(range(2, SCHEMA_VERSION + 1))
