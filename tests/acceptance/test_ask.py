"""`ask` on a real server with a scripted model: what it prints, for people and programs, and how it ends."""

import json
import re
import signal
import subprocess
import time

import pytest

from hipporag_neo4j import demo
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.acceptance.command_line import CommandLine, no_ctrl_c
from tests.llm_server import LLMServer, Reply, Request, error
from tests.servers import ROOT

QUESTION = "Which instrument maker lives in Pellick and was taught by Oda Merrin?"
NAMED = ("--mode", "hipporag1", "--entity", "Pellick", "--entity", "Oda Merrin")
LONG = json.dumps(
    {"explanation": "Ilse Corvane lives in Pellick, as the rent book tells. " * 4, "answer": "Ilse", "passages": []}
)


@pytest.fixture
def sample(line: CommandLine, settings: Settings) -> CommandLine:
    """A command line with a model, whose namespace holds the sample."""
    with opened(line, settings) as rag:
        rag.import_openie(demo.OPENIE)
    return CommandLine({**line.environment, "HIPPORAG_LLM_MODEL": "scripted"})


def opened(line: CommandLine, settings: Settings) -> HippoRAG:
    """The namespace of the command line, with its embedding model."""
    url = line.environment["HIPPORAG_EMBEDDING_BASE_URL"]
    model = {"embedding_provider": "openai", "embedding_model": "scripted-embeddings", "embedding_base_url": url}
    return HippoRAG(settings.model_copy(update=model))


def numbered(request: Request) -> dict[str, int]:
    """The numbers of the passages in the question that is asked, by their titles."""
    found = re.findall(r'<passage number="(\d+)">\n(.*)\n', request.prompt)
    return {title: int(number) for number, title in found}


def corvane(request: Request) -> str:
    """The right answer, with the numbers of the two passages that hold it."""
    numbers = numbered(request)
    named = [numbers["The rent book of Cooper's Stair"], numbers["An oath sworn over varnish"]]
    explanation = f"Ilse Corvane lives in Pellick [{named[0]}] and was her apprentice [{named[1]}]."
    return json.dumps({"explanation": explanation, "answer": "Ilse Corvane", "passages": [*named, 77]})


def test_that_the_answer_on_facts_was_cut_off_is_said(sample: CommandLine, llm_server: LLMServer) -> None:
    kept = json.dumps({"relevant_facts": [1, 2], "named_entities": ["Pellick"]})
    llm_server.script = [Reply(kept, finish_reason="length")]
    llm_server.respond = lambda request: LONG
    shown = sample.run("ask", QUESTION).stdout
    assert "which facts bear on the question was cut off" in " ".join(shown.split())


def test_the_answer_its_passages_and_its_cost(sample: CommandLine, llm_server: LLMServer) -> None:
    llm_server.respond = corvane
    shown = sample.run("ask", QUESTION, *NAMED).stdout
    assert re.match(
        r"Ilse Corvane lives in Pellick \[\d\] and was her apprentice \[\d\]\.\n\nAnswer: Ilse Corvane\n\nPassages:\n",
        shown,
    )
    passages = shown.partition("Passages:\n")[2].splitlines()
    assert [re.split(r"\s{2,}", line.strip())[-2:] for line in passages[:2]] == [
        ["The rent book of Cooper's Stair", "coopers-stair"],
        ["An oath sworn over varnish", "varnish-oath"],
    ]
    assert "It named 1 passage that it wasn't shown; not counted." in shown
    assert re.search(r"^scripted: [\d,]+ tokens read, \d+ written, \d+\.\d s$", shown, re.MULTILINE)
    assert llm_server.chats[0].body["stream"] is True
    again = sample.read("ask", QUESTION, *NAMED)
    assert len(llm_server.chats) == 1
    assert (again["answer"], again["model"], again["unknown_numbers"]) == ("Ilse Corvane", "scripted", 1)
    assert (again["answer_from_cache"], again["prompt_tokens"]) == (True, 0)
    assert [passage["id"] for passage in again["passages"]] == ["coopers-stair", "varnish-oath"]
    assert [passage["number"] for passage in again["read"]] == [1, 2, 3, 4, 5]
    assert again["retrieval"]["entities"] == ["Pellick", "Oda Merrin"]
    assert len(again["retrieval"]["passages"]) == 5
    assert set(again["timings_ms"]) >= {"rank", "answer", "total"}
    assert (again["steps"], again["left_out"], again["shortened"]) == ([], [], {})


def test_no_answer_and_nothing_found_are_said(sample: CommandLine, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: '{"explanation": "No dam is named.", "answer": null, "passages": []}'
    shown = sample.run("ask", "Who built the dam?", "--mode", "dense", "--passages", "2").stdout
    assert shown.startswith("No dam is named.\n\nThe passages don't hold the answer.\n\nPassages that were read:\n[1] ")
    before = len(llm_server.chats)
    shown = sample.run("ask", "xyzzy", "--mode", "bm25").stdout
    assert shown.startswith("Nothing was found, so there was nothing to read.")
    assert len(llm_server.chats) == before


def test_what_is_shortened_or_left_out_is_said(sample: CommandLine, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: '{"explanation": "Perhaps.", "answer": "Ilse", "passages": []}'
    shown = sample.run("ask", QUESTION, "--mode", "dense", HIPPORAG_READING_CHARACTERS="500").stdout
    assert "It names no passage that it rests on. Passages that were read:" in shown
    assert "Not read, for want of room (HIPPORAG_READING_CHARACTERS): " in shown
    assert llm_server.chats[0].prompt.count("<passage ") < 5


def test_each_step_is_seen(sample: CommandLine, llm_server: LLMServer) -> None:
    def respond(request: Request) -> str:
        if "<thoughts>" not in request.prompt:
            return corvane(request)
        if "<thoughts>\nnone" in request.prompt:
            return '{"thought": "Oda Merrin taught Ilse Corvane, so where does Ilse Corvane live?", "answer": null}'
        return '{"thought": "She lives in Pellick.", "answer": "Ilse Corvane"}'

    llm_server.respond = respond
    asked = ("ask", QUESTION, "--mode", "dense", "--ircot", "--passages", "10")
    shown = sample.run(*asked, COLUMNS="300").stdout
    first, thought, second, last, *_ = shown.splitlines()
    assert re.match(r"Search 1: 10 passages: .*; and 6 more$", first)
    assert thought == "Thought: Oda Merrin taught Ilse Corvane, so where does Ilse Corvane live?"
    assert re.match(r"Search 2: \d+ new passages?", second)
    assert last == "Thought: She lives in Pellick."
    assert "Answer: Ilse Corvane" in shown
    read = sample.read(*asked)
    assert [step["answer"] for step in read["steps"]] == [None, None, "Ilse Corvane"]
    assert [step["retrieval"] is None for step in read["steps"]] == [False, False, True]


def test_an_outage_and_an_unusable_answer_are_errors(sample: CommandLine, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: error(503, "down for repair")
    assert "busy or failing (503): down for repair" in message(sample, QUESTION, *NAMED, HIPPORAG_LLM_RETRIES="0")
    llm_server.respond = lambda request: "Ilse Corvane it is."
    assert '"Ilse Corvane it is." (asked twice)' in message(sample, QUESTION, *NAMED)
    llm_server.respond = lambda request: Reply(LONG, cut="inside")
    run = sample.run("ask", QUESTION, *NAMED, status=1)
    assert "broke off in its answer" in run.stderr
    assert run.stdout.startswith("Ilse Corvane lives in Pellick")
    assert run.stdout.endswith("\n")


def test_without_a_model_a_graph_or_passages(line: CommandLine, settings: Settings) -> None:
    assert "No language model is set. Set HIPPORAG_LLM_MODEL" in message(line, QUESTION)
    assert "holds no graph" in message(line, QUESTION, HIPPORAG_LLM_MODEL="scripted")
    with opened(line, settings) as rag:
        rag.init()
    assert "holds no passage" in message(line, QUESTION, "--mode", "dense", HIPPORAG_LLM_MODEL="scripted")


def message(line: CommandLine, *arguments: str, **environment: str) -> str:
    """What `ask` says when it fails."""
    run = line.run("ask", *arguments, status=1, **environment)
    assert run.stdout == ""
    waited = re.compile(r"(Searching|Thinking|Reading .*): \d+ s")  # a line now and then, on a slow machine
    said = [line for line in run.stderr.splitlines() if not waited.fullmatch(line)]
    assert len(said) == 1, run.stderr
    return said[0]


@no_ctrl_c
def test_ctrl_c_ends_it_cleanly_in_the_middle_of_the_answer(sample: CommandLine, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: Reply(LONG, pace=0.3)
    process = subprocess.Popen(
        [*sample.command, "ask", QUESTION, *NAMED],
        cwd=ROOT, env=dict(sample.environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    begun = process.stdout.read(8)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - started < 30
    assert (begun + out).decode().startswith("Ilse Cor")
    assert (begun + out).endswith(b"\n")
    assert err.decode().strip() == "Stopped."
