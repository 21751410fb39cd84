"""Mistakes and trouble at the command line: one message that says what to do, the right exit status, nothing lost."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hipporag_neo4j import demo
from tests.acceptance.command_line import CommandLine, no_ctrl_c
from tests.llm_server import LLMServer, Reply, Request, extract_from_prompt
from tests.servers import ROOT, TestServer

if TYPE_CHECKING:
    import neo4j

NOWHERE = "bolt://127.0.0.1:1"
COUNTS = ("passages", "phrases", "facts", "mentions", "synonyms", "malformed_triples")


def message(line: CommandLine, *arguments: str, status: int = 1, **environment: str) -> str:
    """What a failing command says; nothing else may be printed."""
    run = line.run(*arguments, status=status, **environment)
    assert run.stdout == ""
    if status == 1:
        assert len(run.stderr.splitlines()) == 1, run.stderr
        assert run.stderr.startswith("Error: ")
    return run.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "No such command"),
        (["retrieve"], "Missing argument"),
        (["retrieve", "x", "--mode", "nonsense"], "hipporag1"),
        (["retrieve", "x", "--limit", "0"], "greater than or equal to"),
        (["ask", "x", "--passages", "0"], "greater than or equal to"),
        (["status", "--namespace", "not a name"], "take 1 to 64 ASCII letters"),
        (["init", "--normalisation", "latin"], "unicode"),
        (["init", "--synonym-threshold", "1.5"], "more than 0 and at most 1"),
        (["init", "--synonym-threshold", "0"], "more than 0 and at most 1"),
        (["index", "x", "--synonym-threshold", "nan"], "more than 0 and at most 1"),
        (["demo", "--namespace", "not a name"], "take 1 to 64 ASCII letters"),
    ],
)
def test_wrong_usage_is_status_2_and_needs_no_server(line: CommandLine, arguments: list[str], said: str) -> None:
    assert said in message(line, *arguments, status=2, NEO4J_URI=NOWHERE, COLUMNS="300")


def test_wrong_settings_are_named_by_their_variable(line: CommandLine) -> None:
    said = message(line, "status", HIPPORAG_QUERY_TIMEOUT="soon")
    assert "HIPPORAG_QUERY_TIMEOUT is 'soon'" in said
    assert "NEO4J_URI is 'localhost:7687'" in message(line, "status", NEO4J_URI="localhost:7687")
    assert "HIPPORAG_EMBEDDING_PROVIDER" in message(line, "status", HIPPORAG_EMBEDDING_PROVIDER="none")


def test_nobody_answers(line: CommandLine) -> None:
    assert "bolt://127.0.0.1:1 can't be reached" in message(line, "status", NEO4J_URI=NOWHERE)
    environment = {name: value for name, value in line.environment.items() if not name.startswith("NEO4J_")}
    said = message(CommandLine(environment), "status")
    assert "NEO4J_URI isn't set" in said
    assert "hipporag-neo4j server start" in said


def test_wrong_password(line: CommandLine, server: TestServer) -> None:
    if server.password is None:
        pytest.skip("the server asks for no password")
    said = message(line, "status", NEO4J_PASSWORD="wrong password")
    assert "refuses the user name or password" in said
    assert "NEO4J_PASSWORD" in said
    assert "wrong password" not in said


def test_unknown_namespace_and_empty_graph(line: CommandLine) -> None:
    for command in (
        ["status"],
        ["retrieve", "x", "--mode", "dense"],
        ["evaluate", str(demo.SAMPLE / "questions.json")],
    ):
        assert "holds no graph" in message(line, *command)
    line.run("init")
    assert "holds no passage" in message(line, "retrieve", "Who?", "--mode", "dense")
    assert line.read("status")["passages"] == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("cut.json", '{"docs": [\n{"passage": "x"', "line 2"),
        ("other.json", '{"a": 1}', "'a'"),
        ("empty.json", "", "is empty"),
        ("none.json", "[]", "holds no passage"),
        ("passages.json", '[{"text": "Rome"}]', "hipporag-neo4j index"),
        ("passages.jsonl", '{"text": "Rome"}', "hipporag-neo4j index"),
    ],
)
def test_a_file_that_is_no_openie_file(line: CommandLine, tmp_path: Path, name: str, text: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert said in message(line, "import-openie", str(file))
    assert "holds no graph" in message(line, "status")  # nothing was written


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("cut.json", '[{"text": "Rome"},\n{"text"', "line 2"),
        ("lines.jsonl", '{"text": \n', "line 1"),
        ("blank.jsonl", '{"text": " "}\n', "holds no passage"),
        ("openie.json", '[{"passage": "Rome", "extracted_triples": []}]', "hipporag-neo4j import-openie"),
        ("picture.png", "", "of a kind that isn't read"),
    ],
)
def test_a_file_that_holds_no_passages(line: CommandLine, tmp_path: Path, name: str, text: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    run = line.run("index", str(file), "--model", "scripted", status=1)
    assert said in run.stderr
    assert "doesn't exist" in message(line, "index", str(tmp_path / "absent.jsonl"), "--model", "scripted")
    assert "No language model is set" in message(line, "index", str(file))


def test_questions_of_all_kinds(line: CommandLine) -> None:
    line.run("import-openie", str(demo.OPENIE))
    assert "The question is empty" in message(line, "retrieve", " \n ")
    for given in ([], ["--entity", "Oda Merrin"]):
        refused = message(line, "retrieve", "Who made the viol?", *given)
        assert "none is set" in refused
        assert "--mode hipporag1" in refused
        assert "--no-llm" in refused
    assert "no language model is set" in message(line, "retrieve", "Who made the viol?", "--mode", "hipporag1")
    lucene = r'title:x AND (foo^2 OR "bar~ /[a-z]/ + - ! {} \ OR greywick'
    assert line.read("retrieve", lucene, "--mode", "bm25", "--limit", "1")["passages"][0]["id"] == "greywick"
    assert line.read("retrieve", "?!*", "--mode", "bm25")["passages"] == []
    long = "Which ship carried greywick? " * 350
    for mode in ("bm25", "dense"):
        assert line.read("retrieve", long, "--mode", mode, "--limit", "2")["passages"]
    korean = line.read(
        "retrieve", "제주도의 수도는 어디입니까?", "--mode", "hipporag1", "--entity", "제주도", "--limit", "2"
    )
    assert len(korean["passages"]) == 2


def test_another_model_or_normalisation_is_refused_before_a_model_is_asked(
    line: CommandLine, llm_server: LLMServer
) -> None:
    line.run("import-openie", str(demo.OPENIE), "--normalisation", "unicode")
    llm_server.requests.clear()
    for command in (["retrieve", "x", "--mode", "dense"], ["import-openie", str(demo.OPENIE)]):
        said = message(line, *command, HIPPORAG_EMBEDDING_MODEL="another")
        assert "made with the embedding model 'scripted-embeddings'" in said
    assert llm_server.requests == []
    assert "--normalisation unicode" in message(line, "import-openie", str(demo.OPENIE), "--normalisation", "paper")


def test_nodes_of_others_are_left_alone(line: CommandLine, driver: "neo4j.Driver", server: TestServer) -> None:
    mark = "somebody else's"
    driver.execute_query(
        "CREATE (:Passage {owner: $mark, text: 'Pellick'})-[:MENTIONS]->(:Phrase {owner: $mark, name: 'pellick'})",
        mark=mark,
        database_=server.database,
    )
    try:
        assert line.read("import-openie", str(demo.OPENIE))["passages"] == 60
        found = line.read("retrieve", "Pellick", "--mode", "bm25", "--limit", "100")
        assert all(passage["id"] for passage in found["passages"])
        rows = driver.execute_query(
            "MATCH (n {owner: $mark}) RETURN properties(n) AS kept", mark=mark, database_=server.database
        ).records
        assert sorted(len(row["kept"]) for row in rows) == [2, 2]
    finally:
        driver.execute_query("MATCH (n {owner: $mark}) DETACH DELETE n", mark=mark, database_=server.database)


@pytest.mark.usefixtures("clean_database")
def test_a_database_where_others_use_our_properties_is_refused(line: CommandLine, driver: "neo4j.Driver") -> None:
    driver.execute_query("CREATE (:Passage {key: 'theirs'})")
    said = message(line, "import-openie", str(demo.OPENIE))
    assert "1 Passage" in said
    assert "Nothing was written" in said
    findings = line.read("doctor", status=1)["findings"]
    assert [finding["check"] for finding in findings if finding["level"] == "problem"] == ["other data"]


def test_a_reader_that_goes_away_is_no_trouble(line: CommandLine) -> None:
    line.run("import-openie", str(demo.OPENIE))
    with subprocess.Popen(
        [*line.command, "retrieve", "Pellick", "--mode", "bm25", "--limit", "60", "--full"],
        cwd=ROOT,
        env=dict(line.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        assert run.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [["--help"], ["status", "--all", "--json"]])
def test_standard_output_that_is_full_is_said(line: CommandLine, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [*line.command, *arguments], env=dict(line.environment), cwd=ROOT, stdout=full, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    said = "Error: Standard output can't be written to: No space left on device. Send it elsewhere.\n"
    assert (run.returncode, run.stderr) == (1, said)


@no_ctrl_c
def test_ctrl_c_while_importing_and_again_to_the_end(
    line: CommandLine,
    llm_server: LLMServer,
    make_namespace: Callable[[], str],
    driver: "neo4j.Driver",
    namespace: str,
    tmp_path: Path,
) -> None:
    entries = [
        {
            "idx": number,
            "passage": f"Place {number} lies beside place {number + 1}.",
            "extracted_entities": [],
            "extracted_triples": [[f"place {number}", "lies beside", f"place {number + 1}"]],
        }
        for number in range(900)
    ]
    file = tmp_path / "openie.json"
    file.write_text(json.dumps({"docs": entries}))
    command = ["import-openie", str(file), "--synonym-threshold", "0.999"]

    def some_are_written() -> bool:
        rows = driver.execute_query("MATCH (p:Passage {namespace: $name}) RETURN count(p) AS n", name=namespace).records
        return bool(rows[0]["n"])

    llm_server.embeddings_delay = 0.5  # so that passages are left when some are written
    interrupt(line, command, when=some_are_written)
    llm_server.embeddings_delay = 0.0
    between = line.read("status")
    assert 0 < between["passages"] < 900
    assert between["interrupted"]
    assert "cut off" in " ".join(between["advice"])
    completed = line.read(*command)
    assert completed["run"]["unchanged"] == between["passages"]
    whole = line.read(*command, "--namespace", make_namespace())
    assert {name: completed[name] for name in COUNTS} == {name: whole[name] for name in COUNTS}
    assert not line.read("status")["interrupted"]


@no_ctrl_c
def test_ctrl_c_does_not_wait_for_a_slow_model(
    line: CommandLine, llm_server: LLMServer, driver: "neo4j.Driver", namespace: str, tmp_path: Path
) -> None:
    delay = 60

    def answer(request: Request) -> str | Reply:
        return Reply(extract_from_prompt(request), delay=delay if "Slow" in request.prompt else 0)

    def all_others_are_read() -> bool:
        query = "MATCH (a:HippoAnswer {namespace: $name}) RETURN count(a) AS n"
        return bool(driver.execute_query(query, name=namespace).records[0]["n"] == 12)

    llm_server.respond = answer
    texts = [f"Rome number {number} lies on the Tiber." for number in range(6)] + ["Slow is Amsterdam on the Amstel."]
    source = tmp_path / "passages.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    command = ["index", str(source), "--model", "scripted"]
    assert interrupt(line, command, when=all_others_are_read) < 30
    delay = 0
    asked = len(llm_server.chats)
    line.read(*command)
    assert line.read("status")["passages"] == 7
    assert len(llm_server.chats) == asked + 2  # what the model had read by then was paid for, and stays


def interrupt(line: CommandLine, arguments: list[str], *, when: Callable[[], bool]) -> float:
    """Start a command, press Ctrl-C when the time has come, and expect it to say what to do; the seconds it takes."""
    with subprocess.Popen(
        [*line.command, *arguments], cwd=ROOT, env=dict(line.environment), stderr=subprocess.PIPE, text=True
    ) as run:
        deadline = time.monotonic() + 120
        while not when() and time.monotonic() < deadline:
            assert run.poll() is None, run.communicate()[1]
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        begin = time.monotonic()
        stderr = run.communicate(timeout=60)[1]
        seconds = time.monotonic() - begin
    assert run.returncode == 130, stderr
    assert "run the same command again to go on" in stderr
    assert "Traceback" not in stderr
    return seconds
