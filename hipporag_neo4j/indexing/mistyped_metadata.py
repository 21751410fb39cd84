"""Metadata that is declared as filterable and has values of another type, which a filter never allows: what to tell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hipporag_neo4j.filters import FilterType, is_of_type
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage

_NAMED = 5


@dataclass(slots=True)
class Mistyped:
    """How many passages have a value that is no `kind` under a name that is declared so; `first` are ids of some."""

    kind: FilterType
    passages: int = 0
    first: list[str] = field(default_factory=list)


def count_mistyped(
    found: dict[str, Mistyped], passages: Iterable[IdentifiedPassage], filterable: Mapping[str, FilterType]
) -> None:
    """Add to what was found, by name; passages without the metadata don't count."""
    for passage in passages if filterable else ():
        metadata = passage.extracted.passage.metadata
        for name, kind in filterable.items():
            value = metadata.get(name)
            if value is None or is_of_type(value, kind):
                continue
            there = found.setdefault(name, Mistyped(kind))
            there.passages += 1
            if len(there.first) < _NAMED:
                there.first.append(passage.id)
