"""What docs/adapters.md says is so: its programs run, its versions are those that are installed, its tools exist."""

import re
import subprocess
import sys
from importlib.metadata import version

import pytest

from tests.acceptance.command_line import CommandLine
from tests.libraries import need
from tests.llm_server import LLMServer, Reply, Request, extract_from_prompt
from tests.servers import ROOT

for library in ("neo4j_graphrag", "langchain_core", "llama_index.core", "mcp"):
    need(library)

PAGE = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
PROGRAMS = {
    f"{number} {program.split()[1]}": program
    for number, program in enumerate(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL), start=1)
}


def answer(request: Request) -> str | Reply:
    """What the scripted model says: facts 1 and 2 where facts are numbered, a name where a context is given."""
    if "Context:" in request.prompt:
        return "Ilse Corvane"
    if "<facts>" in request.prompt:
        return '{"relevant_facts": [1], "named_entities": ["Pellick"]}'
    return extract_from_prompt(request)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs(name: str, line: CommandLine, llm_server: LLMServer, namespace: str) -> None:
    llm_server.respond = answer
    environment = {
        **line.environment,
        "HIPPORAG_LLM_MODEL": "scripted",
        "OPENAI_API_KEY": "key-for-tests",
        "PYTHONUTF8": "1",
    }
    index = (
        "from hipporag_neo4j import HippoRAG, Passage\n"
        f"with HippoRAG(namespace={namespace!r}) as rag:\n"
        "    rag.index([Passage('Ilse Corvane lives in Pellick.', id='b')])\n"
    )
    program = PROGRAMS[name].replace('"papers"', repr(namespace))
    assert program != PROGRAMS[name]
    before = "" if "rag.index(" in program else index
    run = subprocess.run(
        [sys.executable, "-c", before + program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    *_, last = run.stdout.splitlines()
    assert last == ("text-embedding-3-small" if "rag.index(" in program else "['b']"), run.stdout


def test_the_versions_are_those_that_are_tested() -> None:
    rows = re.findall(r"^\| `hipporag-neo4j\[([\w-]+)\]` \| ([\w-]+) \| ([\d.]+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 4
    for _, library, tested in rows:
        assert version(library).split(".")[:2] == tested.split(".")[:2], library


def test_the_tools_are_those_that_there_are() -> None:
    from hipporag_neo4j.adapters.mcp import Tools

    (table,) = re.findall(r"^\| tool \| does \|\n\|[-|]+\|\n(.*?)^$", PAGE, re.MULTILINE | re.DOTALL)
    named = {re.findall(r"`(\w+)`", row)[0] for row in table.splitlines()}
    assert named == {name for name in vars(Tools) if not name.startswith("_")}
