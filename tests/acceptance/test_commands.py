"""The commands on a real server: what they print for people and programs, and how they end."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hipporag_neo4j import demo
from tests.acceptance.command_line import CommandLine
from tests.llm_server import LLMServer, Reply, Request, extract_from_prompt

if TYPE_CHECKING:
    import neo4j

QUESTION = "Which instrument maker lives in Pellick and was taught by Oda Merrin?"
NAMED = ("--mode", "hipporag1", "--entity", "Pellick", "--entity", "Oda Merrin")
COUNTS = ("passages", "phrases", "facts", "mentions", "synonyms", "malformed_triples")


@pytest.fixture
def sample(line: CommandLine) -> CommandLine:
    """A command line whose namespace holds the sample."""
    line.run("import-openie", str(demo.OPENIE))
    return line


def write_lines(path: Path, *passages: object) -> Path:
    path.write_text("".join(json.dumps(passage) + "\n" for passage in passages), encoding="utf-8")
    return path


def test_import_and_status_print_the_same_totals(line: CommandLine) -> None:
    first = line.read("import-openie", str(demo.OPENIE))
    assert first["passages"] == 60
    assert first["phrases"] > 300
    assert first["facts"] > 300
    assert first["mentions"] > first["phrases"]
    assert first["malformed_triples"] == 0
    assert first["run"]["written"] == 60
    assert set(first["run"]["seconds"]) >= {"read", "embed", "write", "link", "total"}
    status = line.read("status")
    assert {name: status[name] for name in COUNTS} == {name: first[name] for name in COUNTS}
    again = line.read("import-openie", str(demo.OPENIE))
    assert (again["run"]["written"], again["run"]["unchanged"]) == (0, 60)
    assert {name: again[name] for name in COUNTS} == {name: first[name] for name in COUNTS}


def test_malformed_triples_are_counted_and_named_on_request(line: CommandLine, tmp_path: Path) -> None:
    entry = {
        "idx": 7,
        "passage": "Rome\nRome is in Italy.",
        "extracted_entities": ["Rome"],
        "extracted_triples": [["Rome", "is in", "Italy"], ["Rome", "is"], ["a", "b", "c", "d"]],
    }
    file = tmp_path / "openie.json"
    file.write_text(json.dumps({"docs": [entry]}))
    imported = line.read("import-openie", str(file), "--show-malformed", "1")
    assert (imported["malformed_triples"], imported["facts"]) == (2, 1)
    assert imported["malformed"] == [{"passage": "7", "title": "Rome", "row": 0, "triple": ["Rome", "is"]}]
    status = line.read("status", "--malformed")
    assert [found["triple"] for found in status["malformed"]] == [["Rome", "is"], ["a", "b", "c", "d"]]
    assert '["a", "b", "c", "d"]' in line.run("status", "--malformed").stdout


def test_retrieve_shows_a_ranking_its_seeds_and_on_request_its_times(sample: CommandLine) -> None:
    found = sample.read("retrieve", QUESTION, *NAMED, "--limit", "3")
    assert [passage["rank"] for passage in found["passages"]] == [1, 2, 3]
    assert {"coopers-stair", "varnish-oath"} <= {passage["id"] for passage in found["passages"]}
    assert {seed["phrase"]: round(seed["weight"], 3) for seed in found["seeds"]} == {"pellick": 0.5, "oda merrin": 0.5}
    assert found["fallback"] is None
    assert set(found["timings_ms"]) >= {"link", "project", "rank", "total"}
    shown = sample.run("retrieve", QUESTION, *NAMED, "--limit", "3", "--verbose").stdout
    assert "Walk from oda merrin 50%, pellick 50%" in shown
    assert "An oath sworn over varnish" in shown
    assert "Milliseconds: " in shown
    assert "Milliseconds: " not in sample.run("retrieve", QUESTION, "--mode", "dense").stdout


@pytest.mark.parametrize("columns", ["1", "20", "50", "300"])
def test_any_width_of_terminal_does(sample: CommandLine, columns: str) -> None:
    assert sample.run("retrieve", QUESTION, *NAMED, COLUMNS=columns).stdout.strip()
    assert sample.run("status", COLUMNS=columns).stdout.strip()


def test_a_fallback_is_said_in_words_and_in_json(sample: CommandLine) -> None:
    shown = sample.run("retrieve", QUESTION, "--mode", "hipporag1", "--entity", "?!", "--limit", "1").stdout
    assert "dense search answered" in shown.splitlines()[0] + shown.splitlines()[1]
    run = sample.run("retrieve", QUESTION, "--mode", "hipporag1", "--entity", "?!", "--limit", "1", "--json")
    assert "dense search answered" in json.loads(run.stdout)["fallback"]
    assert "dense search answered" in run.stderr


def test_a_language_model_reads_passages_and_questions(line: CommandLine, tmp_path: Path) -> None:
    source = write_lines(
        tmp_path / "passages.jsonl",
        {"id": "rome", "title": "Rome", "text": "Rome lies on the Tiber."},
        {"id": "tiber", "text": "The Tiber passes Ostia."},
    )
    indexed = line.read("index", str(source), "--model", "scripted")
    assert indexed["run"]["written"] == 2
    assert indexed["run"]["prompt_tokens"] > 0
    found = line.read("retrieve", "What passes Ostia?", "--mode", "hipporag1", HIPPORAG_LLM_MODEL="scripted")
    assert found["entities"] == ["What", "Ostia"]
    assert {"rome", "tiber"} == {passage["id"] for passage in found["passages"]}


def test_what_cannot_be_used_or_read_is_named_and_stops_nothing(
    line: CommandLine, llm_server: LLMServer, tmp_path: Path
) -> None:
    def answer(request: Request) -> str | Reply:
        return "no JSON at all" if "Nonsense" in request.prompt else extract_from_prompt(request)

    llm_server.respond = answer
    source = write_lines(
        tmp_path / "passages.jsonl",
        {"id": "good", "text": "Rome lies on the Tiber."},
        {"id": "empty", "text": " \n\t"},
        {"id": "nested", "text": "Paris", "metadata": {"a": {"b": 1}}},
        {"id": "good", "text": "Another text under the same id."},
        {"id": "bad", "text": "Nonsense is spoken in Babel."},
        {"id": "good", "text": "Rome lies on the Tiber."},
    )
    run = line.run("index", str(source), "--model", "scripted", "--json", status=1)
    values = json.loads(run.stdout)
    assert (values["passages"], values["run"]["written"], values["run"]["failed"]) == (2, 1, 1)
    assert values["run"]["repeated"] == 1
    assert len(values["run"]["left_out"]) == 3
    assert "line 2: the text is empty" in run.stderr
    assert "metadata.a" in run.stderr
    assert "'good'" in run.stderr
    assert "bad: named entities:" in run.stderr
    assert "3 passages left out, 1 passage not read" in run.stderr
    assert "correct it in the source" in run.stderr
    assert "to have the language model try what it did not read" in run.stderr
    status = line.run("status", "--failed")
    assert "bad" in status.stdout
    assert "1 passage could not be read" in status.stderr
    llm_server.respond = extract_from_prompt
    source = write_lines(tmp_path / "passages.jsonl", {"id": "bad", "text": "Nonsense is spoken in Babel."})
    assert line.read("index", str(source), "--model", "scripted")["failed"] == 0


def test_what_is_left_out_asks_for_another_source_not_for_another_run(line: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "openie.json"
    entry = {"idx": 1, "passage": "Rome", "extracted_entities": [], "extracted_triples": []}
    file.write_text(json.dumps([entry, {**entry, "idx": 2, "passage": " "}]))
    said = line.run("import-openie", str(file), status=1).stderr
    assert "1 passage left out; everything else is written." in said
    assert "correct it in the source" in said
    assert "Run the same command again" not in said


def test_control_characters_stay_off_the_terminal(line: CommandLine, tmp_path: Path) -> None:
    escape = "\x1b]0;owned\x07\x9b31m"
    source = write_lines(
        tmp_path / "passages.jsonl",
        {"id": "rome", "title": f"Rome{escape}", "text": f"Rome lies on the Tiber{escape}."},
        {"id": "ostia", "title": f"Ostia{escape}", "text": "Ostia lies by the sea."},
        {"id": f"escape{escape}", "text": "Its id is refused."},
    )
    printed = [line.run("index", str(source), "--model", "scripted", status=1)]
    questions = tmp_path / "questions.json"
    questions.write_text(json.dumps([{"id": escape, "question": f"Rome{escape}?", "gold": ["rome"]}]))
    printed += [
        line.run(*command)
        for command in (
            ["retrieve", "Rome and Ostia", "--mode", "dense", "--full"],
            ["retrieve", f"Rome{escape}", "--mode", "hipporag1", "--entity", f"Rome{escape}"],
            ["retrieve", "Rome and Ostia", "--mode", "dense", "--json"],
            ["evaluate", str(questions), "--mode", "bm25"],
            ["status"],
        )
    ]
    for run in printed:
        assert [c for c in run.stdout + run.stderr if c != "\n" and not c.isprintable()] == []


def test_texts_of_all_kinds_are_found_again(line: CommandLine, tmp_path: Path) -> None:
    texts = {
        "korean": "제주도는 한국의 섬이다.",
        "chinese": "北京是中国的首都。",
        "arabic": "القاهرة عاصمة مصر.",
        "emoji": "👩‍🚀 Valentina flew 🚀 to orbit.",
        "control": "Bell\x07 and escape\x1b[31m red.",
        "large": "Rome is large. " * 70_000,
    }
    entries = [
        {"idx": id_, "passage": text, "extracted_entities": [], "extracted_triples": [[text[:20], "is", id_]]}
        for id_, text in texts.items()
    ]
    file = tmp_path / "openie.json"
    file.write_text(json.dumps(entries))
    assert line.read("import-openie", str(file))["run"]["written"] == len(texts)
    for id_, text in texts.items():
        found = line.read("retrieve", text[:60], "--mode", "dense", "--limit", str(len(texts)))
        assert {passage["id"]: passage["text"] for passage in found["passages"]}[id_] == text
    shown = line.run("retrieve", "Bell and escape", "--mode", "bm25").stdout
    assert "Bell" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_evaluate_prints_the_fixed_names(sample: CommandLine) -> None:
    questions = str(demo.SAMPLE / "questions.json")
    figures = sample.read("evaluate", questions, "--mode", "hipporag1", "--mode", "dense")
    assert figures["questions"] == 16
    assert set(figures["modes"]) == {"hipporag1", "dense"}
    for mode in figures["modes"].values():
        assert {"recall@2", "recall@5", "recall@10", "all_recall@5", "all_recall@10", "latency_ms"} <= set(mode)
        assert set(mode["latency_ms"]["total"]) == {"p50", "p95"}
    assert "R@5" in sample.run("evaluate", questions, "--mode", "bm25", "--limit", "2").stdout


def test_demo_compares_and_a_second_run_finds_all_in_place(line: CommandLine, namespace: str) -> None:
    first = line.run("demo", "--namespace", namespace)
    assert "indexed in" in first.stderr
    second = line.run("demo", "--namespace", namespace)
    assert "unchanged since the last run" in second.stderr
    assert "pellick ←lives in─ ilse corvane" in second.stdout
    assert "MATCH said" in second.stdout
    assert namespace in second.stdout.split("MATCH said")[1]
    offered = [shlex.split(said) for said in second.stdout.splitlines() if said.startswith("hipporag-neo4j ")]
    assert [words[1] for words in offered] == ["retrieve", "explain"]
    assert all(line.run(*words[1:]).stdout for words in offered)
    values = line.read("demo", "--namespace", namespace)
    assert len(values["questions"]) == 3
    assert all(question["hipporag1"]["found"] == len(question["gold"]) for question in values["questions"])


def test_demo_keeps_out_of_the_namespace_of_the_environment(
    line: CommandLine, make_namespace: Callable[[], str]
) -> None:
    line.run("demo", "--namespace", make_namespace())
    assert "holds no graph" in line.run("status", status=1).stderr


def test_doctor_finds_nothing_wrong(sample: CommandLine) -> None:
    report = sample.read("doctor", HIPPORAG_LLM_MODEL="scripted")
    levels = {finding["check"]: finding["level"] for finding in report["findings"]}
    assert report["ok"]
    assert set(levels) == {
        "connection", "neo4j", "graph data science", "weighted walk", "other data", "indexes", "embedding model",
        "language model", "dimensions", "graph", "vector search", "memory",
    }  # fmt: skip
    assert levels.pop("indexes") in ("ok", "warning")  # other tests may be making some
    assert set(levels.values()) == {"ok"}


def test_doctor_writes_nothing(line: CommandLine, driver: "neo4j.Driver", namespace: str) -> None:
    line.run("doctor")
    rows = driver.execute_query("MATCH (n {namespace: $namespace}) RETURN n", namespace=namespace).records
    assert rows == []
    graphs = driver.execute_query("CALL gds.graph.list() YIELD graphName RETURN graphName").records
    assert not [row for row in graphs if row["graphName"].startswith("hipporag-doctor")]


def test_doctor_without_a_server(line: CommandLine) -> None:
    run = line.run("doctor", "--json", status=1, NEO4J_URI="bolt://127.0.0.1:1")
    findings = {finding["check"]: finding for finding in json.loads(run.stdout)["findings"]}
    assert findings["connection"]["level"] == "problem"
    assert "can't be reached" in findings["connection"]["found"]
    assert findings["embedding model"]["level"] == "ok"
    assert findings["graph"]["level"] == "skipped"


def test_doctor_names_another_embedding_model(sample: CommandLine) -> None:
    report = sample.read("doctor", status=1, HIPPORAG_EMBEDDING_MODEL="another")
    graph = next(finding for finding in report["findings"] if finding["check"] == "graph")
    assert graph["level"] == "problem"
    assert "scripted-embeddings" in graph["found"]


def test_doctor_shows_no_key(line: CommandLine, llm_server: LLMServer) -> None:
    llm_server.api_key = "sk-right"
    secret = "sk-very-secret"
    run = line.run("doctor", status=1, HIPPORAG_LLM_MODEL="scripted", OPENAI_API_KEY=secret)
    assert secret not in run.stdout + run.stderr
    assert "PROBLEM  language model" in run.stdout
