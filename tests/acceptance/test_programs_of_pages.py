"""The programs that the pages under docs/ show run, one after the other, on a graph that holds two passages."""

from pathlib import Path

import pytest

from hipporag_neo4j import HippoRAG, Passage
from tests.acceptance.command_line import CommandLine
from tests.documentation import PAGES, blocks, name_of, read
from tests.llm_server import LLMServer, Reply, Request, extract_from_prompt

ELSEWHERE = {"README.md", "docs/adapters.md"}
"""Pages whose programs have tests of their own, which look at what they print."""
SHOWN = [page for page in PAGES if blocks(read(page), "python") and name_of(page) not in ELSEWHERE]
GRAPH = """
[passages]
label = "Passage"
text = "text"

[[phrases]]
label = "Phrase"
name = "name"

[[mentions]]
steps = [{ type = "MENTIONS", direction = "out" }]
count = "count"

[[relationships]]
type = "RELATES"
predicate_property = "predicate"
"""
"""What the file says of which a page speaks: this product's own nodes, as if they were those of others."""
PASSAGES = [
    Passage("Oda Merrin taught Ilse Corvane.", id="press-0412", metadata={"year": 2021, "team": "x"}),
    Passage("Ilse Corvane lives in Pellick.", id="contracts-2019", metadata={"year": 2019, "team": "x"}),
]


def answer(request: Request) -> str | Reply:
    """What the scripted model says."""
    if "<facts>" in request.prompt:
        return '{"relevant_facts": [1], "named_entities": ["Pellick"]}'
    if "<passages>" in request.prompt or "[1]" in request.prompt:
        return '{"explanation": "It says so.", "answer": "Ilse Corvane", "passages": [1]}'
    return extract_from_prompt(request)


@pytest.mark.parametrize("page", SHOWN, ids=name_of)
def test_its_programs_run(
    page: Path,
    line: CommandLine,
    llm_server: LLMServer,
    namespace: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    llm_server.respond = answer
    for name, value in {**line.environment, "HIPPORAG_LLM_MODEL": "scripted", "OPENAI_API_KEY": "key"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graph.toml").write_text(GRAPH)
    with HippoRAG() as rag:
        rag.index(PASSAGES)
        known = {"rag": rag, "question": "Who lives in Pellick and was taught by Oda Merrin?"}
        for program in blocks(read(page), "python"):
            exec(compile(program.replace('"papers"', repr(namespace)), name_of(page), "exec"), known)
