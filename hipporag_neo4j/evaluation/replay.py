"""Recorded decisions in the place of a language model: the same facts are kept, whatever the normalisation."""

from collections.abc import Sequence
from dataclasses import dataclass

from hipporag_neo4j.evaluation.query_decisions import Decision, Fact
from hipporag_neo4j.retrieval.filter_facts import Verdict
from hipporag_neo4j.text import normalise


@dataclass(frozen=True, slots=True)
class Replay:
    """Keeps a fact that any recorded look kept, whichever look shows it now; a FactFilter."""

    kept: frozenset[Fact]
    entities: tuple[str, ...] = ()

    def __call__(self, question: str, facts: Sequence[Fact], known: Sequence[Fact]) -> Verdict:
        """The recorded verdict; the question is the one that was recorded."""
        return Verdict(tuple(i for i, fact in enumerate(facts) if comparable(fact) in self.kept), self.entities)


def replay(decision: Decision) -> Replay | None:
    """The filter that decides as recorded, None where nothing was recorded about facts."""
    if decision.kept is None:
        return None
    return Replay(frozenset(map(comparable, decision.kept)), decision.named_entities or ())


def comparable(fact: Fact) -> Fact:
    """The form in which facts of any normalisation are compared: the paper's, inner spaces collapsed."""
    subject, predicate, object_ = (" ".join(normalise(part, "paper").split()) for part in fact)
    return subject, predicate, object_
