"""What calls come to: entered by a meter, added up by many threads."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from hipporag_neo4j.answers import EntitiesAnswer, ShapeT
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import LLMError, UnreadableAnswerError
from hipporag_neo4j.llm import Answer, Listener
from hipporag_neo4j.llm.metered import MeteredModel
from hipporag_neo4j.llm.usage import CallUsage, UsageLedger

ASKED = [Message("system", "Name them."), Message("user", "Ada met Bob.")]


class Scripted:
    """Says what it is given, in order; errors are raised."""

    name = "m"

    def __init__(self, *said: Answer[EntitiesAnswer] | Exception) -> None:
        self._said = iter(said)

    def answer(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        said = next(self._said)
        if isinstance(said, Exception):
            raise said
        value = shape.model_validate({"named_entities": ["Ada"]})
        return Answer(value, said.prompt_tokens, said.completion_tokens, from_cache=said.from_cache)


NAMED = EntitiesAnswer.model_validate({"named_entities": ["Ada"]})


def test_each_kind_of_end_is_entered() -> None:
    ledger = UsageLedger()
    model = Scripted(
        Answer(NAMED, 10, 3),
        UnreadableAnswerError("?", prompt_tokens=11, completion_tokens=4),
        Answer(NAMED, from_cache=True),
        Answer(NAMED),
        LLMError("gone"),
    )
    metered = MeteredModel(model, ledger, characters=12)
    metered.answer(ASKED, EntitiesAnswer)
    with pytest.raises(UnreadableAnswerError):
        metered.answer(ASKED, EntitiesAnswer)
    metered.answer(ASKED, EntitiesAnswer)
    metered.answer(ASKED, EntitiesAnswer)
    with pytest.raises(LLMError):
        metered.answer(ASKED, EntitiesAnswer)
    assert ledger.calls() == (
        CallUsage(
            "m", "entities", calls=3, answered=2, from_cache=1, uncounted=1, prompt_tokens=21, completion_tokens=7,
            prompt_characters=3 * 22, text_characters=2 * 12,
        ),
    )  # fmt: skip
    assert (metered.prompt_tokens, metered.completion_tokens) == (21, 7)
    assert (metered.from_cache, metered.uncounted) == (1, 1)


def test_threads_lose_nothing() -> None:
    ledger = UsageLedger()

    def enter(thread: int) -> None:
        for _ in range(500):
            ledger.add(CallUsage("m", f"call {thread % 2}", calls=1, prompt_tokens=2))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(enter, range(8)))
    assert [(usage.call, usage.calls, usage.prompt_tokens) for usage in ledger.calls()] == [
        ("call 0", 2000, 4000),
        ("call 1", 2000, 4000),
    ]
