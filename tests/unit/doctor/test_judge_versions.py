"""Which servers can be used, and which releases of Neo4j and Graph Data Science belong together."""

import pytest

from hipporag_neo4j.doctor.judge_versions import gds_month, judge_neo4j, judge_pair


@pytest.mark.parametrize(
    ("version", "level", "said"),
    [
        ("5.26.0", "problem", "2026.01"),
        ("2025.12.1", "problem", "2026.01"),
        ("2026.01.4", "ok", "preview"),
        ("2026.02.0", "ok", ""),
        ("2026.10.0-SNAPSHOT", "ok", ""),
        ("unreadable", "problem", ""),
    ],
)
def test_neo4j(version: str, level: str, said: str) -> None:
    verdict = judge_neo4j(version)
    assert verdict.level == level
    assert version in verdict.found
    assert said in verdict.found + verdict.advice
    assert bool(verdict.advice) == (level == "problem" or said == "preview")


@pytest.mark.parametrize(
    ("version", "month"),
    [
        ("2.26.0", "2026.01"),
        ("2.27.1", "2026.02"),
        ("2026.03.0", "2026.03"),
        ("2026.3.0", "2026.03"),
        ("2.25.0", None),
        ("2.6", None),
        ("", None),
    ],
)
def test_the_month_of_graph_data_science(version: str, month: str | None) -> None:
    assert gds_month(version) == month


@pytest.mark.parametrize(
    ("neo4j", "gds", "level"),
    [
        ("2026.01.4", "2.26.0", "ok"),
        ("2026.02.1", "2.27.0", "ok"),
        ("2026.03.0", "2026.03.0", "ok"),
        ("2026.02.1", "2.26.0", "problem"),
        ("2026.04.0", "2026.03.0", "problem"),
        ("2026.01.4", "2.13.2", "problem"),
    ],
)
def test_a_pair_must_be_of_one_month(neo4j: str, gds: str, level: str) -> None:
    verdict = judge_pair(neo4j, gds)
    assert verdict.level == level
    assert bool(verdict.advice) == (level == "problem")
