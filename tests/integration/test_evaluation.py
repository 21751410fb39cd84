"""Evaluation over a real graph: gold passages are found where they are, and nowhere else."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

import hipporag_neo4j
from hipporag_neo4j.errors import ConfigurationError, InputError
from hipporag_neo4j.evaluation import (
    Decisions,
    GoldPassage,
    Question,
    Setting,
    find_gold,
    read_questions,
    read_setting,
    run,
)
from hipporag_neo4j.evaluation.query_decisions import Decision
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder

SAMPLE = Path(hipporag_neo4j.__file__).parent / "sample"


@pytest.fixture
def rag(settings: Settings) -> Iterator[HippoRAG]:
    """The bundled sample corpus with its triples."""
    with HippoRAG(settings, embedder=HashEmbedder(384)) as opened:
        opened.import_openie(SAMPLE / "openie.json")
        yield opened


@pytest.fixture
def questions() -> tuple[Question, ...]:
    return read_questions(SAMPLE / "questions.json")


def test_all_gold_passages_of_the_sample_are_found(rag: HippoRAG, questions: tuple[Question, ...]) -> None:
    found = find_gold(rag.database, rag.namespace, questions)
    assert all(len(ids) == 1 for question in questions for ids in found.of(question))


def test_gold_is_found_by_title_and_text_and_in_its_own_namespace_alone(
    rag: HippoRAG, make_namespace: Callable[[], str]
) -> None:
    passage = rag.retrieve("Who?", mode="dense", limit=1).passages[0]
    by_id, by_text = GoldPassage(id=passage.id), GoldPassage(title=passage.title, text=passage.text)
    absent = GoldPassage(title="No such title", text="No such text")
    question = Question("q", "Who?", (by_id, by_text, absent))
    here = find_gold(rag.database, rag.namespace, [question])
    assert here.of(question) == (frozenset({passage.id}), frozenset({passage.id}), frozenset())
    assert here.missing(question) == (absent,)
    elsewhere = find_gold(rag.database, make_namespace(), [question])
    assert elsewhere.missing(question) == question.gold


def test_a_whole_run(rag: HippoRAG, questions: tuple[Question, ...]) -> None:
    done = run(
        rag.retrieve,
        lambda asked: find_gold(rag.database, rag.namespace, asked),
        questions,
        ["hipporag1", "dense", "bm25"],
    )
    assert (done.questions, done.missing, done.warnings) == (len(questions), 0, ())
    for mode, result in done.modes.items():
        assert 0 < result.recall[2] <= result.recall[5] <= result.recall[10] <= 1, mode
        assert result.latency["total"].p50 > 0
        assert result.fallbacks == 0
    assert {"link", "rank"} <= done.modes["hipporag1"].latency.keys()
    # What the product is for: the walk finds what no single passage says.
    assert done.modes["hipporag1"].recall[5] > done.modes["dense"].recall[5]


def test_a_run_without_entities_says_what_to_give(rag: HippoRAG, questions: tuple[Question, ...]) -> None:
    bare = [Question(q.id, q.question, q.gold) for q in questions]

    with pytest.raises(ConfigurationError, match="--query-decisions"):
        run(rag.retrieve, lambda asked: find_gold(rag.database, rag.namespace, asked), bare, ["hipporag1"])
    recorded = Decisions({q.question: Decision(q.question, named_entities=q.entities) for q in questions})
    done = run(
        rag.retrieve,
        lambda asked: find_gold(rag.database, rag.namespace, asked),
        bare,
        ["hipporag1"],
        decisions=recorded,
    )
    assert done.modes["hipporag1"].fallbacks == 0


def test_questions_for_another_corpus_are_refused(rag: HippoRAG) -> None:
    foreign = [Question("q", "Who?", (GoldPassage(title="Elsewhere", text="Nothing."),))]
    with pytest.raises(InputError, match="holds none of the gold passages"):
        run(rag.retrieve, lambda asked: find_gold(rag.database, rag.namespace, asked), foreign, ["dense"])


def test_the_setting_tells_what_the_figures_depend_on_and_no_secret(
    rag: HippoRAG, settings: Settings, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    def read(changed: Settings = settings, asked: tuple[Question, ...] = questions, **changes: Any) -> Setting:
        given: dict[str, Any] = {"decisions": None, "looks": 1, "passages_read": None, **changes}
        return read_setting(rag.database, changed, SAMPLE / "questions.json", asked, **given)

    def differing(other: Setting) -> set[str]:
        names = {*setting.made_with, *other.made_with}
        return {name for name in names if setting.made_with.get(name) != other.made_with.get(name)}

    setting = read()
    assert (setting.graph.passages, setting.questions_file, setting.changed) == (60, "questions.json", {})
    assert {"hipporag-neo4j", "Neo4j", "Graph Data Science"} <= setting.versions.keys()
    assert differing(read()) == set()
    assert differing(read(asked=questions[:3])) == {"questions"}
    assert differing(read(asked=(replace(questions[0], question="Who?"), *questions[1:]))) == {"questions"}
    assert differing(read(looks=2, passages_read=5)) == {"looks", "passages read"}
    assert differing(read(decisions=Decisions({"Who?": Decision("Who?", named_entities=())}))) == {"recorded decisions"}
    damped = read(settings.model_copy(update={"damping": 0.7}))
    assert differing(damped) == {"HIPPORAG_DAMPING"}
    assert damped.changed == {"damping": 0.7}
    (tmp_path / "answer.txt").write_text("Answer in verse.")
    assert differing(read(settings.model_copy(update={"prompts_dir": tmp_path}))) == {"prompts"}
    model = {
        "llm_model": "m",
        "openai_base_url": "http://ada:secret@box:8000/v1",
        "openai_api_key": SecretStr("secret"),
    }
    asked = read(settings.model_copy(update=model))
    assert differing(asked) == {"language model"}
    assert asked.made_with["language model"] == "m at box:8000/v1"
    assert "secret" not in repr(asked)
    rag.import_openie(_one_more(tmp_path))
    assert differing(read()) == {"version of the graph"}


def _one_more(folder: Path) -> Path:
    path = folder / "more.json"
    entry = {"idx": 1, "passage": "New.", "extracted_entities": [], "extracted_triples": [["a", "b", "c"]]}
    path.write_text(json.dumps([entry]))
    return path
