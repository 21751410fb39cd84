"""Questions of every kind in every mode: answered, or refused with what to do."""

import json
import random
import string
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

import hipporag_neo4j
from hipporag_neo4j.domain import MODES, MetadataValue, Mode, Passage, RetrievalResult
from hipporag_neo4j.errors import (
    ConfigurationError,
    GraphMismatchError,
    GraphNotFoundError,
    InputError,
    NoLanguageModelError,
)
from hipporag_neo4j.facade.asynchronous import AsyncHippoRAG
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.both_clients import BOTH
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, keep_all, passage, write
from tests.llm_server import LLMServer

EMBEDDER = HashEmbedder(DIMENSIONS)
SAMPLE = Path(hipporag_neo4j.__file__).parent / "sample"
LUCENE = '+ - && || ! ( ) { } [ ] ^ " ~ * ? : \\ / AND OR NOT TO title:x [a TO b] /.*/ "unclosed ( text^2~3'

WALKING = ("hipporag1", "hipporag2", "hybrid")

every_mode = pytest.mark.parametrize("mode", MODES)


@pytest.fixture(scope="module", params=BOTH)
def sample(request: pytest.FixtureRequest, module_settings: Settings) -> Iterator[HippoRAG]:
    """The bundled sample corpus; tests only read it."""
    with request.param(module_settings, embedder=EMBEDDER) as rag:
        rag.import_openie(SAMPLE / "openie.json")
        yield rag


@pytest.fixture(scope="module")
def entity(sample: HippoRAG) -> str:
    """Something the sample speaks of."""
    questions = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
    entries = questions["questions"] if isinstance(questions, dict) else questions
    return str(entries[0]["entities"][0])


def ask(
    rag: HippoRAG, mode: str, question: str, *, limit: int = 5, entities: list[str] | None = None
) -> RetrievalResult:
    return rag.retrieve(question, mode=cast(Mode, mode), limit=limit, entities=entities, fact_filter=keep_all)


@every_mode
def test_an_answer_says_what_it_is(mode: str, sample: HippoRAG, entity: str) -> None:
    result = ask(sample, mode, f"What about {entity}?", limit=7, entities=[entity])
    assert (result.question, result.mode) == (f"What about {entity}?", mode)
    assert 1 <= len(result.passages) <= 7
    scores = [p.score for p in result.passages]
    assert scores == sorted(scores, reverse=True)
    assert all(p.text and p.id for p in result.passages)
    facts = {"embed", "find", "filter", "seed", "project", "rank"}
    stages = {
        "hipporag1": {"link", "project", "rank"},
        "hipporag2": facts,
        "hybrid": facts | {"link"},
        "dense": {"embed", "search"},
        "bm25": {"search"},
    }
    assert result.timings.keys() == stages[mode] | {"total"}
    assert all(0 <= time <= result.timings["total"] for time in result.timings.values())
    assert not result.fell_back
    assert not result.stale
    assert bool(result.seeds) == (mode in WALKING)
    assert [len(look.shown) for look in result.looks] == {"hipporag2": [5], "hybrid": [20]}.get(mode, [])
    assert result.entities == ((entity,) if mode in ("hipporag1", "hybrid") else ())
    whole = sum(seed.weight for seed in result.seeds)
    if mode == "hipporag1":
        assert whole == pytest.approx(1)
        assert result.seeds[0].entity
    elif mode in WALKING:
        assert 0.2 < whole < 1  # the rest is the passages'


@every_mode
@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_an_empty_question_is_refused(mode: str, question: str, sample: HippoRAG) -> None:
    with pytest.raises(InputError, match="empty"):
        ask(sample, mode, question, entities=["x"])


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_limit_that_cannot_be_is_refused(limit: int, sample: HippoRAG) -> None:
    with pytest.raises(InputError, match="limit"):
        ask(sample, "dense", "Who?", limit=limit)


@every_mode
def test_the_largest_limit_gives_all_there_is(mode: str, sample: HippoRAG, entity: str) -> None:
    result = ask(sample, mode, f"the {entity}", limit=10_000, entities=[entity])
    assert len(result.passages) <= sample.status().passages
    assert len({p.id for p in result.passages}) == len(result.passages)
    if mode == "dense":
        assert len(result.passages) == sample.status().passages


@pytest.mark.parametrize("mode", WALKING)
def test_a_missing_model_is_said_before_anything_is_embedded(mode: Mode, sample: HippoRAG) -> None:
    class NotAsked(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            raise AssertionError(texts)

    with (
        HippoRAG(sample.settings, embedder=NotAsked(DIMENSIONS)) as rag,
        pytest.raises(NoLanguageModelError, match=r"(no language model|none) is set\. Set HIPPORAG_LLM_MODEL"),
    ):
        rag.retrieve("Who?", mode=mode)


@pytest.mark.parametrize("looks", [0, 4, True, "2", 1.5])
def test_looks_that_cannot_be_are_refused(looks: Any, sample: HippoRAG) -> None:
    with pytest.raises(InputError, match="number of looks"):
        sample.retrieve("Who?", looks=looks)


@pytest.mark.parametrize("mode", ["dense", "bm25", "hipporag1", "hipporag2"])
def test_further_looks_are_refused_where_none_is_taken(mode: Mode, sample: HippoRAG) -> None:
    with pytest.raises(InputError, match=f"Only 'hybrid' looks at facts more than once, '{mode}' doesn't"):
        sample.retrieve("Who?", mode=mode, looks=2)


def test_an_unknown_mode_and_a_bare_entity_are_refused(sample: HippoRAG) -> None:
    with pytest.raises(InputError, match="no mode 'graph'"):
        sample.retrieve("Who?", mode="graph")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"Give a list: \['Ada'\]"):
        sample.retrieve("Who?", entities="Ada")


@every_mode
def test_half_a_surrogate_pair_is_refused(mode: str, sample: HippoRAG) -> None:
    with pytest.raises(InputError, match="surrogate pair at character 5"):
        ask(sample, mode, "Who \ud83d?", entities=["x"])
    with pytest.raises(InputError, match="surrogate"):
        ask(sample, mode, "Who?", entities=["x\udc00"])


def _long(characters: str, length: int = 10_000) -> str:
    return "".join(random.Random(1).choices(characters, k=length))


LONG = {
    "one word": "a" * 10_000,
    "words": _long(string.ascii_letters + "     "),
    "all different words": " ".join(f"w{i}" for i in range(2000)),
    "punctuation": _long(string.punctuation + " a"),
    "Chinese": "".join(chr(0x4E00 + i % 9000) for i in range(10_000)),
    "Japanese": _long("あいうえおアイウエオ漢字 "),
    "Korean": _long("가나다라마바사 "),
    "Arabic": _long("ابتثجح "),
    "Thai": _long("กขคงจ่้"),
    "emoji": _long("🍕🎉👩‍🚀 "),
    "controls": "".join(map(chr, range(32))) * 300 + "x",
}


@every_mode
@pytest.mark.parametrize("kind", LONG)
def test_ten_thousand_characters_are_a_question(mode: str, kind: str, sample: HippoRAG) -> None:
    result = ask(sample, mode, LONG[kind], entities=[LONG[kind]])
    assert mode == "bm25" or result.passages


@every_mode
@pytest.mark.parametrize("syntax", [LUCENE, *LUCENE.split(" ")])
def test_lucene_syntax_is_harmless(mode: str, syntax: str, sample: HippoRAG, entity: str) -> None:
    result = ask(sample, mode, f"{syntax} {entity} {syntax}", entities=[entity, syntax])
    assert result.passages


def test_lucene_words_do_not_steer_the_search(sample: HippoRAG, entity: str) -> None:
    plain = ask(sample, "bm25", entity)
    assert ask(sample, "bm25", f'"{entity}"~5^3 -(').passages == ask(sample, "bm25", f"{entity} 5 3").passages
    assert ask(sample, "bm25", f"NOT {entity}").passages != ()
    assert ask(sample, "bm25", "*").passages == ()
    assert ask(sample, "bm25", f"scope:hipporagscope {entity}").passages[0].id in {p.id for p in plain.passages}


def test_a_question_in_another_language(sample: HippoRAG) -> None:
    question = "세종대왕은 누구입니까?"
    assert len(ask(sample, "dense", question).passages) == 5
    assert ask(sample, "bm25", question).passages == ()
    result = ask(sample, "hipporag1", question, entities=["세종대왕"])
    assert result.passages
    assert result.seeds[0].similarity < 0.5  # nothing near: what it was linked to is for the reader to see


def test_no_entities_means_dense_search_that_says_so(sample: HippoRAG) -> None:
    dense = ask(sample, "dense", "Who?")
    for entities, named in (([], "names no entity"), (["?!", "  "], "'?!', '  '")):
        result = ask(sample, "hipporag1", "Who?", entities=entities)
        assert result.fell_back
        assert named in (result.fallback or "")
        assert result.passages == dense.passages
        assert result.seeds == ()


def test_no_language_model_and_no_entities_is_an_error(sample: HippoRAG) -> None:
    with pytest.raises(ConfigurationError, match="HIPPORAG_LLM_MODEL"):
        sample.retrieve("Who?")


def test_a_language_model_names_the_entities(sample: HippoRAG, llm_server: LLMServer, entity: str) -> None:
    own = sample.settings.model_copy(update={"llm_model": "scripted", "openai_base_url": llm_server.url})
    with HippoRAG(own, embedder=EMBEDDER) as rag:
        llm_server.script = [json.dumps({"named_entities": [entity]})]
        result = rag.retrieve("What about it?", mode="hipporag1")
        assert result.entities == (entity,)
        assert result.passages == ask(sample, "hipporag1", "What about it?", limit=10, entities=[entity]).passages
        assert "entities" in result.timings
        llm_server.script = [json.dumps({"named_entities": []})]
        assert "names no entity" in (rag.retrieve("What about that?", mode="hipporag1").fallback or "")


@every_mode
def test_a_namespace_that_is_unknown_or_empty(mode: str, settings: Settings) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        with pytest.raises(GraphNotFoundError, match=f"'{settings.namespace}' holds no graph"):
            ask(rag, mode, "Who?", entities=["x"])
        rag.init()
        with pytest.raises(GraphNotFoundError, match="holds no passage"):
            ask(rag, mode, "Who?", entities=["x"])
        write(rag, [passage("1", text="Nothing is said.")])
        result = ask(rag, mode, "said", entities=["x"])
        assert [p.id for p in result.passages] == ["1"]
        assert result.fell_back == (mode in WALKING)


def test_another_model_or_normalisation_is_refused(settings: Settings) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, [passage("1", ("a", "r", "b"))])
    for embedder in (HashEmbedder(DIMENSIONS, "another"), HashEmbedder(64, EMBEDDER.name)):
        with HippoRAG(settings, embedder=embedder) as rag:
            for use in (lambda: rag.retrieve("Who?", mode="dense"), rag.init, lambda: write(rag, [])):
                with pytest.raises(GraphMismatchError, match="was made with the embedding model 'hash-384'"):
                    use()
    paper = settings.model_copy(update={"normalisation": "paper"})
    with HippoRAG(paper, embedder=EMBEDDER) as rag:
        for use in (lambda: rag.retrieve("Who?", mode="dense"), rag.init):
            with pytest.raises(GraphMismatchError, match="--normalisation unicode"):
                use()


@every_mode
def test_metadata_comes_back_as_it_was(mode: str, settings: Settings, llm_server: LLMServer) -> None:
    metadata: dict[str, MetadataValue] = {
        "year": 1999,
        "ratio": 0.5,
        "ok": True,
        "tags": ["a", "b"],
        "embedding": "mine",
        "한": "글",
        "empty": "",
    }
    own = settings.model_copy(update={"llm_model": "scripted", "openai_base_url": llm_server.url})
    with HippoRAG(own, embedder=EMBEDDER) as rag:
        rag.index([Passage("Ada met Bob.", id="1", title="Ada", metadata=metadata)])
        (found,) = ask(rag, mode, "Ada", entities=["Ada"]).passages
    assert found.metadata == metadata
    assert (found.id, found.title, found.text, found.row) == ("1", "Ada", "Ada met Bob.", None)


def test_ties_are_ordered_by_id(settings: Settings) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, [passage(str(i), ("a", "r", "b"), text="The same.") for i in (3, 1, 2, 10)])
        for mode in MODES:
            result = ask(rag, mode, "same", entities=["a"])
            assert [p.id for p in result.passages] == ["1", "10", "2", "3"], mode


def test_settings_that_cannot_be_are_refused() -> None:
    for bad in ({"damping": 1.0}, {"tolerance": 0.0}, {"iterations": 0}, {"synonym_threshold": 1.5}):
        with pytest.raises(ValidationError):
            Settings.model_validate(bad)
    with pytest.raises(ConfigurationError, match="namespace"):
        Settings(namespace="a b")


def test_many_threads_ask_at_once(sample: HippoRAG, entity: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: ask(sample, MODES[i % 5], entity, entities=[entity]).passages, range(25)))
    for i, answer in enumerate(answers):
        assert answer == answers[i % 5]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"question": None}, "question"),
        ({"limit": True}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"entities": [5, None]}, "entity"),
    ],
)
def test_values_of_a_wrong_type_are_refused(wrong: dict[str, Any], said: str, sample: HippoRAG) -> None:
    given: dict[str, Any] = {"question": "Who?", "limit": 3, "entities": ["Ada"], **wrong}
    with pytest.raises(InputError, match=said):
        sample.retrieve(given.pop("question"), mode="hipporag1", **given)


@pytest.mark.parametrize("entities", [5, (name for name in ["ada"])])
def test_entities_that_are_no_list_are_refused(sample: HippoRAG, entities: Any) -> None:
    with pytest.raises(InputError, match="Give a list"):
        sample.retrieve("Who?", mode="hipporag1", entities=entities)


@pytest.mark.parametrize("kind", [HippoRAG, AsyncHippoRAG])
def test_settings_that_are_none_are_refused(kind: Any) -> None:
    with pytest.raises(ConfigurationError, match="The settings are a str"):
        kind("bolt://localhost:7687")


def test_half_a_surrogate_pair_is_refused_wherever_it_comes(sample: HippoRAG) -> None:
    for call in (
        partial(sample.delete, ["\ud800"]),
        partial(sample.delete, document="\ud800"),
        partial(sample.run, "\ud800"),
        partial(sample.inspect, "facts-of-phrase", phrase="\ud800"),
    ):
        with pytest.raises(InputError, match="half a surrogate pair"):
            call()


def test_numbers_that_are_too_much_for_an_inspection_are_refused(sample: HippoRAG) -> None:
    for limit in (10**400, 10**5000, float("inf"), True, "x"):
        with pytest.raises(InputError, match="limit is"):
            sample.inspect("phrase-hubs", limit=limit)


def test_an_empty_namespace_is_no_default(settings: Settings) -> None:
    with pytest.raises(ConfigurationError, match="namespace"):
        HippoRAG(settings, namespace="")


def test_what_asks_no_language_model_needs_no_working_settings_for_one(
    module_settings: Settings, sample: HippoRAG, entity: str
) -> None:
    broken = module_settings.model_copy(
        update={"llm_model": "scripted", "openai_base_url": None, "openai_api_key": None}
    )
    with type(sample)(broken, embedder=EMBEDDER) as rag:
        for mode in ("dense", "bm25"):
            assert rag.retrieve(entity, mode=mode).passages
        assert rag.retrieve(entity, no_llm=True).passages
        walked = rag.retrieve(entity, mode="hipporag1", entities=[entity])
        assert walked.explain().passages
        assert ask(rag, "hybrid", entity).passages
        with pytest.raises(ConfigurationError, match="neither a key nor an address"):
            rag.retrieve(entity)
        with pytest.raises(ConfigurationError, match="neither a key nor an address"):
            rag.retrieve(entity, mode="hipporag1")
