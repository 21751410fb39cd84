"""Numbers that a filter answers with, and what becomes of an answer that can't be used."""

import json

import pytest

from hipporag_neo4j.answers import FactsAnswer, FurtherFactsAnswer, read_answer, strict_schema
from hipporag_neo4j.domain import Fact
from hipporag_neo4j.errors import InputError, UnreadableAnswerError
from hipporag_neo4j.retrieval.filter_facts import Verdict, check_positions, first_look, further_look, keep_numbers

FACTS = tuple(Fact(name, "r", "x", 0.5) for name in "abc")


def test_unknown_numbers_are_dropped_and_counted() -> None:
    assert keep_numbers([3, 1, 0, 4, -1], 3) == ((0, 2), 3)
    assert keep_numbers([], 3) == ((), 0)


def test_a_filter_that_keeps_what_it_was_not_shown_is_refused() -> None:
    assert check_positions(Verdict((0, 2)), 3) == Verdict((0, 2))
    for wrong in (3, -1):
        with pytest.raises(InputError, match=f"position {wrong} of 3 facts.*at most 2"):
            check_positions(Verdict((0, wrong)), 3)


def test_a_look_says_what_was_kept_and_dropped() -> None:
    look = first_look(FACTS, Verdict((0, 2), unknown=1))
    assert (look.kept, look.dropped, look.unknown, look.problem) == ((FACTS[0], FACTS[2]), (FACTS[1],), 1, None)


def test_without_a_usable_answer_a_first_look_keeps_all_and_a_further_one_nothing() -> None:
    verdict = Verdict(problem="It failed.")
    assert first_look(FACTS, verdict).kept == FACTS
    assert further_look(FACTS, verdict).kept == ()
    assert further_look(FACTS, verdict).problem == "It failed."


@pytest.mark.parametrize(
    ("raw", "numbers", "unreadable"),
    [
        ('{"relevant_facts": [2, 1, 2], "named_entities": ["Ada"]}', (2, 1), 0),
        ('Sure!\n```json\n{"relevant_facts": ["2", "fact 1", "[3]"], "named_entities": ["Ada"]}\n```', (2, 1, 3), 0),
        ('{"relevantFacts": [{"number": 2}, 1.0], "named_entities": ["Ada"]}', (2, 1), 0),
        ('{"relevant_facts": [2, "none", true], "named_entities": ["Ada"]}', (2,), 2),
        ('{"relevant_facts": [], "named_entities": ["Ada"]}', (), 0),
        ('{"named_entities": ["Ada"], "relevant_facts": [99, -1]}', (99, -1), 0),
    ],
)
def test_numbers_are_read_from_any_wrapping(raw: str, numbers: tuple[int, ...], unreadable: int) -> None:
    answer = read_answer(raw, FactsAnswer)
    assert (answer.relevant_facts, answer.unreadable, answer.named_entities) == (numbers, unreadable, ("Ada",))


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "None of the facts [1] is relevant.",
        "I can't help with that.",
        "Я не могу помочь.",
        '{"relevant_facts": "none"}',
        '{"relevant_facts": [["ada", "wrote", "notes"]]}',
        '{"named_entities": ["Ada"]}',
        '{"relevant_facts": [1',
    ],
)
def test_an_answer_without_numbers_is_refused(raw: str) -> None:
    with pytest.raises(UnreadableAnswerError):
        read_answer(raw, FurtherFactsAnswer)


def test_the_last_number_of_a_cut_answer_is_not_trusted() -> None:
    assert read_answer('{"relevant_facts": [3, 12, 1', FurtherFactsAnswer, truncated=True).relevant_facts == (3, 12)
    cut = read_answer('{"relevant_facts": [3, 12], "named_entities": ["Ada", "Char', FactsAnswer, truncated=True)
    assert (cut.relevant_facts, cut.named_entities) == ((3, 12), ("Ada",))


def test_the_schema_asks_for_numbers_and_entities_alone() -> None:
    assert set(strict_schema(FactsAnswer)["schema"]["properties"]) == {"relevant_facts", "named_entities"}
    assert set(strict_schema(FactsAnswer)["schema"]["required"]) == {"relevant_facts", "named_entities"}
    assert "unreadable" not in json.dumps(strict_schema(FurtherFactsAnswer))
