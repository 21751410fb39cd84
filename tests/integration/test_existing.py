"""Retrieval over graphs of others: as neo4j-graphrag's pipeline builds one, of films, and one of ours once more."""

import tomllib
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hipporag_neo4j.database import Database
from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.errors import ConfigurationError, GraphMismatchError, InputError, NoLanguageModelError
from hipporag_neo4j.facade.existing import ExistingGraph
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.existing_graphs import (
    CHUNKS,
    ENTITIES,
    FILMS,
    PIPELINE,
    Run,
    copied_file,
    copied_graph,
    everything,
    film_graph,
    indexes,
    options,
    pipeline_graph,
)
from tests.graphs import DIMENSIONS, keep_all, passage, write
from tests.llm_server import LLMServer, Reply
from tests.servers import TestServer

if TYPE_CHECKING:
    import neo4j

QUESTION = "Where does the person who learned from Oda Merrin live?"
OURS = (
    passage("1", ("oda merrin", "taught", "ilse corvane"), ("oda merrin", "worked in", "carrowick"), title="Oda"),
    passage("2", ("ilse corvane", "lives on", "cooper s stair"), ("oda merrin", "taught", "ilse corvane")),
    passage("3", ("runa estermont", "sells", "salt"), ("runa estermont", "lives in", "carrowick")),
    passage("4", ("joss averill", "sails from", "pellick"), ("cooper s stair", "is in", "pellick")),
    passage("5", ("ilse corvaine", "plays", "tide viols"), ("tide viols", "are made of", "driftwood")),
    passage("6", ("salt", "is dug on", "the skerries"), ("joss averill", "sails to", "the skerries")),
)
MARK = f"_{uuid.uuid4().hex[:8]}"
Opened = Callable[..., ExistingGraph]


@pytest.fixture(scope="module")
def pipeline(driver: "neo4j.Driver", server: TestServer) -> Iterator[Run]:
    """The pipeline's graph, for all tests of this module."""
    with pipeline_graph(driver, server, HashEmbedder(DIMENSIONS)) as run:
        yield run


@pytest.fixture(scope="module")
def ours(module_settings: Settings) -> Iterator[HippoRAG]:
    """A graph of this product's own."""
    with HippoRAG(module_settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, OURS)
        yield rag


@pytest.fixture(scope="module")
def copied(ours: HippoRAG, driver: "neo4j.Driver", server: TestServer) -> Iterator[Run]:
    """The same graph under other names."""
    with copied_graph(driver, server, ours.namespace, HashEmbedder(DIMENSIONS), MARK) as run:
        yield run


@pytest.fixture(scope="module")
def films(driver: "neo4j.Driver", server: TestServer) -> Iterator[Run]:
    """The graph of films."""
    with film_graph(driver, server, MARK) as run:
        yield run


@pytest.fixture
def film_file(films: Run, tmp_path: Path) -> Path:
    """What its team says of it."""
    file = tmp_path / "films.toml"
    file.write_text(FILMS.format(mark=MARK), encoding="utf-8")
    return file


@pytest.fixture
def over(module_settings: Settings) -> Iterator[Opened]:
    """Opens a graph by what its file says."""
    opened: list[ExistingGraph] = []

    def open_it(file: Any, dimensions: int = DIMENSIONS) -> ExistingGraph:
        opened.append(ExistingGraph(file, module_settings, embedder=HashEmbedder(dimensions)))
        return opened[-1]

    yield open_it
    for one in opened:
        one.refresh()
        one.close()


def texts(result: RetrievalResult) -> list[str]:
    """Of the passages found."""
    return [one.text for one in result.passages]


@pytest.mark.usefixtures("pipeline")
def test_dense_finds_the_nearest_chunk(over: Opened) -> None:
    result = over(PIPELINE).retrieve("Runa Estermont sells salt", mode="dense", limit=2)
    assert texts(result)[0] == CHUNKS[2]
    assert result.passages[0].metadata == {"index": 2}


@pytest.mark.usefixtures("pipeline")
def test_bm25_finds_chunks_by_their_words(over: Opened) -> None:
    assert texts(over(PIPELINE).retrieve("Who sells salt?", mode="bm25")) == [CHUNKS[2]]


@pytest.mark.usefixtures("pipeline")
def test_an_explanation_is_refused_not_made_up(over: Opened) -> None:
    with pytest.raises(InputError, match="can't be explained yet"):
        over(PIPELINE).retrieve("Who?", mode="bm25").explain()


@pytest.mark.usefixtures("pipeline")
def test_hipporag1_walks_to_what_shares_no_word(over: Opened) -> None:
    result = over(PIPELINE).retrieve(QUESTION, mode="hipporag1", entities=["oda MERRIN"], limit=4)
    assert [(seed.phrase, seed.similarity) for seed in result.seeds] == [("Oda Merrin", 1.0)]
    assert texts(result)[:2] == [CHUNKS[0], CHUNKS[1]]
    assert result.fallback is None
    assert not result.stale


@pytest.mark.usefixtures("pipeline")
@pytest.mark.parametrize(
    ("mode", "given", "way"),
    [
        ("hipporag2", {}, "the phrases nearest to the question"),
        ("hybrid", {"entities": ["Oda Merrin"]}, "what the question names"),
        ("hybrid", {"no_llm": True}, "the phrases nearest to the question"),
    ],
)
def test_facts_without_vectors_are_said_to_be_left_out(over: Opened, mode: Mode, given: Any, way: str) -> None:
    result = over(PIPELINE).retrieve("Oda Merrin", mode=mode, limit=4, **given)
    assert result.mode == mode
    assert result.way == f"Facts have no vectors here: the walk starts from {way}."
    assert CHUNKS[0] in texts(result)[:2]
    assert CHUNKS[1] in texts(result)
    seeds = {seed.phrase: seed for seed in result.seeds}
    assert seeds["Oda Merrin"].similarity == pytest.approx(1.0)
    chunks_of = {name: len(found_in) for _, name, found_in in ENTITIES}
    for name, seed in seeds.items():
        assert seed.weight * chunks_of[name] == pytest.approx(seeds["Oda Merrin"].weight)


@pytest.mark.usefixtures("pipeline")
def test_the_dry_run_counts_what_the_pipeline_made(over: Opened) -> None:
    found = over(PIPELINE).check(samples=4)
    counts = {part.what: part.count for part in found.parts}
    assert counts == {
        "passages (Chunk)": 4, "phrases (__Entity__)": 7, "mentions (:Chunk)<-[:FROM_CHUNK]-()": 10,
        "relationships WORKS_IN": 2, "relationships LIVES_ON": 1, "relationships PART_OF": 1,
        "relationships SAILS_FROM": 1, "relationships TAUGHT": 1,
    }  # fmt: skip
    assert [(size.shape, size.nodes, size.relationships) for size in found.sizes] == [
        ("phrases", 7, 12),
        ("passages", 11, 32),
    ]
    assert found.problems == ()
    assert ("Oda Merrin", "TAUGHT", "Ilse Corvane") in {(f.subject, f.predicate, f.object) for f in found.facts}
    assert ("Carrowick", "Ilse Corvane", "Oda Merrin") in {one.phrases for one in found.passages}
    assert "(passage:`Chunk`)<-[mention:`FROM_CHUNK`]-(phrase:`__Entity__`)" in found.statements["project_passages"]


def test_a_projection_has_the_size_that_the_dry_run_says(over: Opened, pipeline: Run) -> None:
    graph = over(PIPELINE)
    graph.retrieve(QUESTION, mode="hipporag1", entities=["Oda Merrin"])
    graph.retrieve(QUESTION, mode="hipporag2")
    there = pipeline(
        "CALL gds.graph.list() YIELD graphName, nodeCount, relationshipCount WHERE graphName STARTS WITH $prefix "
        "RETURN nodeCount AS n, relationshipCount AS r ORDER BY n",
        prefix=f"hipporag.{graph._layout.namespace}.",
    )
    assert there == [{"n": 7, "r": 12}, {"n": 11, "r": 32}]


def test_nothing_is_written_and_no_write_session_is_opened(
    over: Opened, pipeline: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    import neo4j

    before = everything(pipeline)
    modes: list[Any] = []
    real = neo4j.Driver.session

    def session(self: neo4j.Driver, **config: Any) -> neo4j.Session:
        modes.append(config.get("default_access_mode"))
        return real(self, **config)

    graph = over(PIPELINE)
    monkeypatch.setattr(neo4j.Driver, "session", session)
    graph.check()
    for mode in ("dense", "bm25", "hipporag1", "hipporag2", "hybrid"):
        graph.retrieve(QUESTION, mode=mode, entities=["Oda Merrin"] if mode in ("hipporag1", "hybrid") else None)
    graph.refresh()
    monkeypatch.undo()
    assert set(modes) == {"READ"}
    assert everything(pipeline) == before


def test_an_answer_is_read_in_the_passages_and_kept_nowhere(
    pipeline: Run, module_settings: Settings, llm_server: LLMServer
) -> None:
    own = {"llm_model": "scripted", "openai_base_url": llm_server.url}
    before = everything(pipeline)
    with ExistingGraph(PIPELINE, module_settings.model_copy(update=own), embedder=HashEmbedder(DIMENSIONS)) as graph:
        llm_server.script = [Reply('{"explanation": "She does.", "answer": "On Cooper\'s Stair", "passages": [2]}')]
        answer = graph.answer(QUESTION, mode="hipporag1", entities=["Oda Merrin"], passages=2)
        assert answer.answer == "On Cooper's Stair"
        assert texts(answer.retrieval) == [CHUNKS[0], CHUNKS[1]]
        assert [one.text for one in answer.passages] == [CHUNKS[1]]
        llm_server.script = [
            Reply('{"thought": "Who sails the ferry?"}'),
            Reply('{"thought": "He does.", "answer": "Joss Averill"}'),
        ]
        steps = graph.retrieve_by_steps("Who lives near the ferry?", mode="bm25", steps=3).steps
        assert [step.thought for step in steps] == [None, "Who sails the ferry?", "He does."]
        assert steps[-1].answer == "Joss Averill"
        graph.refresh()
    assert everything(pipeline) == before


def test_what_is_added_is_walked_at_once(over: Opened, pipeline: Run) -> None:
    graph = over(PIPELINE)
    assert texts(graph.retrieve(QUESTION, mode="hipporag1", entities=["Runa Estermont"], limit=9))[0] == CHUNKS[2]
    pipeline("MATCH (e:__Entity__ {name: 'Runa Estermont'}), (c:Chunk {index: 3}) CREATE (e)-[:FROM_CHUNK]->(c)")
    try:
        after = graph.retrieve(QUESTION, mode="hipporag1", entities=["Runa Estermont"], limit=9)
    finally:
        pipeline("MATCH (:__Entity__ {name: 'Runa Estermont'})-[r:FROM_CHUNK]->(:Chunk {index: 3}) DELETE r")
    assert set(texts(after)[:2]) == {CHUNKS[2], CHUNKS[3]}
    assert not after.stale


def test_a_projection_is_made_anew_when_it_is_older_than_wanted(over: Opened, pipeline: Run) -> None:
    graph = over(PIPELINE | {"projection": {"keep_seconds": 0}})

    def made() -> list[Any]:
        graph.retrieve(QUESTION, mode="hipporag1", entities=["Oda Merrin"])
        return pipeline(
            "CALL gds.graph.list() YIELD graphName, creationTime WHERE graphName STARTS WITH $prefix "
            "RETURN creationTime",
            prefix=f"hipporag.{graph._layout.namespace}.",
        )

    first, second = made(), made()
    assert len(first) == len(second) == 1
    assert first != second


@pytest.mark.usefixtures("copied")
@pytest.mark.parametrize("question", ["Where does the pupil of Oda Merrin live?", "Who sails where salt is dug?"])
@pytest.mark.parametrize(
    ("mode", "given"),
    [
        ("dense", {}),
        ("hipporag1", {"entities": ["Oda Merrin", "salt diggers"]}),
        ("hipporag2", {"fact_filter": keep_all}),
        ("hybrid", {"fact_filter": keep_all, "entities": ["salt", "Cooper's Stair"]}),
        ("hybrid", {"no_llm": True}),
    ],
)
def test_the_same_graph_under_other_names_gives_the_same(
    over: Opened, ours: HippoRAG, question: str, mode: Mode, given: dict[str, Any]
) -> None:
    expected = ours.retrieve(question, mode=mode, limit=6, **given)
    found = over(copied_file(MARK)).retrieve(question, mode=mode, limit=6, **given)
    assert [one.id for one in found.passages] == [one.id for one in expected.passages]
    assert [one.score for one in found.passages] == pytest.approx([one.score for one in expected.passages], abs=1e-9)
    assert [(seed.phrase, seed.entity) for seed in found.seeds] == [
        (seed.phrase, seed.entity) for seed in expected.seeds
    ]
    assert [seed.weight for seed in found.seeds] == pytest.approx([seed.weight for seed in expected.seeds])
    assert found.looks == expected.looks
    assert [one.title for one in found.passages] == [one.title for one in expected.passages]
    assert found.way is None


def test_films_are_found_by_the_people_in_them(over: Opened, film_file: Path) -> None:
    graph = over(film_file)
    result = graph.retrieve(
        "What else did the partner of Mira Tolle play in?", mode="hipporag1", entities=["Mira Tolle"]
    )
    assert [one.id for one in result.passages] == ["The Salt Ferry", "Rent Day", "Tide Viol"]
    assert result.passages[0].text == "No way back.\nA ferryman waits."
    assert result.passages[0].metadata == {"released": "1961-03-02"}
    assert result.way == "Phrases have no vectors here, so that things are found by their names alone."


def test_a_chain_of_relationships_mentions_too(over: Opened, film_file: Path) -> None:
    result = over(film_file).retrieve("Who runs it?", mode="hybrid", entities=["Una Krey"])
    assert result.passages[0].id == "Rent Day"
    counts = {part.what.replace(MARK, ""): part.count for part in over(film_file).check().parts}
    assert counts == {
        "passages (Film)": 4, "phrases (Person)": 3, "phrases (Film)": 4, "mentions (:Film) itself": 4,
        "mentions (:Film)<-[:PLAYED_IN]-()": 3, "mentions (:Film)-[:SHOWN_BY]->(:Studio)<-[:RUNS]-()": 1,
        "relationships PLAYED_IN": 3, "relationships TAUGHT": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "given", "said"),
    [
        ("dense", {}, "passages.vector in the graph file"),
        ("hipporag1", {"entities": ["Nobody Known"]}, "Dense search, which answers where a walk has nowhere to start"),
        ("hybrid", {"no_llm": True}, "vectors of phrases or of facts"),
        ("hybrid", {"looks": 2, "entities": ["Una Krey"]}, "A further look"),
    ],
)
def test_a_mode_says_what_it_lacks(over: Opened, film_file: Path, mode: Mode, given: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        over(film_file).retrieve("Which film?", mode=mode, **given)


def test_the_dry_run_says_which_modes_lack_what(over: Opened, film_file: Path) -> None:
    modes = {one.mode: (one.works, one.note) for one in over(film_file).check().modes}
    assert [mode for mode, (works, _) in modes.items() if not works] == ["dense"]
    assert "needs passages.vector" in str(modes["dense"][1])


@pytest.fixture
def crowd(copied: Run) -> Iterator[Callable[[], dict[str, Any]]]:
    """Puts the copied graph under indexes full of something else, nearer to the question and farther from it."""
    vector = f"ON x.v OPTIONS {options(HashEmbedder(DIMENSIONS))}"
    around = np.random.default_rng(7).normal(0, 0.001, (700, DIMENSIONS))
    question = HashEmbedder(DIMENSIONS).embed([QUESTION])[0]
    with ExitStack() as there:

        def crowd() -> dict[str, Any]:
            words, passages, phrases, facts = there.enter_context(
                indexes(
                    copied,
                    f"CREATE FULLTEXT INDEX $name FOR (x:Text{MARK}|Noise{MARK}) ON EACH [x.heading, x.body]",
                    f"CYPHER 25 CREATE VECTOR INDEX $name FOR (x:Text{MARK}|Noise{MARK}) {vector}",
                    f"CYPHER 25 CREATE VECTOR INDEX $name FOR (x:`A thing ``{MARK}```|Noise{MARK}) {vector}",
                    f"CYPHER 25 CREATE VECTOR INDEX $name FOR ()-[x:SAYS{MARK}|NOISE{MARK}]-() {vector}",
                )
            )
            copied(
                f"UNWIND $vectors AS vector CREATE (n:Noise{MARK} {{body: $text}})-[r:NOISE{MARK}]->(n) WITH * "
                "CALL db.create.setNodeVectorProperty(n, 'v', vector) "
                "CALL db.create.setRelationshipVectorProperty(r, 'v', vector)",
                vectors=[*(question + around).tolist(), *(around - question).tolist()],
                text=QUESTION,
            )
            file = changed(copied_file(MARK), "passages", text_index=words, vector_index=passages)
            return changed(changed(file, "phrases", vector_index=phrases), "relationships", vector_index=facts)

        yield crowd
        copied(f"MATCH (n:Noise{MARK}) DETACH DELETE n")


@pytest.mark.parametrize(
    ("mode", "given"),
    [
        ("bm25", {}),
        ("dense", {}),
        ("hipporag1", {"entities": [QUESTION]}),
        ("hipporag2", {"fact_filter": keep_all}),
        ("hybrid", {"fact_filter": keep_all, "entities": ["salt"]}),
    ],
)
def test_what_shares_an_index_with_other_things_is_found(
    over: Opened, crowd: Callable[[], dict[str, Any]], mode: Mode, given: dict[str, Any]
) -> None:
    expected = over(copied_file(MARK)).retrieve(QUESTION, mode=mode, limit=3, **given)
    shared = over(crowd())
    found = shared.retrieve(QUESTION, mode=mode, limit=3, **given)
    assert expected.passages
    if mode == "bm25":  # whose scores know how common a word is in the whole index
        assert found.passages
        assert {one.id for one in found.passages} <= {one.passage.id for one in OURS}
    else:
        scores = [one.score for one in expected.passages]
        assert texts(found) == texts(expected)
        assert [one.score for one in found.passages] == pytest.approx(scores, abs=1e-9)
    assert found.seeds == expected.seeds
    assert found.looks == expected.looks
    assert found.fallback is None
    assert any(f"(over Noise{MARK}, too, which takes longer)" in part.details for part in shared.check().parts)


@pytest.mark.parametrize(("mode", "what"), [("dense", "passage"), ("hybrid", "passage"), ("hipporag2", "fact")])
def test_an_index_full_of_other_things_is_told(
    over: Opened, crowd: Callable[[], dict[str, Any]], monkeypatch: pytest.MonkeyPatch, mode: Mode, what: str
) -> None:
    # Of the facts some are near enough, and none is far enough: a third as many of those are looked at.
    monkeypatch.setattr("hipporag_neo4j.existing.sources._MOST_FETCHED", 200 if what == "passage" else 1000)
    graph = over(crowd())
    with pytest.raises(ConfigurationError, match=rf"nearest, or farthest, of what it holds is no {what}\. Make an"):
        graph.retrieve(QUESTION, mode=mode, limit=2, fact_filter=keep_all)


def test_a_search_is_repeated_only_where_it_may_find_more(
    over: Opened, crowd: Callable[[], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    run = Database.run

    def counted(self: Database, query: str, /, **parameters: Any) -> Any:
        asked.append(query)
        return run(self, query, **parameters)

    own = over(copied_file(MARK))
    own.check()
    shared = over(crowd())
    monkeypatch.setattr(Database, "run", counted)
    for graph, times in ((own, 1), (shared, 3)):
        asked.clear()
        graph.retrieve(QUESTION, mode="dense", limit=50)
        assert asked.count("existing/find_passages_by_vector") == times


def test_odd_values_are_counted_by_the_dry_run_and_stop_no_search(over: Opened, copied: Run) -> None:
    asked: tuple[tuple[Mode, dict[str, Any]], ...] = (
        ("dense", {}),
        ("hipporag1", {"entities": ["oda merrin", "salty"]}),
        ("hipporag2", {"fact_filter": keep_all}),
    )
    graph = over(copied_file(MARK))
    before = [graph.retrieve(QUESTION, mode=mode, limit=6, **given) for mode, given in asked]
    try:
        copied(
            f"MATCH (t:Text{MARK} {{nr: '3'}}) MATCH (g:`A thing ``{MARK}``` {{called: 'salt'}}) "
            f"CREATE (t)<-[:IN{MARK} {{odd: true}}]-(o:`A thing ``{MARK}``` {{called: ['gamma', 'c'], odd: true}})"
            f"-[r:SAYS{MARK} {{odd: true}}]->(g) WITH t, g, o, r "
            "CALL db.create.setNodeVectorProperty(o, 'v', g.v) "
            "CALL db.create.setRelationshipVectorProperty(r, 'v', g.v) "
            f"CREATE (:Text{MARK} {{nr: 'odd', body: ['a', 'b'], odd: true}}) "
            "WITH t, g UNWIND [true, 'much', 1.0 / 0.0, 0.0 / 0.0, -1, [1]] AS value "
            f"CREATE (t)<-[:IN{MARK} {{times: value, odd: true}}]-(g)-[:SAME{MARK} {{score: value, odd: true}}]->(g)"
        )
        found = graph.check()
        problems = " ".join(found.problems)
        assert "1 of 7 passages have no text" in problems
        assert "have no 'called', or one that is no text" in problems
        assert "6 mentions by" in problems
        assert "weigh nothing or less, more than 1e12, or no number" in problems
        after = [graph.retrieve(QUESTION, mode=mode, limit=6, **given) for mode, given in asked]
    finally:
        copied(f"MATCH (n) WHERE (n:`A thing ``{MARK}``` OR n:Text{MARK}) AND n.odd DETACH DELETE n")
        copied("MATCH ()-[r]->() WHERE r.odd DELETE r")
    for one, other in zip(before, after, strict=True):
        assert texts(one)[:2] == texts(other)[:2]
        assert {seed.phrase for seed in other.seeds} == {seed.phrase for seed in one.seeds}


@pytest.mark.usefixtures("pipeline")
def test_a_node_with_two_labels_is_one_phrase(over: Opened, pipeline: Run) -> None:
    vector = f"ON n.embedding OPTIONS {options(HashEmbedder(DIMENSIONS))}"
    person = {"label": "Person", "name": "name", "vector": "embedding"}
    expected = over(PIPELINE).retrieve(QUESTION, no_llm=True)
    with indexes(pipeline, f"CREATE VECTOR INDEX $name FOR (n:Person) {vector}"):
        found = over(PIPELINE | {"phrases": [*PIPELINE["phrases"], person]}).retrieve(QUESTION, no_llm=True)
    assert len({seed.phrase for seed in found.seeds}) == len(found.seeds)
    assert found.seeds == expected.seeds


@pytest.mark.parametrize("wrong", [5, None, [1], b"x"])
def test_what_is_no_file_and_no_mapping_is_refused(over: Opened, wrong: Any) -> None:
    with pytest.raises(InputError, match="holds no tables"):
        over(wrong)


def test_where_no_language_model_is_set_the_way_out_is_one_of_this_graph(over: Opened, film_file: Path) -> None:
    graph = over(film_file)
    with pytest.raises(NoLanguageModelError) as asked:
        graph.retrieve("Which film?")
    assert "--entity NAME" in str(asked.value)
    assert "--no-llm" not in str(asked.value)
    with pytest.raises(NoLanguageModelError, match="retrieve --graph FILE"):
        graph.answer("Which film?", mode="bm25")
    with pytest.raises(InputError, match="'hipporag2' can't"):
        graph.retrieve("Which film?", mode="hipporag2", no_llm=True)


def test_without_a_mention_no_walk_is_said_to_work(over: Opened, pipeline: Run) -> None:
    found = over(changed(PIPELINE, "mentions", steps=[{"type": "FROM_CHUNK", "direction": "out"}])).check()
    assert {one.mode for one in found.modes if not one.works} == {"hipporag1", "hipporag2", "hybrid"}
    assert found.modes[0].note == "No passage mentions a phrase, so that a walk leads to none."


def test_a_missing_index_is_told_with_all_that_makes_it(over: Opened, films: Run, film_file: Path) -> None:
    films(f"MATCH (n:Person{MARK}) SET n.v = [1.0, 2.0]")
    try:
        found = over(changed(tomllib.loads(film_file.read_text()), "phrases", vector="v")).check()
    finally:
        films(f"MATCH (n:Person{MARK}) REMOVE n.v")
    (problem,) = [one for one in found.problems if "There is no vector index" in one]
    assert f"Make one FOR (n:`Person{MARK}`) ON n.`v` of 2 dimensions" in problem
    assert "Phrases have no vector index here" in str([one.note for one in found.modes])


def changed(file: dict[str, Any], part: str, **changes: Any) -> dict[str, Any]:
    """The file with other values in one part, the first of several."""
    if isinstance(file[part], list):
        return file | {part: [file[part][0] | changes, *file[part][1:]]}
    return file | {part: file[part] | changes}


@pytest.mark.usefixtures("pipeline")
@pytest.mark.parametrize(
    ("file", "said"),
    [
        (changed(PIPELINE, "passages", label="Chunks"), r"passages\.label: no label 'Chunks' \(there is 'Chunk'"),
        (changed(PIPELINE, "passages", text="texxt"), r"passages\.text: no property 'texxt' \(there is '"),
        (
            PIPELINE | {"mentions": [{"steps": [{"type": "FROM_CHUNKS", "direction": "in"}]}]},
            r"mentions\.0\.steps\.0\.type: no relationship type 'FROM_CHUNKS' \(there is 'FROM_CHUNK'",
        ),
        (changed(PIPELINE, "passages", vector_index="nothing"), "the index 'nothing' isn't there"),
        (changed(PIPELINE, "passages", label="x`) DETACH DELETE n //"), r"no label 'x`\) DETACH DELETE n //'"),
    ],
)
def test_names_that_the_database_lacks_are_told_with_the_nearest(over: Opened, file: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        over(file).check()


@pytest.mark.usefixtures("pipeline")
def test_vectors_of_another_length_than_the_models_are_refused(over: Opened) -> None:
    graph = over(PIPELINE, dimensions=64)
    with pytest.raises(GraphMismatchError, match=f"holds vectors of {DIMENSIONS} dimensions.*gives 64"):
        graph.retrieve(QUESTION, mode="dense")
    assert any("gives 64" in problem for problem in graph.check().problems)


@pytest.mark.usefixtures("pipeline")
def test_a_wrong_direction_is_seen_in_the_dry_run(over: Opened) -> None:
    found = over(PIPELINE | {"mentions": [{"steps": [{"type": "FROM_CHUNK", "direction": "out"}]}]}).check()
    assert any("No passage mentions a phrase by (:Chunk)-[:FROM_CHUNK]->()" in problem for problem in found.problems)


@pytest.mark.usefixtures("pipeline")
def test_a_type_between_other_nodes_is_seen_in_the_dry_run(over: Opened) -> None:
    found = over(PIPELINE | {"relationships": [{"type": "NEXT_CHUNK"}]}).check()
    assert "No relationship 'NEXT_CHUNK' joins two phrases: walks won't use it." in found.problems
