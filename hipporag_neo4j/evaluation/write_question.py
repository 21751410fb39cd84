"""One question on a chain of facts: written by a language model, then checked by rules."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationInfo, model_validator

from hipporag_neo4j.answers import clean, ending_of, plain_key
from hipporag_neo4j.errors import UnreadableAnswerError
from hipporag_neo4j.evaluation.find_chains import Chain, has_words_of
from hipporag_neo4j.llm import LanguageModel, ask
from hipporag_neo4j.prompts import question_writing_messages
from hipporag_neo4j.text import Normalisation, normalise, passage_text

_LONGEST_PASSAGE = 3000
"""Characters of a passage that are shown."""
_LONGEST_QUESTION = 500
_QUESTION_MARKS = ("?", "？", "؟", "\N{GREEK QUESTION MARK}", "՞")

DECLINED = "the model found no good question"
UNREADABLE = "the model's answer can't be read"
NO_QUESTION = "it is no question"
TOO_LONG = f"it is longer than {_LONGEST_QUESTION} characters"
NAMES_HIDDEN = "it names what must be found on the way"
NAMES_ANSWER = "it names its answer"
NAMES_NO_START = "it doesn't name what it starts from"
OTHER_ANSWER = "its answer is another one"
REPEATED = "it was asked before"


class WrittenQuestionAnswer(BaseModel):
    """A question and its answer; both are empty where no good question could be written."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    question: str
    answer: str

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object, info: ValidationInfo) -> dict[str, Any]:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        given = {plain_key(str(key)): part for key, part in value.items()} if isinstance(value, dict) else {}
        if "question" not in given:
            raise ValueError("it holds no question")
        if ending_of(info) == "open text":
            raise ValueError("it was cut off")
        return {key: _text(given.get(key)) for key in ("question", "answer")}


@dataclass(frozen=True, slots=True)
class Written:
    """What came of a chain: a question with its answer, or why there is none; and what it cost."""

    chain: Chain
    question: str = ""
    answer: str = ""
    dropped: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: bool = False


def write_question(
    model: LanguageModel, chain: Chain, normalisation: Normalisation, prompts_dir: Path | None = None
) -> Written:
    """Have a question written on a chain. Raises LLMError when the endpoint fails: nothing is known of the question."""
    messages = question_writing_messages(
        [(fact.subject, fact.predicate, fact.object) for fact in chain.facts],
        [passage_text(passage.title, passage.text)[:_LONGEST_PASSAGE] for passage in chain.passages],
        named=chain.named,
        hidden=chain.hidden,
        answer=chain.answer,
        prompts_dir=prompts_dir,
    )
    try:
        said = ask(model, messages, WrittenQuestionAnswer)
    except UnreadableAnswerError as error:
        return Written(
            chain, dropped=UNREADABLE, prompt_tokens=error.prompt_tokens, completion_tokens=error.completion_tokens
        )
    question, answer = said.value.question, said.value.answer
    return Written(
        chain,
        question,
        answer,
        why_not(question, answer, chain, normalisation),
        said.prompt_tokens,
        said.completion_tokens,
        said.from_cache,
    )


def why_not(question: str, answer: str, chain: Chain, normalisation: Normalisation) -> str | None:
    """Why a question on a chain can't be used, None where it can.

    Phrases are compared as the graph does. A phrase of several words counts as named, too, when all of its words are
    there in another order, beside the phrases that the question should name.
    """
    if not question:
        return DECLINED
    if len(question) > _LONGEST_QUESTION:
        return TOO_LONG
    if not question.rstrip("\"'“”’»」) ").endswith(_QUESTION_MARKS):
        return NO_QUESTION
    asked = normalise(question, normalisation)
    beside = asked
    for phrase in chain.named:
        beside = f" {beside} ".replace(f" {phrase} ", " ").strip()
    if any(_is_named(phrase, asked) or has_words_of(phrase, beside) for phrase in chain.hidden):
        return NAMES_HIDDEN
    given = normalise(answer, normalisation)
    if not given or not (has_words_of(chain.answer, given) or has_words_of(given, chain.answer)):
        return OTHER_ANSWER
    if any(_is_named(phrase, asked) or has_words_of(phrase, beside) for phrase in (chain.answer, given)):
        return NAMES_ANSWER
    if not all(_is_hinted(phrase, asked) for phrase in chain.named):
        return NAMES_NO_START
    return None


def _is_named(phrase: str, text: str) -> bool:
    """Whether a normalised text holds a phrase; within words, too, where a script may have no spaces."""
    return (
        phrase in text if _has_no_spaces(phrase) else f" {' '.join(phrase.split())} " in f" {' '.join(text.split())} "
    )


def _is_hinted(phrase: str, text: str) -> bool:
    """Whether a text holds at least one of the longer words of a phrase."""
    if _has_no_spaces(phrase):
        return phrase in text
    words: Sequence[str] = phrase.split()
    longer = [word for word in words if len(word) > 2] or words
    return bool(set(longer) & set(text.split()))


def _has_no_spaces(phrase: str) -> bool:
    """Whether a phrase has letters of a script that may be written without spaces, such as Chinese or Thai."""
    return any(unicodedata.category(c) == "Lo" for c in phrase)


def _text(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""
