"""A team's graph as statements need it: the names of its file, quoted, and the indexes that were found for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from hipporag_neo4j.existing.graph_file import ANY_TYPE, GraphFile, Mention, Passages, Phrases, Relationship
from hipporag_neo4j.names import Names, quoted
from hipporag_neo4j.projection_catalogue import UNORDERED

NAMESPACE = f"existing{UNORDERED}"
"""What stands for a namespace begins with; no namespace of this product's own graphs can."""
ARROWS = {"out": ("-", "->"), "in": ("<-", "-"), "any": ("-", "-")}
"""Before and after a relationship of a direction, in a pattern."""


@dataclass(frozen=True, slots=True)
class Index:
    """A vector or full-text index by name: the labels or types that it is over, and the length of the vectors it holds;
    None where it takes any, or holds words."""

    name: str
    over: frozenset[str]
    dimensions: int | None = None

    def others(self, *own: str) -> list[str]:
        """Labels or types that it is over beside the `own` ones."""
        return sorted(self.over - set(own))


@dataclass(frozen=True, slots=True)
class PhraseKind:
    """Phrases of one label, and the index over their vectors, if there is one."""

    names: Phrases
    index: Index | None = None


@dataclass(frozen=True, slots=True)
class RelationshipKind:
    """Relationships of one type, and the index over the vectors of the facts they are, if there is one."""

    names: Relationship
    index: Index | None = None


@dataclass(frozen=True, slots=True)
class Layout(Names):
    """What the file names, and the indexes over it; fills the gaps of the statements in cypher/existing."""

    digest: str
    keep_seconds: float
    passages: Passages
    phrases: tuple[PhraseKind, ...]
    mentions: tuple[Mention, ...]
    relationships: tuple[RelationshipKind, ...]
    passage_index: Index | None = None
    text_index: Index | None = None
    types: tuple[str, ...] = ()
    """Of all relationships that count, in whatever way; `*` alone where any does."""

    @classmethod
    def of(cls, file: GraphFile) -> Self:
        """The layout without any index."""
        types = dict.fromkeys(
            [one.type for one in file.relationships]
            + [step.type for mention in file.mentions for step in mention.steps]
        )
        return cls(
            file.digest,
            file.projection.keep_seconds,
            file.passages,
            tuple(PhraseKind(one) for one in file.phrases),
            tuple(file.mentions),
            tuple(RelationshipKind(one) for one in file.relationships),
            types=(ANY_TYPE,) if ANY_TYPE in types else tuple(types),
        )

    @property
    def namespace(self) -> str:
        """What its projections are named by, in a namespace's place."""
        return NAMESPACE + self.digest

    @property
    def kinds(self) -> dict[str, dict[str, Any]]:
        """How relationships weigh, by type."""
        return {
            kind.names.type: {"weight": kind.names.weight, "weight_property": kind.names.weight_property or ""}
            for kind in self.relationships
        }

    @property
    def phrase_searches(self) -> tuple[tuple[Self, Index], ...]:
        """The indexes by which phrases are found, each with a layout as if there were no other phrases; mentions are
        those of all."""
        kinds: dict[tuple[Index, str | None], list[PhraseKind]] = {}
        for kind in self.phrases:
            if kind.index is not None:
                kinds.setdefault((kind.index, kind.names.vector), []).append(kind)
        return tuple((replace(self, phrases=tuple(of)), index) for (index, _), of in kinds.items())

    @property
    def fact_searches(self) -> tuple[tuple[Self, Index], ...]:
        """The indexes by which facts are found, each with a layout as if there were no other facts."""
        return tuple(
            (replace(self, relationships=(kind,)), kind.index) for kind in self.relationships if kind.index is not None
        )

    @property
    def has_vectors(self) -> bool:
        """Whether anything here is found by a vector."""
        return bool(self.passage_index or self.phrase_searches or self.fact_searches)

    def each(self, kind: str) -> Sequence[Self]:
        """A layout for each phrase's label, way of mentioning, or relationship type."""
        match kind:
            case "phrase":
                return [replace(self, phrases=(one,)) for one in self.phrases]
            case "mention":
                return [replace(self, mentions=(one,)) for one in self.mentions]
            case "type":
                return [replace(self, types=(one,)) for one in self.types]
        raise KeyError(kind)

    def text(self, word: str, argument: str) -> str:
        """What stands for a gap; `argument` is a variable, or what is named: passage, phrase, fact, edge."""
        match word, argument:
            case "label", "passage":
                return quoted(self.passages.label)
            case "label", "phrase":
                return "|".join(quoted(kind.names.label) for kind in self.phrases)
            case "vector", "passage":
                return quoted(self.passages.vector or "")
            case "vector", "phrase":
                return quoted(self.phrases[0].names.vector or "")
            case "vector", "fact":
                return quoted(self.relationships[0].names.vector or "")
            case "index", _:
                return quoted(self._index(argument))
            case "types", "edge":
                return _types([kind.names.type for kind in self.relationships])
            case "types", "counted":
                return _types(self.types)
            case "types", "fact":
                return _types([self.relationships[0].names.type])
            case "path", variable:
                return _path(self.mentions[0], variable)
            case "count", variable:
                return _count(f"{variable}.{quoted(counted)}") if (counted := self.mentions[0].count) else "1.0"
            case "name", variable:
                return _by_label(variable, self.phrases)
            case "id", variable:
                return (
                    f"toStringOrNull({variable}.{quoted(self.passages.id)})"
                    if self.passages.id
                    else f"elementId({variable})"
                )
            case "title", variable:
                title = self.passages.title
                return f"coalesce(toStringOrNull({variable}.{quoted(title)}), '')" if title else "''"
            case "text", variable:
                parts = [f"coalesce(toStringOrNull({variable}.{quoted(name)}), '')" for name in self.passages.texts]
                return " + '\\n' + ".join(parts)
            case "metadata", variable:
                entries = (f"{quoted('meta_' + name)}: {variable}.{quoted(name)}" for name in self.passages.metadata)
                return "{" + ", ".join(entries) + "}"
        raise KeyError(word)

    def _index(self, of: str) -> str:
        index = {"passage": self.passage_index, "phrase": self.phrases[0].index}.get(of)
        if of == "fact":
            index = self.relationships[0].index
        return index.name if index else ""


def fact_kind(kind: RelationshipKind) -> Mapping[str, Any]:
    """How a fact of this kind reads, as a parameter."""
    names = kind.names
    return {
        "predicate": names.predicate,
        "predicate_property": names.predicate_property or "",
        "reversed": names.reversed,
    }


def _types(types: Sequence[str]) -> str:
    """A pattern's types: none where any counts, `!%`, which no relationship has, where there are none."""
    if ANY_TYPE in types:
        return ""
    return ":" + ("|".join(map(quoted, types)) or "!%")


def _path(mention: Mention, variable: str) -> str:
    """The pattern between a passage and a phrase; the last relationship is the variable."""
    if not mention.steps:
        return "-[*0..0]-"
    text = ""
    for number, step in enumerate(mention.steps, start=1):
        before, after = ARROWS[step.direction]
        last = number == len(mention.steps)
        text += f"{before}[{variable if last else ''}:{quoted(step.type)}]{after}"
        if step.label is not None:
            text += f"(:{quoted(step.label)})"
    return text


def _count(value: str) -> str:
    """How often a passage mentions a phrase: 1 where nothing says it, 0 where that is no number above 0."""
    number = f"toFloatOrNull({value})"
    return f"CASE WHEN {value} IS NULL THEN 1.0 WHEN {number} > 0 AND {number} <= 1e12 THEN {number} ELSE 0.0 END"


def _by_label(variable: str, phrases: Sequence[PhraseKind]) -> str:
    """The name of a phrase, whatever its label."""
    if len(phrases) == 1:
        return f"toStringOrNull({variable}.{quoted(phrases[0].names.name)})"
    cases = " ".join(
        f"WHEN {variable}:{quoted(kind.names.label)} THEN toStringOrNull({variable}.{quoted(kind.names.name)})"
        for kind in phrases
    )
    return f"CASE {cases} END"
