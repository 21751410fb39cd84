"""The values that travel between the parts. All are frozen; nothing here knows a database or a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from hipporag_neo4j.errors import InputError

if TYPE_CHECKING:
    from hipporag_neo4j.explanation import Explanation

Mode = Literal["hipporag1", "hipporag2", "hybrid", "dense", "bm25"]
MODES: tuple[str, ...] = get_args(Mode)
Role = Literal["system", "user", "assistant"]
MetadataValue = str | int | float | bool | list[str] | list[int] | list[float] | list[bool]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a language model."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A unit of text to find.

    `id` identifies it across runs; without one it is made from title and text. `metadata` is flat: strings, numbers,
    booleans, or lists of one of these. `document` and `part` say which document, and which part of it, a passage is.
    """

    text: str
    id: str | None = None
    title: str = ""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    document: str | None = None
    part: int | None = None


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact as the LLM wrote it, before normalisation."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an LLM read in one passage.

    `malformed` holds, as JSON texts, the answers that were meant as triples but don't have exactly three parts; they
    are reported and never completed. `error` says why nothing could be read; then the passage counts as failed.
    `unanswered` is true when that is so because the endpoint failed, `truncated` when an answer was cut off, so that
    facts may be missing.
    """

    entities: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()
    malformed: tuple[str, ...] = ()
    error: str | None = None
    unanswered: bool = False
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ExtractedPassage:
    """A passage together with what was read in it. `row` is its position in an imported corpus."""

    passage: Passage
    extraction: Extraction
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Seed:
    """A phrase where the walk restarts. `weight` is its share of the restart probability; all seeds sum to 1, those
    among the passages included, which are not listed.

    `entity` is what the question said, `similarity` the cosine between that and the phrase. A phrase that comes from
    kept facts alone has no entity, and its similarity is the highest cosine between the question and one of `facts`.
    """

    phrase: str
    weight: float
    entity: str | None
    similarity: float
    facts: tuple["Fact", ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of the graph, normalised; `score` is the cosine between it and the question."""

    subject: str
    predicate: str
    object: str
    score: float


@dataclass(frozen=True, slots=True)
class Look:
    """What the fact filter was shown, nearest to the question first, and what it kept.

    `unknown` counts the numbers in its answer that name no fact shown. `problem` says, in one sentence, why no usable
    answer came; `kept` is then everything shown in a first look, nothing in a further one. `truncated`: the answer was
    cut off, so that facts may be missing in `kept`.
    """

    shown: tuple[Fact, ...]
    kept: tuple[Fact, ...]
    unknown: int = 0
    problem: str | None = None
    truncated: bool = False

    @property
    def dropped(self) -> tuple[Fact, ...]:
        """What was shown and not kept."""
        return tuple(fact for fact in self.shown if fact not in self.kept)


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage found. Scores compare within one answer only; their scale depends on the mode."""

    id: str
    title: str
    text: str
    score: float
    metadata: Mapping[str, Any] = field(default_factory=dict)
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a filter on metadata allows: its conditions, for people, and `passages` of `total`."""

    where: str
    passages: int
    total: int


class _Traced:
    """Room for how a result was found, which is no part of what it says: neither compared, shown, copied nor sent."""

    __slots__ = ("_explain", "_trace")
    _trace: Any
    _explain: "Callable[[Any], Any]"

    @property
    def trace(self) -> Any:
        """How it was found, None where that isn't known."""
        return getattr(self, "_trace", None)

    def traced(self, trace: Any) -> Self:
        """The same, which now knows how it was found."""
        object.__setattr__(self, "_trace", trace)
        return self

    def explained_by(self, explain: "Callable[[Any], Any]") -> Self:
        """The same, which now knows who explains it."""
        object.__setattr__(self, "_explain", explain)
        return self


@dataclass(frozen=True, slots=True)
class RetrievalResult(_Traced):
    """What was found for a question.

    `passages` best first; `seeds` where the walk started; `entities` what the question was linked by; `timings` in
    milliseconds by stage (`total` is the whole); `looks` what the fact filter was shown and kept. `fallback` says,
    in one sentence, why dense search answered instead of the mode that was asked for, else None. `version` is the
    graph's, counted in write transactions: all of the result shows it. `stale` is true where a run was writing or
    had broken off, so that seeds and passages may be newer than what was walked, which is then the `version`. The
    tokens are those of all calls of the language model; 0 where the endpoint doesn't count. `from_cache` counts its
    answers that were kept from before and cost nothing. `steps` tells of each search, where several were made and
    merged. `no_llm`: `hybrid` was asked to do without a language model, so that nobody told which facts bear on the
    question, or what it names.
    `allowed`: what a filter let the search find and use, None without one. `way` says how the mode was carried out
    where a graph of others lacks what it needs.
    """

    question: str
    mode: Mode
    passages: tuple[RankedPassage, ...]
    seeds: tuple[Seed, ...] = ()
    entities: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    fallback: str | None = None
    stale: bool = False
    version: int = 0
    looks: tuple[Look, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0
    steps: tuple["Step", ...] = ()
    no_llm: bool = False
    allowed: Allowed | None = None
    way: str | None = None

    def explain(self) -> "Explanation":
        """Why each passage was found; asks the database again, and no model. Awaitable where the client is.

        Raises GraphChangedError where another version of the graph was published meanwhile, InputError for a result
        that is no single search, or that came from no client.
        """
        explain = getattr(self, "_explain", None)
        if explain is None:
            raise InputError(
                "This result can't explain itself: it is a copy, or was found by no HippoRAG. Explain the one that "
                "`retrieve` gave."
            )
        explanation: Explanation = explain(self)
        return explanation

    @property
    def fell_back(self) -> bool:
        """Whether dense search answered instead of the mode that was asked for."""
        return self.fallback is not None


@dataclass(frozen=True, slots=True)
class Step:
    """One step towards an answer: a thought of the language model, and what searching with it found.

    The first step searches with the question and has no thought; a step that gives the `answer`, or that has a
    `problem`, is the last one and searches no more. `new` are the ids of passages that no step before found, best
    first. `problem` says, in one sentence, why the model's thought couldn't be used. The tokens are those of the
    thought alone, and `from_cache` is 1 where it was kept from before.
    """

    thought: str | None = None
    answer: str | None = None
    retrieval: RetrievalResult | None = None
    new: tuple[str, ...] = ()
    problem: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """An answer to a question, read in passages.

    `answer` is None where the passages don't hold it; `explanation` tells, in the model's words, how they lead to it or
    what is missing. `passages` are those it rests on, as the model named them; `unknown` counts what it named that it
    wasn't shown. `read` are the passages that it was shown, numbered from 1 in this order; `shortened` tells, by id, of
    how many characters at their ends it wasn't, and `left_out` are those there was no room for. `retrieval` is the
    search; the tokens are those of all calls, the search's included, and `timings` milliseconds by stage. `from_cache`:
    the same was read before, and the answer kept.
    """

    question: str
    answer: str | None
    explanation: str
    passages: tuple[RankedPassage, ...]
    read: tuple[RankedPassage, ...]
    retrieval: RetrievalResult
    model: str
    unknown: int = 0
    shortened: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[RankedPassage, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    timings: Mapping[str, float] = field(default_factory=dict)
    from_cache: bool = False
