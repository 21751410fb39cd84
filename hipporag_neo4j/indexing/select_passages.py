"""Which passages are meant: by id, by document, or by metadata."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hipporag_neo4j.database import Database, Row
from hipporag_neo4j.domain import MetadataValue
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.batches import batches
from hipporag_neo4j.indexing.check_passages import check_metadata
from hipporag_neo4j.keys import passage_key

_AT_ONCE = 500
_NAMED = 10


@dataclass(frozen=True, slots=True)
class Selection:
    """Passages by key and id, how many documents they make up, and the ids that were asked for and name nothing.

    `by_content`: what stood in them was asked for, so that one that was written since is another matter.
    """

    keys: tuple[str, ...]
    ids: tuple[str, ...]
    documents: int
    unknown: tuple[str, ...] = ()
    by_content: bool = False


def select(
    database: Database,
    namespace: str,
    *,
    ids: Iterable[str] | None = None,
    document: str | None = None,
    where: Mapping[str, MetadataValue] | None = None,
) -> Selection:
    """The passages that are meant by one of the three. Raises InputError unless exactly one is given."""
    if sum(way is not None for way in (ids, document, where)) != 1:
        raise InputError("Say what to delete in one way: by ids, by a document, or by metadata (where).")
    if ids is not None:
        return select_ids(database, namespace, ids)
    if document is not None:
        return select_document(database, namespace, document)
    return select_where(database, namespace, where or {})


def select_ids(database: Database, namespace: str, ids: Iterable[str]) -> Selection:
    """The passages with these ids. The id of a document, or of a part of one, means all parts of the document."""
    if isinstance(ids, str):
        raise InputError(f"The ids to delete are {ids!r}, one text. Give a list of ids.")
    found: dict[str, Row] = {}
    unknown: list[str] = []
    for some in batches(dict.fromkeys(ids), _AT_ONCE):
        if other := [id_ for id_ in some if not isinstance(id_, str)]:
            raise InputError(f"An id to delete is {other[0]!r}, not a text. Give ids as texts.")
        keys = {passage_key(namespace, id_): id_ for id_ in some}
        there = {row["key"]: row["document"] for row in database.run("indexing/find_passages", keys=list(keys))}
        document = {id_: there.get(key) or id_ for key, id_ in keys.items()}
        rows = _find_parts(database, namespace, list(dict.fromkeys(document.values())))
        found |= {row["key"]: row for row in rows}
        present = {row["document"] for row in rows}
        unknown += [id_ for id_ in some if document[id_] not in present]
    return _selection(found.values(), unknown)


def select_document(database: Database, namespace: str, document: str) -> Selection:
    """The passage that is this document, or all its parts."""
    rows = _find_parts(database, namespace, [document])
    return _selection(rows, () if rows else [document])


def select_where(database: Database, namespace: str, where: Mapping[str, MetadataValue]) -> Selection:
    """The passages whose metadata has all these values. Raises InputError for a name that no passage has."""
    place = "What to delete"
    conditions = check_metadata(where, place)
    if missing := sorted(where.keys() - conditions.keys()):
        raise InputError(f"{place}: metadata.{missing[0]} has no value to compare with. Give one.")
    if not conditions:
        raise InputError(f"{place}: no metadata is named. Name at least one, with its value.")
    _refuse_unknown_names(database, namespace, list(conditions))
    rows = database.run(
        "indexing/find_by_metadata",
        namespace=namespace,
        conditions=[{"property": f"meta_{name}", "value": value} for name, value in conditions.items()],
    )
    return replace(_selection(rows, ()), by_content=True)


def _refuse_unknown_names(database: Database, namespace: str, names: Sequence[str]) -> None:
    """A slip in a name would look like metadata that no passage happens to have."""
    properties = {f"meta_{name}": name for name in names}
    known = {row["name"] for row in database.run("indexing/find_property_keys", names=list(properties))}
    if unknown := [name for property_, name in properties.items() if property_ not in known]:
        there = [row["name"] for row in database.run("indexing/list_metadata_names", namespace=namespace)]
        shown = ", ".join(map(repr, there[:_NAMED])) + (", …" if len(there) > _NAMED else "")
        hint = f"Those in namespace {namespace!r} have: {shown}." if there else "None here has any metadata."
        raise InputError(f"No passage has metadata named {unknown[0]!r}. {hint} Nothing was deleted.")


def _find_parts(database: Database, namespace: str, documents: Sequence[str]) -> list[Row]:
    return database.run(
        "indexing/find_parts",
        namespace=namespace,
        documents=list(documents),
        keys=[passage_key(namespace, document) for document in documents],
    )


def _selection(rows: Iterable[Row], unknown: Sequence[str]) -> Selection:
    ordered = sorted(rows, key=lambda row: (row["document"], len(row["id"]), row["id"]))
    return Selection(
        keys=tuple(row["key"] for row in ordered),
        ids=tuple(row["id"] for row in ordered),
        documents=len({row["document"] for row in ordered}),
        unknown=tuple(unknown),
    )
