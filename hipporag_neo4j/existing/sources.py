"""What retrieval asks of a graph of others: each of its statements is answered by one that knows their names.

The modes and the projections are those of this product's own graphs; only what they ask for is found elsewhere.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from numpy.typing import NDArray

from hipporag_neo4j.coroutines import Waiting
from hipporag_neo4j.database import Row
from hipporag_neo4j.errors import ConfigurationError, GraphNotFoundError, NoLanguageModelError
from hipporag_neo4j.existing.graph_file import ANY_TYPE
from hipporag_neo4j.existing.layout import Index, Layout, fact_kind
from hipporag_neo4j.existing.ways import need_passage_vectors
from hipporag_neo4j.retrieval.bm25 import ALL
from hipporag_neo4j.retrieval.filter_facts import Triplet, Verdict
from hipporag_neo4j.retrieval.sources import NamedEntities, Sources
from hipporag_neo4j.schema import SCHEMA_VERSION

_PLAIN = (str, int, float, bool, list)
_BITS = 48
"""Of the number that stands for a state of the graph."""
_WIDER = 10
_MOST_FETCHED = 10_000
"""How much of a vector index is looked at where it holds much that doesn't count here."""


@dataclass(frozen=True, slots=True)
class ExistingSources:
    """Sources over a graph of others; models are asked as ever."""

    sources: Sources
    layout: Layout

    async def need_decider(self, *, facts: bool) -> None:
        """Raise NoLanguageModelError where nobody decides."""
        try:
            await self.sources.need_decider(facts=facts)
        except NoLanguageModelError as error:
            unguided = ", or take --mode hybrid --no-llm (no_llm=True)"
            raise NoLanguageModelError(
                "The mode needs a language model, and none is set. Set HIPPORAG_LLM_MODEL (with OPENAI_API_KEY or "
                "OPENAI_BASE_URL), name what the question is about with --mode hipporag1 (--entity NAME, entities=[…])"
                f"{unguided if self.layout.phrase_searches or self.layout.fact_searches else ''}."
            ) from error

    async def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """Vectors of texts, shape (len(texts), dimensions)."""
        return await self.sources.embed(texts)

    async def name_entities(self, question: str) -> NamedEntities:
        """Named entities of a question."""
        return await self.sources.name_entities(question)

    async def filter_facts(
        self, question: str, facts: Sequence[Triplet], known: Sequence[Triplet] | None = None
    ) -> Verdict:
        """Which facts bear on a question."""
        return await self.sources.filter_facts(question, facts, known)

    @property
    def waiting(self) -> Waiting:
        """How to wait for other clients."""
        return self.sources.waiting

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of what answers a named statement here."""
        parameters.pop("namespace", None)
        match query:
            case "schema/find_graph":
                return [{"graph": await self._graph()}]
            case "projection/find_projection":
                return await self._find_projection(**parameters)
            case "projection/project_phrases":
                return await self._run("project_phrases", graph=parameters["graph"], kinds=self.layout.kinds)
            case "projection/project_passages":
                return await self._run(
                    "project_passages",
                    graph=parameters["graph"],
                    kinds=self.layout.kinds,
                    mention_weight=parameters["mention_weight"],
                )
            case "status/count_passages":
                return await self._count_passages()
            case "retrieval/find_named_phrases":
                return await self._find_named(**parameters)
            case "retrieval/find_nearest_phrases":
                return await self._find_nearest(**parameters)
            case "retrieval/find_phrases_by_vector":
                return await self._find_near_question(**parameters)
            case "retrieval/find_facts":
                return await self._find_facts(**parameters)
            case "retrieval/find_passages_by_terms":
                return await self._find_by_terms(**parameters)
            case "retrieval/find_passages_by_vector" | "retrieval/find_passage_seeds":
                return await self._find_near_passages(query.partition("/")[2], **parameters)
        stage, _, name = query.partition("/")
        if stage == "retrieval":
            return await self._run(name, **parameters)
        return await self.sources.run(query, **parameters)

    async def _run(self, statement: str, layout: Layout | None = None, /, **parameters: Any) -> list[Row]:
        rows = await self.sources.run(f"existing/{statement}", where=layout or self.layout, **parameters)
        return [_plain(row) if "properties" in row else row for row in rows]

    async def _state(self) -> tuple[int, datetime]:
        """A number that stands for the graph's state, as far as counts tell, and when the database was made."""
        row = (await self._run("count_figures"))[0]
        digest = hashlib.blake2b(json.dumps(row["figures"]).encode(), digest_size=_BITS // 8).digest()
        return int.from_bytes(digest, "big"), row["created"]

    async def _graph(self) -> Mapping[str, Any]:
        """What stands for the properties of this product's own node of a graph."""
        state, created = await self._state()
        return {
            "namespace": self.layout.namespace,
            "embedding_model": "",
            "dimensions": 0,
            "normalisation": "unicode",
            "synonym_threshold": 0.0,
            "schema_version": SCHEMA_VERSION,
            "version": state,
            "published": state,
            "created": created,
        }

    async def _find_projection(self, **parameters: Any) -> list[Row]:
        state, _ = await self._state()
        row = (await self.sources.run("existing/find_projection", version=state, **parameters))[0]
        age = row.pop("age")
        if age is not None and row["builder"] is None and age > self.layout.keep_seconds:
            await self.sources.run("projection/drop_projection", graph=row["graph"])
            row = row | {"graph": None}
        return [row]

    async def _count_passages(self) -> list[Row]:
        rows = await self._run("count_passages")
        if not rows:
            raise GraphNotFoundError(
                f"No node has the label {self.layout.passages.label!r}, so there is no passage to find. Fill the "
                "graph, or name another label in the graph file."
            )
        return rows

    async def _find_named(self, entities: Sequence[Mapping[str, str]]) -> list[Row]:
        """Phrases whose name is, case apart, as it was said, or as it is when normalised."""
        said = {one["name"]: one["said"] for one in entities}
        said |= {one["said"].strip().lower(): one["said"] for one in entities}
        rows = await self._run("find_named_phrases", names=list(said))
        return [{**row, "entity": said[row["name"]]} for row in rows]

    async def _find_nearest(self, entities: Sequence[Mapping[str, Any]], fetch: int) -> list[Row]:
        """For each entity the nearest phrase of any label."""
        rows = await self._search_phrases(entities, fetch, limit=1)
        best: dict[str, Row] = {}
        for row in rows:
            best.setdefault(row["entity"], row)
        return list(best.values())

    async def _find_near_question(self, embedding: Any, fetch: int, limit: int) -> list[Row]:
        rows = await self._search_phrases([{"name": "", "embedding": embedding}], fetch, limit)
        return rows[:limit]

    async def _search_phrases(self, entities: Sequence[Mapping[str, Any]], fetch: int, limit: int) -> list[Row]:
        """Phrases of all labels that have an index, nearest first."""
        texts = [{"name": one["name"], "embedding": one["embedding"]} for one in entities]
        rows = []
        for layout, index in self.layout.phrase_searches:
            ask = partial(self._run, "find_nearest_phrases", layout, entities=texts, limit=limit)
            own = [kind.names.label for kind in layout.phrases]
            rows += await self._search(ask, index, own, fetch=fetch, enough=limit * len(texts))
        best = sorted(rows, key=lambda row: (-row["similarity"], row["phrase"], row["key"]))
        return list({(row["entity"], row["key"]): row for row in reversed(best)}.values())[::-1]

    async def _find_facts(self, fetch: int, limit: int, **parameters: Any) -> list[Row]:
        """The nearest facts of all types that have an index; the lowest score is that of all of them."""
        rows = []
        for layout, index in self.layout.fact_searches:
            (kind,) = layout.relationships
            ask = partial(self._run, "find_facts", layout, kind=fact_kind(kind), limit=limit, **parameters)
            found = await self._search(ask, index, [kind.names.type], fetch=fetch, enough=limit)
            if not _knows_lowest(found):
                raise _crowded(index, "fact", kind.names.type)
            rows += found
        lowest = min((row["lowest"] for row in rows), default=0.0)
        best = sorted(rows, key=lambda row: (-row["score"], row["subject"], row["predicate"], row["object"]))
        return [row | {"lowest": lowest} for row in best[:limit]]

    async def _find_near_passages(self, statement: str, fetch: int, limit: int, **parameters: Any) -> list[Row]:
        """Raises ConfigurationError where an index holds so much else that no passage is found in it."""
        index, label = need_passage_vectors(self.layout), self.layout.passages.label
        ask = partial(self._run, statement, limit=limit, **parameters)
        rows = await self._search(ask, index, [label], fetch=fetch, enough=limit)
        if rows and _knows_lowest(rows):
            return rows
        if (await self._run("count_passage_vectors"))[0]["vectors"] == 0:
            return []
        raise _crowded(index, "passage", label)

    async def _search(
        self, ask: Callable[..., Awaitable[list[Row]]], index: Index, own: Sequence[str], *, fetch: int, enough: int
    ) -> list[Row]:
        """Rows of a search that looks at `fetch` entries of an index, or at more where too few of them count, or are of
        the `own` labels or types."""
        rows = await ask(fetch=fetch)
        if _suffices(rows, enough):
            return rows
        there = _MOST_FETCHED if index.others(*own) else min(_MOST_FETCHED, await self._count(own))
        while fetch < there and not _suffices(rows, enough):
            fetch = min(_WIDER * fetch, _MOST_FETCHED)
            rows = await ask(fetch=fetch)
        return rows

    async def _count(self, names: Sequence[str]) -> int:
        """How many nodes of these labels or relationships of these types there are at most."""
        layout = self.layout
        counted = (layout.passages.label, *(kind.names.label for kind in layout.phrases), *layout.types)
        figures = dict(zip(counted, (await self._run("count_figures"))[0]["figures"], strict=True))
        return sum(figures.get(name, figures.get(ANY_TYPE, 0)) for name in names)

    async def _find_by_terms(self, terms: str, limit: int, **_: Any) -> list[Row]:
        """By the words alone: no namespace is asked for. All that the index finds, where others take up its best."""
        index = self.layout.text_index
        assert index is not None, "the way is planned so"
        ask = partial(self._run, "find_passages_by_terms", index=index.name, terms=terms, limit=limit)
        rows = await ask(fetch=10 * limit)
        return await ask(fetch=ALL) if len(rows) < limit and index.others(self.layout.passages.label) else rows


def _suffices(rows: Sequence[Row], enough: int) -> bool:
    return len(rows) >= enough and _knows_lowest(rows)


def _knows_lowest(rows: Sequence[Row]) -> bool:
    """Whether what is farthest is known, where that was looked for."""
    return all(row.get("lowest", 0.0) is not None for row in rows)


def _crowded(index: Index, what: str, own: str) -> ConfigurationError:
    return ConfigurationError(
        f"The index {index.name!r} is over {', '.join(index.others(own)) or 'much else'}, too, and among the "
        f"{_MOST_FETCHED:,} nearest, or farthest, of what it holds is no {what}. Make an index over {own!r} alone "
        "(docs/existing_graph.md, Indexes), or take --mode bm25."
    )


def _plain(row: Row) -> Row:
    """Metadata as plain values: dates and points as text."""
    values = {name: value if isinstance(value, _PLAIN) else str(value) for name, value in row["properties"].items()
              if value is not None}  # fmt: skip
    return row | {"properties": values}
