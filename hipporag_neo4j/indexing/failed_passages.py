"""Passages that the language model could not read, as the graph holds them: no source is needed to try again."""

from collections.abc import Iterator, Mapping
from typing import Any

from hipporag_neo4j.database import Database
from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage
from hipporag_neo4j.indexing.batches import batches
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage

_AT_ONCE = 100
_METADATA = "meta_"


def failed_passages(database: Database, namespace: str) -> Iterator[IdentifiedPassage]:
    """The passages that have failed by now, by key; one that another run has read meanwhile is left out."""
    keys = [row["key"] for row in database.run("indexing/list_failed", namespace=namespace)]
    for some in batches(keys, _AT_ONCE):
        for row in database.run("indexing/read_failed", keys=some):
            yield _passage(row["properties"])


def _passage(properties: Mapping[str, Any]) -> IdentifiedPassage:
    """With the hash it had: its source is unchanged, so that `index` has nothing to do for it afterwards."""
    passage = Passage(
        text=properties["text"],
        id=properties["id"],
        title=properties["title"],
        metadata={
            name.removeprefix(_METADATA): value for name, value in properties.items() if name.startswith(_METADATA)
        },
        document=properties.get("document"),
        part=properties.get("part"),
    )
    unread = ExtractedPassage(passage, Extraction(), row=properties.get("row"))
    return IdentifiedPassage(properties["id"], properties["content_hash"], unread)
