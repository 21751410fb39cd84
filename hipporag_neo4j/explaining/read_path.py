"""A path as the database tells it, with the sentences that its facts come from."""

import itertools
import re
from collections.abc import Mapping
from typing import Any

from sentencex import segment

from hipporag_neo4j.explanation import Path, PathEdge, PathNode, Stated
from hipporag_neo4j.text import normalise

_LONGEST = 400
"""Characters of a sentence that are shown."""
_SPACE = re.compile(r"\s+")


def read_path(row: Mapping[str, Any]) -> Path:
    """The path of a row of explain/find_paths."""
    nodes = tuple(PathNode(node["kind"], node["id"], node["name"]) for node in row["nodes"])
    edges = tuple(
        _edge(edge, start.name, end.name)
        for edge, (start, end) in zip(row["edges"], itertools.pairwise(nodes), strict=True)
    )
    return Path(nodes, edges, row["probability"])


def _edge(edge: Mapping[str, Any], start: str, end: str) -> PathEdge:
    kind, says = edge["kind"], edge["says"]
    stated = None
    if edge["text"] is not None:
        said = (start, end, says) if kind == "fact" else (start, end)
        stated = Stated(edge["passage"], edge["title"] or "", find_sentence(edge["text"], *said))
    return PathEdge(kind, f"{float(says):.3f}" if kind == "synonym" else says, edge["reversed"], stated)


def find_sentence(text: str, *said: str) -> str:
    """The sentence of a text that holds most of the words of what was `said`, the first of equals; a guess."""
    words = {word for part in said for word in normalise(part, "unicode").split()}
    plain = _SPACE.sub(" ", text).strip()
    sentences = [sentence.strip() for sentence in segment("en", plain)] or [plain]
    best = max(sentences, key=lambda sentence: len(words & set(normalise(sentence, "unicode").split())))
    return best if len(best) <= _LONGEST else f"{best[:_LONGEST]}…"
