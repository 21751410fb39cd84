"""What one run of indexing did, in figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hipporag_neo4j.domain import Extraction
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage, PassageRow

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and of how much (None where unknown)."""


def no_progress(what: str, done: int, total: int | None) -> None:
    """Report nothing."""


@dataclass(slots=True)
class IndexReport:
    """The figures of one run.

    `passages` were given (parts of long texts each count), `repeated` ones left out before, `deleted` parts that
    their document doesn't hold any more, `pruned` passages that the source doesn't; `overtaken` ones were left as another client wrote
    them while they were read; `from_cache` counts answers of the
    language model that were kept from before and cost no tokens; `seconds` by stage: `read` (input, and what is read
    by a language model), `embed`, `write`, `link`, `publish`, `total`.
    """

    run: str
    passages: int = 0
    repeated: int = 0
    unchanged: int = 0
    written: int = 0
    failed: int = 0
    malformed_triples: int = 0
    dropped_triples: int = 0
    synonyms: int = 0
    truncated: int = 0
    deleted: int = 0
    pruned: int = 0
    overtaken: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def figures(self) -> Mapping[str, object]:
        """What is kept in the graph."""
        return {
            "kind": "index",
            "passages": self.passages,
            "repeated": self.repeated,
            "unchanged": self.unchanged,
            "written": self.written,
            "failed": self.failed,
            "deleted": self.deleted + self.pruned,
            "overtaken": self.overtaken,
            "malformed_triples": self.malformed_triples,
            "dropped_triples": self.dropped_triples,
            "synonyms": self.synonyms,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "from_cache": self.from_cache,
            "seconds": self.seconds.get("total", 0.0),
        }

    def count_read(self, extraction: Extraction) -> None:
        """Count what it cost to have a passage read."""
        self.prompt_tokens += extraction.prompt_tokens
        self.completion_tokens += extraction.completion_tokens
        self.from_cache += extraction.from_cache

    def count_written(self, passages: Sequence[IdentifiedPassage], dropped: int) -> None:
        """Count passages that were written, of whose triples so many were dropped."""
        failed = sum(passage.extracted.extraction.error is not None for passage in passages)
        self.failed += failed
        self.written += len(passages) - failed
        self.malformed_triples += sum(len(passage.extracted.extraction.malformed) for passage in passages)
        self.dropped_triples += dropped
        self.truncated += sum(passage.extracted.extraction.truncated for passage in passages)

    def count_overtaken(self, passages: Sequence[PassageRow]) -> None:
        """Take back the count of passages that were not written after all."""
        failed = sum(row.properties["status"] == "failed" for row in passages)
        self.overtaken += len(passages)
        self.failed -= failed
        self.written -= len(passages) - failed
