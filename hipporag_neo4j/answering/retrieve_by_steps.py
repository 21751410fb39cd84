"""IRCoT: search, think, search with the thought, merge; until the answer is there (arXiv 2212.10509; HippoRAG, 4.2)."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from hipporag_neo4j.answering.fit_passages import fit_passages
from hipporag_neo4j.answering.merge_passages import merge_passages
from hipporag_neo4j.answering.shapes import ThoughtAnswer
from hipporag_neo4j.answering.sources import AnswerSources
from hipporag_neo4j.domain import RetrievalResult, Step
from hipporag_neo4j.errors import InputError, UnreadableAnswerError
from hipporag_neo4j.prompts import thought_messages
from hipporag_neo4j.timing import Stages

MOST_STEPS = 20
DEFAULT_STEPS = 4

OnStep = Callable[[Step], None]


async def retrieve_by_steps(
    sources: AnswerSources,
    question: str,
    *,
    steps: int,
    limit: int,
    reading: int,
    characters: int,
    entities: Sequence[str] | None = None,
    on_step: OnStep | None = None,
) -> RetrievalResult:
    """The `limit` best passages of at most `steps` searches: one with the question, the others with a thought each.

    Before each further search the model reads the `reading` best passages so far, in at most so many `characters`, and
    its thoughts so far. It ends early with an answer, with a thought that it had before, or when its thought can't be
    read, which the step says. `entities` are those of the question. `on_step` gets each step when it is done.

    The result's passages are merged (`merge_passages`), its seeds, entities and looks are those of the first search,
    timings and tokens those of all. Raises InputError for steps that can't be used, LLMError when the model fails, and
    what retrieval raises.
    """
    check_steps(steps)
    done: list[Step] = []

    def add(step: Step) -> None:
        done.append(step)
        if on_step is not None:
            on_step(step)

    stages = Stages()
    found = await sources.retrieve(question, limit=limit, entities=entities)
    add(Step(retrieval=found, new=_new(found, done)))
    while len(done) < steps and found.passages:
        with stages.time("think"):
            step = await _think(sources, question, done, reading, characters)
        if step.answer is not None or step.problem is not None or step.thought is None:
            add(step)
            break
        found = await sources.retrieve(step.thought, limit=limit, entities=None)
        add(
            Step(
                step.thought,
                retrieval=found,
                new=_new(found, done),
                prompt_tokens=step.prompt_tokens,
                completion_tokens=step.completion_tokens,
                from_cache=step.from_cache,
            )
        )
    return _merged(question, done, limit, stages.milliseconds())


def check_steps(steps: int) -> None:
    """Raise InputError for a number of steps that can't be used."""
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MOST_STEPS:
        raise InputError(f"The number of steps is {steps!r}; take 1 to {MOST_STEPS}.")


async def _think(sources: AnswerSources, question: str, done: Sequence[Step], reading: int, characters: int) -> Step:
    """The next thought, not searched with yet."""
    best = merge_passages(retrievals(done))[:reading]
    thoughts = [step.thought for step in done if step.thought]
    messages = thought_messages(question, fit_passages(best, characters).texts, thoughts, sources.prompts_dir)
    try:
        answer = await sources.ask(messages, ThoughtAnswer)
    except UnreadableAnswerError as error:
        return Step(
            problem=f"The next thought could not be read: {error}",
            prompt_tokens=error.prompt_tokens,
            completion_tokens=error.completion_tokens,
        )
    thought, said = answer.value.thought or None, answer.value.answer
    repeated = said is None and thought is not None and _same(thought) in map(_same, [question, *thoughts])
    return Step(
        thought,
        said,
        problem="The thought repeats an earlier one, so there is nothing more to search for." if repeated else None,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        from_cache=int(answer.from_cache),
    )


def retrievals(steps: Iterable[Step]) -> list[RetrievalResult]:
    """The searches that were made."""
    return [step.retrieval for step in steps if step.retrieval is not None]


def _new(found: RetrievalResult, before: Sequence[Step]) -> tuple[str, ...]:
    known = {passage.id for retrieval in retrievals(before) for passage in retrieval.passages}
    return tuple(passage.id for passage in found.passages if passage.id not in known)


def _same(thought: str) -> str:
    return " ".join(thought.lower().split())


def _merged(question: str, steps: Sequence[Step], limit: int, own: dict[str, float]) -> RetrievalResult:
    searches = retrievals(steps)
    first = searches[0]
    timings: Counter[str] = Counter()
    for search in searches:
        timings.update({stage: spent for stage, spent in search.timings.items() if stage != "total"})
    fallbacks = [
        search.fallback if len(searches) == 1 else f"Search {number} of {len(searches)}: {search.fallback}"
        for number, search in enumerate(searches, start=1)
        if search.fallback
    ]
    return RetrievalResult(
        question=question,
        mode=first.mode,
        passages=merge_passages(searches)[:limit],
        seeds=first.seeds,
        entities=first.entities,
        timings={**timings, **own},
        fallback=" ".join(fallbacks) or None,
        stale=any(search.stale for search in searches) or len({search.version for search in searches}) > 1,
        version=min(search.version for search in searches),
        looks=first.looks,
        prompt_tokens=sum(search.prompt_tokens for search in searches) + sum(step.prompt_tokens for step in steps),
        completion_tokens=sum(search.completion_tokens for search in searches)
        + sum(step.completion_tokens for step in steps),
        from_cache=sum(search.from_cache for search in searches) + sum(step.from_cache for step in steps),
        steps=tuple(steps),
        allowed=first.allowed,
    )
