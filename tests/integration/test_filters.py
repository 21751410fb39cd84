"""A filter on metadata: what it allows is found as if there were nothing else, in every mode."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hipporag_neo4j.doctor import examine
from hipporag_neo4j.domain import MODES, Allowed, ExtractedPassage, MetadataValue, Mode, RetrievalResult
from hipporag_neo4j.errors import GraphNotFoundError, InputError, QueryError
from hipporag_neo4j.filterable import find_unindexed
from hipporag_neo4j.filters import FilterType
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.retrieval import allow
from hipporag_neo4j.retrieval.retrieve import Options, options_of
from hipporag_neo4j.settings import Settings
from tests.both_clients import BOTH, AwaitedHippoRAG
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, keep_all, passage, write

EMBEDDER = HashEmbedder(DIMENSIONS)
QUESTION = "Who knows ada, and who likes bob?"
FILTERABLE: Mapping[str, FilterType] = {
    "test_year": "int",
    "test_team": "string",
    "test_score": "float",
    "test_open": "bool",
}
NAMES = ("ada", "adah", "bob", "bobb", "cleo", "dora", "emil")
"""Some are near enough to be synonyms."""
RECIPES = ("hipporag1", "hipporag1/question", "hipporag2", "hybrid", "hybrid/3", "hybrid/no-llm", "dense")

Metadata = Mapping[str, MetadataValue]


@pytest.fixture(params=BOTH)
def client(request: pytest.FixtureRequest) -> type[HippoRAG]:
    """The kind of client."""
    kind: type[HippoRAG] = request.param
    return kind


def ask(rag: HippoRAG, recipe: str, options: Options, where: Any = None) -> RetrievalResult:
    """A mode, by itself or in a way that searches with other statements."""
    mode, _, way = recipe.partition("/")
    if way == "question":
        options = replace(options, hipporag1=replace(options.hipporag1, linking="question"))
    return rag.retrieve(
        QUESTION,
        mode=cast(Mode, mode),
        entities=["ada", "bobo"] if mode == "hipporag1" or mode == "hybrid" else None,
        looks=3 if way == "3" else 1,
        no_llm=way == "no-llm",
        fact_filter=keep_all,
        options=options,
        where=where,
    )


def holds(metadata: Metadata, where: Mapping[str, Any]) -> bool:
    """Whether a filter allows a passage, by the definition and not by the product's code."""
    compare: dict[str, Callable[[Any, Any], bool]] = {
        "=": lambda a, b: a == b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
    }
    return all(
        name in metadata
        and isinstance(metadata[name], bool) == isinstance(value, bool)
        and isinstance(metadata[name], str) == isinstance(value, str)
        and compare[operator](metadata[name], value)
        for name, wanted in where.items()
        for operator, value in (wanted.items() if isinstance(wanted, Mapping) else [("=", wanted)])
    )


fact = st.tuples(st.sampled_from(NAMES), st.sampled_from(("knows", "likes")), st.sampled_from(NAMES))
metadata = st.fixed_dictionaries(
    {},
    optional={
        "test_year": st.sampled_from((1999, 2000, 2001, "2000")),
        "test_team": st.sampled_from(("x", "y", "é `x` $where_0")),
        "test_score": st.sampled_from((0.5, 1, 1.5)),
        "test_open": st.booleans(),
    },
)
corpora = st.lists(st.tuples(st.lists(fact, max_size=4), metadata), min_size=1, max_size=10)
bounds = st.one_of(
    st.sampled_from((1999, 2000, 2001)),
    st.fixed_dictionaries({}, optional={">=": st.just(2000), "<": st.sampled_from((2000, 2001))}).filter(bool),
    st.fixed_dictionaries({">": st.just(1999)}),
)
filters = st.fixed_dictionaries(
    {},
    optional={
        "test_year": bounds,
        "test_team": st.sampled_from(("x", "é `x` $where_0", {">=": "x"})),
        "test_score": st.sampled_from((1, 1.5, {"<=": 1.0})),
        "test_open": st.booleans(),
    },
).filter(bool)


CORPUS: Sequence[tuple[Sequence[tuple[str, str, str]], Metadata]] = (
    ([("ada", "knows", "bob"), ("ada", "likes", "cleo")], {"test_year": 2000, "test_team": "x"}),
    ([("adah", "knows", "bob"), ("bob", "likes", "dora")], {"test_year": 2000, "test_team": "x", "test_score": 1}),
    ([("ada", "knows", "bob"), ("dora", "knows", "emil")], {"test_year": 2001, "test_team": "x"}),
    ([("bobb", "knows", "ada"), ("ada", "knows", "bob")], {"test_year": 2000, "test_team": "y"}),
    ([("cleo", "knows", "emil")], {"test_year": "2000", "test_team": "x"}),
    ([], {"test_year": 2000, "test_team": "x"}),
    ([("emil", "likes", "emil")], {}),
)
"""Facts that allowed and other passages state alike, phrases that only others mention, synonyms of both."""


def make(corpus: Sequence[tuple[Sequence[tuple[str, str, str]], Metadata]]) -> list[ExtractedPassage]:
    """Passages, numbered."""
    made = [passage(str(number), *facts) for number, (facts, _) in enumerate(corpus)]
    return [replace(p, passage=replace(p.passage, metadata=m)) for p, (_, m) in zip(made, corpus, strict=True)]


def assert_same(found: RetrievalResult, expected: RetrievalResult) -> None:
    """Equal but for float noise; passages that nothing tells apart may change places."""
    assert found.fallback == expected.fallback
    scores, others = ({p.id: p.score for p in result.passages} for result in (found, expected))
    assert scores.keys() == others.keys()
    assert [scores[id_] for id_ in others] == pytest.approx(list(others.values()), abs=1e-6)
    assert {seed.phrase: seed.weight for seed in found.seeds} == pytest.approx(
        {seed.phrase: seed.weight for seed in expected.seeds}, abs=1e-6
    )
    assert [{f.subject + f.predicate + f.object for f in look.shown} for look in found.looks] == [
        {f.subject + f.predicate + f.object for f in look.shown} for look in expected.looks
    ]


@pytest.mark.parametrize(
    ("client", "rule", "through_index", "examples"),
    [
        (HippoRAG, "sum", True, 0),
        (HippoRAG, "paper", False, 0),
        (AwaitedHippoRAG, "sum", False, 0),
        (AwaitedHippoRAG, "paper", True, 0),
        *(
            pytest.param(HippoRAG, rule, through_index, 25, marks=pytest.mark.long)
            for rule in ("sum", "paper")
            for through_index in (True, False)
        ),
    ],
)
def test_it_finds_what_a_graph_of_the_allowed_passages_finds(
    client: type[HippoRAG],
    rule: str,
    through_index: bool,
    examples: int,
    settings: Settings,
    make_namespace: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where the indexes of facts and phrases are searched, which without this is for large graphs alone."""
    if through_index:
        monkeypatch.setattr(allow, "_fetch", lambda inquiry, fetch: fetch)
        monkeypatch.setattr(allow, "_as_many", lambda rows, fetch: True)
    settings = settings.model_copy(update={"projection_weights": rule, "tolerance": 1e-16, "iterations": 100})
    options = options_of(settings)

    @hypothesis_settings(
        max_examples=max(examples, 1),
        deadline=None,
        # An example takes seconds: too long to look for a smaller one, or in every run for more than the given one.
        phases=(Phase.explicit, Phase.generate) if examples else (Phase.explicit,),
        suppress_health_check=list(HealthCheck),
    )
    @example(CORPUS, {"test_year": {">=": 2000, "<": 2001}, "test_team": "x"})
    @given(corpora, filters)
    def check(corpus: Any, where: Any) -> None:
        passages = make(corpus)
        allowed = [p for p in passages if holds(p.passage.metadata, where)]
        whole, part = (client(settings, namespace=make_namespace(), embedder=EMBEDDER) for _ in range(2))
        with whole, part:
            whole.declare_filterable(FILTERABLE)
            write(whole, passages)
            write(part, allowed)
            for recipe in RECIPES:
                found = ask(whole, recipe, options, where)
                assert found.allowed is not None
                assert (found.allowed.passages, found.allowed.total) == (len(allowed), len(passages))
                if allowed:
                    assert_same(found, ask(part, recipe, options))
                else:
                    assert found.passages == ()

    check()


def test_what_is_declared_elsewhere_is_seen_and_nobody_is_asked_where_nothing_is_allowed(
    client: type[HippoRAG], settings: Settings
) -> None:
    def asked(question: str, facts: Any, known: Any) -> Any:
        pytest.fail("nothing is allowed, so there is nothing to ask")

    with client(settings, embedder=EMBEDDER) as one, client(settings, embedder=EMBEDDER) as other:
        write(one, make(CORPUS))
        with pytest.raises(InputError, match="no metadata declared as filterable"):
            one.retrieve(QUESTION, mode="dense", where={"test_year": 2000})
        declaration = other.declare_filterable(FILTERABLE)
        assert declaration.other == {"test_year": 1, "test_team": 0, "test_score": 0, "test_open": 0}
        assert declaration.without == {"test_year": 1, "test_team": 1, "test_score": 6, "test_open": 7}
        found = one.retrieve(QUESTION, mode="dense", where={"test_year": 2000, "test_team": "y"})
        assert [p.id for p in found.passages] == ["3"]
        for mode in MODES:
            nothing = one.retrieve(
                QUESTION, mode=cast(Mode, mode), where={"test_year": 3000}, fact_filter=asked, entities=[]
            )
            assert (nothing.passages, nothing.fallback) == ((), None)
            assert nothing.allowed == Allowed("test_year = 3000", 0, 7)


@pytest.mark.parametrize("mode", MODES)
def test_a_graph_without_passages_says_so(mode: Mode, client: type[HippoRAG], settings: Settings) -> None:
    with client(settings, embedder=EMBEDDER) as rag:
        rag.declare_filterable(FILTERABLE)
        with pytest.raises(GraphNotFoundError, match="holds no passage"):
            rag.retrieve(QUESTION, mode=mode, where={"test_year": 2000}, fact_filter=keep_all, entities=["ada"])


def test_an_index_that_is_gone_is_named_and_made_again(client: type[HippoRAG], settings: Settings) -> None:
    """As after an `init --filterable` that was killed between dropping the index and making it anew."""
    where = {"test_year": {">=": 0}}
    with client(settings, embedder=EMBEDDER) as rag:
        write(rag, make(CORPUS))
        rag.declare_filterable(FILTERABLE)
        found = rag.retrieve(QUESTION, mode="dense", where=where).passages
        assert found
        rag.database.run("schema/drop_filterable_index")
        try:
            assert find_unindexed(rag.database) is not None
            finding = next(finding for finding in examine(settings) if finding.check == "indexes")
            assert (finding.level, "--filterable" in finding.advice) == ("problem", True)
            names = ",".join(f"{name}:{kind}" for name, kind in FILTERABLE.items())
            with pytest.raises(QueryError, match=r"index .* is missing.*try again.*doctor") as raised:
                rag.retrieve(QUESTION, mode="dense", where=where)
            assert f"init --namespace {rag.namespace} --filterable {names}` makes it" in str(raised.value)
        finally:
            rag.declare_filterable(FILTERABLE)
        assert find_unindexed(rag.database) is None
        assert rag.retrieve(QUESTION, mode="dense", where=where).passages == found


def test_bm25_finds_the_allowed_passages_in_the_order_of_the_whole_index(
    client: type[HippoRAG], settings: Settings
) -> None:
    with client(settings, embedder=EMBEDDER) as rag:
        rag.declare_filterable(FILTERABLE)
        write(rag, make(CORPUS))
        everything = rag.retrieve("ada bob", mode="bm25", limit=100).passages
        where = {"test_year": {"<=": 2000}, "test_team": {">=": "x"}}
        expected = [(p.id, p.score) for p in everything if holds(p.metadata, where)]
        for limit in (1, 2, 10):
            found = rag.retrieve("ada bob", mode="bm25", limit=limit, where=where).passages
            assert [(p.id, p.score) for p in found] == expected[:limit]
        assert len(expected) == 3
