"""A dry run over a graph of others: what the file finds, what would be projected, which modes work."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hipporag_neo4j import queries
from hipporag_neo4j.database import Row
from hipporag_neo4j.domain import Fact
from hipporag_neo4j.existing.graph_file import ANY_TYPE, Mention
from hipporag_neo4j.existing.layout import ARROWS, Index, Layout, PhraseKind, fact_kind
from hipporag_neo4j.existing.ways import WALKING, Possible, possible_modes
from hipporag_neo4j.names import quoted
from hipporag_neo4j.retrieval.retrieve import Options
from hipporag_neo4j.retrieval.sources import Sources

STATEMENTS = ("project_phrases", "project_passages", "rank_by_mentions", "rank_passage_nodes")
"""Whose text a dry run shows."""


@dataclass(frozen=True, slots=True)
class Part:
    """Nodes or relationships of one kind: `what` they are, how many, and what else is to be known of them."""

    what: str
    count: int
    details: str = ""


@dataclass(frozen=True, slots=True)
class Size:
    """A projection: nodes, relationships (each counted in both directions), and bytes that it and a walk take."""

    shape: str
    nodes: int
    relationships: int
    most_bytes: int


@dataclass(frozen=True, slots=True)
class SamplePassage:
    """A passage, and at most twelve phrases that it mentions."""

    id: str
    title: str
    text: str
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """What a dry run found. `problems` say what looks wrong and what to do; `statements` the Cypher by name."""

    parts: tuple[Part, ...]
    sizes: tuple[Size, ...]
    modes: tuple[Possible, ...]
    problems: tuple[str, ...]
    passages: tuple[SamplePassage, ...]
    facts: tuple[Fact, ...]
    statements: Mapping[str, str]


async def check(sources: Sources, layout: Layout, options: Options, *, samples: int) -> Check:
    """Counts and samples of all that the layout names. Reads every passage and phrase."""
    problems: list[str] = []
    parts = [await _passages(sources, layout, problems)]
    parts += [await _phrases(sources, layout, kind, problems) for kind in layout.phrases]
    mentions = [await _mentions(sources, one, problems) for one in layout.each("mention")]
    relationships = await _relationships(sources, layout, problems)
    sizes = await _sizes(
        sources, layout, sum(part.count for part in relationships), sum(part.count for part in mentions), options
    )
    facts = await sources.run("existing/sample_facts", where=layout, kinds=_fact_kinds(layout), limit=max(1, samples))
    passages = await sources.run("existing/sample_passages", where=layout, limit=samples)
    return Check(
        parts=(*parts, *mentions, *relationships),
        sizes=sizes,
        modes=_modes(layout, options, mentions=sum(part.count for part in mentions)),
        problems=tuple(problems),
        passages=tuple(SamplePassage(row["id"], row["title"], row["text"], tuple(row["phrases"])) for row in passages),
        facts=tuple(
            Fact(row["subject"] or "?", row["predicate"], row["object"] or "?", 0.0) for row in facts[: 3 * samples]
        ),
        statements={name: queries.load(f"existing/{name}").with_names(layout).text for name in STATEMENTS},
    )


def _modes(layout: Layout, options: Options, *, mentions: int) -> tuple[Possible, ...]:
    """Which modes work; none that walks does where a walk leads to no passage."""
    nowhere = "No passage mentions a phrase, so that a walk leads to none."
    return tuple(
        replace(one, works=False, note=nowhere) if one.mode in WALKING and not mentions else one
        for one in possible_modes(layout, options)
    )


async def _passages(sources: Sources, layout: Layout, problems: list[str]) -> Part:
    label = layout.passages.label
    row = (await sources.run("existing/count_passage_details", where=layout))[0]
    count = row["passages"]
    if not count:
        problems.append(f"No node has the label {label!r}: there is no passage to find.")
    if row["empty"]:
        problems.append(f"{row['empty']:,} of {count:,} passages have no text in {_quoted(layout.passages.texts)}.")
    if row["nameless"]:
        problems.append(
            f"{row['nameless']:,} passages have no {layout.passages.id!r}, so that nobody could tell them apart. Name "
            "another property as passages.id, or leave it out for Neo4j's element ids."
        )
    if row["ids"] + row["nameless"] < count:
        problems.append(
            f"{count - row['ids'] - row['nameless']:,} passages share their {layout.passages.id!r} with another "
            "one. Name a property that is unique, or leave passages.id out."
        )
    details = "no vectors"
    if layout.passages.vector is not None:
        found = (await sources.run("existing/count_passage_vectors", where=layout))[0]
        details = _vectors("passages", label, layout.passages.vector, count, found, layout.passage_index, problems)
    words = f"words in {_named(layout.text_index, label)}" if layout.text_index else "no full-text index"
    return Part(f"passages ({label})", count, f"{details}, {words}")


async def _phrases(sources: Sources, layout: Layout, kind: PhraseKind, problems: list[str]) -> Part:
    own, label = replace(layout, phrases=(kind,)), kind.names.label
    statement = "existing/count_phrases" if kind.names.vector is None else "existing/count_phrase_vectors"
    row = (await sources.run(statement, where=own))[0]
    count = row["phrases"]
    if not count:
        problems.append(f"No node has the label {label!r}: it gives no phrase.")
    elif row["named"] < count:
        problems.append(
            f"{count - row['named']:,} of {count:,} phrases labelled {label!r} have no {kind.names.name!r}, or one "
            "that is no text, so no question can name them."
        )
    details = "no vectors"
    if kind.names.vector is not None:
        details = _vectors("phrases", label, kind.names.vector, count, row, kind.index, problems)
    return Part(f"phrases ({label})", count, details)


def _named(index: Index, label: str) -> str:
    """An index by its name, with what it holds beside the label's nodes."""
    others = index.others(label)
    return f"{index.name} (over {', '.join(others)}, too, which takes longer)" if others else index.name


def _vectors(what: str, label: str, vector: str, count: int, row: Row, index: Index | None, problems: list[str]) -> str:
    """What is to be known of vectors."""
    what = f"{what}, label {label!r}"
    lengths = sorted(length for length in row["lengths"] if length is not None)
    said = f"{row['vectors']:,} vectors of {' and '.join(map(str, lengths)) or 'no'} dimensions"
    if index is None:
        problems.append(
            f"There is no vector index over the vectors of {what}. Make one FOR (n:{quoted(label)}) ON "
            f"n.{quoted(vector)} of {' or '.join(map(str, lengths)) or 'the'} dimensions, cosine: "
            "docs/existing_graph.md, Indexes, has the statement."
        )
        return f"{said}, no index"
    if row["vectors"] < count:
        problems.append(f"{count - row['vectors']:,} of {count:,} have no vector ({what}): no search finds them by it.")
    if index.dimensions is not None and (others := [length for length in lengths if length != index.dimensions]):
        problems.append(
            f"The index {index.name!r} holds vectors of {index.dimensions} dimensions, and there are some of "
            f"{' and '.join(map(str, others))} ({what}), which it leaves out. Make them anew with one model."
        )
    return f"{said}, index {_named(index, label)}"


async def _mentions(sources: Sources, layout: Layout, problems: list[str]) -> Part:
    what = describe(layout.mentions[0], layout.passages.label)
    row = (await sources.run("existing/count_mentions", where=layout))[0]
    if not row["mentions"]:
        problems.append(
            f"No passage mentions a phrase by {what}. Look at the directions: `out` leads away from the passage."
        )
    if row["uncounted"]:
        problems.append(
            f"{row['uncounted']:,} mentions by {what} have a {layout.mentions[0].count!r} of nothing or less, more "
            "than 1e12, or no number, and don't count."
        )
    details = f"{row['passages']:,} passages mention {row['phrases']:,} phrases {row['times']:,.0f} times"
    return Part(f"mentions {what}", row["mentions"], details)


async def _relationships(sources: Sources, layout: Layout, problems: list[str]) -> list[Part]:
    rows = await sources.run("existing/count_relationships", where=layout, kinds=layout.kinds)
    there = {row["type"] for row in rows}
    for kind in layout.relationships:
        if kind.names.type not in there and not (kind.names.type == ANY_TYPE and rows):
            name = "No relationship" if kind.names.type == ANY_TYPE else f"No relationship {kind.names.type!r}"
            problems.append(f"{name} joins two phrases: walks won't use it.")
    for row in rows:
        if row["unweighted"]:
            problems.append(
                f"{row['unweighted']:,} of {row['relationships']:,} {row['type']!r} lack the property of their weight, "
                "which then counts as 1."
            )
        if row["weightless"]:
            problems.append(
                f"{row['weightless']:,} {row['type']!r} weigh nothing or less, more than 1e12, or no number, and are "
                "left out of walks."
            )
    return [
        Part(
            f"relationships {row['type']}",
            row["relationships"],
            f"weigh {row['least']:g}"
            if row["least"] == row["most"]
            else f"weigh {row['least']:g} to {row['most']:g}"
            if row["least"] is not None
            else "weigh nothing",
        )
        for row in rows
    ]


async def _sizes(
    sources: Sources, layout: Layout, relationships: int, mentions: int, options: Options
) -> tuple[Size, ...]:
    nodes = (await sources.run("existing/count_projected", where=layout))[0]
    sizes: list[Size] = []
    for shape, count, edges in (
        ("phrases", nodes["phrases"], relationships),
        ("passages", nodes["both"], relationships + mentions),
    ):
        both_ways = {"nodes": count, "relationships": 2 * edges}
        projection = (await sources.run("estimate/estimate_projection", **both_ways))[0]
        walk = (await sources.run("estimate/estimate_walk", **both_ways, concurrency=options.walk.concurrency))[0]
        sizes.append(Size(shape, count, 2 * edges, projection["most"] + walk["most"]))
    return tuple(sizes)


def describe(mention: Mention, label: str) -> str:
    """A way of mentioning, as a pattern that people read."""
    if not mention.steps:
        return f"(:{label}) itself"
    text = f"(:{label})"
    for step in mention.steps:
        before, after = ARROWS[step.direction]
        text += f"{before}[:{step.type}]{after}({':' + step.label if step.label else ''})"
    return text


def _fact_kinds(layout: Layout) -> dict[str, Any]:
    return {kind.names.type: {**fact_kind(kind), "fact": kind.names.fact} for kind in layout.relationships}


def _quoted(names: list[str]) -> str:
    return " or ".join(map(repr, names))
