"""What a language model would be asked about passages, as far as its answers aren't kept; nothing is asked."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pydantic import BaseModel

from hipporag_neo4j.answers import ShapeT
from hipporag_neo4j.domain import Message, Passage
from hipporag_neo4j.indexing.batches import batches
from hipporag_neo4j.indexing.extract_triples import extract
from hipporag_neo4j.llm import Answer, Listener
from hipporag_neo4j.llm.cached_model import CachedModel, KeptAnswer, key_of

_AT_ONCE = 200

FindAll = Callable[[Sequence[str]], Mapping[str, str]]
"""The texts of the answers that are kept under some of the keys."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that a passage waits for, and the key that its answer is kept under."""

    key: str
    messages: tuple[Message, ...]
    shape: type[BaseModel]


def missing_requests(
    passages: Iterable[Passage],
    *,
    name: str,
    identity: tuple[str, ...],
    find_all: FindAll,
    prompts_dir: Path | None = None,
) -> Iterator[Asked]:
    """The next request of each passage that can't be read from kept answers alone; two passages may have the same.

    `name` and `identity` are those of the model. Raises what `extract` and `find_all` raise.
    """
    for some in batches(passages, _AT_ONCE):
        kept = _Looked({})
        model = CachedModel(_NotingModel(name, identity), kept)
        while some:
            waiting = [(passage, asked) for passage in some if (asked := _next(model, passage, prompts_dir))]
            new = {asked.key for _, asked in waiting} - kept.texts.keys()
            found = find_all(list(new))
            kept.texts.update(found)
            yield from (asked for _, asked in waiting if asked.key not in found)
            some = [passage for passage, asked in waiting if asked.key in found]


class _WaitsError(Exception):
    """A passage waits for the answer to a request, the argument."""


def _next(model: CachedModel, passage: Passage, prompts_dir: Path | None) -> Asked | None:
    """What is asked next about a passage, as the run that reads it would; None where all is known."""
    try:
        extract(model, passage, prompts_dir)
    except _WaitsError as waits:
        asked: Asked = waits.args[0]
        return asked
    return None


@dataclass(frozen=True, slots=True)
class _NotingModel:
    """Stands where a language model would be asked, and tells what it was asked instead of answering."""

    name: str
    identity: tuple[str, ...]

    def answer(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        self._tell(Asked(key_of(self.identity, messages, shape), tuple(messages), shape))

    def _tell(self, asked: Asked) -> NoReturn:
        raise _WaitsError(asked)


@dataclass(frozen=True, slots=True)
class _Looked:
    """An AnswerStore of what was looked up already."""

    texts: dict[str, str]

    def find(self, key: str) -> str | None:
        return self.texts.get(key)

    def find_all(self, keys: Sequence[str]) -> Mapping[str, str]:
        return {key: self.texts[key] for key in keys if key in self.texts}

    def keep(self, key: str, answer: KeptAnswer) -> None:
        raise NotImplementedError("nothing is asked, so there is nothing to keep")
