"""What a passage will take: by counting and defaults, or as measured."""

from collections.abc import Sequence

import pytest

from hipporag_neo4j.domain import Message, Passage
from hipporag_neo4j.indexing.expected_tokens import CALLS, Call, Expectation, Tokens, measured_calls
from hipporag_neo4j.llm.count_tokens import TokenCounter
from hipporag_neo4j.llm.usage import CallUsage
from hipporag_neo4j.prompts import entity_messages, triple_messages

COUNTER = TokenCounter(lambda text: len(text) / 4, "four characters each")
TEXT = "Ada met Bob in Lund. " * 10
PASSAGE = Passage(TEXT, id="1")


def usage(call: Call, **numbers: int) -> CallUsage:
    return CallUsage("m", call, **{"calls": 20, "answered": 20, "prompt_characters": 4000, "prompt_tokens": 1000,
                                   "text_characters": 2000, "completion_tokens": 500, **numbers})  # fmt: skip


def characters(messages: Sequence[Message]) -> int:
    return sum(len(message.content) for message in messages)


def parts(tokens: Tokens) -> tuple[float, float]:
    return tokens.prompt, tokens.completion


def test_without_a_measure_tokens_are_counted_and_answers_are_in_proportion_to_the_text() -> None:
    expected = Expectation(COUNTER, {}).calls(PASSAGE, ["Ada", "Bob"])
    sent = characters(entity_messages(TEXT)) / 4 + 90
    assert parts(expected["entities"]) == pytest.approx((sent, 0.49 * len(TEXT) / 4))
    sent = characters(triple_messages(TEXT, ["Ada", "Bob"])) / 4 + 115
    assert parts(expected["triples"]) == pytest.approx((sent, 1.42 * len(TEXT) / 4))
    assert "four characters each" in Expectation(COUNTER, {}).basis("triples")


def test_a_measure_stands_in_for_both_and_unreadable_answers_are_asked_for_again() -> None:
    expectation = Expectation(COUNTER, {"entities": usage("entities", calls=30)})
    expected = expectation.calls(PASSAGE)["entities"]
    assert expected.prompt == pytest.approx(30 / 20 * characters(entity_messages(TEXT)) * 1000 / 4000)
    assert expected.completion == pytest.approx(len(TEXT) * 500 / 2000)
    assert expectation.basis("entities") == "measured in this graph, 20 answers"


def test_entities_that_nobody_knows_take_room_in_the_prompt_of_triples() -> None:
    expectation = Expectation(COUNTER, {})
    without, unknown = expectation.calls(PASSAGE, [])["triples"], expectation.calls(PASSAGE)["triples"]
    assert unknown.prompt - without.prompt == pytest.approx(0.37 * len(TEXT) / 4, abs=1)


def test_only_enough_answers_of_the_same_model_are_a_measure() -> None:
    others = [CallUsage("other", "entities", calls=99, answered=99), CallUsage("m", "facts", calls=99, answered=99)]
    few = usage("triples", answered=2)
    assert set(measured_calls([*others, usage("entities"), few], "m")) == {"entities"}
    assert measured_calls([few, usage("triples", answered=3)], "m")["triples"].answered == 5
    assert not measured_calls([usage("entities", uncounted=1)], "m")


def test_the_calls_are_named_as_they_are_counted() -> None:
    from hipporag_neo4j.answers import EntitiesAnswer, TriplesAnswer
    from hipporag_neo4j.llm.cached_model import kind_of

    assert (kind_of(EntitiesAnswer), kind_of(TriplesAnswer)) == CALLS
