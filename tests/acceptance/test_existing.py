"""`existing check`, `retrieve --graph` and `ask --graph` as they are typed, over a graph of films."""

import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from tests.acceptance.command_line import CommandLine
from tests.existing_graphs import FILMS, film_graph
from tests.llm_server import LLMServer, Reply
from tests.servers import TestServer

if TYPE_CHECKING:
    import neo4j


def test_a_dry_run_and_a_question(
    line: CommandLine, driver: "neo4j.Driver", server: TestServer, llm_server: LLMServer, tmp_path: Path
) -> None:
    mark = f"_{uuid.uuid4().hex[:8]}"
    file = tmp_path / "films.toml"
    file.write_text(FILMS.format(mark=mark), encoding="utf-8")
    with film_graph(driver, server, mark):
        run = line.run("existing", "check", str(file), "--cypher", COLUMNS="160")
        assert "Nothing looks wrong." in run.stdout
        assert "Projection of phrases: 7 nodes, 8 relationships" in run.stdout
        assert f"(passage:`Film{mark}`)" in run.stdout
        asked = ("retrieve", "What else?", "--graph", str(file))
        found = line.read(*asked, "--mode", "hipporag1", "--entity", "Mira Tolle", "--refresh")
        assert [passage["id"] for passage in found["passages"]] == ["The Salt Ferry", "Rent Day", "Tide Viol"]
        assert found["graph"] == str(file)
        llm_server.script = [Reply('{"explanation": "As it says.", "answer": "Rent Day", "passages": [2]}')]
        ask = ("ask", "What else?", "--graph", str(file), "--mode", "hipporag1", "--entity", "Mira Tolle")
        answer = line.read(*ask, HIPPORAG_LLM_MODEL="scripted")
        assert (answer["graph"], answer["answer"]) == (str(file), "Rent Day")
        assert [one["id"] for one in answer["passages"]] == ["Rent Day"]
        assert "--graph searches a graph that has no namespace" in line.run(*ask, "-n", "x", status=2).stderr
        error = line.read(*asked, "--mode", "dense", status=1)["error"]
        assert error["type"] == "ConfigurationError"
        assert "it needs passages.vector in the graph file" in error["message"]
        file.write_text(FILMS.format(mark=mark).replace("PLAYED_IN", "PLAYED_IM"), encoding="utf-8")
        error = line.read("existing", "check", str(file), status=1)["error"]
        assert f"no relationship type 'PLAYED_IM{mark}' (there is 'PLAYED_IN{mark}'" in error["message"]
