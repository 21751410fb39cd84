"""Reading raw answers: what is mended, what is kept aside, and what is refused."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.answers import LONGEST_ANSWER, EntitiesAnswer, TriplesAnswer, read_answer, strict_schema
from hipporag_neo4j.errors import UnreadableAnswerError

ABC = ("a", "b", "c")
DEF = ("d", "e", "f")


def entities(raw: str, *, truncated: bool = False) -> tuple[str, ...]:
    return read_answer(raw, EntitiesAnswer, truncated=truncated).named_entities


def triples(raw: str, *, truncated: bool = False) -> tuple[tuple[str, ...], ...]:
    return read_answer(raw, TriplesAnswer, truncated=truncated).triples


def malformed(raw: str, *, truncated: bool = False) -> tuple[str, ...]:
    return read_answer(raw, TriplesAnswer, truncated=truncated).malformed


@pytest.mark.parametrize(
    "raw",
    [
        '{"named_entities": ["Lund", "Ada"]}',
        '```json\n{"named_entities": ["Lund", "Ada"]}\n```',
        'Sure! Here they are:\n{"named_entities": ["Lund", "Ada"]}\nAnything else?',
        '{"named_entities": ["Lund", "Ada"',
        '{"named_entities": ["Lund", "Ada"],}',
        "{'named_entities': ['Lund', 'Ada']}",
        "{named_entities: ['Lund', 'Ada']}",
        '["Lund", "Ada"]',
        '{"Named Entities": ["Lund", "Ada"]}',
        '{"entities": ["Lund", "Ada"]}',
        '{"result": {"named_entities": ["Lund", "Ada"]}}',
        '{"named_entities": [["Lund"], ["Ada"]]}',
        '{"named_entities": [{"name": "Lund", "type": "place"}, {"name": "Ada", "type": "person"}]}',
        '{"named_entities": {"places": ["Lund"], "people": ["Ada"]}}',
        '{"named_entities": ["Lund", "  Ada ", "Lund", "", null]}',
        '{"named_entities": ["Lund"]}\n{"named_entities": ["Ada"]}',
        '<think>{"named_entities": ["Rome"]}? No.</think>{"named_entities": ["Lund", "Ada"]}',
        'As in the example {"named_entities": ["Rome"]} I answer: {"named_entities": ["Lund", "Ada"]}',
        'See [1].\n{"named_entities": ["Lund", "Ada"]} [1] the passage',
        '{"named_entities": ["Lund\\n", "\\u0001Ada"]}',
    ],
)
def test_entities_are_read_from_any_wrapping(raw: str) -> None:
    assert entities(raw) == ("Lund", "Ada")


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "   ",
        "I can't do that.",
        "{}",
        "null",
        '"Lund"',
        '{"named_entities": "Lund, Ada"}',
        '{"named_entities": null}',
        '{"named_entities": [null, {}]}',
        '{"named_entities": {"title": "Unleashed", "genres": "Action, Drama"}}',
        '{"Lund": {"title": "Lund", "authors": ["Ada"]}}',
        '{"triples": [["a", "b", "c"]]}',
        '[["a", "b", "c"], ["d", "e", "f"]]',
        '{"named_entities": [',
        '{"named_entities": ["Lun',
        "<think>First {",
        '<think>{"named_entities": ["Lund"]}',
        "See [1] and [2].",
        "[" * 5000,
        '{"a":' * 5000,
        '{"named_entities": [' + "9" * 5000,
        "x" * 300_000,
    ],
)
def test_an_answer_without_entities_is_refused(raw: str) -> None:
    with pytest.raises(UnreadableAnswerError):
        entities(raw)


def test_an_empty_list_is_an_answer() -> None:
    assert entities('{"named_entities": []}') == ()
    assert triples('{"triples": []}') == ()
    assert triples("[]") == ()


@pytest.mark.parametrize(
    "raw",
    [
        '{"triples": [["a", "b", "c"], ["d", "e", "f"]]}',
        '[["a", "b", "c"], ["d", "e", "f"]]',
        '{"triples": [[["a", "b", "c"], ["d", "e", "f"]]]}',
        '{"json": {"triples": [["a", "b", "c"], ["d", "e", "f"]]}}',
        '[{"triples": [["a", "b", "c"]]}, {"triples": [["d", "e", "f"]]}]',
        '{"triples": [["a", "b", "c"]], "triples": [["d", "e", "f"]]}',
        '{"triples": [{"subject": "a", "predicate": "b", "object": "c"}, {"head": "d", "relation": "e", "tail": "f"}]}',
        '{"subject": "a", "predicate": "b", "object": "c"}\n{"subject": "d", "predicate": "e", "object": "f"}',
        "{'triples': [('a', 'b', 'c'), ('d', 'e', 'f')]}",
        '{"triples": [["a", "b", "c"], ["d", "e", "f"]',
        '{"triples": [["a", "b", "c"], ["d", "e", "f"]]}\n```',
        '{"triples": [["a", "b", "c"], ["d", "e", "f"], ["a", "b", "c"]]}',
    ],
)
def test_triples_are_read_from_any_wrapping(raw: str) -> None:
    read = read_answer(raw, TriplesAnswer)
    assert (read.triples, read.malformed) == ((ABC, DEF), ())
    assert read.facts[0].object == "c"


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        ('["a", "b"]', '["a", "b"]'),
        ('["a", "b", "c", "d"]', '["a", "b", "c", "d"]'),
        ('["a", "b", null]', '["a", "b", null]'),
        ('["a", "b", NaN]', '["a", "b", null]'),
        ('["a", "b", ""]', '["a", "b", ""]'),
        ('["a", "b", ["c", "d"]]', '["a", "b", ["c", "d"]]'),
        ('"a goes to b"', '"a goes to b"'),
        ('{"subject": "a", "object": "c"}', '{"subject": "a", "object": "c"}'),
        ('{"subject": "a", "head": "x", "predicate": "b", "object": "c"}', None),
        ("[]", "[]"),
        ('["é", "b"]', '["é", "b"]'),
    ],
)
def test_what_has_not_three_parts_is_kept_aside(item: str, kept: str | None) -> None:
    read = read_answer(f'{{"triples": [["a", "b", "c"], {item}]}}', TriplesAnswer)
    assert read.triples == (ABC,)
    assert read.malformed == (kept or item,)


def test_numbers_and_truth_values_keep_their_spelling() -> None:
    assert triples('{"triples": [["x", 1.50, true], [1e3, "y", 12345678901234567890123]]}') == (
        ("x", "1.50", "true"),
        ("1e3", "y", "12345678901234567890123"),
    )


@pytest.mark.parametrize(
    ("tail", "aside"),
    [
        ('["d", "e", "f', '["d", "e", "f"]'),
        ('["d", "e", "f"', '["d", "e", "f"]'),
        ('["d", "e",', '["d", "e"]'),
        ('{"subject": "d", "predicate": "e", "object": "f', '{"subject": "d", "predicate": "e", "object": "f"}'),
    ],
)
def test_a_triple_that_was_cut_off_is_not_a_fact(tail: str, aside: str) -> None:
    read = read_answer(f'{{"triples": [["a", "b", "c"], {tail}', TriplesAnswer)
    assert read.triples == (ABC,)
    assert read.malformed == (aside,)


def test_a_cut_that_ends_in_a_bracket_is_seen_when_it_is_known() -> None:
    raw = '{"triples": [["a", "b", "c"], ["d", "e", "f [1]'
    assert triples(raw, truncated=True) == (ABC,)
    assert len(malformed(raw, truncated=True)) == 1


def test_an_entity_that_was_cut_off_is_left_out() -> None:
    assert entities('{"named_entities": ["Lund", "Ada Love') == ("Lund",)
    assert entities('{"named_entities": ["Lund", "Ada"', truncated=True) == ("Lund", "Ada")
    assert entities('{"named_entities": [{"name": "Lund"}, {"name": "Ada"') == ("Lund",)


@pytest.mark.parametrize("raw", ['{"triples": [', '{"triples": [["a", "b", "c', '{"triples": [["a", "b"'])
def test_a_cut_answer_without_a_whole_triple_is_refused(raw: str) -> None:
    with pytest.raises(UnreadableAnswerError, match="cut off"):
        triples(raw)


@pytest.mark.parametrize(
    "raw",
    [
        '{"triples": ["a goes to b", "c goes to d"]}',
        '{"triples": ["a", "b", "c"]}',
        '{"triples": [{"data": {"name": "Black Lake"}}]}',
        '{"json_dict": {"named_entities": [{"name": "Germany"}]}}',
        '{"json": {"data": [{"name": "New Delhi", "description": "The capital"}]}}',
        "{}",
        "As Tarnow [1] and Obi [2] say [3], [4]: nothing.",
    ],
)
def test_an_answer_with_nothing_like_a_triple_is_refused(raw: str) -> None:
    with pytest.raises(UnreadableAnswerError, match=r"triples|list of parts"):
        triples(raw)


def test_what_is_read_can_be_encoded() -> None:
    raw = '{"triples": [["half \\ud83d", "pair \\ud83d\\ude00", "nul \\u0000 and\\ttab"]], "x": 1}'
    assert triples(raw) == (("half �", "pair 😀", "nul and tab"),)
    assert malformed('{"triples": [["a", "b", "c"], ["\\udc00", "b"]]}') == ('["�", "b"]',)
    with pytest.raises(UnreadableAnswerError) as caught:
        entities("no \udc00 answer")
    str(caught.value).encode()


def test_the_error_shows_an_excerpt_on_one_line() -> None:
    with pytest.raises(UnreadableAnswerError) as caught:
        entities('{"people":\n ["Ada"]}' + " " * 500 + "end")
    message = str(caught.value)
    assert '{"people": ["Ada"]}' in message
    assert "named_entities" in message
    assert "\n" not in message
    assert len(message) < 300


@pytest.mark.parametrize("piece", ['{"', "{x ", "[1] ", "[", '{"a":', '{"triples": [["a" b', "```"])
def test_a_long_hostile_answer_costs_little_time(piece: str) -> None:
    raw = (piece * LONGEST_ANSWER)[:LONGEST_ANSWER]
    started = time.process_time()
    with pytest.raises(UnreadableAnswerError):
        triples(raw)
    assert time.process_time() - started < 10


def test_the_schema_is_strict_and_holds_no_field_of_ours() -> None:
    schema = strict_schema(TriplesAnswer)
    assert schema["strict"] is True
    assert schema["schema"]["additionalProperties"] is False
    assert list(schema["schema"]["properties"]) == schema["schema"]["required"] == ["triples"]
    assert schema["schema"]["properties"]["triples"]["items"] == {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 3,
        "maxItems": 3,
    }
    assert strict_schema(EntitiesAnswer)["schema"]["required"] == ["named_entities"]


def test_answers_of_small_models_are_read(shared_data: Path) -> None:
    """The answers not read hold no list of entities or triples at all; data/README.md names the models."""
    read = {"ner": 0, "triples": 0}
    found = kept = 0
    for file in sorted((shared_data / "malformed_llm_output").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            recorded = json.loads(line)
            for kind, shape in (("ner", EntitiesAnswer), ("triples", TriplesAnswer)):
                raw, truncated = recorded[kind]["raw"], recorded[kind]["finish"] == "length"
                try:
                    answer: Any = read_answer(raw, shape, truncated=truncated)
                except UnreadableAnswerError:
                    continue
                read[kind] += 1
                if isinstance(answer, TriplesAnswer):
                    found += len(answer.triples)
                    kept += len(answer.malformed)
                    assert all(part in raw for triple in answer.triples for part in triple)
    assert read == {"ner": 76, "triples": 68}
    assert (found, kept) == (283, 105)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["triples", "named_entities"]), inner),
)


@given(st.text() | st.text(alphabet='[]{}",: \n\\abc`') | _JSON.map(json.dumps), st.booleans())
def test_no_text_breaks_the_reader(raw: str, truncated: bool) -> None:
    for shape in (EntitiesAnswer, TriplesAnswer):
        try:
            answer: Any = read_answer(raw, shape, truncated=truncated)
        except UnreadableAnswerError:
            continue
        answer.model_dump_json().encode()


@given(st.lists(st.tuples(*[st.text(alphabet="abc 123éß中", min_size=1)] * 3), min_size=1), st.data())
def test_a_cut_answer_gives_only_facts_of_the_whole_one(facts: list[tuple[str, str, str]], data: st.DataObject) -> None:
    raw = json.dumps({"triples": facts}, ensure_ascii=False)
    cut = raw[: data.draw(st.integers(min_value=0, max_value=len(raw)))]
    whole = triples(raw) if any(all(part.strip() for part in fact) for fact in facts) else ()
    try:
        read = triples(cut, truncated=True)
    except UnreadableAnswerError:
        return
    assert read == whole[: len(read)]
