"""Without a language model: what `retrieve --no-llm` and `evaluate --no-llm` print, and what they refuse."""

from hipporag_neo4j import demo
from tests.acceptance.command_line import CommandLine
from tests.llm_server import LLMServer

QUESTION = "Which instrument maker lives in Pellick and was taught by Oda Merrin?"


def test_no_language_model_is_asked_and_the_output_says_so(line: CommandLine, llm_server: LLMServer) -> None:
    line.run("import-openie", str(demo.OPENIE))
    with_model = CommandLine({**line.environment, "HIPPORAG_LLM_MODEL": "scripted"})
    found = with_model.read("retrieve", QUESTION, "--no-llm")
    assert (found["mode"], found["no_llm"], found["fallback"]) == ("hybrid", True, None)
    assert {"pellick", "oda merrin"} <= set(found["entities"])
    assert found["looks"][0]["kept"]
    shown = with_model.run("retrieve", QUESTION, "--no-llm").stdout
    assert "No language model was asked" in shown
    assert "pellick" in shown
    for arguments, said in (
        (("--mode", "hipporag2"), "Only 'hybrid' can do without a language model"),
        (("--looks", "2"), "a further look needs a language model"),
    ):
        assert said in with_model.run("retrieve", QUESTION, "--no-llm", *arguments, status=1).stderr

    questions = str(demo.SAMPLE / "questions.json")
    figures = with_model.read(
        "evaluate", questions, "--no-llm", "--mode", "hybrid", "--mode", "hipporag1", "--variant",
        "hipporag1/no-synonyms", "--limit", "3",
    )  # fmt: skip
    assert list(figures["modes"]) == ["hybrid/no-llm", "hipporag1", "hipporag1/no-synonyms"]
    table = with_model.run("evaluate", questions, "--no-llm", "--limit", "2", COLUMNS="200").stdout
    assert "hybrid/no-llm" in table
    assert not llm_server.chats
    refused = line.run("evaluate", questions, "--variant", "nonsense", status=2, COLUMNS="300").stderr
    assert "hipporag1/seeds-only" in refused
    lacking = line.run("evaluate", questions, "--limit", "1", status=1).stderr
    assert "or take --no-llm" in " ".join(lacking.split())
