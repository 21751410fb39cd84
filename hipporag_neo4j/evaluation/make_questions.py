"""Questions with gold passages for a team that has none: written by a language model from the graph's own facts."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.find_chains import ChainFinder
from hipporag_neo4j.evaluation.write_question import REPEATED, Written, write_question
from hipporag_neo4j.llm import LanguageModel
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.text import content_key, normalise

_CHAINS_A_QUESTION = 5
"""Chains tried at most for each question wanted: a model that writes nothing useful shouldn't cost the whole graph."""


@dataclass(slots=True)
class MadeQuestions:
    """The questions that were made, in the order of their chains, and what became of the other chains.

    `chains` were tried; `exhausted`: the graph has no more of them. `dropped` counts by reason; `from_cache` counts the
    answers of the language model that were kept from before and cost no tokens.
    """

    questions: list[Written] = field(default_factory=list)
    chains: int = 0
    exhausted: bool = False
    dropped: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0


def make_questions(
    database: Database,
    graph: Graph,
    model: LanguageModel,
    number: int,
    *,
    seed: int = 0,
    concurrency: int = 8,
    prompts_dir: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> MadeQuestions:
    """Have up to `number` questions written; the same seed on the same graph takes the same chains.

    Fewer come back when the graph has too few chains, or the model can't be used for most of them. `progress` gets the
    questions made so far and their number. Raises LLMError when the endpoint fails: run again, and what was answered
    isn't asked again. Raises InputError where the graph has no chain at all.
    """
    chains = ChainFinder(database, graph, seed).find()
    made = MadeQuestions()
    asked: set[str] = set()
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="write")
    try:
        while (wanted := number - len(made.questions)) > 0 and made.chains < _CHAINS_A_QUESTION * number:
            some = list(islice(chains, min(wanted, 2 * concurrency)))
            if not some:
                made.exhausted = True
                break
            for written in pool.map(lambda one: write_question(model, one, graph.normalisation, prompts_dir), some):
                _count(made, written, asked, normalise(written.question, graph.normalisation))
                if progress is not None:
                    progress(len(made.questions), number)
    finally:
        # Without waiting for the calls under way, minutes with a slow model.
        pool.shutdown(wait=False, cancel_futures=True)
    if not made.chains:
        raise InputError(
            f"The graph in namespace {graph.namespace!r} has no two facts of different passages that share a phrase "
            "which few others mention, so no question that needs several passages can be made. Index more passages."
        )
    return made


def _count(made: MadeQuestions, written: Written, asked: set[str], key: str) -> None:
    made.chains += 1
    made.prompt_tokens += written.prompt_tokens
    made.completion_tokens += written.completion_tokens
    made.from_cache += written.from_cache
    dropped = written.dropped or (REPEATED if key in asked else None)
    if dropped is not None:
        made.dropped[dropped] += 1
        return
    asked.add(key)
    made.questions.append(written)


def to_entries(made: MadeQuestions) -> Iterator[dict[str, Any]]:
    """The questions as entries of a question file: gold passages in the order of the chain, marked as synthetic.

    They name no `entities`: whoever is evaluated has to find them, as with people's questions.
    """
    for written in made.questions:
        chain = written.chain
        yield {
            "id": f"synthetic-{content_key(written.question)[:12]}",
            "question": written.question,
            "answer": written.answer,
            "answer_aliases": [] if written.answer.lower() == chain.answer else [chain.answer],
            "gold": [passage.id for passage in chain.passages],
            "synthetic": True,
            "shape": chain.shape,
            "facts": [asdict(fact) for fact in chain.facts],
        }


def check_target(path: Path) -> None:
    """Raises InputError where a question file can't be made: it is there already, or its folder isn't."""
    if path.exists():
        raise InputError(f"{path} is there already, and isn't overwritten. Name another file, or remove that one.")
    if not path.parent.is_dir():
        raise InputError(f"The folder of {path} doesn't exist. Make it, or name another file.")


def write_entries(path: Path, made: MadeQuestions) -> None:
    """Write a question file that `read_questions` reads. Raises InputError where it can't be written, or is there."""
    check_target(path)
    text = json.dumps(list(to_entries(made)), ensure_ascii=False, indent=2)
    try:
        with path.open("x", encoding="utf-8", errors="replace") as file:
            file.write(text + "\n")
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror or error}. Name another file.") from error
