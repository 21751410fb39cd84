"""Deleting, step by step: take passages back with what they said, link what a run left unlinked, publish."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hipporag_neo4j.database import Database
from hipporag_neo4j.indexing.link_synonyms import link_synonyms
from hipporag_neo4j.indexing.publish import LeftOver, left_over, publish
from hipporag_neo4j.indexing.record_run import new_run, recorded
from hipporag_neo4j.indexing.select_passages import Selection
from hipporag_neo4j.indexing.take_back import take_back
from hipporag_neo4j.schema import Graph


@dataclass(slots=True)
class DeleteReport:
    """What was deleted, or with `dry_run` what would be.

    `ids` are those of the passages that were found, parts of documents each; `unknown` the ids that name nothing.
    `passages` were deleted, with `mentions`, `facts` that no other passage states, and `phrases` that nothing mentions
    any more; all four are 0 in a dry run. `seconds` by stage: `delete`, `link`, `publish`, `total`.
    """

    ids: tuple[str, ...]
    documents: int
    unknown: tuple[str, ...] = ()
    dry_run: bool = False
    run: str = ""
    passages: int = 0
    facts: int = 0
    mentions: int = 0
    phrases: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def figures(self) -> Mapping[str, object]:
        """What is kept in the graph."""
        return {
            "kind": "delete",
            "passages": len(self.ids),
            "deleted": self.passages,
            "facts": self.facts,
            "mentions": self.mentions,
            "phrases": self.phrases,
        }


def delete_passages(database: Database, graph: Graph, selection: Selection, *, dry_run: bool = False) -> DeleteReport:
    """Delete the passages of a selection; the graph is then the one that the others alone would make.

    Nothing is embedded. Passages that were selected by what stands in them, and written by another client since `graph`
    was read, stay. What an interrupted run left undone is done as well, even if there is nothing to delete.
    """
    report = DeleteReport(selection.ids, selection.documents, selection.unknown, dry_run)
    if dry_run or (not selection.keys and _is_done(database, graph)):
        return report
    report.run = new_run()
    with recorded(database, graph.namespace, report) as stages:
        with stages.time("delete"):
            until = graph.version if selection.by_content else None
            taken = take_back(database, graph.namespace, selection.keys, until)
        report.passages, report.facts, report.mentions = taken.passages, taken.facts, taken.mentions
        with stages.time("link"):
            link_synonyms(database, graph)
        with stages.time("publish"):
            report.phrases = publish(database, graph.namespace)
    return report


def _is_done(database: Database, graph: Graph) -> bool:
    """Whether no run was cut off before its end."""
    return graph.version == graph.published and left_over(database, graph.namespace) == LeftOver(0, 0)
