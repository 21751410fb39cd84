"""`inspect` and `status --health` as they are typed, on the sample; tests below the process have the rest."""

from hipporag_neo4j import demo
from tests.acceptance.command_line import CommandLine


def test_rows_as_table_json_and_cypher_and_health(line: CommandLine, namespace: str) -> None:
    line.run("import-openie", str(demo.OPENIE))
    asked = ("inspect", "facts-of-phrase", "--param", "phrase=Oda Merrin", "--param", "limit=2")
    run = line.run(*asked, COLUMNS="120")
    assert "│ bastian fole │ was taught by" in run.stdout
    assert "These are the first 2" in run.stderr
    text = line.read(*asked, "--cypher")["cypher"]
    assert ":param phrase => 'oda merrin'\n:param limit => 2\n" in text
    path = ("inspect", "draw-paths-between-phrases", "-p", "source=oda merrin", "-p", "target=Pellick", "-p", "limit=1")
    assert line.read(*path) == {
        "namespace": namespace,
        "inspection": "draw-paths-between-phrases",
        "rows": [
            {
                "path": {
                    "nodes": ["oda merrin", "ilse corvane", "pellick"],
                    "edges": [
                        {"type": "RELATES", "start": "oda merrin", "says": "gave the brush to", "end": "ilse corvane"},
                        {"type": "RELATES", "start": "ilse corvane", "says": "lives in", "end": "pellick"},
                    ],
                }
            }
        ],
    }
    error = line.read("inspect", "facts-of-phrase", "-p", "phrase=Oda Merin", status=1)["error"]
    assert error["type"] == "InputError"
    assert "Near it are 'oda merrin'" in error["message"]
    health = line.read("status", "--health")["health"]
    measures = {measure["name"]: measure for measure in health["measures"]}
    assert measures["passages without facts"]["share"] == 0
    assert measures["passages without facts"]["verdict"] == "fine"
    assert [run["passages"] for run in health["runs"]] == [60]
