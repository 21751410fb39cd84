"""The variants that people compare the modes with: other parameters or another projection, never other data.

Those of `hipporag1` are of HippoRAG (NeurIPS 2024), table 5; those of `hipporag2` of HippoRAG 2 (ICML 2025), table 5,
with what its two new parts, passage nodes and recognition memory, are worth each.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.ask import Entry
from hipporag_neo4j.retrieval.filter_facts import FactFilter
from hipporag_neo4j.retrieval.retrieve import Options

Change = Callable[[Options], Options]
_ABOVE_ANY_COSINE = 2.0


class RetrieveWith(Protocol):
    """`HippoRAG.retrieve` or a function like it, which takes options too."""

    def __call__(
        self,
        question: str,
        *,
        mode: Mode,
        limit: int,
        entities: Sequence[str] | None,
        looks: int,
        fact_filter: FactFilter | None,
        options: Options,
    ) -> RetrievalResult: ...


@dataclass(frozen=True, slots=True)
class Variant:
    """A mode with other options; `change` makes them of the usual ones, `about` says in a few words how they differ.

    `filtered`: somebody decides which facts bear on a question. `unaided`: given or recorded entities don't count
    either. `command` asks a question in the same way, () where no command does.
    """

    name: str
    mode: Mode
    about: str
    change: Change
    filtered: bool = True
    unaided: bool = False
    command: tuple[str, ...] = ()

    def entry(self, retrieve: RetrieveWith, options: Options) -> Entry:
        """The line of the table; `options` are the usual ones."""
        changed = self.change(options)

        def ask(
            question: str,
            *,
            mode: Mode,
            limit: int,
            entities: Sequence[str] | None,
            looks: int,
            fact_filter: FactFilter | None,
        ) -> RetrievalResult:
            return retrieve(
                question,
                mode=mode,
                limit=limit,
                entities=None if self.unaided else entities,
                looks=looks if self.filtered else 1,
                fact_filter=fact_filter if self.filtered else None,
                options=changed,
            )

        return Entry(self.name, self.mode, ask, command=self.command, decided=self.filtered)


def seeds_only(options: Options) -> Options:
    """Each passage by its seeds alone: no edge is followed."""
    return replace(options, walk=replace(options.walk, damping=0.0))


def seeds_and_neighbours(options: Options) -> Options:
    """One step of the walk. Graph Data Science counts the placing of the seeds as its first iteration.

    The paper "distributes a small amount of probability to the direct neighbors". Here a seed gives its neighbours the
    damping factor's share of its weight, by the weights of the edges; the official code gives each neighbour half the
    smallest seed's weight.
    """
    return replace(options, walk=replace(options.walk, iterations=2))


def no_specificity(options: Options) -> Options:
    """All seeds weigh the same."""
    return replace(options, hipporag1=replace(options.hipporag1, specificity=False))


def no_synonyms(options: Options) -> Options:
    """A projection without synonyms. With weight 0 they would, in the rule `paper`, still replace facts."""
    return replace(options, weights=replace(options.weights, synonym_from=_ABOVE_ANY_COSINE))


def phrases_near_the_question(options: Options) -> Options:
    """`hipporag1` from the phrases nearest to the question's own vector."""
    return replace(options, hipporag1=replace(options.hipporag1, linking="question"))


def passages_and_phrases_near_the_question(options: Options) -> Options:
    """`hipporag2` from the phrases nearest to the question's own vector."""
    return replace(options, hipporag2=replace(options.hipporag2, linking="question"))


def passages_and_entities(options: Options) -> Options:
    """`hipporag2` from the phrases nearest to the question's entities."""
    return replace(options, hipporag2=replace(options.hipporag2, linking="entities"))


def no_passage_nodes(options: Options) -> Options:
    """The phrases of kept facts on the graph of phrases; passages by the mention-weighted sum of `hipporag1`."""
    return replace(options, hipporag2=replace(options.hipporag2, passage_nodes=False))


def no_filter(options: Options) -> Options:
    """All candidate facts are kept."""
    return replace(options, hipporag2=replace(options.hipporag2, filtered=False))


def no_llm(options: Options) -> Options:
    """`hybrid` as with `--no-llm`."""
    return replace(options, without_llm=True)


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("hipporag1/seeds-only", "hipporag1", "no walk", seeds_only),
        Variant("hipporag1/seeds-and-neighbours", "hipporag1", "one step of the walk", seeds_and_neighbours),
        Variant("hipporag1/no-specificity", "hipporag1", "all seeds weigh the same", no_specificity),
        Variant("hipporag1/no-synonyms", "hipporag1", "synonyms aren't followed", no_synonyms),
        Variant(
            "hipporag1/query-to-node",
            "hipporag1",
            "from the phrases nearest to the question",
            phrases_near_the_question,
        ),
        Variant(
            "hipporag2/ner-to-node",
            "hipporag2",
            "from the phrases nearest to the entities",
            passages_and_entities,
            filtered=False,
        ),
        Variant(
            "hipporag2/query-to-node",
            "hipporag2",
            "from the phrases nearest to the question",
            passages_and_phrases_near_the_question,
            filtered=False,
        ),
        Variant("hipporag2/no-passage-nodes", "hipporag2", "phrases alone are walked over", no_passage_nodes),
        Variant("hipporag2/no-filter", "hipporag2", "all candidate facts are kept", no_filter, filtered=False),
        Variant(
            "hybrid/no-llm",
            "hybrid",
            "no language model is asked",
            no_llm,
            filtered=False,
            unaided=True,
            command=("retrieve", "--mode", "hybrid", "--no-llm"),
        ),
    )
}
"""By name."""


def find_variant(name: str) -> Variant:
    """The variant of a name. Raises InputError, which lists all, where there is none."""
    try:
        return VARIANTS[name]
    except KeyError:
        raise InputError(f"There is no variant {name!r}. Take one of {', '.join(VARIANTS)}.") from None
