"""What an evaluation was made with: what a reader of its figures has to know, and what must not change half-way."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import UnsupportedServerError
from hipporag_neo4j.evaluation.query_decisions import Decisions
from hipporag_neo4j.evaluation.read_questions import Question
from hipporag_neo4j.filters import EVERYTHING, Filter
from hipporag_neo4j.schema import open_graph
from hipporag_neo4j.settings import Settings
from hipporag_neo4j.status import Status, read_status

_ELSEWHERE = (
    "neo4j_",
    "openai_",
    "llm_model",
    "llm_concurrency",
    "llm_timeout",
    "llm_retries",
    "llm_deadline",
    "llm_cache",
    "embedding_",
    "query_timeout",
    "namespace",
    "normalisation",
    "passage_size",
    "synonym_threshold",
    "prompts_dir",
    "data_dir",
    "cache_dir",
    "server_password",
    "maven_repository",
)
"""Settings that change no figure, or that are told under a name of their own."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What figures were made with.

    `cached`: the language model's answers may be kept from before, and then cost neither tokens nor time. `looks`: as
    `hybrid` was asked; `passages_read`: for each answer, None without answers; `changed`: settings that differ from
    their defaults; `made_with`: what outcomes must have in common to be put together, under names that people read.
    """

    date: datetime
    namespace: str
    graph: Status
    versions: Mapping[str, str]
    embedding_model: str
    language_model: str | None
    cached: bool
    questions_file: str
    decisions_files: tuple[str, ...]
    looks: int
    passages_read: int | None
    changed: Mapping[str, Any]
    made_with: Mapping[str, Any]


def read_setting(
    database: Database,
    settings: Settings,
    questions_file: Path,
    questions: Sequence[Question],
    *,
    decisions: Decisions | None,
    looks: int,
    passages_read: int | None,
    where: Filter = EVERYTHING,
) -> Setting:
    """What an evaluation is about to be made with. Raises GraphNotFoundError for a namespace without a graph."""
    graph = open_graph(database, settings.namespace)
    versions = _versions(database)
    fields = {name for name in Settings.model_fields if not name.startswith(_ELSEWHERE)}
    values = settings.model_dump(mode="json", include=fields)
    return Setting(
        date=datetime.now(UTC),
        namespace=settings.namespace,
        graph=read_status(database, graph),
        versions=versions,
        embedding_model=graph.embedding_model,
        language_model=settings.llm_model,
        cached=settings.llm_model is not None and settings.llm_cache,
        questions_file=questions_file.name,
        decisions_files=tuple(path.name for path in decisions.sources) if decisions is not None else (),
        looks=looks,
        passages_read=passages_read,
        changed={name: value for name, value in values.items() if value != Settings.model_fields[name].default}
        | ({"filter": str(where)} if where else {}),
        made_with={
            "hipporag-neo4j": versions["hipporag-neo4j"],
            "namespace": settings.namespace,
            "version of the graph": graph.version,
            "embedding model": graph.embedding_model,
            "language model": _language_model(settings),
            "prompts": _digest_of_prompts(settings.prompts_dir),
            "questions": f"{len(questions)} ({_digest([asdict(question) for question in questions])})",
            "recorded decisions": _digest_of_decisions(decisions),
            "looks": looks,
            "passages read": passages_read,
            "filter": str(where) or None,
            **{f"HIPPORAG_{name.upper()}": values[name] for name in sorted(values)},
        },
    )


def _versions(database: Database) -> dict[str, str]:
    try:
        package = version("hipporag-neo4j")
    except PackageNotFoundError:
        package = "from source"
    server = {"Neo4j": database.run("schema/show_server")[0]["neo4j"]}
    with suppress(UnsupportedServerError):  # dense and bm25 need no Graph Data Science
        server["Graph Data Science"] = database.run("schema/show_versions")[0]["gds"]
    return {"hipporag-neo4j": package, **server}


def _language_model(settings: Settings) -> str | None:
    """The model, and where it answers: the same name may be another model there."""
    if settings.llm_model is None or settings.openai_base_url is None:
        return settings.llm_model
    address = urlsplit(settings.openai_base_url)
    return f"{settings.llm_model} at {address.netloc.rpartition('@')[2]}{address.path}"


def _digest_of_prompts(folder: Path | None) -> str | None:
    if folder is None or not folder.is_dir():
        return None
    return _digest({path.name: path.read_text(encoding="utf-8", errors="replace") for path in folder.glob("*.txt")})


def _digest_of_decisions(decisions: Decisions | None) -> str | None:
    if decisions is None:
        return None
    return _digest({question: asdict(decision) for question, decision in decisions.by_question.items()})


def _digest(values: object) -> str:
    """Eight digits that differ when the values differ."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:8]
