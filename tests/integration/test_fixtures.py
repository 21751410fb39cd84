"""What tests are given does what it says: it cleans up after itself and leaves other data alone."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import neo4j
import pytest
import yaml

from hipporag_neo4j.settings import Settings
from tests.embedders import CachedEmbedder
from tests.servers import PREFIX, ROOT, TestServer, compose_image, count_nodes, remove_namespace


def test_settings_point_at_the_server_and_a_fresh_namespace(
    settings: Settings, server: TestServer, namespace: str, make_namespace: Callable[[], str]
) -> None:
    assert settings.neo4j_uri == server.uri
    assert settings.namespace == namespace
    assert namespace.startswith(PREFIX)
    assert make_namespace() != namespace


def test_the_environment_leads_a_command_to_the_same_place(settings: Settings, environment: dict[str, str]) -> None:
    program = "from hipporag_neo4j.settings import Settings; print(Settings().neo4j_uri, Settings().namespace)"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == [settings.neo4j_uri, settings.namespace]


def test_removing_a_namespace_spares_the_others(
    server: TestServer, driver: neo4j.Driver, make_namespace: Callable[[], str]
) -> None:
    gone, kept = make_namespace(), make_namespace()
    for name in (gone, kept):
        driver.execute_query(
            "CREATE (:Passage {namespace: $name})-[:MENTIONS]->(:Phrase {namespace: $name})",
            name=name,
            database_=server.database,
        )
        driver.execute_query(
            "MATCH (s:Passage)-->(t) WHERE s.namespace = $name "
            "RETURN gds.graph.project('hipporag.' + $name + '.1', s, t)",
            name=name,
            database_=server.database,
        )
    remove_namespace(driver, server.database, gone)

    def left(name: str) -> tuple[int, int]:
        nodes, _, _ = driver.execute_query(
            "MATCH (n) WHERE n.namespace = $name RETURN n", name=name, database_=server.database
        )
        projections, _, _ = driver.execute_query(
            "CALL gds.graph.list() YIELD graphName WHERE graphName CONTAINS $name RETURN graphName",
            name=name,
            database_=server.database,
        )
        return len(nodes), len(projections)

    assert left(gone) == (0, 0)
    assert left(kept) == (2, 1)


def test_only_namespaces_of_tests_are_removed(server: TestServer, driver: neo4j.Driver) -> None:
    with pytest.raises(ValueError, match="not made by a test"):
        remove_namespace(driver, server.database, "default")


@pytest.mark.usefixtures("clean_database")
def test_a_clean_database_is_empty(server: TestServer, driver: neo4j.Driver) -> None:
    assert count_nodes(driver, server.database) == 0
    driver.execute_query("CREATE INDEX left_behind FOR (n:Foreign) ON (n.key)", database_=server.database)
    driver.execute_query("CREATE (:Foreign {key: 1})", database_=server.database)
    assert count_nodes(driver, server.database) == 1


def test_the_container_runs_the_image_of_the_compose_file() -> None:
    loaded = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8"))
    assert compose_image() == loaded["services"]["neo4j"]["image"]


def test_the_cached_model_gives_the_vectors_of_the_model(cached_minilm: CachedEmbedder, tmp_path: Path) -> None:
    vectors = cached_minilm.embed(["alan turing", "turing, alan"])
    assert vectors.shape == (2, cached_minilm.dimensions)
    assert vectors[0] @ vectors[1] > 0.8
