"""Which versions of Neo4j and Graph Data Science can be used, and which belong together."""

import re

from hipporag_neo4j.doctor.finding import Finding

_FIRST_NEO4J = "2026.01"
_FIRST_WITHOUT_PREVIEW = "2026.02"
_GDS_MONTHS = {"2.26": "2026.01", "2.27": "2026.02"}


def judge_neo4j(version: str) -> Finding:
    """Whether a version of Neo4j can be used."""
    month = _month(version)
    if month < _FIRST_NEO4J:
        return Finding(
            "neo4j",
            "problem",
            f"Neo4j {version} lacks Cypher 25 with filtered vector search.",
            f"Install Neo4j {_FIRST_NEO4J} or later (5.26 LTS is not supported), with the Graph Data Science of its "
            "month; or try the product on the local server: hipporag-neo4j server start.",
        )
    note = " Vector SEARCH is a preview there: fine for trial." if month < _FIRST_WITHOUT_PREVIEW else ""
    advice = f"For production take Neo4j {_FIRST_WITHOUT_PREVIEW} or later." if note else ""
    return Finding("neo4j", "ok", f"Neo4j {version}.{note}", advice)


def judge_pair(neo4j: str, gds: str) -> Finding:
    """Whether Graph Data Science is the one made for this Neo4j: each of its releases belongs to one month."""
    month = gds_month(gds)
    if month is None:
        return Finding(
            "graph data science",
            "problem",
            f"Graph Data Science {gds} is too old for weighted source nodes.",
            f"Install the Graph Data Science of Neo4j's month ({_month(neo4j)}).",
        )
    if month != _month(neo4j):
        return Finding(
            "graph data science",
            "problem",
            f"Graph Data Science {gds} is made for Neo4j {month}, the server is {neo4j}; procedures may be missing or "
            "fail.",
            f"Install the Graph Data Science of Neo4j's month ({_month(neo4j)}).",
        )
    return Finding("graph data science", "ok", f"Graph Data Science {gds}, made for Neo4j {month}.")


def gds_month(version: str) -> str | None:
    """The month of Neo4j that a release of Graph Data Science is made for, None for one that is too old."""
    parts = version.split(".")
    if parts[0].isdigit() and int(parts[0]) >= 2026:
        return _month(version)
    return _GDS_MONTHS.get(".".join(parts[:2]))


def _month(version: str) -> str:
    """`2026.01` of `2026.01.4`; versions before the calendar come out lower."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return f"{int(found[1]):04}.{int(found[2]):02}" if found else "0000.00"
