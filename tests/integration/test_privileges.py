"""docs/operating.md names exactly the privileges that the statements need, in a form that Neo4j reads."""

import ast
import re
from collections.abc import Iterable

import neo4j
import neo4j.exceptions
import pytest

from hipporag_neo4j import queries
from hipporag_neo4j.queries import Query
from tests.servers import ROOT

GUIDE = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
GRANTS = [
    line
    for block in re.findall(r"^```cypher\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
FOR_PEOPLE = {"bench", "demo", "experiment", "server", "doctor"}
"""Stages whose statements no role needs: `server` belongs to the local server, the others to people."""
READING = ("retrieval", "explaining", "answering", "evaluation", "inspection", "projection*.py", "status.py")
"""Modules of the package that only read."""
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|//.*")
_TYPES = {"MENTIONS", "RELATES", "SYNONYM"}


FOR_ESTIMATES = {"gds.debug.sysInfo", "gds.graph.project.estimate", "gds.pageRank.stream.estimate"}
"""Procedures that are called by a client of Graph Data Science as well, and granted in a line of their own."""


def code(query: Query) -> str:
    return _QUOTED.sub("''", query.text)


def names_after_colon(texts: Iterable[str]) -> set[str]:
    """Labels and types: what follows a colon at once, in capitals; a map's keys have a space behind theirs."""
    found = (
        name for text in texts for names in re.findall(r":([A-Z]\w*(?:\|[A-Z]\w*)*)", text) for name in names.split("|")
    )
    return set(found)


def labels(of: Iterable[Query]) -> set[str]:
    return names_after_colon(code(q) for q in of) - _TYPES


def types(of: Iterable[Query]) -> set[str]:
    return names_after_colon(code(q) for q in of) & _TYPES


def procedures(of: Iterable[Query]) -> set[str]:
    return {name for q in of for name in re.findall(r"\bCALL ([a-z]\w*(?:\.\w+)+)", code(q))}


def functions(of: Iterable[Query]) -> set[str]:
    """Functions of Graph Data Science; those of Neo4j itself need no privilege."""
    return {name for q in of for name in re.findall(r"\b(gds(?:\.\w+)+)\(", code(q))} - procedures(of)


def statements_in(pattern: str) -> set[str]:
    """Names of statements that stand in modules of the package."""
    files = list((ROOT / "hipporag_neo4j").glob(pattern if pattern.endswith(".py") else f"{pattern}/**/*.py"))
    assert files or "*" in pattern, pattern
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts & set(queries.names())


OVER_OTHERS = [queries.load(name) for name in queries.names() if name.split("/")[0] in ("existing", "projection")]
"""What is asked of a graph of others: with names of theirs in it, and of the catalogue of projections."""
ALL = [queries.load(name) for name in queries.names() if name.split("/")[0] not in {*FOR_PEOPLE, "existing"}]
_BY_READERS = set().union(*map(statements_in, READING))
_ALSO_READ = ("schema", "cache", "status", "runs", "estimate", "health", "inspect", "names")
READ = [q for q in ALL if q.mode == "read" and (q.name in _BY_READERS or q.name.split("/")[0] in _ALSO_READ)]
WRITE = [query for query in ALL if query.mode != "read"]


def granted(role: str, pattern: str) -> set[str]:
    """Names in the grants of a role, as the guide lists them."""
    found = [re.fullmatch(rf"GRANT {pattern} TO {role};", line) for line in GRANTS]
    return {name for match in found if match for name in match[1].split(", ")}


NAMES = r"([\w., ]+)"
READER, WRITER, GUEST = "hipporag_reader", "hipporag_writer", "hipporag_guest"


def test_reading_modules_only_read() -> None:
    for name in _BY_READERS:
        assert queries.load(name).mode == "read", f"{name} writes"
    assert {"retrieval/find_facts", "projection/project_passages", "retrieval/rank_passage_nodes"} <= _BY_READERS


def test_the_reading_role_may_read_what_is_read_and_no_more() -> None:
    assert granted(READER, rf"MATCH \{{\*\}} ON GRAPH neo4j NODES {NAMES}") == labels(READ)
    assert granted(READER, rf"MATCH \{{\*\}} ON GRAPH neo4j RELATIONSHIPS {NAMES}") == types(READ)
    assert granted(READER, rf"EXECUTE PROCEDURE {NAMES} ON DBMS") == procedures(READ) | FOR_ESTIMATES
    assert granted(READER, rf"EXECUTE USER DEFINED FUNCTION {NAMES} ON DBMS") == functions(READ)
    assert granted(READER, rf"MERGE \{{\*\}} ON GRAPH neo4j NODES {NAMES}") == {"HippoAnswer"}


def test_the_writing_role_may_write_what_is_written_and_no_more() -> None:
    for right in (r"CREATE", r"DELETE", r"SET PROPERTY \{\*\}"):
        assert granted(WRITER, rf"{right} ON GRAPH neo4j NODES {NAMES}") == labels(WRITE)
        assert granted(WRITER, rf"{right} ON GRAPH neo4j RELATIONSHIPS {NAMES}") == types(WRITE)
    assert granted(WRITER, rf"MATCH \{{\*\}} ON GRAPH neo4j NODES {NAMES}") == labels(ALL) - labels(READ)
    assert granted(WRITER, rf"EXECUTE PROCEDURE {NAMES} ON DBMS") == procedures(ALL) - procedures(READ)
    assert functions(ALL) == functions(READ)
    texts = [code(query) for query in WRITE]
    assert granted(WRITER, rf"SET LABEL {NAMES} ON GRAPH neo4j") == {
        label for text in texts for label in re.findall(r"\bSET \w+:(\w+)", text)
    }
    assert granted(WRITER, rf"REMOVE LABEL {NAMES} ON GRAPH neo4j") == {
        label for text in texts for label in re.findall(r"\bREMOVE \w+:(\w+)", text)
    }


def test_the_role_over_a_graph_of_others_may_call_what_is_called_there() -> None:
    called = granted(GUEST, rf"EXECUTE PROCEDURE {NAMES} ON DBMS")
    assert called == procedures(OVER_OTHERS) | FOR_ESTIMATES
    assert granted(GUEST, rf"EXECUTE USER DEFINED FUNCTION {NAMES} ON DBMS") == functions(OVER_OTHERS)


def test_the_table_lists_every_label_and_type() -> None:
    (table,) = re.findall(r"^\| nodes \|.*\n\| relationships \|.*$", GUIDE, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", table)) == labels(ALL) | types(ALL)


def test_no_other_procedures_than_those_of_neo4j_and_graph_data_science() -> None:
    everything = [queries.load(name) for name in queries.names()]
    assert {name.partition(".")[0] for name in procedures(everything)} == {"db", "dbms", "gds"}
    assert not [query.name for query in everything if "apoc" in query.text.lower()]


@pytest.mark.parametrize("grant", GRANTS)
def test_neo4j_reads_every_grant(grant: str, driver: neo4j.Driver) -> None:
    """Community refuses to run them, after it has read them."""
    assert refusal(driver, grant) in ("", "Neo.ClientError.Statement.UnsupportedAdministrationCommand")


def test_a_grant_with_a_mistake_is_seen(driver: neo4j.Driver) -> None:
    mistaken = "GRANT MATCH {*} ON GRAPH neo4j VERTICES Passage, Phrase TO hipporag_reader"
    assert refusal(driver, mistaken) == "Neo.ClientError.Statement.SyntaxError"


def refusal(driver: neo4j.Driver, command: str) -> str:
    """The code of the error with which the server refuses to explain an administration command; empty if it doesn't."""
    with driver.session(database="system") as session:
        try:
            session.run(f"EXPLAIN {command.removesuffix(';')}").consume()
        except neo4j.exceptions.Neo4jError as error:
            return error.code or "?"
    return ""
