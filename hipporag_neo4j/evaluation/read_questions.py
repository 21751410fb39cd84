"""Questions with the passages that answer them: MuSiQue, HotpotQA, 2WikiMultihopQA, and a simple format of our own.

Our own: `{"id", "question", "gold": [passage ids]}` and, where wanted, `answer`, `answer_aliases`, `entities` (what the
question names, for runs without a language model), and `synthetic` (a language model wrote it). A file is a JSON list,
or JSON lines (.jsonl). The format is recognised entry by entry, by its fields.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.read_utf8 import utf8_lines
from hipporag_neo4j.indexing.stream_json import parse_json, stream_entries


@dataclass(frozen=True, slots=True)
class GoldPassage:
    """A passage that should be found: by `id`, else by `title` and `text`, or by `title` where the text is unknown."""

    id: str | None = None
    title: str = ""
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a test set. `entities` is None where the file names none, () where it says there are none.

    `synthetic`: a language model wrote it, from the graph's own facts.
    """

    id: str
    question: str
    gold: tuple[GoldPassage, ...]
    answer: str | None = None
    answer_aliases: tuple[str, ...] = ()
    entities: tuple[str, ...] | None = None
    synthetic: bool = False

    @property
    def right_answers(self) -> tuple[str, ...]:
        """The answer and its aliases, () where the test set has none."""
        return tuple(answer for answer in (self.answer, *self.answer_aliases) if answer and answer.strip())


class _Answered(BaseModel):
    question: str
    answer: str | None = None
    answer_aliases: list[str] = []


class _Paragraph(BaseModel):
    title: str
    paragraph_text: str
    is_supporting: bool


class _Musique(_Answered):
    id: str
    paragraphs: list[_Paragraph]

    def gold(self) -> list[GoldPassage]:
        return [GoldPassage(title=p.title, text=p.paragraph_text) for p in self.paragraphs if p.is_supporting]


class _Hotpot(_Answered):
    """HotpotQA and 2WikiMultihopQA. Only the latter has `evidences`."""

    id: str = Field(validation_alias="_id")
    context: list[tuple[str, list[str]]]
    supporting_facts: list[tuple[str, int]]
    evidences: Any = None

    def gold(self) -> list[GoldPassage]:
        # As the official corpora are made: HotpotQA's sentences bring their spaces, those of 2Wiki don't.
        joint = "" if self.evidences is None else " "
        texts: dict[str, list[str]] = {}
        for title, sentences in self.context:
            texts.setdefault(title, []).append(joint.join(sentences))
        return [_gold_by_title(title, texts.get(title, [])) for title, _ in self.supporting_facts]


class _Own(_Answered):
    id: str | int
    gold_ids: list[str] = Field(validation_alias="gold")
    entities: list[str] | None = None
    synthetic: bool = False

    def gold(self) -> list[GoldPassage]:
        return [GoldPassage(id=passage_id) for passage_id in self.gold_ids]


def read_questions(path: Path) -> tuple[Question, ...]:
    """All questions of a file, in order.

    Raises InputError, naming file and entry, for what isn't JSON, an unknown format, a wrong field, a question without
    text or without gold passages, two questions with one id, and for a file without questions.
    """
    questions: dict[str, Question] = {}
    places: dict[str, str] = {}
    for entry, place in read_entries(path, _KEYS):
        question = _read_entry(entry, place)
        if question.id in questions:
            raise InputError(
                f"{place}: the id {question.id!r} is that of another question too ({places[question.id]}), and a "
                "question that is there twice would count twice. Remove one of them, or give it an id of its own."
            )
        questions[question.id], places[question.id] = question, place
    if not questions:
        raise InputError(f"{path} holds no questions. {_FORMATS}")
    return tuple(questions.values())


def read_entries(path: Path, keys: Sequence[str]) -> Iterator[tuple[Any, str]]:
    """The entries of a JSON list (or of the list under one of `keys`) or of JSON lines, each with its place."""
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        for line in utf8_lines(path):
            if text := line.text().strip():
                place = f"{path}, line {line.number}"
                yield parse_json(text, place), place
        return
    for entry in stream_entries(path, keys, _explain):
        yield entry.value, f"{path}, entry {entry.position + 1} (line {entry.line})"


def explain_fields(error: ValidationError, place: str) -> InputError:
    """The InputError for an entry whose fields are not as they should be."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    return InputError(f"{place}: the field {field!r} can't be used: {first['msg']}. Correct it.")


_KEYS = ("questions", "data")
_FORMATS = (
    "A question file is a list (.json) or lines (.jsonl) of MuSiQue, HotpotQA or 2WikiMultihopQA entries, or of "
    '{"id": …, "question": …, "gold": [passage ids]}.'
)


def _explain(found: Sequence[str]) -> str:
    return f"{_FORMATS} Found: {', '.join(map(repr, found)) or 'nothing of the kind'}."


def _read_entry(entry: Any, place: str) -> Question:
    if not isinstance(entry, dict):
        raise InputError(f"{place}: a question was expected, and a {type(entry).__name__} found. {_FORMATS}")
    model = _recognise(entry, place)
    try:
        read = model.model_validate(entry)
    except ValidationError as error:
        raise explain_fields(error, place) from error
    if not read.question.strip():
        raise InputError(f"{place}: the question is empty. Correct or remove the entry.")
    gold = tuple(dict.fromkeys(read.gold()))
    if not gold:
        raise InputError(f"{place}: the question has no gold passage, so recall is not defined. Remove the entry.")
    entities = read.entities if isinstance(read, _Own) else None
    asked = Question(
        id=str(read.id),
        question=read.question,
        gold=gold,
        answer=read.answer,
        answer_aliases=tuple(read.answer_aliases),
        entities=tuple(entities) if entities is not None else None,
        synthetic=isinstance(read, _Own) and read.synthetic,
    )
    _refuse_broken_unicode(asked, place)
    return asked


def _refuse_broken_unicode(asked: Question, place: str) -> None:
    gold = [text for passage in asked.gold for text in (passage.id, passage.title, passage.text) if text]
    for text in (asked.id, asked.question, *asked.right_answers, *(asked.entities or ()), *gold):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{place}: {text[:60]!r} holds half a surrogate pair at character {error.start + 1}, which is no "
                "Unicode text. Repair or drop that character."
            ) from error


def _recognise(entry: dict[str, Any], place: str) -> type[_Musique] | type[_Hotpot] | type[_Own]:
    if "gold" in entry:
        return _Own
    if "paragraphs" in entry:
        return _Musique
    if "context" in entry and "supporting_facts" in entry:
        return _Hotpot
    raise InputError(
        f"{place}: no known format has the fields {', '.join(sorted(map(str, entry))) or '(none)'}. {_FORMATS}"
    )


def _gold_by_title(title: str, texts: Sequence[str]) -> GoldPassage:
    """With the text where the question brings exactly one under that title; full-wiki contexts may lack it."""
    return GoldPassage(title=title, text=texts[0] if len(texts) == 1 else None)
