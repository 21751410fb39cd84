"""Values of the database as plain Python: paths as nodes and edges, times as datetime."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import neo4j.graph


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship as it points: `says` is a fact's predicate, a synonym's cosine or a mention's count."""

    type: str
    start: str
    says: str
    end: str


@dataclass(frozen=True, slots=True)
class Path:
    """A path: names of phrases and titles of passages, and the relationships between them, one fewer."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]

    def __str__(self) -> str:
        """The path on one line."""
        text = self.nodes[0]
        for edge, before, node in zip(self.edges, self.nodes, self.nodes[1:], strict=False):
            if edge.type == "SYNONYM":
                text += f" ~ {node}"
            elif edge.start == before:
                text += f" -[{edge.says}]-> {node}"
            else:
                text += f" <-[{edge.says}]- {node}"
        return text


def plain(value: Any) -> Any:
    """A value as Python has it; what holds others is looked through."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "relationships"):
        return _path(value)
    return value.to_native() if hasattr(value, "to_native") else value


def _path(path: "neo4j.graph.Path") -> Path:
    edges = []
    for relationship in path.relationships:
        start, end = relationship.nodes
        assert start is not None
        assert end is not None
        edges.append(Edge(relationship.type, _name(start), _says(relationship), _name(end)))
    return Path(tuple(_name(node) for node in path.nodes), tuple(edges))


def _name(node: "neo4j.graph.Node") -> str:
    return str(node.get("name") if "Phrase" in node.labels else node.get("title") or node.get("id"))


def _says(relationship: "neo4j.graph.Relationship") -> str:
    if relationship.type == "RELATES":
        return str(relationship["predicate"])
    if relationship.type == "SYNONYM":
        return f"{relationship['score']:.3f}"
    return f"mentions {relationship['count']}x"
