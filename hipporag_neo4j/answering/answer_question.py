"""One question: find passages, read them, answer with those it rests on."""

from collections.abc import Callable, Sequence

from hipporag_neo4j.answering.fit_passages import Fitted, fit_passages
from hipporag_neo4j.answering.retrieve_by_steps import OnStep, check_steps, retrieve_by_steps
from hipporag_neo4j.answering.shapes import QuestionAnswer
from hipporag_neo4j.answering.show_answer import ShownAnswer
from hipporag_neo4j.answering.sources import AnswerSources
from hipporag_neo4j.domain import AnswerResult, RankedPassage, RetrievalResult
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.llm import Answer
from hipporag_neo4j.prompts import answer_messages
from hipporag_neo4j.timing import Stages

MOST_PASSAGES = 100
DEFAULT_PASSAGES = 5

OnText = Callable[[str], None]
OnFound = Callable[[RetrievalResult], None]


async def answer_question(
    sources: AnswerSources,
    question: str,
    *,
    passages: int,
    steps: int,
    characters: int,
    entities: Sequence[str] | None = None,
    on_text: OnText | None = None,
    on_step: OnStep | None = None,
    on_found: OnFound | None = None,
) -> AnswerResult:
    """The answer, read in the `passages` best passages of one search, or of as many as `retrieve_by_steps` makes.

    `on_found` gets what was found before it is read. Raises InputError for numbers that can't be used, and what
    retrieval and `answer_from` raise.
    """
    _check(passages)
    check_steps(steps)
    retrieval = await _find(sources, question, passages, steps, characters, entities, on_step)
    if on_found is not None:
        on_found(retrieval)
    return await answer_from(sources, retrieval, passages=passages, characters=characters, on_text=on_text)


async def answer_from(
    sources: AnswerSources,
    retrieval: RetrievalResult,
    *,
    passages: int,
    characters: int,
    on_text: OnText | None = None,
) -> AnswerResult:
    """The answer to a question, read in the `passages` best of what was found for it, in so many characters of them.

    `on_text` gets the explanation and the answer, in pieces, as the model writes them. Where nothing was found, the
    model isn't asked. Raises UnreadableAnswerError for an answer that can't be read twice, LLMError when the model
    fails.
    """
    _check(passages)
    stages = Stages()
    fitted = fit_passages(retrieval.passages[:passages], characters)
    with stages.time("answer"):
        answer = await _read(sources, retrieval.question, fitted, on_text)
    used, unknown = named_passages(answer.value.passages, fitted.read)
    own = stages.milliseconds()
    return AnswerResult(
        question=retrieval.question,
        answer=answer.value.answer,
        explanation=answer.value.explanation,
        passages=used,
        read=fitted.read,
        retrieval=retrieval,
        model=sources.model_name,
        unknown=unknown + answer.value.unreadable,
        shortened=fitted.shortened,
        left_out=fitted.left_out,
        prompt_tokens=retrieval.prompt_tokens + answer.prompt_tokens,
        completion_tokens=retrieval.completion_tokens + answer.completion_tokens,
        from_cache=answer.from_cache,
        timings={**retrieval.timings, **own, "total": retrieval.timings.get("total", 0.0) + own["total"]},
    )


async def _find(
    sources: AnswerSources,
    question: str,
    passages: int,
    steps: int,
    characters: int,
    entities: Sequence[str] | None,
    on_step: OnStep | None,
) -> RetrievalResult:
    if steps == 1:
        return await sources.retrieve(question, limit=passages, entities=entities)
    return await retrieve_by_steps(
        sources,
        question,
        steps=steps,
        limit=passages,
        reading=passages,
        characters=characters,
        entities=entities,
        on_step=on_step,
    )


async def _read(
    sources: AnswerSources, question: str, fitted: Fitted, on_text: OnText | None
) -> Answer[QuestionAnswer]:
    if not fitted.read:
        return Answer(QuestionAnswer(explanation="", answer=None, passages=()))
    messages = answer_messages(question, fitted.texts, sources.prompts_dir)
    if on_text is None:
        return await sources.ask(messages, QuestionAnswer)
    shown = ShownAnswer(on_text)
    answer = await sources.ask(messages, QuestionAnswer, shown)
    shown.finish(answer.value)
    return answer


def named_passages(numbers: Sequence[int], shown: Sequence[RankedPassage]) -> tuple[tuple[RankedPassage, ...], int]:
    """The passages that are numbered so, from 1, in the order in which they were named; how many numbers name none."""
    known = [number for number in numbers if 1 <= number <= len(shown)]
    return tuple(shown[number - 1] for number in known), len(numbers) - len(known)


def _check(passages: int) -> None:
    if isinstance(passages, bool) or not isinstance(passages, int) or not 1 <= passages <= MOST_PASSAGES:
        raise InputError(f"The number of passages to read is {passages!r}; take 1 to {MOST_PASSAGES}.")
