"""What `evaluate` measures: each mode, its variants, and what is built on it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hipporag_neo4j.errors import NoLanguageModelError, UnreadableAnswerError

if TYPE_CHECKING:
    from hipporag_neo4j.domain import Mode, RetrievalResult
    from hipporag_neo4j.evaluation import Entry, Reading
    from hipporag_neo4j.evaluation.ask import Read
    from hipporag_neo4j.evaluation.variants import Variant
    from hipporag_neo4j.filters import Where
    from hipporag_neo4j.hipporag import HippoRAG


def choose_lines(
    modes: "Sequence[Mode] | None", variants: Sequence[str], *, all_variants: bool, no_llm: bool
) -> "list[Mode | Variant]":
    """What is measured, each thing once: the modes, each followed by its variants.

    Without modes those of the variants, and without either `hybrid` and `dense`. `all_variants` are those of the modes
    given, else all there are. With `no_llm`, the variant that asks no language model stands for `hybrid`. Raises
    InputError for a variant that there is none of.
    """
    from hipporag_neo4j.evaluation.variants import VARIANTS, find_variant

    every = list(VARIANTS.values())
    wanted = [find_variant(name) for name in variants]
    if all_variants:
        wanted += [variant for variant in every if modes is None or variant.mode in modes]
    chosen = list(modes or dict.fromkeys(variant.mode for variant in wanted) or ("hybrid", "dense"))
    chosen += [variant.mode for variant in wanted]
    lines: list[Mode | Variant] = []
    for mode in dict.fromkeys(chosen):
        if mode in (modes or chosen):
            lines.append(find_variant("hybrid/no-llm") if no_llm and mode == "hybrid" else mode)
        lines += [variant for variant in every if variant in wanted and variant.mode == mode and variant not in lines]
    return lines


def entry_names(lines: "Sequence[Mode | Variant]", *, ircot: bool) -> list[str]:
    """The names of the table's lines, in order."""
    names = []
    for line in lines:
        names.append(line if isinstance(line, str) else line.name)
        if ircot and isinstance(line, str):
            names.append(_ircot_name(line))
    return names


def make_entries(
    rag: "HippoRAG",
    lines: "Sequence[Mode | Variant]",
    *,
    steps: int | None,
    passages: int,
    where: "Where | None" = None,
) -> "list[Entry]":
    """The table's lines; with `steps`, IRCoT over each mode too. `where` filters what all of them search."""
    from hipporag_neo4j.evaluation import Entry
    from hipporag_neo4j.retrieval.retrieve import options_of

    entries = []
    for line in lines:
        if not isinstance(line, str):
            entries.append(line.entry(partial(rag.retrieve, where=where), options_of(rag.settings)))
            continue
        entries.append(Entry.of(line))
        if steps is not None:
            entries.append(_ircot(rag, line, steps, passages, where))
    return [replace(entry, command=(*entry.command, *_typed(where))) if entry.command else entry for entry in entries]


def _typed(where: "Where | None") -> "Iterator[str]":
    """A filter as options of a command."""
    for name, wanted in (where or {}).items():
        for operator, value in (wanted if isinstance(wanted, Mapping) else {"=": wanted}).items():
            yield from ("--where", f"{name}{operator}{json.dumps(value, ensure_ascii=False)}")


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
            from_cache=answer.from_cache,
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


def _ircot(rag: "HippoRAG", mode: "Mode", steps: int, passages: int, where: "Where | None") -> "Entry":
    from hipporag_neo4j.evaluation import Entry

    def retrieve(question: str, *, fact_filter: object, **options: Any) -> "RetrievalResult":
        # Recorded decisions on facts are about the question and say nothing of the thoughts.
        return rag.retrieve_by_steps(question, steps=steps, passages=passages, where=where, **options)

    command = ("ask", "--mode", mode, "--steps", str(steps), "--passages", str(passages))
    return Entry(
        _ircot_name(mode), mode, retrieve, warm=partial(rag.retrieve, where=where), command=command, decided=False
    )
