"""The file in which a team says what its graph holds: passages, phrases, mentions, relationships."""

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.names import quoted

Direction = Literal["out", "in", "any"]
"""Of a relationship, from the passage on: -[:TYPE]->, <-[:TYPE]-, or either."""
ANY_TYPE = "*"
"""Every relationship type that isn't named by itself."""

_Name = Annotated[str, StringConstraints(min_length=1)]
_MOST = 1_000_000


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Passages(_Part):
    """Nodes that hold text to find. Without `id` a passage's is Neo4j's own element id; several text properties are
    joined. Indexes are found by label and property, and need a name only where there are several."""

    label: _Name
    text: _Name | Annotated[list[_Name], Field(min_length=1)]
    id: _Name | None = None
    title: _Name | None = None
    metadata: list[_Name] = []
    vector: _Name | None = None
    vector_index: _Name | None = None
    text_index: _Name | None = None

    @property
    def texts(self) -> list[str]:
        """The text properties."""
        return [self.text] if isinstance(self.text, str) else self.text


class Phrases(_Part):
    """Nodes that passages mention: things with a name."""

    label: _Name
    name: _Name
    vector: _Name | None = None
    vector_index: _Name | None = None


class Step(_Part):
    """A relationship on the way from a passage to a phrase, and the label of the node that it leads to; the last one
    leads to the phrase and takes none."""

    type: _Name
    direction: Direction
    label: _Name | None = None


class Mention(_Part):
    """A way in which a passage mentions a phrase; without a step the passage is one itself. `count`, a property of the
    last step's relationship, says how often; 1 without."""

    steps: list[Step]
    count: _Name | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.count is not None and not self.steps:
            raise ValueError("count is a property of the last step's relationship, and there is no step")
        for number, step in enumerate(self.steps, start=1):
            last = number == len(self.steps)
            if last and step.label is not None:
                raise ValueError(f"step {number} leads to the phrase, whose label stands under phrases; leave it out")
            if not last and step.label is None:
                raise ValueError(f"step {number} leads to a node in between; give its label")
        return self


class Relationship(_Part):
    """Relationships between phrases that a walk follows, either way.

    One weighs `weight`, times its `weight_property` where that is named and there. `fact`: it says that the start of it
    has a `predicate` (its type, unless there is a text or `predicate_property`) to its end; `reversed` the other way
    round. `vector` holds the fact's vector.
    """

    type: _Name
    weight: float = Field(1.0, gt=0, le=_MOST, strict=False)
    weight_property: _Name | None = None
    fact: bool = True
    predicate: _Name | None = None
    predicate_property: _Name | None = None
    reversed: bool = False
    vector: _Name | None = None
    vector_index: _Name | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.fact and (self.predicate or self.predicate_property or self.vector or self.reversed):
            raise ValueError("fact is false, so that predicate, predicate_property, reversed and vector mean nothing")
        if self.vector is not None and self.type == ANY_TYPE:
            raise ValueError(f"a vector index is over a type that has a name, not over {ANY_TYPE!r}")
        return self


class Projection(_Part):
    """`keep_seconds`: how long a projection is walked over before it is made anew though no count has changed."""

    keep_seconds: float = Field(600.0, ge=0, le=_MOST, strict=False)


class GraphFile(_Part):
    """What the file says."""

    passages: Passages
    phrases: list[Phrases] = Field(min_length=1)
    mentions: list[Mention] = Field(min_length=1)
    relationships: list[Relationship] = []
    projection: Projection = Projection()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for what, names in (
            ("phrases", [phrase.label for phrase in self.phrases]),
            ("relationships", [relationship.type for relationship in self.relationships]),
        ):
            if twice := sorted({name for name in names if names.count(name) > 1}):
                raise ValueError(f"{what} names {twice[0]!r} twice")
        if not self.relationships and not any(mention.steps for mention in self.mentions):
            raise ValueError("nothing joins passages and phrases: give a relationship, or a mention with a step")
        return self

    @property
    def labels(self) -> list[tuple[str, str]]:
        """Every label that is named, with the place where."""
        between = [
            (f"mentions.{m}.steps.{s}.label", step.label)
            for m, mention in enumerate(self.mentions)
            for s, step in enumerate(mention.steps)
            if step.label is not None
        ]
        phrases = [(f"phrases.{number}.label", phrase.label) for number, phrase in enumerate(self.phrases)]
        return [("passages.label", self.passages.label), *phrases, *between]

    @property
    def types(self) -> list[tuple[str, str]]:
        """Every relationship type that is named, with the place where."""
        steps = [
            (f"mentions.{m}.steps.{s}.type", step.type)
            for m, mention in enumerate(self.mentions)
            for s, step in enumerate(mention.steps)
        ]
        between = [(f"relationships.{number}.type", one.type) for number, one in enumerate(self.relationships)]
        return [*steps, *((place, name) for place, name in between if name != ANY_TYPE)]

    @property
    def properties(self) -> list[tuple[str, str]]:
        """Every property that is named, with the place where."""
        own = self.passages
        found: list[tuple[str, str | None]] = [("passages.text", name) for name in own.texts]
        found += [("passages.id", own.id), ("passages.title", own.title), ("passages.vector", own.vector)]
        found += [("passages.metadata", name) for name in own.metadata]
        for number, phrase in enumerate(self.phrases):
            found += [(f"phrases.{number}.name", phrase.name), (f"phrases.{number}.vector", phrase.vector)]
        found += [(f"mentions.{number}.count", mention.count) for number, mention in enumerate(self.mentions)]
        for number, one in enumerate(self.relationships):
            place = f"relationships.{number}"
            found += [
                (f"{place}.weight_property", one.weight_property),
                (f"{place}.predicate_property", one.predicate_property),
                (f"{place}.vector", one.vector),
            ]
        return [(place, name) for place, name in found if name is not None]

    @property
    def digest(self) -> str:
        """A text that two files share if they say the same."""
        return hashlib.blake2b(self.model_dump_json().encode(), digest_size=8).hexdigest()


def read_graph_file(path: Path) -> GraphFile:
    """What a TOML file (or YAML: `.yaml`, `.yml`) says. Raises InputError, which names the place."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"The graph file {path} can't be read: {error}. Give the path of a TOML file.") from error
    return parse_graph_file(_loaded(text, path), str(path))


def parse_graph_file(values: Any, place: str) -> GraphFile:
    """What the values of a file say; `place` is the file. Raises InputError."""
    if not isinstance(values, Mapping):
        raise InputError(f"{place} holds no tables. It needs [passages], [[phrases]] and [[mentions]]. {_SEE}")
    try:
        file = GraphFile.model_validate(dict(values))
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, one['loc'])) or 'the file'}: {_plain(one['msg'])}" for one in error.errors()[:5]
        )
        raise InputError(f"{place} doesn't say what a graph holds: {problems}. {_SEE}") from error
    for where, name in (*file.labels, *file.types, *file.properties):
        try:
            quoted(name)
        except InputError as error:
            raise InputError(f"{place}, {where}: {error}") from error
    return file


def _loaded(text: str, path: Path) -> Any:
    is_yaml = path.suffix.lower() in (".yaml", ".yml")
    try:
        return yaml.safe_load(text) if is_yaml else tomllib.loads(text)
    # The parsers let errors of Python through: of dates and numbers that are none, of tables in tables in tables.
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        said = " ".join(str(error).split())
        raise InputError(f"{path} is no {'YAML' if is_yaml else 'TOML'}: {said}. {_SEE}") from error


def _plain(message: str) -> str:
    return message.removeprefix("Value error, ")


_SEE = "docs/existing_graph.md shows complete files."
