"""Answers of a language model, kept in the graph's own database: per namespace, shared by every process and machine."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from hipporag_neo4j.database import Database
from hipporag_neo4j.keys import answer_key
from hipporag_neo4j.llm.cached_model import KeptAnswer

_DELETED_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class GraphAnswerStore:
    """An AnswerStore of one namespace: a `HippoAnswer` node for each answer.

    A read and a write are a transaction each, so an answer that was paid for stays, whatever happens next. Raises
    DatabaseError as every other statement does.
    """

    database: Database
    namespace: str

    def find(self, key: str) -> str | None:
        """The text kept under a key."""
        rows = self.database.run("cache/find_answer", key=answer_key(self.namespace, key), namespace=self.namespace)
        return rows[0]["text"] if rows else None

    def find_all(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The texts kept under some of the keys."""
        ours = {answer_key(self.namespace, key): key for key in keys}
        rows = self.database.run("cache/find_answers", keys=list(ours), namespace=self.namespace)
        return {ours[row["key"]]: row["text"] for row in rows}

    def keep_all(self, answers: Mapping[str, KeptAnswer]) -> None:
        """Keep several answers by their keys, in one transaction."""
        rows = [
            {"key": answer_key(self.namespace, key), "properties": asdict(answer)} for key, answer in answers.items()
        ]
        self.database.run("cache/keep_answers", namespace=self.namespace, rows=rows, now=datetime.now(UTC))

    def keep(self, key: str, answer: KeptAnswer) -> None:
        """Keep an answer under a key."""
        self.database.run(
            "cache/keep_answer",
            key=answer_key(self.namespace, key),
            namespace=self.namespace,
            properties=asdict(answer),
            now=datetime.now(UTC),
        )


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """How many answers of a kind and model are kept, their characters, what they had cost in tokens, and since when."""

    kind: str
    model: str
    answers: int
    characters: int
    prompt_tokens: int
    completion_tokens: int
    oldest: datetime
    newest: datetime


def count_answers(database: Database, namespace: str) -> Sequence[KeptAnswers]:
    """What a namespace keeps, by model and kind."""
    rows = database.run("cache/count_answers", namespace=namespace)
    return [
        KeptAnswers(**(row | {"oldest": row["oldest"].to_native(), "newest": row["newest"].to_native()}))
        for row in rows
    ]


def clear_answers(database: Database, namespace: str, before: datetime) -> int:
    """Forget the answers that a namespace has kept since before a time; how many they were."""
    cleared = 0
    while True:
        rows = database.run("cache/delete_answers", namespace=namespace, before=before, limit=_DELETED_AT_ONCE)
        some: int = rows[0]["answers"]
        cleared += some
        if some < _DELETED_AT_ONCE:
            return cleared
