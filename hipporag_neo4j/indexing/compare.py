"""A source beside the graph: what a run would do, without writing anything and without asking a model."""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass

from hipporag_neo4j.database import Database
from hipporag_neo4j.domain import Passage
from hipporag_neo4j.indexing.batches import batches
from hipporag_neo4j.indexing.changed_passages import Changes, State
from hipporag_neo4j.indexing.check_passages import OnProblem
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage
from hipporag_neo4j.indexing.index_report import IndexReport
from hipporag_neo4j.indexing.kept_readings import Reading
from hipporag_neo4j.indexing.publish import left_over
from hipporag_neo4j.schema import Graph

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class ToWrite:
    """A passage that a run would write, and which answers about it are kept; `reading` is None where it needs none,
    or where nobody knows what is kept."""

    passage: IdentifiedPassage
    state: State
    reading: Reading | None


LookUp = Callable[[Sequence[Passage]], Sequence[Reading]]
"""Tells which answers about passages are kept: `kept_readings`, with a model."""
OnPassage = Callable[[ToWrite], None]
"""Called with each passage that a run would write, in the source's order."""


@dataclass(slots=True)
class Comparison:
    """A source beside a namespace's graph, in passages; parts of long texts each count.

    `passages` are those of the source that can be used: `new` and `changed` ones, `failed` ones, which stand in the
    graph as they are and would be tried again, and `unchanged` ones. Of the first three `extracted` were read before,
    in a run that broke off or by another client: both answers are kept, and no call is made. `calls` is how many the
    rest takes, an unreadable answer asked for once more not counted; both are None where no language model reads, or
    nobody knows what is kept. `stale` parts would go, which their documents held before, and `missing` passages that
    the source doesn't hold, with `--prune`.

    `unlinked` phrases, `unpublished` writing, and `left_over` nodes, which nothing needs any more, are what a run that
    broke off or is under way has yet to end; the next one does.
    """

    passages: int = 0
    new: int = 0
    changed: int = 0
    failed: int = 0
    unchanged: int = 0
    extracted: int | None = None
    calls: int | None = None
    stale: int = 0
    missing: int = 0
    unlinked: int = 0
    unpublished: bool = False
    left_over: int = 0

    @property
    def to_write(self) -> int:
        """How many passages a run would write, and embed: new, changed, and failed ones."""
        return self.new + self.changed + self.failed


def compare(
    database: Database,
    namespace: str,
    graph: Graph | None,
    passages: Iterable[IdentifiedPassage],
    *,
    look_up: LookUp | None = None,
    on_problem: OnProblem | None = None,
    on_passage: OnPassage | None = None,
) -> Comparison:
    """Compare a source with a namespace's graph, None where there is none. Memory: some 120 bytes a passage."""
    changes = Changes(database, namespace, IndexReport(run=""), on_problem)
    comparison = Comparison()
    if look_up is not None:
        comparison.extracted = comparison.calls = 0
    for some in batches(_to_write(changes, passages, comparison), _AT_ONCE):
        readings = look_up([passage.extracted.passage for passage, _ in some]) if look_up else [None] * len(some)
        for (passage, state), reading in zip(some, readings, strict=True):
            if comparison.calls is not None and comparison.extracted is not None and reading is not None:
                comparison.calls += reading.calls
                comparison.extracted += not reading.calls
            if on_passage is not None:
                on_passage(ToWrite(passage, state, reading))
    comparison.passages, comparison.unchanged = changes.report.passages, changes.report.unchanged
    comparison.stale = len(changes.stale)
    if graph is not None:
        held = changes.given.union(changes.stale)
        rows = database.stream("indexing/list_passages", namespace=namespace)
        comparison.missing = sum(row["key"] not in held for row in rows)
        comparison.unlinked = database.run("indexing/count_unlinked", namespace=namespace)[0]["phrases"]
        comparison.unpublished = graph.version != graph.published
        left = left_over(database, namespace)
        comparison.left_over = left.passages + left.phrases
    return comparison


def _to_write(
    changes: Changes, passages: Iterable[IdentifiedPassage], comparison: Comparison
) -> Generator[tuple[IdentifiedPassage, State], None, None]:
    for passage, state in changes.states(passages):
        if state == "unchanged":
            continue
        if state == "new":
            comparison.new += 1
        elif state == "changed":
            comparison.changed += 1
        else:
            comparison.failed += 1
        yield passage, state
