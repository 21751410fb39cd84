"""What a version of the graph should have answered, by the definitions and igraph; compared with what was answered."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts._load.world import QUESTIONS, Question, keeps
from tests.embedders import HashEmbedder
from tests.graphs import Content, Fact, edges_of, page_rank, passage_scores, specificity

EXACT: dict[str, Any] = {"iterations": 200, "tolerance": 1e-14, "minimum": 0.0, "hybrid_passage_seeds": 0}
"""Settings with which a walk goes to its end, from all passages."""
_SHOWN = {"hipporag2": 5, "hybrid": 20}
_PASSAGE_WEIGHT = {"hipporag2": 0.05, "hybrid": 0.02}
_SEED_PHRASES = 5
_ENTITY_WEIGHT = 0.5
_TOLERANCE = 1e-6
"""Of a share of what the best passage holds; single precision has a little less."""


class Oracle:
    """Rankings over one content of the graph."""

    def __init__(self, content: Content, vectors: "Vectors") -> None:
        self._content = content
        self._vectors = vectors
        self._ids = sorted(content.passages)
        self._edges = edges_of(content, "sum")

    def complain(self, answer: Mapping[str, Any]) -> str | None:
        """What is wrong with an answer that claims to show this content; None where nothing is."""
        mode, question = answer["mode"], QUESTIONS[answer["question"]]
        if mode == "dense":
            scores, seeds = self._dense(question), {}
        elif mode == "hipporag1":
            seeds = specificity(self._content, question.entities)
            scores = passage_scores(self._content, page_rank(self._content, self._edges, seeds))
        else:
            unknown = [fact for *fact, _ in answer["shown"] if tuple(fact) not in self._content.facts]
            if unknown:
                return f"it was shown the fact {unknown[0]}, which is not there"
            if len(answer["shown"]) != min(_SHOWN[mode], len(self._content.facts)):
                return f"it was shown {len(answer['shown'])} facts"
            kept = [(s, p, o) for s, p, o, _ in answer["shown"] if keeps(question.text, (s, p, o))]
            phrases = self._phrase_seeds(question, kept, named=mode == "hybrid")
            if not phrases:
                scores, seeds = self._dense(question), {}
            else:
                scores, seeds = self._walk(question, phrases, _PASSAGE_WEIGHT[mode])
        if (fault := _differ(answer["seeds"], seeds)) is not None:
            return f"its seeds {fault}"
        return _misrank(answer["passages"], scores, scaled=mode != "dense")

    def _dense(self, question: Question) -> dict[str, float]:
        return dict(zip(self._ids, self._cosines(question, self._texts()), strict=True))

    def _texts(self) -> list[str]:
        return [self._content.passages[id_] for id_ in self._ids]

    def _cosines(self, question: Question, texts: Iterable[str]) -> NDArray[np.float64]:
        return np.asarray(self._vectors.of(texts) @ self._vectors.of([question.text])[0])

    def _phrase_seeds(self, question: Question, kept: Sequence[Fact], *, named: bool) -> dict[str, float]:
        """HippoRAG 2, section 3.2; in `hybrid` the named phrases too, at half their specificity."""
        facts = sorted(self._content.facts)
        cosines = dict(zip(facts, self._cosines(question, map(str, facts)), strict=True))
        lowest, highest = min(cosines.values()), max(cosines.values())
        count = self._passages_of
        shares: dict[str, list[float]] = {}
        for fact in kept:
            for name in {fact[0], fact[2]}:
                shares.setdefault(name, []).append((cosines[fact] - lowest) / (highest - lowest) / count(name))
        means = {name: float(np.mean(values)) for name, values in shares.items()}
        seeds = {name: means[name] for name in sorted(means, key=lambda name: (-means[name], name))[:_SEED_PHRASES]}
        if named:
            for name in question.entities:
                seeds[name] = max(seeds.get(name, 0.0), _ENTITY_WEIGHT / count(name))
        return seeds

    def _passages_of(self, phrase: str) -> int:
        return sum(name == phrase for _, name in self._content.mentions)

    def _walk(
        self, question: Question, phrases: Mapping[str, float], weight: float
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Scores of passages, and weights of the phrases that seed."""
        cosines = self._cosines(question, self._texts())
        near = weight * (cosines - cosines.min()) / (cosines.max() - cosines.min())
        nodes = [f"passage {id_}" for id_ in self._ids]
        seeds = {**phrases, **dict(zip(nodes, near.tolist(), strict=True))}
        total = sum(seeds.values())
        mentions = [(f"passage {id_}", name, 1.0) for id_, name in self._content.mentions]
        whole = Content({}, self._content.phrases | set(nodes), {}, {}, {})
        scores = page_rank(whole, self._edges + mentions, {name: one / total for name, one in seeds.items()})
        return (
            {id_: scores[node] for id_, node in zip(self._ids, nodes, strict=True)},
            {name: one / total for name, one in phrases.items()},
        )


class Vectors:
    """Vectors of texts, each made once."""

    def __init__(self, dimensions: int) -> None:
        self._embedder = HashEmbedder(dimensions)
        self._known: dict[str, NDArray[np.float64]] = {}

    def of(self, texts: Iterable[str]) -> NDArray[np.float64]:
        """Shape (texts, dimensions)."""
        wanted = list(texts)
        new = [text for text in dict.fromkeys(wanted) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new).astype(np.float64), strict=True))
        return np.array([self._known[text] for text in wanted])


def _differ(found: Mapping[str, float], expected: Mapping[str, float]) -> str | None:
    if found.keys() != expected.keys():
        return f"are {sorted(found)}, not {sorted(expected)}"
    for name, weight in expected.items():
        if abs(found[name] - weight) > _TOLERANCE:
            return f"have {name!r} at {found[name]}, not {weight}"
    return None


def _misrank(found: Sequence[tuple[str, float]], scores: Mapping[str, float], *, scaled: bool) -> str | None:
    """Ids and scores, best first; with `scaled` up to a factor, since the server doesn't scale its walks."""
    if not found:
        return "it has no passages"
    if missing := [id_ for id_, _ in found if id_ not in scores]:
        return f"it ranks {missing[0]!r}, which is not there"
    best = scores[found[0][0]]
    factor = found[0][1] / best if scaled else 1.0
    for id_, score in found:
        if abs(score / factor - scores[id_]) > _TOLERANCE * best:
            return f"it has {id_!r} at {score / factor}, not {scores[id_]}"
    wanted = sorted(scores.values(), reverse=True)[: len(found)]
    for place, ((id_, _), score) in enumerate(zip(found, wanted, strict=True), start=1):
        if abs(scores[id_] - score) > _TOLERANCE * best:
            return f"in place {place} it has {id_!r}, which holds {scores[id_]}, and {score} is due there"
    return None
