"""What reading a passage will take, in tokens, before the language model is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from hipporag_neo4j.domain import Message, Passage
from hipporag_neo4j.llm.count_tokens import TokenCounter
from hipporag_neo4j.llm.usage import CallUsage
from hipporag_neo4j.prompts import entity_messages, triple_messages
from hipporag_neo4j.text import passage_text

Call = Literal["entities", "triples"]
CALLS: tuple[Call, ...] = get_args(Call)
ENOUGH = 5
"""Answers of a kind from which what they took is a measure."""

_DEFAULT_OUTPUT: Mapping[Call, float] = {"entities": 0.49, "triples": 1.42}
"""Tokens written for each token of the passage: what GPT-3.5 wrote for 1,890 passages of MuSiQue, as this package's
JSON, counted with `o200k_base`."""
_DEFAULT_PER_CALL: Mapping[Call, float] = {"entities": 90.0, "triples": 115.0}
"""Tokens sent beside the messages' text: the answer's schema (71 and 96), and some for each message."""
_ENTITY_CHARACTERS = 0.37
"""Characters of entities, as JSON, for each character of the passage, in the same passages."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens sent and written."""

    prompt: float = 0.0
    completion: float = 0.0

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(self.prompt + other.prompt, self.completion + other.completion)

    @property
    def total(self) -> float:
        """Both."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class Expectation:
    """Foretells the tokens of both calls, from what calls of a kind took before, else from counting and defaults.

    `measured` has what earlier runs with this model came to; kinds with fewer than 5 answers don't count.
    """

    counter: TokenCounter
    measured: Mapping[Call, CallUsage]
    prompts_dir: Path | None = None

    def calls(self, passage: Passage, entities: Sequence[str] | None = None) -> Mapping[Call, Tokens]:
        """Tokens by call; `entities` where they are known."""
        text = passage_text(passage.title, passage.text)
        # What is unknown yet is as good as any text of that length.
        named = entities if entities is not None else [text[: round(_ENTITY_CHARACTERS * len(text))]]
        return {
            "entities": self._call("entities", text, entity_messages(text, self.prompts_dir)),
            "triples": self._call("triples", text, triple_messages(text, named, self.prompts_dir)),
        }

    def passage(self, passage: Passage) -> Tokens:
        """Tokens of both calls."""
        return sum(self.calls(passage).values(), Tokens())

    def basis(self, call: Call) -> str:
        """What the figures of a call rest on, for people."""
        if (seen := self.measured.get(call)) is not None:
            return f"measured in this graph, {seen.answered:,} answers"
        return f"default: in {self.counter.basis}; out {_DEFAULT_OUTPUT[call]:g} for each token of text"

    def _call(self, call: Call, text: str, messages: Sequence[Message]) -> Tokens:
        if (seen := self.measured.get(call)) is not None:
            characters = sum(len(message.content) for message in messages)
            again = seen.calls / seen.answered
            return Tokens(
                again * characters * seen.prompt_tokens / seen.prompt_characters,
                len(text) * seen.completion_tokens / seen.text_characters,
            )
        sent = sum(self.counter.count(message.content) for message in messages) + _DEFAULT_PER_CALL[call]
        return Tokens(sent, _DEFAULT_OUTPUT[call] * self.counter.count(text))


def measured_calls(usages: Sequence[CallUsage], model: str) -> Mapping[Call, CallUsage]:
    """What calls to a model took, by kind, as far as there are enough of them to go by."""
    found: dict[Call, CallUsage] = {}
    for usage in usages:
        if usage.model == model and usage.call in CALLS:
            call: Call = "entities" if usage.call == "entities" else "triples"
            found[call] = found[call] + usage if call in found else usage
    return {
        call: usage
        for call, usage in found.items()
        if usage.answered >= ENOUGH and not usage.uncounted and usage.prompt_characters and usage.text_characters
    }
