"""How long a run will take and what graph it will leave, from what was measured: in this graph, else elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hipporag_neo4j.database import Database
from hipporag_neo4j.runs import Run
from hipporag_neo4j.status import Status

ENOUGH_PASSAGES = 50
"""Passages from which what they took, or brought, is a measure."""

_STAGES = ("embed", "write", "link", "publish")
_SECONDS: Mapping[str, float] = {"embed": 0.1, "write": 0.0065, "link": 0.001, "publish": 0.0005}
"""Seconds a passage, with all-MiniLM-L6-v2 on two cores."""
_CALL_SECONDS, _TOKENS_A_SECOND = 0.6, 70.0
"""Of a language model behind an endpoint: before it begins to write, and how fast it writes."""

_CHARACTERS = 484.2
_PHRASES, _FACTS, _MENTIONS = 8.59, 9.01, 10.45
"""A passage of MuSiQue has so many characters, and brings so much."""
_SYNONYMS, _AT_PHRASES, _GROWTH = 7121, 16_235, 1.85
"""Synonym pairs at so many phrases; they grow faster than these: 193,000 at 97,000."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, and what it rests on, for people."""

    value: float
    basis: str


@dataclass(frozen=True, slots=True)
class Content:
    """What a graph will hold when a run is done."""

    passages: int
    phrases: int
    facts: int
    mentions: int
    synonyms: int
    basis: str

    @property
    def nodes(self) -> int:
        """Of the larger projection: phrases and passages."""
        return self.phrases + self.passages

    @property
    def relationships(self) -> int:
        """Of the larger projection, where each one counts in both directions."""
        return 2 * (self.facts + self.mentions + self.synonyms)


def foretell_content(there: Status | None, new_passages: int, characters: int) -> Content:
    """The graph after a run that adds passages of so many characters together.

    Its own passages are the measure where it holds enough of them, else MuSiQue's, by length.
    """
    if there is not None and there.passages >= ENOUGH_PASSAGES:
        share = 1 + new_passages / there.passages
        return Content(
            passages=there.passages + new_passages,
            phrases=round(there.phrases * share),
            facts=round(there.facts * share),
            mentions=round(there.mentions * share),
            synonyms=round(there.synonyms * share**_GROWTH),
            basis=f"measured in this graph, {there.passages:,} passages",
        )
    like = characters / _CHARACTERS
    held = (there.phrases, there.facts, there.mentions) if there is not None else (0, 0, 0)
    phrases = held[0] + round(_PHRASES * like)
    return Content(
        passages=(there.passages if there is not None else 0) + new_passages,
        phrases=phrases,
        facts=held[1] + round(_FACTS * like),
        mentions=held[2] + round(_MENTIONS * like),
        synonyms=round(_SYNONYMS * (phrases / _AT_PHRASES) ** _GROWTH),
        basis="default: MuSiQue, by length of the passages",
    )


def foretell_seconds(
    runs: Sequence[Run],
    model: str,
    *,
    passages: int,
    asked: int,
    calls: int,
    completion_tokens: float,
    concurrency: int,
) -> Mapping[str, Figure]:
    """Seconds by stage: to have `asked` passages read, and to write `passages`.

    Runs with the same model are the measure of `read`, all that wrote passages are for the rest.
    """
    read = [run for run in runs if run.figures.get("model") == model]
    answers = sum(usage.answered for run in read for usage in run.calls if usage.call == "triples")
    seconds = {}
    if answers >= ENOUGH_PASSAGES:
        spent = sum(run.seconds.get("read", 0.0) for run in read if run.calls)
        seconds["read"] = Figure(asked * spent / answers, f"measured in this graph, {answers:,} passages")
    else:
        waiting = (calls * _CALL_SECONDS + completion_tokens / _TOKENS_A_SECOND) / concurrency
        seconds["read"] = Figure(
            waiting, f"default: {_TOKENS_A_SECOND:g} tokens a second, {concurrency} passages at a time"
        )
    written = sum(run.figures.get("written", 0) for run in runs)
    for stage in _STAGES:
        if written >= ENOUGH_PASSAGES:
            spent = sum(run.seconds.get(stage, 0.0) for run in runs if run.figures.get("written"))
            seconds[stage] = Figure(passages * spent / written, f"measured in this graph, {written:,} passages")
        else:
            seconds[stage] = Figure(passages * _SECONDS[stage], "default: passages like MuSiQue's, two cores")
    return seconds


def foretell_memory(database: Database, content: Content) -> tuple[Figure, Figure]:
    """Bytes that the largest projection and a walk over it take, as Graph Data Science estimates them."""
    nodes, relationships = content.nodes, content.relationships
    projection = database.run("estimate/estimate_projection", nodes=nodes, relationships=relationships)[0]["most"]
    walk = database.run("estimate/estimate_walk", nodes=nodes, relationships=relationships, concurrency=1)[0]["most"]
    basis = "Graph Data Science's own estimate"
    return Figure(projection, basis), Figure(walk, basis)
