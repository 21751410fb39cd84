"""What `status` says of a graph that is empty, half failed, being written, or left as it is after a kill."""

from collections.abc import Callable

import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import publish
from hipporag_neo4j.settings import Settings
from hipporag_neo4j.status import Reason
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, passage, write
from tests.llm_server import LLMServer, Reply, Request, extract_from_prompt

FACTS = [passage(f"p{number}", (f"old mill {number}", "near", f"harbour {number}")) for number in range(3)]


@pytest.fixture
def open_rag(settings: Settings, llm_server: LLMServer) -> Callable[[], HippoRAG]:
    """Opens the test's namespace with the scripted model."""
    model = {"openai_base_url": llm_server.url, "llm_model": "scripted", "llm_retries": 0, "llm_concurrency": 1}
    return lambda: HippoRAG(settings.model_copy(update=model), embedder=HashEmbedder(DIMENSIONS))


def test_states_reasons_and_the_last_run(open_rag: Callable[[], HippoRAG], llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: "No." if "Cleo" in request.prompt else extract_from_prompt(request)
    with open_rag() as rag:
        rag.init()
        empty = rag.status()
        assert (empty.passages, empty.states, empty.runs, empty.interrupted) == (0, {}, (), False)

        rag.index([Passage(f"Ada met {name}.", id=name) for name in ("Bob", "Cleo", "Cleopatra")])
        found = rag.status()
        assert found.states == {"written": 1, "failed": 2}
        (reason,) = found.reasons
        assert reason == Reason(reason.error, 2)
        assert reason.error.startswith("named entities: ")
        (run,) = found.runs
        assert (run.kind, run.state, run.figures["written"], run.figures["failed"]) == ("index", "finished", 1, 2)
        assert not found.running
        assert not found.interrupted

        llm_server.respond = extract_from_prompt
        assert rag.retry_failed().written == 2
        found = rag.status()
        assert (found.states, found.reasons) == ({"written": 3}, ())
        assert [run.figures["written"] for run in found.runs] == [2, 1]


def test_a_run_that_goes_on_says_so(open_rag: Callable[[], HippoRAG], llm_server: LLMServer) -> None:
    seen = []
    with open_rag() as other:

        def answer(request: Request) -> Reply | str:
            seen.append(other.status())
            return extract_from_prompt(request)

        llm_server.respond = answer
        with open_rag() as rag:
            rag.index([Passage("Ada met Bob.", id="a")])
        assert seen[0].passages == 0
        assert [run.state for run in seen[0].running] == ["running"]
        assert other.status().running == ()
        assert [run.state for run in other.status().runs] == ["finished"]


def test_what_was_cut_off_is_left_for_the_next_run(
    open_rag: Callable[[], HippoRAG], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off where the new version is shown, but what nothing needs any more isn't deleted yet."""
    with open_rag() as rag:
        write(rag, FACTS)

        def killed(*_: object) -> int:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(publish, "_delete", killed)
            with pytest.raises(KeyboardInterrupt):
                rag.delete(["p0"])
        found = rag.status()
        assert found.graph.version == found.graph.published
        assert (found.passages, found.emptied, found.unmentioned, found.unlinked) == (2, 1, 2, 0)
        assert found.interrupted
        assert found.runs[0].state == "broken off"

        assert rag.delete(["p0"]).phrases == 2
        found = rag.status()
        assert (found.emptied, found.unmentioned, found.interrupted) == (0, 0, False)
