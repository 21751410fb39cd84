"""What `evaluate` measures: each mode, and what is built on it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hipporag_neo4j.errors import NoLanguageModelError, UnreadableAnswerError

if TYPE_CHECKING:
    from hipporag_neo4j.domain import Mode, RetrievalResult
    from hipporag_neo4j.evaluation import Entry, Reading
    from hipporag_neo4j.evaluation.ask import Read
    from hipporag_neo4j.hipporag import HippoRAG


def entry_names(modes: "Sequence[Mode]", *, ircot: bool) -> list[str]:
    """The names of the table's lines, in order."""
    return [name for mode in modes for name in ((mode, _ircot_name(mode)) if ircot else (mode,))]


def make_entries(rag: "HippoRAG", modes: "Sequence[Mode]", *, steps: int | None, passages: int) -> "list[Entry]":
    """The table's lines; with `steps`, IRCoT over each mode too."""
    from hipporag_neo4j.evaluation import Entry

    entries = []
    for mode in modes:
        entries.append(Entry.of(mode))
        if steps is not None:
            entries.append(_ircot(rag, mode, steps, passages))
    return entries


def make_reader(rag: "HippoRAG", passages: int) -> "Read":
    """Has the language model answer from so many of the passages found."""
    from hipporag_neo4j.evaluation import Reading

    def read(question: str, retrieval: "RetrievalResult") -> "Reading":
        try:
            answer = rag.answer_from(retrieval, passages=passages)
        except UnreadableAnswerError as error:
            # This question's answer is lost, the others' are not; a failing endpoint ends the run.
            return Reading(None, str(error), error.prompt_tokens, error.completion_tokens)
        return Reading(
            answer.answer,
            prompt_tokens=answer.prompt_tokens - retrieval.prompt_tokens,
            completion_tokens=answer.completion_tokens - retrieval.completion_tokens,
        )

    return read


def need_language_model(rag: "HippoRAG") -> None:
    """Raises NoLanguageModelError where none is set, before anything is asked."""
    if rag.language_model is None:
        raise NoLanguageModelError(
            "--answers and --ircot need a language model, and none is set. Set HIPPORAG_LLM_MODEL (with OPENAI_API_KEY "
            "or OPENAI_BASE_URL), or leave the option out."
        )


def _ircot_name(mode: "Mode") -> str:
    return f"{mode}+ircot"


def _ircot(rag: "HippoRAG", mode: "Mode", steps: int, passages: int) -> "Entry":
    from hipporag_neo4j.evaluation import Entry

    def retrieve(question: str, *, fact_filter: object, **options: Any) -> "RetrievalResult":
        # Recorded decisions on facts are about the question and say nothing of the thoughts.
        return rag.retrieve_by_steps(question, steps=steps, passages=passages, **options)

    command = ("ask", "--mode", mode, "--steps", str(steps), "--passages", str(passages))
    return Entry(_ircot_name(mode), mode, retrieve, warm=rag.retrieve, command=command)
