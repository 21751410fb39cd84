"""`evaluate` as a team uses it: with a language model, interrupted, and reported."""

import json
import os
import re
import shlex
import signal
import subprocess
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hipporag_neo4j import demo
from tests.acceptance.command_line import CommandLine, no_ctrl_c, scripted
from tests.llm_server import LLMServer, Reply, Request, error, names_in, running_llm_server
from tests.servers import PREFIX, ROOT, TestServer, remove_namespace

if TYPE_CHECKING:
    import neo4j

QUESTIONS: list[dict[str, Any]] = json.loads((demo.SAMPLE / "questions.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def imported(server: TestServer, driver: "neo4j.Driver") -> Iterator[str]:
    """The namespace that holds the sample, which the tests only read."""
    namespace = f"{PREFIX}{uuid.uuid4().hex[:12]}"
    with running_llm_server() as models:
        models.dimensions = 384
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NEO4J_", "HIPPORAG_", "OPENAI_"))}
        own = {**server.environment, **scripted(models), "HIPPORAG_NAMESPACE": namespace}
        CommandLine(kept | own).run("import-openie", str(demo.OPENIE))
    yield namespace
    remove_namespace(driver, server.database, namespace)


@pytest.fixture
def sample(line: CommandLine, imported: str) -> CommandLine:
    """A command line whose namespace holds the sample."""
    return CommandLine({**line.environment, "HIPPORAG_NAMESPACE": imported})


@pytest.fixture
def asking(sample: CommandLine, llm_server: LLMServer) -> CommandLine:
    """The same with a language model, which follows `respond`."""
    llm_server.respond = respond
    return CommandLine({**sample.environment, "HIPPORAG_LLM_MODEL": "scripted", "OPENAI_API_KEY": "none"})


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Four questions, one of them without an answer; none says what it names."""
    chosen = [{name: q[name] for name in ("id", "question", "gold", "answer")} for q in QUESTIONS[:4]]
    del chosen[3]["answer"]
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(chosen), encoding="utf-8")
    return path


def question_of(request: Request) -> str:
    """The question that a prompt ends with."""
    return str(re.findall(r"<question>\n(.*?)\n</question>", request.prompt, re.DOTALL)[-1])


def kind_of(request: Request) -> str:
    """What is asked for."""
    for kind in ("thoughts", "passages", "facts"):
        if f"<{kind}>" in request.prompt:
            return kind
    return "entities"


def respond(request: Request) -> str:
    """The first fact bears on a question; every answer is `the Patient Heron`; one thought, then the answer."""
    match kind_of(request):
        case "facts":
            return json.dumps({"relevant_facts": [1], "named_entities": names_in(question_of(request))})
        case "passages":
            return json.dumps({"explanation": "It says so [1].", "answer": "The patient heron.", "passages": [1]})
        case "thoughts":
            first = "<thoughts>\nnone" in request.prompt
            said = {"thought": "Greywick is carried by a ship.", "answer": None if first else "the Patient Heron"}
            return json.dumps(said)
        case _:
            return json.dumps({"named_entities": names_in(question_of(request))})


def figures(values: dict[str, Any]) -> dict[str, Any]:
    """What doesn't depend on the clock."""
    clock = ("latency_ms", "time_share")
    modes = {name: {k: v for k, v in mode.items() if k not in clock} for name, mode in values["modes"].items()}
    return {**values, "modes": modes, "setting": None}


def test_answers_are_judged_and_a_question_without_one_is_left_out(
    asking: CommandLine, llm_server: LLMServer, questions: Path
) -> None:
    read = asking.read("evaluate", str(questions), "--mode", "hybrid", "--mode", "dense", "--answers")
    for mode in read["modes"].values():
        # Three of four questions have an answer; the second's is the one that the model always gives.
        assert mode["exact_match"] == pytest.approx(1 / 3)
        assert 1 / 3 <= mode["f1"] < 1
        assert mode["intervals"]["exact_match"] == [0, 1]
        assert mode["answers"] == {"judged": 3, "not_found": 0, "unusable": 0}
        assert mode["prompt_tokens"] > 0
        assert {"read", "total"} <= mode["latency_ms"].keys()
    assert any("1 of 4 questions have no answer in the question file" in warning for warning in read["warnings"])
    assert [(one["first"], one["second"], one["score"]) for one in read["comparisons"]] == [
        ("hybrid", "dense", "recall@5"),
        ("hybrid", "dense", "f1"),
    ]
    assert read["setting"]["passages_read"] == 5
    assert Counter(map(kind_of, llm_server.chats)) == {"facts": 4, "passages": 8}  # warming up asks nothing


def test_an_answer_that_cannot_be_read_is_counted_and_an_outage_ends_the_run(
    asking: CommandLine, llm_server: LLMServer, questions: Path
) -> None:
    second = QUESTIONS[1]["question"]
    llm_server.respond = lambda request: "I cannot say." if question_of(request) == second else respond(request)
    read = asking.read("evaluate", str(questions), "--mode", "bm25", "--answers")
    mode = read["modes"]["bm25"]
    assert (mode["exact_match"], mode["answers"]["unusable"]) == (0, 1)
    assert any("bm25: 1 of 4 (25 %) answers can't be used" in warning for warning in read["warnings"])

    def fails(request: Request) -> str | Reply:
        return error(401) if question_of(request) == second else respond(request)

    llm_server.respond = fails
    run = asking.run("evaluate", str(questions), "--mode", "bm25", "--answers", "--no-cache", status=1)
    assert run.stdout == ""
    assert "401" in run.stderr or "key" in run.stderr


def test_ircot_over_a_mode_stands_beside_it(asking: CommandLine, llm_server: LLMServer, questions: Path) -> None:
    arguments = ("evaluate", str(questions), "--mode", "dense", "--ircot", "--steps", "3", "--limit", "2")
    read = asking.read(*arguments)
    assert list(read["modes"]) == ["dense", "dense+ircot"]
    assert "think" in read["modes"]["dense+ircot"]["latency_ms"]
    assert Counter(map(kind_of, llm_server.chats)) == {"thoughts": 4}  # a thought and an answer for each question
    explain = [pair["explain"]["dense+ircot"] for one in read["comparisons"] for pair in (*one["won"], *one["lost"])]
    assert all("hipporag-neo4j ask" in command and "--steps 3" in command for command in explain)


def test_answers_without_a_language_model(sample: CommandLine, questions: Path) -> None:
    run = sample.run("evaluate", str(questions), "--mode", "dense", "--answers", status=1)
    assert "need a language model, and none is set. Set HIPPORAG_LLM_MODEL" in run.stderr
    run = sample.run("evaluate", str(questions), "--mode", "hipporag1", status=1)
    assert "nothing says what it names" in run.stderr
    assert "--entity" not in run.stderr


@no_ctrl_c
def test_an_interrupted_run_goes_on_and_asks_nothing_twice(
    asking: CommandLine, llm_server: LLMServer, questions: Path, tmp_path: Path
) -> None:
    command = ["evaluate", str(questions), "--mode", "hybrid", "--mode", "dense", "--answers", "--no-cache"]
    whole = asking.read(*command)
    asked = Counter((kind_of(request), question_of(request)) for request in llm_server.chats)
    llm_server.requests.clear()

    file = tmp_path / "outcomes.jsonl"
    stop_at = QUESTIONS[2]["question"]

    def hangs(request: Request) -> str | Reply:
        return Reply(respond(request), delay=30 if question_of(request) == stop_at else 0)

    llm_server.respond = hangs
    with subprocess.Popen(
        [*asking.command, *command, "--resume", str(file)],
        cwd=ROOT,
        env=dict(asking.environment),
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        deadline = time.monotonic() + 60
        while not any(question_of(request) == stop_at for request in llm_server.chats):
            assert run.poll() is None, run.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        stderr = run.communicate(timeout=60)[1]
    assert run.returncode == 130
    assert "keeps 2 outcomes; the same command goes on from there." in stderr
    assert "Traceback" not in stderr
    broken_off = [request for request in llm_server.chats if question_of(request) == stop_at]
    assert len(broken_off) == 1

    llm_server.respond = respond
    resumed = asking.read(*command, "--resume", str(file))
    assert figures(resumed) == figures(whole)
    again = Counter((kind_of(request), question_of(request)) for request in llm_server.chats)
    again.subtract([(kind_of(broken_off[0]), stop_at)])  # nobody heard the answer to this one
    assert again == asked
    llm_server.requests.clear()
    assert figures(asking.read(*command, "--resume", str(file))) == figures(whole)
    assert llm_server.chats == []


def test_outcomes_are_not_mixed_with_those_of_another_setting(
    sample: CommandLine, questions: Path, tmp_path: Path
) -> None:
    file = tmp_path / "outcomes.jsonl"
    command = ["evaluate", str(questions), "--mode", "bm25", "--resume", str(file)]
    sample.run(*command)
    kept = file.read_bytes()
    said = sample.run(*command, "--limit", "2", status=1, HIPPORAG_DAMPING="0.7").stderr
    assert "questions: 4 (" in said
    assert "HIPPORAG_DAMPING: 0.5 there, 0.7 now" in said
    assert "name another file to start anew" in said
    assert file.read_bytes() == kept
    # Another mode adds to the file, where all else is the same.
    run = sample.run(*command, "--mode", "dense")
    assert "holds 4 outcomes from before" in run.stderr
    assert len(file.read_text().splitlines()) == 1 + 8


def test_reports_for_people_and_programs(sample: CommandLine, tmp_path: Path) -> None:
    questions = str(demo.SAMPLE / "questions.json")
    people, programs = tmp_path / "report.md", tmp_path / "report.json"
    command = ["evaluate", questions, "--mode", "hipporag1", "--mode", "dense", "--compare", "hipporag1:dense"]
    run = sample.run(*command, "--report", str(people), "--report", str(programs))
    text = people.read_text(encoding="utf-8")
    for heading in ("What was found", "Question by question", "How long it took", "What it was made with"):
        assert f"\n## {heading}\n" in text
    assert "60 passages" in text
    values = json.loads(programs.read_text())
    assert len(values["modes"]["dense"]["outcomes"]) == 16
    (comparison,) = values["comparisons"]
    assert comparison["wins"] + comparison["ties"] + comparison["losses"] == 16
    assert comparison["mean_difference"] == pytest.approx(
        values["modes"]["hipporag1"]["recall@5"] - values["modes"]["dense"]["recall@5"]
    )
    # The command that explains a question runs as it stands, and finds what was found.
    won = comparison["won"][0]
    command_line = won["explain"]["hipporag1"]
    assert command_line in text
    assert command_line in run.stdout
    program, *arguments = shlex.split(command_line)
    assert program == "hipporag-neo4j"
    found = [passage["id"] for passage in sample.read(*arguments)["passages"]]
    outcome = next(o for o in values["modes"]["hipporag1"]["outcomes"] if o["id"] == won["id"])
    assert found == [passage["id"] for passage in outcome["passages"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--report", "report.html"], "ends in .md or .json"),
        (["--report", "no/such/folder/report.md"], "is no folder"),
        (["--compare", "dense:hipporag1"], "two of hybrid, dense"),
        (["--mode", "dense", "--looks", "2"], "only hybrid looks at facts more than once"),
        (["--resamples", "10"], "100"),
        (["--no-llm", "--answers"], "ask the language model"),
    ],
)
def test_wrong_usage(line: CommandLine, arguments: list[str], said: str) -> None:
    questions = str(demo.SAMPLE / "questions.json")
    run = line.run("evaluate", questions, *arguments, status=2, NEO4J_URI="bolt://127.0.0.1:1", COLUMNS="300")
    assert said in run.stderr
