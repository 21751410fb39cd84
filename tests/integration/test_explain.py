"""Why a passage was found: shares that add up and are igraph's, paths that stand in the graph, and honest limits."""

import copy
import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import igraph
import neo4j
import pytest
from pydantic import TypeAdapter

from hipporag_neo4j.database import Database
from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.errors import GraphChangedError, GraphMismatchError, GraphNotFoundError, InputError
from hipporag_neo4j.explaining.plain import explanation_values
from hipporag_neo4j.explaining.search_and_explain import search_and_explain
from hipporag_neo4j.explanation import Explanation
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.notices import explanation_notices
from hipporag_neo4j.retrieval.filter_facts import Triplet, Verdict
from hipporag_neo4j.settings import ProjectionWeights, Settings
from tests.both_clients import BOTH
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, Content, edges_of, keep_all, page_rank, passage, read_content, write
from tests.servers import TestServer

CHAIN = [
    passage("1", ("brindle observatory", "founded by", "edda lorne"), title="Brindle Observatory", text="x. y."),
    passage(
        "2",
        ("edda lorne", "studied under", "otto vann"),
        title="Edda Lorne",
        text="She liked tea. Edda Lorne studied under Otto Vann. It rained.",
    ),
    passage("3", ("otto vann", "born in", "vessland"), ("vessland", "borders", "kord"), title="Otto Vann"),
    passage("4", ("edda lornes", "discovered", "comet odgaard"), title="Comet Odgaard"),
    passage("5", ("lake mirr", "lies in", "kord"), ("lake mirr", "holds", "brown trout"), title="Lake Mirr"),
]
QUESTION = "Where was the teacher of the founder of brindle observatory born?"
WALKING: tuple[Mode, ...] = ("hipporag1", "hipporag2", "hybrid")
OTHERS: tuple[tuple[Mode, str], ...] = (("dense", "dense_rank"), ("bm25", "bm25_rank"))
ENTITIES = ["brindle observatory", "kord"]


@pytest.fixture(params=BOTH)
def rag(request: pytest.FixtureRequest, settings: Settings) -> Iterator[HippoRAG]:
    with request.param(settings, embedder=HashEmbedder(DIMENSIONS)) as made:
        write(made, CHAIN)
        yield made


def find(rag: HippoRAG, mode: Mode, **given: Any) -> RetrievalResult:
    entities = ENTITIES if mode in ("hipporag1", "hybrid") else None
    return rag.retrieve(QUESTION, mode=mode, entities=entities, fact_filter=keep_all, **given)


def contributions(explanation: Explanation) -> dict[str, dict[str | None, float]]:
    return {one.passage.id: {share.seed: share.contribution for share in one.shares} for one in explanation.passages}


def assert_adds_up(explanation: Explanation) -> None:
    assert explanation.passages
    for explained in explanation.passages:
        shares = explained.shares
        assert sum(share.contribution for share in shares) == pytest.approx(explained.passage.score, abs=1e-8)
        assert sum(share.share for share in shares) == pytest.approx(1)
        assert list(shares) == sorted(shares, key=lambda share: -share.contribution)
    scores = [explained.passage.score for explained in explanation.passages]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("mode", WALKING)
@pytest.mark.parametrize("rule", ["sum", "paper"])
def test_the_shares_add_up_to_the_score_and_the_score_is_that_of_the_search(
    mode: Mode, rule: ProjectionWeights, settings: Settings
) -> None:
    changed = settings.model_copy(update={"projection_weights": rule, "iterations": 200, "tolerance": 1e-14})
    with HippoRAG(changed, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, CHAIN)
        result = find(rag, mode)
        explanation = result.explain()
    assert_adds_up(explanation)
    found = {one.passage.id: one.passage.score for one in explanation.passages}
    assert found == pytest.approx({p.id: p.score for p in result.passages}, abs=1e-6)
    passages = 1 - sum(seed.weight for seed in result.seeds)
    weights = {share.seed: share.weight for one in explanation.passages for share in one.shares}
    expected: dict[str | None, float] = {seed.phrase: seed.weight for seed in result.seeds}
    if mode != "hipporag1":
        expected[None] = passages
    assert weights == pytest.approx(expected, abs=1e-9)


def test_each_share_is_that_of_a_walk_by_igraph(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> None:
    content = read_content(driver, server, rag.namespace)
    result = find(rag, "hipporag1")
    explained = contributions(result.explain())
    expected: dict[str, dict[str | None, float]] = {id_: {} for id_ in explained}
    for seed in result.seeds:
        for id_, score in _by_mentions(content, {seed.phrase: 1.0}).items():
            if score:
                expected[id_][seed.phrase] = score * seed.weight
    whole = sum(sum(given.values()) for given in explained.values())
    scale = whole / sum(sum(given.values()) for given in expected.values())
    for id_, given in explained.items():
        wanted = {seed: share * scale for seed, share in expected[id_].items()}
        assert given == pytest.approx(wanted, abs=1e-8), id_


def _by_mentions(content: Content, seeds: Mapping[str, float]) -> dict[str, float]:
    scores = page_rank(content, edges_of(content, "sum"), seeds)
    found = dict.fromkeys(content.passages, 0.0)
    for (id_, phrase), count in content.mentions.items():
        found[id_] += count * scores[phrase]
    return found


def test_igraph_knows_what_a_share_is() -> None:
    """The oracle itself, by hand: two nodes, one edge, restart 0.5: 2/3 and 1/3."""
    graph = igraph.Graph(n=2, edges=[(0, 1)])
    scores = graph.personalized_pagerank(damping=0.5, reset=[1, 0], directed=False, implementation="prpack")
    assert scores == pytest.approx([2 / 3, 1 / 3])


def test_a_filter_holds_for_what_is_explained(settings: Settings) -> None:
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        tagged = [
            replace(one, passage=replace(one.passage, metadata={"test_team": team}))
            for one, team in zip(CHAIN, "aabab", strict=True)
        ]
        rag.declare_filterable({"test_team": "string"})
        write(rag, tagged)
        for mode in WALKING:
            explanation = find(rag, mode, where={"test_team": "a"}).explain()
            assert_adds_up(explanation)
            assert {one.passage.id for one in explanation.passages} <= {"1", "2", "4"}
            seen = {
                name
                for one in explanation.passages
                for path in one.paths
                for name in (
                    *(node.id for node in path.nodes if node.kind == "passage"),
                    *(edge.stated.passage for edge in path.edges if edge.stated is not None),
                )
            }
            assert seen <= {"1", "2", "4"}
            assert set(explanation.parameters["passages"]) <= {"1", "2", "4"}
            assert all(path.probability is None for one in explanation.passages for path in one.paths)


def test_with_a_filter_no_path_leads_over_what_is_not_allowed(settings: Settings) -> None:
    """Of three equally short ways from ada to the last passage two lead over what only others say."""
    ours = [
        passage("start", ("ada", "met", "bob"), ("cleo", "met", "dora")),
        passage("end", ("dora", "saw", "emil"), title="End"),
    ]
    others = [
        passage("secret", ("ada", "knows", "whisper"), ("whisper", "knows", "emil")),
    ]
    tagged = [
        replace(one, passage=replace(one.passage, metadata={"test_team": team}))
        for team, passages in (("a", ours), ("b", others))
        for one in passages
    ]
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        rag.declare_filterable({"test_team": "string"})
        write(rag, tagged)
        keep_first = _keep(("ada", "met", "bob"))
        result = rag.retrieve("Whom did ada meet?", mode="hipporag2", fact_filter=keep_first, where={"test_team": "a"})
        explanation = result.explain()
    shown = json.dumps(explanation_values(explanation))
    paths = [path for one in explanation.passages if one.passage.id == "end" for path in one.paths]
    assert ["ada", "start", "dora", "end"] in [[node.id for node in path.nodes] for path in paths]
    assert "secret" not in shown
    assert "whisper" not in shown
    assert "knows" not in shown


@pytest.mark.parametrize("mode", WALKING)
def test_a_passage_may_be_called_like_a_phrase(mode: Mode, settings: Settings) -> None:
    named = [
        passage("ada", ("ada", "met", "bob")),
        passage("bob", ("bob", "met", "cleo")),
        passage("3", ("x", "y", "z")),
    ]
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, named)
        entities = ["ada", "bob"] if mode in ("hipporag1", "hybrid") else None
        result = rag.retrieve("Whom did ada meet?", mode=mode, entities=entities, fact_filter=keep_all)
        assert_adds_up(result.explain())


def test_a_path_stands_in_the_graph_with_the_sentence_it_comes_from(rag: HippoRAG) -> None:
    explanation = rag.retrieve(QUESTION, mode="hipporag1", entities=["brindle observatory"]).explain()
    by_id = {one.passage.id: one for one in explanation.passages}
    (path,) = by_id["3"].paths
    assert [node.name for node in path.nodes] == ["brindle observatory", "edda lorne", "otto vann", "Otto Vann"]
    assert [(edge.kind, edge.says, edge.reversed) for edge in path.edges] == [
        ("fact", "founded by", False),
        ("fact", "studied under", False),
        ("mention", "1", True),
    ]
    second = path.edges[1].stated
    assert second is not None
    assert (second.passage, second.sentence, second.guessed) == ("2", "Edda Lorne studied under Otto Vann.", True)
    # From the observatory there is one edge; edda lorne has three: two facts and a synonym of cosine s.
    (synonym,) = [edge for edge in by_id["4"].paths[0].edges if edge.kind == "synonym"]
    assert path.probability == pytest.approx(2 / (2 + 2 + 2 * float(synonym.says)), abs=1e-3)


def test_of_the_shortest_paths_the_likeliest_is_shown(settings: Settings) -> None:
    """Two ways from ada to eve: over bob, who knows many others, and over cleo, who has two edges of one weight."""
    crowd = [passage(f"crowd {n}", ("bob", "knows", f"guest {n}")) for n in range(6)]
    ways = [
        passage(f"{a} {b}", (a, "met", b))
        for a, b in (("ada", "bob"), ("ada", "cleo"), ("bob", "eve"), ("cleo", "eve"))
    ]
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, [*crowd, *ways, passage("z", ("eve", "saw", "fred"))])
        explanation = rag.retrieve("x", mode="hipporag1", entities=["ada"], limit=100).explain()
    (path,) = next(one.paths for one in explanation.passages if one.passage.id == "z")
    assert [node.id for node in path.nodes] == ["ada", "cleo", "eve", "z"]
    assert path.probability == pytest.approx(0.25)


def test_in_the_graph_with_passages_a_path_may_lead_through_one(settings: Settings) -> None:
    """Nothing but a passage joins the two parts."""
    parts = [passage("a", ("ada", "met", "bob"), ("cleo", "met", "dora")), passage("z", ("dora", "saw", "emil"))]
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, parts)
        keep_first = _keep(("ada", "met", "bob"))
        explanation = rag.retrieve("Whom did ada meet?", mode="hipporag2", fact_filter=keep_first).explain()
        alone = rag.retrieve("x", mode="hipporag1", entities=["ada"]).explain()
    paths = [path for one in explanation.passages if one.passage.id == "z" for path in one.paths]
    assert ["ada", "a", "dora", "z"] in [[node.id for node in path.nodes] for path in paths]
    assert not [path for one in alone.passages if one.passage.id == "z" for path in one.paths]


def _keep(*wanted: Triplet) -> Any:
    def decide(question: str, facts: Sequence[Triplet], known: Sequence[Triplet]) -> Verdict:
        return Verdict(tuple(i for i, fact in enumerate(facts) if fact in wanted))

    return decide


def test_the_ranks_of_other_searches_are_told(rag: HippoRAG) -> None:
    explanation = find(rag, "hybrid").explain()
    for mode, rank in OTHERS:
        order = {p.id: n for n, p in enumerate(rag.retrieve(QUESTION, mode=mode, limit=100).passages, start=1)}
        assert {one.passage.id: getattr(one, rank) for one in explanation.passages} == {
            one.passage.id: order.get(one.passage.id) for one in explanation.passages
        }


def test_dropped_facts_are_told_with_the_reason(rag: HippoRAG) -> None:
    def decide(question: str, facts: Sequence[Triplet], known: Sequence[Triplet]) -> Verdict:
        return Verdict((0,), unknown=2)

    result = rag.retrieve(QUESTION, mode="hipporag2", fact_filter=decide)
    (look,) = explanation_values(result.explain())["dropped"]
    assert len(look["facts"]) == 4
    assert look["why"].endswith("2 of the numbers it gave name no fact.")


def test_where_nothing_was_walked_nothing_is_made_up(rag: HippoRAG) -> None:
    for mode, _ in OTHERS:
        explanation = rag.retrieve(QUESTION, mode=mode).explain()
        assert explanation.reason is not None
        assert explanation.reason.startswith(f"Mode {mode} doesn't walk")
        assert all(not one.shares and not one.paths for one in explanation.passages)
    fallback = rag.retrieve(QUESTION, mode="hipporag1", entities=[])
    explanation = fallback.explain()
    assert explanation.reason == f"No walk explains these passages. {fallback.fallback}"
    assert [one.passage for one in explanation.passages] == list(fallback.passages)
    assert explanation.passages[0].dense_rank == 1


def test_a_result_of_another_version_is_refused(rag: HippoRAG) -> None:
    result = find(rag, "hipporag1")
    write(rag, [passage("6", ("kord", "borders", "mirrland"))])
    with pytest.raises(GraphChangedError, match="Ask the question again"):
        result.explain()
    newer = rag.explain(result, strict=False)
    assert newer.stale
    assert not result.stale
    (notice,) = explanation_notices(newer)
    assert notice.startswith("The graph was written to since the search")
    assert explanation_notices(find(rag, "hipporag1").explain()) == []
    assert not find(rag, "hipporag1").explain().stale


def test_after_a_run_that_broke_off_it_is_explained_and_stale(
    rag: HippoRAG, driver: neo4j.Driver, server: TestServer
) -> None:
    driver.execute_query(
        "MATCH (graph:HippoGraph {namespace: $namespace}) SET graph.version = graph.version + 1",
        namespace=rag.namespace,
        database_=server.database,
    )
    result = find(rag, "hipporag1")
    assert result.stale
    explanation = result.explain()
    assert_adds_up(explanation)
    assert explanation_values(explanation)["stale"]


@pytest.mark.parametrize(
    "before", ["explain/share_by_mentions", "explain/find_paths", "retrieval/find_passages_by_terms"]
)
def test_a_write_between_its_statements_is_no_secret(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, CHAIN)
        run = Database.run
        to_write: list[str] = []

        def writing_before(self: Database, query: str, /, **parameters: Any) -> Any:
            if query == before and to_write:
                new = to_write.pop()
                write(rag, [passage(new, ("kord", "borders", f"land of {new}"))])
            return run(self, query, **parameters)

        result = find(rag, "hipporag1")
        monkeypatch.setattr(Database, "run", writing_before)
        to_write.append("new 1")
        with pytest.raises(GraphChangedError, match="Ask the question again"):
            rag.explain(result)
        result = find(rag, "hipporag1")
        to_write.append("new 2")
        assert rag.explain(result, strict=False).stale
        to_write.append("new 3")
        explanation = search_and_explain(lambda: find(rag, "hipporag1"), rag.explain)
    assert not explanation.stale
    assert {one.passage.id for one in explanation.passages} >= {"new 1", "new 2", "new 3"}


def test_what_was_never_found_is_refused(rag: HippoRAG) -> None:
    for wrong in (None, "a question", find(rag, "hipporag1").passages):
        with pytest.raises(InputError, match=r"takes what `retrieve` gave, a RetrievalResult, and was given a \w+"):
            rag.explain(wrong)  # type: ignore[arg-type]


def test_a_client_with_another_embedding_model_explains_nothing(rag: HippoRAG) -> None:
    result = find(rag, "hipporag1")
    another = HashEmbedder(DIMENSIONS, name="another")
    with type(rag)(rag.settings, embedder=another) as other, pytest.raises(GraphMismatchError, match="another"):
        other.explain(result)


def test_a_path_over_what_was_deleted_is_left_out(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Database.run

    def emptied(self: Database, query: str, /, **parameters: Any) -> Any:
        rows = run(self, query, **parameters)
        if query == "explain/find_paths":
            rows[0]["edges"][0]["says"] = None
            rows[1]["nodes"][0]["name"] = None
        return rows

    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, CHAIN)
        result = find(rag, "hipporag1")
        paths = sum(len(one.paths) for one in result.explain().passages)
        monkeypatch.setattr(Database, "run", emptied)
        assert sum(len(one.paths) for one in result.explain().passages) == paths - 2


def test_a_dropped_graph_is_told_as_one(rag: HippoRAG) -> None:
    result = find(rag, "hipporag1")
    rag.drop()
    for strict in (True, False):
        with pytest.raises(GraphNotFoundError, match="holds no graph"):
            rag.explain(result, strict=strict)


@pytest.mark.parametrize("pairs", [1, 2])
def test_paths_are_looked_for_a_few_at_a_time(rag: HippoRAG, monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    result = find(rag, "hybrid")
    expected = result.explain()
    assert sum(len(one.paths) for one in expected.passages) > pairs
    monkeypatch.setattr("hipporag_neo4j.explaining.explain.PAIRS", pairs)
    assert [one.paths for one in result.explain().passages] == [one.paths for one in expected.passages]


def test_a_question_is_searched_again_where_the_graph_changes_meanwhile(rag: HippoRAG) -> None:
    asked = 0

    def search() -> RetrievalResult:
        nonlocal asked
        asked += 1
        result = find(rag, "hipporag1")
        if asked < 2:
            write(rag, [passage(f"new {asked}", ("kord", "borders", f"land {asked}"))])
        return result

    explanation = search_and_explain(search, rag.explain)
    assert (asked, explanation.stale) == (2, False)
    assert_adds_up(explanation)


def test_how_it_was_found_is_no_part_of_a_result(rag: HippoRAG) -> None:
    result = find(rag, "hipporag1")
    assert json.loads(json.dumps(asdict(result)))["question"] == QUESTION
    assert json.loads(TypeAdapter(RetrievalResult).dump_json(result))["question"] == QUESTION
    assert "trace" not in repr(result)
    for copied in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), replace(result)):
        assert copied == result
        with pytest.raises(InputError, match="Explain the one that `retrieve` gave"):
            copied.explain()
        with pytest.raises(InputError, match="doesn't say how it was found"):
            rag.explain(copied)
    assert_adds_up(result.explain())


def test_limits_and_odd_questions(rag: HippoRAG) -> None:
    assert len(find(rag, "hybrid", limit=1).explain().passages) == 1
    assert len(find(rag, "hybrid", limit=100).explain().passages) == 5
    odd = rag.retrieve("'; MATCH (n) DETACH DELETE n // \u202e ☃ \\", mode="hipporag1", entities=["kord"])
    assert_adds_up(odd.explain())


def test_the_statement_draws_the_same(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> None:
    explanation = rag.retrieve(QUESTION, mode="hipporag1", entities=["brindle observatory"]).explain()
    with driver.session(database=server.database) as session:
        paths = [row["path"] for row in session.run(explanation.statement, dict(explanation.parameters))]
    nodes = {node["name"] or node["id"] for path in paths for node in path.nodes}
    shown = {node.id for one in explanation.passages for path in one.paths for node in path.nodes}
    assert shown <= nodes
    assert {one.passage.id for one in explanation.passages} <= nodes
