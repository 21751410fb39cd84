"""What the language model answered is kept: what `index` and `retrieve` say of it, and `cache status` and `clear`."""

import json
import subprocess
import time
from pathlib import Path

from tests.acceptance.command_line import CommandLine
from tests.llm_server import LLMServer, Reply, extract_from_prompt
from tests.servers import ROOT


def write_passages(folder: Path) -> str:
    source = folder / "passages.jsonl"
    source.write_text(
        "".join(json.dumps({"id": id_, "text": f"{id_} lies on the Tiber."}) + "\n" for id_ in ("Rome", "Ostia"))
    )
    return str(source)


def test_answers_are_counted_reused_and_cleared(line: CommandLine, llm_server: LLMServer, tmp_path: Path) -> None:
    source = write_passages(tmp_path)
    assert line.read("index", source, HIPPORAG_LLM_MODEL="scripted")["run"]["answers_from_cache"] == 0
    kept = line.read("cache", "status")
    assert {kind["kind"]: kind["answers"] for kind in kept["kinds"]} == {"entities": 2, "triples": 2}
    assert kept["answers"] == 4
    assert kept["prompt_tokens"] > 0
    line.run("retrieve", "What lies on the Tiber?", "--mode", "hipporag1", HIPPORAG_LLM_MODEL="scripted")
    asked = len(llm_server.chats)
    again = line.run("retrieve", "What lies on the Tiber?", "--mode", "hipporag1", HIPPORAG_LLM_MODEL="scripted")
    assert "1 answer of the language model from cache." in again.stdout
    assert len(llm_server.chats) == asked
    line.run("retrieve", "What lies on the Tiber?", "--mode", "hipporag1", "--no-cache", HIPPORAG_LLM_MODEL="scripted")
    assert len(llm_server.chats) == asked + 1
    shown = line.run("cache", "status").stdout
    assert "entities" in shown
    assert "scripted" in shown
    assert line.read("cache", "clear", "--older-than", "1", "--yes") | {"namespace": ""} == {
        "namespace": "", "cleared": 0, "kept": 5
    }  # fmt: skip
    assert "5 answers forgotten, 0 kept" in line.run("cache", "clear", "--yes").stderr
    assert "keeps no answers" in line.run("cache", "status").stderr


def test_clear_asks_and_does_nothing_where_nobody_answers(line: CommandLine, tmp_path: Path) -> None:
    line.run("index", write_passages(tmp_path), HIPPORAG_LLM_MODEL="scripted")
    assert "--yes" in line.run("cache", "clear", status=2).stderr
    assert line.read("cache", "status")["answers"] == 4


def test_a_run_without_the_cache_pays_again(line: CommandLine, llm_server: LLMServer, tmp_path: Path) -> None:
    source = write_passages(tmp_path)
    line.run("index", source, "--passage-size", "2000", HIPPORAG_LLM_MODEL="scripted")
    (tmp_path / "other").mkdir()
    renamed = tmp_path / "other" / "copy.jsonl"
    renamed.write_text(Path(source).read_text().replace('"id": "', '"id": "again-'))
    run = line.run("index", str(renamed), HIPPORAG_LLM_MODEL="scripted")
    assert "4 answers from cache" in run.stderr
    assert len(llm_server.chats) == 4
    renamed.write_text(renamed.read_text().replace("again-", "third-"))
    assert (
        line.read("index", str(renamed), "--no-cache", HIPPORAG_LLM_MODEL="scripted")["run"]["answers_from_cache"] == 0
    )
    assert len(llm_server.chats) == 8


def test_a_run_that_was_killed_pays_for_nothing_twice(line: CommandLine, llm_server: LLMServer, tmp_path: Path) -> None:
    """SIGKILL leaves no time to write anything: what was answered must have been kept by then."""
    count, concurrency = 12, 2
    source = tmp_path / "passages.jsonl"
    source.write_text("".join(json.dumps({"text": f"Rome{i} lies on the Tiber."}) + "\n" for i in range(count)))
    llm_server.respond = lambda request: Reply(extract_from_prompt(request), delay=0.1)
    arguments = ["index", str(source), "--concurrency", str(concurrency), "--model", "scripted"]
    killed = subprocess.Popen([*line.command, *arguments], cwd=ROOT, env={**line.environment})
    while len(llm_server.chats) < 9:
        assert killed.poll() is None
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    assert line.read("status")["passages"] == 0
    before = len(llm_server.chats)
    run = line.read(*arguments)["run"]
    assert run["written"] == count
    # Answers that were under way are lost; all others are there.
    assert run["answers_from_cache"] >= before - concurrency
    asked = [chat.prompt for chat in llm_server.chats]
    assert len(set(asked)) == 2 * count
    assert len(asked) - len(set(asked)) <= concurrency


def test_a_namespace_without_a_graph_is_named(line: CommandLine) -> None:
    assert "holds no graph" in line.run("cache", "status", status=1).stderr
    assert "holds no graph" in line.run("cache", "clear", "--yes", status=1).stderr
