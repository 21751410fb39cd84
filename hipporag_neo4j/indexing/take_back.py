"""Passages out of the graph, with all that they said."""

from collections.abc import Iterable
from dataclasses import dataclass

from hipporag_neo4j.database import Database, Transaction
from hipporag_neo4j.indexing.batches import batches
from hipporag_neo4j.schema import lock_graph

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class TakenBack:
    """How many passages went, with how many of their mentions, and facts that no other passage states."""

    passages: int = 0
    facts: int = 0
    mentions: int = 0


def take_back(database: Database, namespace: str, keys: Iterable[str], until: int | None = None) -> TakenBack:
    """Take passages out of the graph; phrases that nothing mentions any more, and empty nodes, go when it is published.

    A batch is one transaction: a passage is there with all that it said, or gone with it. With `until`, a version of
    the graph, those that another client has written since then stay.
    """
    passages = facts = mentions = 0
    for some in batches(keys, _AT_ONCE):

        def take(tx: Transaction, some: list[str] = some) -> TakenBack:
            lock_graph(tx, namespace)
            if until is not None:
                found = tx.run("indexing/find_passages", keys=some)
                some = [row["key"] for row in found if row["version"] <= until]
            return TakenBack(
                facts=tx.run("indexing/retract_facts", keys=some)[0]["facts"],
                mentions=tx.run("indexing/retract_mentions", keys=some)[0]["mentions"],
                passages=tx.run("indexing/mark_deleted", namespace=namespace, keys=some)[0]["passages"],
            )

        taken = database.write("indexing/mark_deleted", take)
        passages, facts, mentions = passages + taken.passages, facts + taken.facts, mentions + taken.mentions
    return TakenBack(passages, facts, mentions)
