"""An inspection as text that Neo4j Browser and cypher-shell take: parameters set by `:param`, then the statement."""

from collections.abc import Mapping

from hipporag_neo4j.inspection.catalogue import Inspection
from hipporag_neo4j.inspection.parameters import NAMESPACE, Value

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def ready_to_paste(inspection: Inspection, namespace: str, values: Mapping[str, Value]) -> str:
    """The text; a parameter without a value has its default, or the example of the statement's header."""
    given: dict[str, Value] = {NAMESPACE: namespace}
    for parameter in inspection.parameters:
        value = values.get(parameter.name, parameter.default if not parameter.required else parameter.example)
        assert value is not None
        given[parameter.name] = value
    return with_parameters(inspection.query.text, given)


def with_parameters(statement: str, values: Mapping[str, Value]) -> str:
    """A statement with lines before it that set its parameters."""
    lines = [f":param {name} => {literal(value)}" for name, value in values.items()]
    return "\n".join((*lines, "", f"{statement};"))


def literal(value: Value) -> str:
    """A value as Cypher writes it; whatever a text holds, it ends where it ends, and stays on one line."""
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, str):
        return f"'{''.join(_escaped(c) for c in value)}'"
    return repr(value)


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() or ord(character) > 0xFFFF else f"\\u{ord(character):04x}"
