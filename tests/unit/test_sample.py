"""The bundled sample corpus is consistent, and its questions are of the kind that they claim to be."""

import json
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest

from hipporag_neo4j.text import normalise, passage_text

SAMPLE = files("hipporag_neo4j") / "sample"
HOPS = {"single-hop": 1, "two-hop": 2, "three-hop": 3}
# Second names that the passages use; synonym relationships have to join them.
VARIATIONS = {
    "School on Tamber": "Tamber School",
    "Venn Harbour Guild": "Harbour Guild of Venn",
    "Saint Orsolo's School": "School of Saint Orsolo",
    "reed-clocks": "reed-clock",
}


def _normal(text: str) -> str:
    return normalise(text, "unicode")


FIRST_NAMES = {_normal(second): _normal(first) for second, first in VARIATIONS.items()}


@cache
def _passages() -> dict[str, dict[str, Any]]:
    lines = (SAMPLE / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    return {passage["id"]: passage for passage in map(json.loads, lines)}


@cache
def _docs() -> dict[str, dict[str, Any]]:
    return {doc["idx"]: doc for doc in json.loads((SAMPLE / "openie.json").read_text(encoding="utf-8"))["docs"]}


def _questions() -> list[dict[str, Any]]:
    questions: list[dict[str, Any]] = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
    return questions


def _names(passage_id: str, phrase: str) -> bool:
    """Whether the passage's title or text holds the phrase, as whole words."""
    passage = _passages()[passage_id]
    return f" {_normal(phrase)} " in f" {_normal(passage_text(passage['title'], passage['text']))} "


def _names_by_any_name(passage_id: str, phrase: str) -> bool:
    seconds = (second for second, first in VARIATIONS.items() if _normal(first) == _normal(phrase))
    return any(_names(passage_id, name) for name in (phrase, *seconds))


def _phrases(passage_id: str) -> set[str]:
    """The phrases of a passage's triples, each under its first name."""
    ends = (end for triple in _docs()[passage_id]["extracted_triples"] for end in (triple[0], triple[2]))
    return {FIRST_NAMES.get(phrase, phrase) for phrase in map(_normal, ends)}


questions = pytest.mark.parametrize("question", _questions(), ids=lambda question: question["id"])
passage_ids = pytest.mark.parametrize("passage_id", list(_passages()))


def test_the_sample_has_the_size_that_its_readme_says() -> None:
    lines = (SAMPLE / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(_passages()) == 60
    assert len({passage["title"] for passage in _passages().values()}) == 60
    assert len(_questions()) == len({question["id"] for question in _questions()}) == 16


@passage_ids
def test_a_passage_is_short_and_its_metadata_flat(passage_id: str) -> None:
    passage = _passages()[passage_id]
    assert passage.keys() == {"id", "title", "text", "metadata"}
    assert 40 <= len(passage["text"].split()) <= 90
    assert passage["metadata"]["source"]
    assert all(isinstance(value, str | int) for value in passage["metadata"].values())


def test_openie_holds_the_passages_in_their_order() -> None:
    docs = json.loads((SAMPLE / "openie.json").read_text(encoding="utf-8"))["docs"]
    expected = [(p["id"], passage_text(p["title"], p["text"])) for p in _passages().values()]
    assert [(doc["idx"], doc["passage"]) for doc in docs] == expected


@passage_ids
def test_triples_are_read_from_their_passage(passage_id: str) -> None:
    triples = _docs()[passage_id]["extracted_triples"]
    assert 5 <= len(triples) <= 10
    assert len({tuple(map(_normal, triple)) for triple in triples}) == len(triples)
    for triple in triples:
        assert len(triple) == 3
        assert all(_normal(part) for part in triple)
        subject, _, object_ = triple
        assert _names(passage_id, subject), subject
        assert _names(passage_id, object_), object_
        assert _normal(subject) != _normal(object_)


@passage_ids
def test_entities_are_named_in_their_passage(passage_id: str) -> None:
    entities = _docs()[passage_id]["extracted_entities"]
    assert entities
    assert [entity for entity in entities if not _names(passage_id, entity)] == []


def test_each_second_name_is_used() -> None:
    for second, first in VARIATIONS.items():
        assert any(_names(passage_id, second) for passage_id in _passages()), second
        assert any(_names(passage_id, first) for passage_id in _passages()), first


@questions
def test_gold_passages_exist_and_hold_the_answer(question: dict[str, Any]) -> None:
    gold = question["gold"]
    assert len(set(gold)) == len(gold)
    assert set(gold) <= _passages().keys()
    assert any(_names(passage_id, question["answer"]) for passage_id in gold)


@questions
def test_entities_of_a_question_are_in_it_and_in_the_graph(question: dict[str, Any]) -> None:
    phrases = {_normal(end) for doc in _docs().values() for triple in doc["extracted_triples"] for end in triple[::2]}
    assert question["entities"]
    for entity in question["entities"]:
        assert _normal(entity) in _normal(question["question"])
        assert _normal(entity) in phrases


@questions
def test_a_question_is_of_its_kind(question: dict[str, Any]) -> None:
    answer, entities, gold = question["answer"], question["entities"], question["gold"]
    if question["kind"] == "path-finding":
        assert len(entities) >= 2
        for passage_id in _passages():
            assert not all(_names_by_any_name(passage_id, entity) for entity in entities), passage_id
        assert all(_names(passage_id, answer) for passage_id in gold)
        assert all(any(_names_by_any_name(passage_id, entity) for passage_id in gold) for entity in entities)
        return
    assert len(gold) == HOPS[question["kind"]]
    assert _names_by_any_name(gold[0], entities[0])
    assert _names(gold[-1], answer)
    assert [passage_id for passage_id in gold[:-1] if _names(passage_id, answer)] == []
    assert [passage_id for passage_id in gold[1:] if _names_by_any_name(passage_id, entities[0])] == []


@questions
def test_each_gold_passage_shares_a_phrase_with_the_next(question: dict[str, Any]) -> None:
    gold = question["gold"]
    for one, next_one in pairwise(gold):
        assert _phrases(one) & _phrases(next_one), (one, next_one)


def test_most_questions_need_more_than_one_passage() -> None:
    kinds = [question["kind"] for question in _questions()]
    assert kinds.count("path-finding") >= 5
    assert 1 <= kinds.count("single-hop") <= 2
    assert set(kinds) == {"path-finding", *HOPS}


def test_the_demo_shows_three_kinds() -> None:
    shown = [question["kind"] for question in _questions() if question.get("demo")]
    assert sorted(shown) == ["path-finding", "three-hop", "two-hop"]
