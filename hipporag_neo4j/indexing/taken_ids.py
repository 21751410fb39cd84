"""Would a passage replace one that belongs to another document?"""

from collections.abc import Iterable, Mapping

from hipporag_neo4j.database import Row
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.batches import document_of
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage


def taken_ids(rows: Iterable[Row], passages: Mapping[str, IdentifiedPassage]) -> dict[str, InputError]:
    """What is wrong, by document: a passage's id has the form of another document's part, or the other way round.

    `rows` are those of indexing/find_passages, `passages` stand under their keys. A document is refused as a whole:
    written in part, its text would be torn.
    """
    found: dict[str, InputError] = {}
    for row in rows:
        passage = passages[row["key"]]
        if row["document"] != passage.extracted.passage.document:
            found.setdefault(document_of(passage), _explain(passage, row["document"], row["part"]))
    return found


def _explain(passage: IdentifiedPassage, document: str | None, part: int | None) -> InputError:
    own = passage.extracted.passage.document
    what = (
        f"The passage {passage.id!r}" if own is None else f"The document {own!r}, which is long and written in parts,"
    )
    there = "as a passage of its own" if document is None else f"as part {part} of the document {document!r}"
    return InputError(f"{what} can't be written: the graph holds {passage.id!r} {there}. Give it another id.")
