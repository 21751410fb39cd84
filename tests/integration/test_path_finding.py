"""scripts/path_finding_experiment on a real server: the published contrast, as JSON, and nothing is left behind."""

import json
import os
import subprocess
import sys

import neo4j

from tests.servers import ROOT, TestServer

LEFT = "MATCH (n:HippoGraph) WHERE n.namespace STARTS WITH 'path_finding_' RETURN n.namespace AS name"


def test_mentions_find_the_answer_at_one_hop_only_and_pagerank_at_three(
    environment: dict[str, str], driver: neo4j.Driver, server: TestServer
) -> None:
    def namespaces() -> set[str]:
        return {row["name"] for row in driver.execute_query(LEFT, database_=server.database).records}

    before = namespaces()
    run = subprocess.run(
        [sys.executable, "-m", "scripts._path_finding", "--instances", "2", "--seed", "3", "--json"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "mentions": {"1": 1.0, "2": 9.0, "3": 9.0},
        "pagerank": {"1": 1.0, "2": 1.0, "3": 1.0},
        "instances": 2,
    }
    assert namespaces() <= before
