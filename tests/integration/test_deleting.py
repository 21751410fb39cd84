"""What `delete`, `prune` and `retry_failed` take, refuse and leave."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

from hipporag_neo4j.domain import MODES, Mode, Passage
from hipporag_neo4j.errors import GraphNotFoundError, InputError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing.take_back import take_back
from hipporag_neo4j.keys import passage_key
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, expected_content, keep_all, passage, read_content, write
from tests.llm_server import LLMServer, extract_from_prompt
from tests.servers import TestServer

THREE = [
    passage("a", ("ada", "knows", "bob"), text="Ada knows Bob."),
    passage("b", ("ada", "knows", "bob"), ("bob", "met", "cleo"), text="Ada knows Bob, who met Cleo."),
    passage("c", ("cleo", "met", "dora"), text="Cleo met Dora."),
]
LONG = "The harbour lies north of the town. "
NOTES = [
    Passage(LONG * 20, id="long", metadata={"team": "x", "year": 2019}),
    Passage("Rome lies on the Tiber.", id="rome", metadata={"team": "x", "year": 2020, "tags": ["a", "b"]}),
    Passage("Ostia lies on the sea.", id="ostia", metadata={"team": "y", "year": 2019, "draft": True}),
    Passage("Turin lies on the Po.", id="turin", metadata={"team": "y", "year": "2019"}),
]


@pytest.fixture
def rag(settings: Settings, llm_server: LLMServer) -> Iterator[HippoRAG]:
    """The namespace with the scripted language model, and short passages."""
    model = {"openai_base_url": llm_server.url, "llm_model": "scripted", "passage_size": 300, "llm_retries": 0}
    with HippoRAG(settings.model_copy(update=model), embedder=HashEmbedder(DIMENSIONS)) as opened:
        yield opened


def ids(rag: HippoRAG) -> set[str]:
    rows = rag.database.run("indexing/list_passages", namespace=rag.namespace)
    keys = [row["key"] for row in rows]
    found = rag.database.run("indexing/find_passages", keys=keys)
    assert len(found) == len(keys)
    candidates = {"a", "b", "c", "long", "rome", "ostia", "turin", *(f"long#{n}" for n in range(1, 9))}
    return {id_ for id_ in candidates if passage_key(rag.namespace, id_) in keys}


def test_a_fact_goes_with_its_last_passage_and_a_phrase_with_its_last_mention(
    rag: HippoRAG, driver: neo4j.Driver, server: TestServer
) -> None:
    write(rag, THREE)
    report = rag.delete(["b"])
    assert (report.passages, report.documents, report.facts, report.mentions, report.phrases) == (1, 1, 1, 3, 0)
    content = read_content(driver, server, rag.namespace)
    assert content.facts == {("ada", "knows", "bob"): {"a"}, ("cleo", "met", "dora"): {"c"}}
    report = rag.delete(["c"])
    assert (report.passages, report.facts, report.mentions, report.phrases) == (1, 1, 2, 2)
    content = read_content(driver, server, rag.namespace)
    assert content == expected_content(THREE[:1], rag.embedder, normalisation="unicode", threshold=0.8)
    (run,) = driver.execute_query(
        "MATCH (run:HippoRun {namespace: $n, id: $id}) RETURN run {.*} AS run",
        n=rag.namespace,
        id=report.run,
        database_=server.database,
    ).records
    assert (run["run"]["kind"], run["run"]["state"], run["run"]["deleted"]) == ("delete", "finished", 1)


def test_the_last_passage_leaves_nothing(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> None:
    write(rag, THREE)
    rag.delete(["a", "b", "c"])
    labels = driver.execute_query(
        "MATCH (n {namespace: $n}) UNWIND labels(n) AS label RETURN collect(DISTINCT label) AS labels",
        n=rag.namespace,
        database_=server.database,
    ).records[0]["labels"]
    assert set(labels) == {"HippoGraph", "HippoRun"}


@pytest.mark.parametrize("mode", MODES)
def test_readers_never_see_a_passage_that_is_marked(
    mode: Mode, rag: HippoRAG, driver: neo4j.Driver, server: TestServer
) -> None:
    """Deleted and not yet published: the projection of the version before still holds its node; its id stays taken."""

    def search() -> set[str]:
        given: dict[str, Any] = {"mode": mode, "fact_filter": keep_all, "limit": 10}
        if mode in ("hipporag1", "hybrid"):
            given["entities"] = ["bob", "cleo"]
        return {found.id for found in rag.retrieve("Whom did Bob and Cleo meet, and who knows Ada?", **given).passages}

    def node_ids(label: str) -> set[int]:
        statement = f"MATCH (n:{label} {{namespace: $n}}) RETURN collect(id(n)) AS ids"
        with driver.session(database=server.database) as session:
            record = session.run(statement, n=rag.namespace).single(strict=True)
        return set(record["ids"])

    write(rag, THREE)
    assert search() == {"a", "b", "c"}
    before = node_ids("Passage")
    taken = take_back(rag.database, rag.namespace, [passage_key(rag.namespace, "b")])
    assert taken.passages == 1
    assert search() == {"a", "c"}
    marked = node_ids("HippoDeleted")
    assert len(marked) == 1
    assert marked == before - node_ids("Passage")
    assert rag.status().interrupted
    write(rag, THREE)
    assert node_ids("HippoDeleted") == set()
    assert search() == {"a", "b", "c"}


def test_a_part_of_a_document_means_the_whole(rag: HippoRAG) -> None:
    rag.index(NOTES)
    parts = {id_ for id_ in ids(rag) if id_.startswith("long#")}
    assert len(parts) == 3
    for named in ("long", "long#2"):
        planned = rag.delete([named], dry_run=True)
        assert (set(planned.ids), planned.documents, planned.passages, planned.run) == (parts, 1, 0, "")
    assert set(rag.delete(document="long", dry_run=True).ids) == parts
    assert ids(rag) == parts | {"rome", "ostia", "turin"}
    assert rag.delete(["long#2", "rome", "long", "nobody"]).unknown == ("nobody",)
    assert ids(rag) == {"ostia", "turin"}
    assert rag.delete(document="ostia").passages == 1
    assert rag.delete(document="long").unknown == ("long",)


@pytest.mark.parametrize(
    ("where", "left"),
    [
        ({"team": "x"}, {"ostia", "turin"}),
        ({"team": "x", "year": 2020}, {"long#1", "long#2", "long#3", "ostia", "turin"}),
        ({"year": 2019}, {"rome", "turin"}),
        ({"year": 2019.0}, {"rome", "turin"}),
        ({"year": "2019"}, {"long#1", "long#2", "long#3", "rome", "ostia"}),
        ({"draft": True}, {"long#1", "long#2", "long#3", "rome", "turin"}),
        ({"tags": ["a", "b"]}, {"long#1", "long#2", "long#3", "ostia", "turin"}),
        ({"team": "z"}, {"long#1", "long#2", "long#3", "rome", "ostia", "turin"}),
    ],
)
def test_metadata_is_compared_with_its_kind(where: dict[str, Any], left: set[str], rag: HippoRAG) -> None:
    rag.index(NOTES)
    report = rag.delete(where=where)
    assert ids(rag) == left
    assert report.passages == 6 - len(left)


@pytest.mark.parametrize(
    "name",
    [
        "yaer",
        "text",
        "year IS NOT NULL OR 1",
        "year`] IS NOT NULL OR passage[`id",
        "x' OR true //",
        "'] OR true RETURN [",
    ],
)
def test_a_name_that_no_metadata_has_is_refused(name: str, rag: HippoRAG) -> None:
    rag.index(NOTES[1:])
    with pytest.raises(InputError, match=r"No passage has metadata named .*'draft', 'tags', 'team', 'year'"):
        rag.delete(where={name: 2019})
    assert len(ids(rag)) == 3


def test_what_to_delete_is_said_in_one_way(rag: HippoRAG) -> None:
    with pytest.raises(GraphNotFoundError):
        rag.delete(["a"])
    write(rag, THREE)
    wrong: list[dict[str, Any]] = [
        {},
        {"ids": ["a"], "document": "a"},
        {"ids": "a"},
        {"ids": [1]},
        {"where": {}},
        {"where": {"year": None}},
        {"where": {"year": {"at least": 2019}}},
        {"document": "a", "where": {"year": 1}},
    ]
    for given in wrong:
        with pytest.raises(InputError):
            rag.delete(**given)
    report = rag.delete(["x", "it's `} RETURN 1 //"])
    assert (report.passages, report.run, report.unknown) == (0, "", ("x", "it's `} RETURN 1 //"))
    assert rag.delete([]).passages == 0
    assert ids(rag) == {"a", "b", "c"}


def test_other_namespaces_keep_what_has_the_same_ids(settings: Settings, make_namespace: Any) -> None:
    with (
        HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as one,
        HippoRAG(settings, namespace=make_namespace(), embedder=HashEmbedder(DIMENSIONS)) as other,
    ):
        for rag in (one, other):
            write(rag, THREE)
        before = other.status()
        one.delete(["a", "b", "c"])
        assert other.status() == before
        assert one.status().passages == 0


def test_relationships_of_others_do_not_hold_a_passage(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> None:
    write(rag, THREE)
    driver.execute_query(
        "MATCH (p:Passage {namespace: $n, id: 'a'}) CREATE (p)<-[:CITES]-(:TestPaper {namespace: $n})",
        n=rag.namespace,
        database_=server.database,
    )
    assert rag.delete(["a"]).passages == 1
    assert not rag.status().interrupted
    assert ids(rag) == {"b", "c"}


def test_pruning_leaves_what_the_source_holds(rag: HippoRAG) -> None:
    rag.index(NOTES)
    report = rag.index([NOTES[0], NOTES[2]], prune=True)
    assert (report.unchanged, report.written, report.deleted, report.pruned) == (4, 0, 0, 2)
    assert ids(rag) == {"long#1", "long#2", "long#3", "ostia"}
    shorter = Passage(LONG * 10, id="long")
    report = rag.index([shorter], prune=True)
    assert (report.deleted, report.pruned) == (1, 1)
    assert ids(rag) == {"long#1", "long#2"}


def test_nothing_is_pruned_when_the_source_is_not_read_whole(rag: HippoRAG) -> None:
    rag.index(NOTES[1:])

    def broken() -> Iterator[Passage]:
        yield NOTES[1]
        raise InputError("Line 2 is no JSON.")

    with pytest.raises(InputError, match="Line 2"):
        rag.index(broken(), prune=True)
    problems: list[InputError] = []
    report = rag.index([NOTES[1], Passage(" ", id="turin")], prune=True, on_problem=problems.append)
    assert (report.pruned, len(problems)) == (0, 1)
    same_id = [NOTES[1], Passage("Another text.", id="rome")]
    assert rag.index(same_id, prune=True, on_problem=problems.append).pruned == 0
    assert ids(rag) == {"rome", "ostia", "turin"}
    # A part of another document: it is left out, so the source is not whole either.
    rag.index([NOTES[0]])
    taken = [Passage("Mine.", id="long#2")]
    assert rag.index(taken, prune=True, on_problem=problems.append).pruned == 0
    assert len(problems) == 3
    assert len(ids(rag)) == 6


def test_an_empty_source_prunes_only_by_force(rag: HippoRAG, tmp_path: Path) -> None:
    rag.index(NOTES[1:])
    with pytest.raises(InputError, match="--force"):
        rag.index([], prune=True)
    with pytest.raises(InputError, match="no passage"):
        rag.index(tmp_path, prune=True)
    with pytest.raises(InputError, match="doesn't exist"):
        rag.index(tmp_path / "gone.jsonl", prune=True, force=True)
    assert len(ids(rag)) == 3
    assert rag.index(tmp_path, prune=True, force=True).pruned == 3
    assert ids(rag) == set()


def test_pruning_an_import(rag: HippoRAG, tmp_path: Path) -> None:
    file = tmp_path / "openie.json"

    def give(*names: str) -> None:
        docs = [{"idx": name, "passage": f"{name} is.", "extracted_triples": [[name, "is", "x"]]} for name in names]
        file.write_text(json.dumps({"docs": docs}))

    give("a", "b")
    rag.import_openie(file)
    give("b", "c")
    report = rag.import_openie(file, prune=True)
    assert (report.unchanged, report.written, report.pruned) == (1, 1, 1)
    assert ids(rag) == {"b", "c"}
    file.write_text('{"docs": []}')
    with pytest.raises(InputError, match="no passage"):
        rag.import_openie(file, prune=True)
    assert rag.import_openie(file, prune=True, force=True).pruned == 2


def test_failed_passages_are_read_again_from_the_graph(rag: HippoRAG, llm_server: LLMServer) -> None:
    """They keep text, title, metadata and place in their document, and only they are asked about."""
    llm_server.respond = lambda request: (
        "No." if "harbour" in request.prompt or "Ostia" in request.prompt else extract_from_prompt(request)
    )
    assert rag.index(NOTES).failed == 4
    llm_server.respond = lambda request: "No." if "Ostia" in request.prompt else extract_from_prompt(request)
    llm_server.requests.clear()
    report = rag.retry_failed()
    assert (report.passages, report.written, report.failed, report.unchanged) == (4, 3, 1, 0)
    assert not any("Rome" in request.prompt or "Turin" in request.prompt for request in llm_server.chats)
    llm_server.respond = extract_from_prompt
    assert rag.retry_failed().written == 1
    assert rag.status().states == {"written": 6}
    llm_server.requests.clear()
    assert rag.retry_failed().passages == 0
    report = rag.index(NOTES)
    assert (report.unchanged, report.written, report.deleted) == (6, 0, 0)
    assert llm_server.requests == []
    assert rag.delete(where={"team": "x", "year": 2019}, dry_run=True).ids == ("long#1", "long#2", "long#3")


def test_retrying_needs_a_graph(rag: HippoRAG) -> None:
    with pytest.raises(GraphNotFoundError):
        rag.retry_failed()


def test_an_interrupted_deletion_goes_on(rag: HippoRAG) -> None:
    """What was taken back and not published: deleting the same again publishes it, though nothing is left to delete."""
    write(rag, THREE)
    take_back(rag.database, rag.namespace, [passage_key(rag.namespace, "c")])
    assert rag.status().interrupted
    report = rag.delete(["c"])
    assert (report.passages, report.unknown, report.phrases) == (0, ("c",), 1)
    assert not rag.status().interrupted
