"""Which passages of a source have to be written: those that don't stand in the graph as they are."""

from collections.abc import Container, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hipporag_neo4j.database import Database, Row
from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage
from hipporag_neo4j.indexing.batches import document_of, documents_in
from hipporag_neo4j.indexing.check_passages import OnProblem, content_hash, passage_id, report
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage
from hipporag_neo4j.indexing.index_report import IndexReport
from hipporag_neo4j.indexing.taken_ids import taken_ids
from hipporag_neo4j.keys import passage_key
from hipporag_neo4j.text import content_key

State = Literal["new", "changed", "failed", "unchanged"]
"""What a passage of a source is to the graph; `failed`: it stands there as it is, and the model could not read it."""
_LOOKUP = 500


def identify(passage: Passage) -> IdentifiedPassage:
    """A passage that a language model is to read."""
    return IdentifiedPassage(passage_id(passage), content_hash(passage), ExtractedPassage(passage, Extraction()))


def identify_extracted(extracted: ExtractedPassage) -> IdentifiedPassage:
    """What was read counts as content too: another extraction of the same text replaces the passage."""
    extraction = extracted.extraction
    triples = [part for triple in extraction.triples for part in (triple.subject, triple.predicate, triple.object)]
    lengths = (str(len(extraction.entities)), str(len(triples)))
    content = content_key(
        content_hash(extracted.passage), *lengths, *extraction.entities, *triples, *extraction.malformed
    )
    return IdentifiedPassage(passage_id(extracted.passage), content, extracted)


@dataclass(slots=True)
class Changes:
    """Compares a source with a namespace's graph.

    When the source is at its end, `given` has the keys of all that it holds, and `stale` those of parts that its
    documents left in the graph when they were longer, shorter, or split otherwise. `began` is the graph's version
    before the first look.
    """

    database: Database
    namespace: str
    report: IndexReport
    on_problem: OnProblem | None = None
    given: set[str] = field(default_factory=set)
    stale: list[str] = field(default_factory=list)
    began: int = 0

    def find(self, passages: Iterable[IdentifiedPassage]) -> Generator[IdentifiedPassage, None, None]:
        """The passages that don't stand in the graph as they are; failed ones are among them."""
        for passage, state in self.states(passages):
            if state != "unchanged":
                yield passage

    def states(self, passages: Iterable[IdentifiedPassage]) -> Generator[tuple[IdentifiedPassage, State], None, None]:
        """The passages, with what they are to the graph.

        A passage, with all parts of its document, whose id there belongs to another document is reported and left out.
        """
        for given in documents_in(passages, _LOOKUP):
            keys = {passage_key(self.namespace, passage.id): passage for passage in given}
            rows = self.database.run("indexing/find_passages", keys=list(keys))
            taken = taken_ids(rows, keys)
            for error in taken.values():
                report(error, self.on_problem)
            keys = {key: passage for key, passage in keys.items() if document_of(passage) not in taken}
            there = {row["key"]: row for row in rows}
            self.stale += self._find_stale_parts(list(keys.values()), keys)
            self.report.passages += len(keys)
            self.given.update(keys)
            for key, passage in keys.items():
                state = _state(passage, there.get(key))
                self.report.unchanged += state == "unchanged"
                yield passage, state

    def _find_stale_parts(self, passages: Sequence[IdentifiedPassage], present: Container[str]) -> list[str]:
        documents = list(dict.fromkeys(document_of(passage) for passage in passages))
        rows = self.database.run(
            "indexing/find_parts",
            namespace=self.namespace,
            documents=documents,
            keys=[passage_key(self.namespace, document) for document in documents],
        )
        return [row["key"] for row in rows if row["key"] not in present]


def _state(passage: IdentifiedPassage, there: Row | None) -> State:
    if there is None:
        return "new"
    if there["content_hash"] != passage.content_hash:
        return "changed"
    return "unchanged" if there["status"] == "written" else "failed"
