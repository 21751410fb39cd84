"""What each mode needs of a graph of others, how it is carried out with less, and what is missing where it can't be."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hipporag_neo4j.domain import MODES, Mode
from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.existing.layout import Index, Layout
from hipporag_neo4j.retrieval.hipporag2 import FactSeeds
from hipporag_neo4j.retrieval.retrieve import Options

WALKING: tuple[Mode, ...] = ("hipporag1", "hipporag2", "hybrid")


@dataclass(frozen=True, slots=True)
class Way:
    """How a mode is carried out: as which mode, with which options; `note` says what is otherwise than in its own
    graphs."""

    mode: Mode
    options: Options
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Possible:
    """Whether a mode works: how, where it is otherwise than in this product's own graphs, or what is missing."""

    mode: Mode
    works: bool
    note: str | None


def need_passage_vectors(layout: Layout) -> Index:
    """The index over passages' vectors. Raises ConfigurationError where there is none."""
    if layout.passage_index is None:
        raise ConfigurationError(
            "Dense search, which answers where a walk has nowhere to start, needs vectors of passages: "
            f"{_no_index('passages', layout.passages.label, layout.passages.vector)}. Or name what the question is "
            "about (--entity NAME, entities=[…]), or take --mode bm25."
        )
    return layout.passage_index


def plan(
    layout: Layout, mode: Mode, options: Options, *, entities: Sequence[str] | None, looks: int, no_llm: bool
) -> Way:
    """How a mode is carried out. Raises ConfigurationError that says what is missing."""
    if looks > 1:
        raise ConfigurationError(
            "A further look asks which passages state a fact, which a graph of others doesn't say. Leave --looks "
            "(looks=… in Python) out."
        )
    match mode:
        case "dense":
            if layout.passage_index is None:
                raise _missing(mode, _no_index("passages", layout.passages.label, layout.passages.vector))
            return Way(mode, options)
        case "bm25":
            if layout.text_index is None:
                raise _missing(
                    mode,
                    f"a full-text index over {layout.passages.label!r} with {layout.passages.texts[0]!r} "
                    "(docs/existing_graph.md, Indexes)",
                )
            return Way(mode, options)
        case "hipporag1":
            return Way(mode, options, None if layout.phrase_searches else _by_names(layout))
        case "hipporag2":
            seeds = _seeds(layout, options.hipporag2)
            if layout.fact_searches:
                return Way(mode, replace(options, hipporag2=seeds), _note(layout))
            return _without_facts(layout, options, seeds, by_question=bool(layout.phrase_searches))
        case "hybrid":
            seeds = _seeds(layout, options.hybrid.seeds)
            if layout.fact_searches:
                unguided = replace(options.no_llm, seeds=_seeds(layout, options.no_llm.seeds))
                changed = replace(options, hybrid=replace(options.hybrid, seeds=seeds), no_llm=unguided)
                return Way(mode, replace(changed, without_llm=no_llm), _note(layout))
            by_question = no_llm and entities is None
            if by_question and not layout.phrase_searches:
                raise _missing(
                    mode,
                    "vectors of phrases or of facts, and a vector index over them, where no language model is asked. "
                    "Name what the question is about (--entity NAME, entities=[…]), or leave --no-llm out",
                )
            return _without_facts(layout, options, seeds, by_question=by_question)


def possible_modes(layout: Layout, options: Options) -> tuple[Possible, ...]:
    """For each mode whether it works here."""
    found: list[Possible] = []
    for mode in MODES:
        known: Mode = mode  # type: ignore[assignment]  # one of them
        try:
            way = plan(layout, known, options, entities=None, looks=1, no_llm=False)
        except ConfigurationError as error:
            found.append(Possible(known, works=False, note=str(error)))
        else:
            found.append(Possible(known, works=True, note=way.note))
    return tuple(found)


def _without_facts(layout: Layout, options: Options, seeds: FactSeeds, *, by_question: bool) -> Way:
    """From phrases, of which the walk is over both: the paper's other ways of linking a question."""
    linking = "the phrases nearest to the question" if by_question else "what the question names"
    lacking = _lacking("Facts", [one.names.vector for one in layout.relationships])
    changed = replace(seeds, linking="question" if by_question else "entities")
    note = " ".join(filter(None, [f"{lacking}: the walk starts from {linking}.", _note(layout)]))
    return Way("hipporag2", replace(options, hipporag2=changed), note)


def _seeds(layout: Layout, seeds: FactSeeds) -> FactSeeds:
    return seeds if layout.passage_index is not None else replace(seeds, passage_weight=0.0)


def _note(layout: Layout) -> str | None:
    notes = [] if layout.phrase_searches else [_by_names(layout)]
    if layout.passage_index is None:
        notes.append(f"{_lacking('Passages', [layout.passages.vector])}, so that none is a seed.")
    return " ".join(notes) or None


def _by_names(layout: Layout) -> str:
    lacking = _lacking("Phrases", [one.names.vector for one in layout.phrases])
    return f"{lacking}, so that things are found by their names alone."


def _lacking(what: str, vectors: Sequence[str | None]) -> str:
    """What keeps things from being found by a vector: `vectors` are the properties that hold them."""
    return f"{what} have no {'vector index' if any(vectors) else 'vectors'} here"


def _missing(mode: Mode, what: str) -> ConfigurationError:
    return ConfigurationError(f"Mode {mode!r} can't be used on this graph; it needs {what}.")


def _no_index(part: str, label: str, vector: str | None) -> str:
    if vector is None:
        return f"{part}.vector in the graph file, the property that holds the vectors of {label!r}, and a vector index"
    return f"a vector index over {label!r} with {vector!r} (docs/existing_graph.md, Indexes)"
