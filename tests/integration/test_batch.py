"""Indexing through the Batch API: the graph is that of single calls, nothing is paid for twice, whatever goes wrong."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import ConfigurationError, InputError, LLMAccessError, LLMError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import send_batch
from hipporag_neo4j.indexing.batch_store import BatchStore
from hipporag_neo4j.llm.batch_api import UncertainBatchError
from hipporag_neo4j.runs import BatchSpent
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, assert_same, read_content
from tests.llm_server import LLMServer, Reply, Request, error, extract_from_prompt
from tests.servers import TestServer

if TYPE_CHECKING:
    import neo4j

PASSAGES = [Passage(f"Ada{i} met Bob{i} in Lund.", id=str(i)) for i in range(6)]
Open = Callable[..., HippoRAG]


@pytest.fixture
def open_rag(settings: Settings, llm_server: LLMServer) -> Iterator[Open]:
    """Opens the test's namespace with the scripted model, each time as another process would."""
    with ExitStack() as opened:

        def make(**changes: object) -> HippoRAG:
            values = {"llm_model": "scripted", "openai_base_url": llm_server.url, "llm_retries": 0}
            changed = Settings.model_validate(settings.model_dump() | values | changes)
            return opened.enter_context(HippoRAG(changed, embedder=HashEmbedder(DIMENSIONS)))

        yield make


@pytest.fixture
def rag(open_rag: Open) -> HippoRAG:
    return open_rag()


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hipporag_neo4j.indexing.resume_batch._FIRST_PAUSE", 0.001)


def is_triples(request: Request) -> bool:
    return "<entities>" in request.prompt


def sizes(llm_server: LLMServer) -> list[int]:
    """How many requests each batch held."""
    return [len(lines) for lines in llm_server.batch_api.sent]


def test_the_graph_is_that_of_single_calls_and_no_call_is_made(
    open_rag: Open, make_namespace: Callable[[], str], llm_server: LLMServer, driver: "neo4j.Driver", server: TestServer
) -> None:
    llm_server.batch_api.steps = ("validating", "in_progress", "finalizing", "completed")
    rag = open_rag()
    sent = rag.index_batch(PASSAGES)
    assert (sent.state, sent.round, sent.latest[0].requests) == ("sent", 1, 6)
    states = [open_rag().resume_batch(PASSAGES).state for _ in range(3)]
    assert states == ["waiting"] * 3
    assert open_rag().resume_batch(PASSAGES).state == "sent"
    assert [batch.status for batch in rag.batches()] == ["completed", "validating"]
    for _ in range(3):
        assert open_rag().resume_batch(PASSAGES).report is None
    done = open_rag().resume_batch(PASSAGES)
    assert done.report is not None
    assert (done.report.written, done.report.failed, done.report.prompt_tokens) == (6, 0, 0)
    assert llm_server.chats == []
    assert sizes(llm_server) == [6, 6]
    entities, triples = rag.batches()
    assert (entities.kept, triples.kept, entities.undone, entities.failures) == (6, 6, 0, 0)
    assert entities.prompt_tokens > 0
    assert triples.finished is not None
    other = open_rag(namespace=make_namespace())
    other.index(PASSAGES)
    assert len(llm_server.chats) == 12
    assert_same(read_content(driver, server, rag.namespace), read_content(driver, server, other.namespace))
    with pytest.raises(InputError, match="No batch is under way"):
        rag.resume_batch(PASSAGES)


def test_requests_are_those_of_single_calls(rag: HippoRAG, open_rag: Open, llm_server: LLMServer) -> None:
    rag.index_batch(PASSAGES[:1])
    rag.advance_batch(PASSAGES[:1])
    batched = [line["body"] for lines in llm_server.batch_api.sent for line in lines]
    rag.cancel_batch()
    open_rag(llm_cache=False).index(PASSAGES[:1])
    assert batched == [chat.body for chat in llm_server.chats]


def test_waiting_goes_through_all_rounds(rag: HippoRAG, llm_server: LLMServer) -> None:
    llm_server.batch_api.steps = ("in_progress", "completed")
    rag.index_batch(PASSAGES)
    heard = []
    done = rag.resume_batch(PASSAGES, wait=True, on_progress=lambda progress: heard.append(progress.state))
    assert heard == ["waiting", "sent", "waiting", "ready"]
    assert done.report is not None
    assert done.report.written == 6


def test_what_is_kept_or_unchanged_is_not_sent(rag: HippoRAG, llm_server: LLMServer) -> None:
    rag.index(PASSAGES[:2])
    before = len(llm_server.chats)
    same_text = Passage(PASSAGES[2].text, id="twin")
    assert rag.index_batch([*PASSAGES[:4], same_text]).latest[0].requests == 2
    rag.resume_batch([*PASSAGES[:4], same_text], wait=True)
    assert sizes(llm_server) == [2, 2]
    assert rag.status().passages == 5
    assert rag.index_batch(PASSAGES[:4]).state == "ready"
    assert len(rag.batches()) == 2
    assert len(llm_server.chats) == before


def test_a_second_batch_is_refused_while_one_is_under_way(rag: HippoRAG, llm_server: LLMServer) -> None:
    rag.index_batch(PASSAGES)
    with pytest.raises(InputError, match=r"A batch is under way.*--resume"):
        rag.index_batch(PASSAGES)
    assert sizes(llm_server) == [6]


def test_two_clients_that_resume_at_once_send_one_round(
    rag: HippoRAG, open_rag: Open, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rag.index_batch(PASSAGES)
    write = send_batch._write
    other = open_rag()

    def overtaken(*arguments: object) -> object:
        monkeypatch.setattr(send_batch, "_write", write)
        assert other.advance_batch(PASSAGES).state == "sent"
        return write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(send_batch, "_write", overtaken)
    assert rag.advance_batch(PASSAGES).state == "waiting"
    assert sizes(llm_server) == [6, 6]
    assert rag.resume_batch(PASSAGES, wait=True).report is not None


def test_a_job_that_another_client_begins_while_the_graph_is_written_goes_on(
    rag: HippoRAG, open_rag: Open, llm_server: LLMServer
) -> None:
    rag.index_batch(PASSAGES)
    assert rag.advance_batch(PASSAGES, wait=True).state == "ready"
    other, eve = open_rag(), [Passage("Eve met Mallory.", id="eve")]
    begun: list[str] = []

    def meanwhile(*_: object) -> None:
        if not begun:
            other.cancel_batch()
            begun.append(other.index_batch(eve).state)

    assert rag.resume_batch(PASSAGES, progress=meanwhile).report is not None
    assert begun == ["sent"]
    done = other.resume_batch(eve, wait=True)
    assert done.report is not None
    assert done.report.written == 1
    assert llm_server.chats == []


def test_the_source_may_change_meanwhile(rag: HippoRAG, llm_server: LLMServer) -> None:
    rag.index_batch(PASSAGES[:4])
    new = [*PASSAGES[2:], Passage("Eve met Mallory.", id="eve")]
    assert rag.advance_batch(new).state == "sent"
    assert sorted(line["custom_id"].partition("-")[0] for line in llm_server.batch_api.sent[1]) == [
        "entities", "entities", "entities", "triples", "triples"
    ]  # fmt: skip
    done = rag.resume_batch(new, wait=True)
    assert done.report is not None
    assert done.report.written == 5
    assert sum(kept.answers for kept in rag.kept_answers()) == 2 * 5 + 2  # those of texts that are gone stay
    assert llm_server.chats == []


def test_an_unreadable_answer_is_asked_again_with_a_nudge(rag: HippoRAG, llm_server: LLMServer) -> None:
    def respond(request: Request) -> str:
        return (
            "no JSON"
            if "Ada1 " in request.prompt and "could not be read" not in request.prompt
            else (extract_from_prompt(request))
        )

    llm_server.respond = respond
    rag.index_batch(PASSAGES)
    done = rag.resume_batch(PASSAGES, wait=True)
    assert done.report is not None
    assert (done.report.written, done.report.failed, done.alone) == (6, 0, 0)
    assert sizes(llm_server) == [6, 6, 1, 1]  # entities; triples and a repeat; its triples; their repeat
    assert llm_server.chats == []


def test_what_no_batch_can_answer_is_asked_alone(rag: HippoRAG, llm_server: LLMServer) -> None:
    def respond(request: Request) -> str | Reply:
        if "Ada0 " in request.prompt and is_triples(request):
            return "no JSON"
        if "Ada1 " in request.prompt:
            return error(500, "boom")
        if "Ada2 " in request.prompt:
            return error(400, "This model's maximum context length is 100 tokens.")
        if "Ada3 " in request.prompt:
            return Reply('{"named_entities": ["Ada', finish_reason="length")
        return extract_from_prompt(request)

    llm_server.respond = respond
    rag.index_batch(PASSAGES)
    done = rag.advance_batch(PASSAGES, wait=True)
    assert (done.state, done.alone) == ("ready", 4)
    # Entities of all; triples of three, and the failing one; an unreadable one again. What would come the same is not.
    assert sizes(llm_server) == [6, 4, 1]
    assert llm_server.chats == []
    done = rag.resume_batch(PASSAGES)
    assert done.report is not None
    assert (done.report.written, done.report.failed) == (2, 4)
    errors = {chat.prompt.partition("<passage>\n")[2][:4] for chat in llm_server.chats}
    assert errors == {"Ada0", "Ada1", "Ada2", "Ada3"}
    first = rag.batches()[0]
    assert (first.kept, first.failures, first.refused, first.cut_off) == (3, 1, 1, 1)
    assert first.complaint is not None


def test_lines_may_be_missing_broken_or_strange(rag: HippoRAG, llm_server: LLMServer) -> None:
    gone: list[str] = []
    strange = (
        '{"custom_id": "entities-00000000000000000000000000000000", "response": {"status_code": 200, "body": {}}}\n'
    )

    def lose_one(custom_id: str) -> bool:
        if not gone:
            gone.append(custom_id)
        return len(llm_server.batch_api.batches) == 1 and custom_id == gone[0]

    def spoil(text: str) -> str:
        llm_server.batch_api.spoil = lambda untouched: untouched
        first, rest = text.split("\n", 1)
        return f"{first[:50]}\n\n{strange}[1, 2]\n{rest}"

    llm_server.batch_api.lost = lose_one
    llm_server.batch_api.spoil = spoil
    rag.index_batch(PASSAGES)
    assert rag.advance_batch(PASSAGES).state == "sent"
    first = rag.batches()[0]
    assert (first.kept, first.failures) == (4, 2)
    assert sizes(llm_server) == [6, 6]
    done = rag.resume_batch(PASSAGES, wait=True)
    assert done.report is not None
    assert done.report.written == 6
    assert llm_server.chats == []
    assert sum(kept.answers for kept in rag.kept_answers()) == 12


def test_an_expired_batch_gives_what_it_has_and_the_rest_is_sent_again(rag: HippoRAG, llm_server: LLMServer) -> None:
    llm_server.batch_api.steps = ("expired",)
    llm_server.batch_api.answers = 2
    rag.index_batch(PASSAGES)
    assert rag.advance_batch(PASSAGES).state == "sent"
    first = rag.batches()[0]
    assert (first.kept, first.undone, first.failures) == (2, 4, 0)
    llm_server.batch_api.steps = ("completed",)
    done = rag.resume_batch(PASSAGES, wait=True)
    assert done.report is not None
    assert done.report.written == 6
    assert len({request.prompt for request in llm_server.batched}) == len(llm_server.batched) == 12


def test_a_file_that_the_endpoint_refuses_ends_the_job(rag: HippoRAG, llm_server: LLMServer) -> None:
    problem = {"code": "invalid_request", "line": 3, "message": "max_tokens is too large", "param": None}
    llm_server.batch_api.fail_batches = [[problem] * 5]
    rag.index_batch(PASSAGES)
    with pytest.raises(LLMError, match=r"line 3: max_tokens is too large.*and 2 more.*has ended") as caught:
        rag.resume_batch(PASSAGES)
    assert "--batch" in str(caught.value)
    assert rag.index_batch(PASSAGES).state == "sent"


def test_a_key_that_the_endpoint_repeats_is_nowhere(
    open_rag: Open, llm_server: LLMServer, driver: "neo4j.Driver", server: TestServer
) -> None:
    key = "sk-canary-0815"
    rag = open_rag(openai_api_key=key)
    llm_server.respond = lambda request: error(401, f"Incorrect API key provided: {key}")
    rag.index_batch(PASSAGES)
    rag.advance_batch(PASSAGES)
    llm_server.batch_api.fail_batches = [[{"code": "x", "line": 3, "message": f"No access with {key}", "param": None}]]
    rag.cancel_batch()
    rag.index_batch(PASSAGES)
    with pytest.raises(LLMError, match=r"No access with \*\*\*") as caught:
        rag.resume_batch(PASSAGES)
    kept = driver.execute_query(
        "MATCH (batch:HippoBatch {namespace: $namespace}) RETURN batch {.*}",
        namespace=rag.namespace,
        database_=server.database,
    ).records
    assert "Incorrect API key provided: ***" in repr(kept)
    assert key not in f"{caught.value} {rag.batches()} {kept}"


def test_a_batch_without_a_single_answer_ends_the_job(rag: HippoRAG, llm_server: LLMServer) -> None:
    many = [Passage(f"Ada{i} met Bob{i} in Lund.", id=str(i)) for i in range(20)]
    llm_server.respond = lambda request: error(404, "The model `scripted` does not exist")
    rag.index_batch(many)
    with pytest.raises(LLMError, match=r"none of 20 requests.*404: The model `scripted` does not exist"):
        rag.resume_batch(many)
    assert llm_server.chats == []


def test_much_that_no_batch_answers_is_not_asked_at_the_full_price(rag: HippoRAG, llm_server: LLMServer) -> None:
    many = [Passage(f"Ada{i} met Bob{i} in Lund.", id=str(i)) for i in range(24)]
    llm_server.respond = lambda request: (
        extract_from_prompt(request)
        if "Ada1" in request.prompt and "Ada19" not in request.prompt
        else (error(400, "This model's maximum context length is 100 tokens."))
    )
    rag.index_batch(many[:23])
    assert rag.advance_batch(many[:23], wait=True).state == "ready"  # 13 are few enough
    rag.cancel_batch()
    llm_server.respond = lambda request: (
        extract_from_prompt(request) if "Ada1 " in request.prompt else error(400, "maximum context length exceeded")
    )
    others = [Passage(f"Ada{i} met Eve{i} in Lund.", id=str(i)) for i in range(24)]
    rag.index_batch(others)
    with pytest.raises(LLMError, match=r"23 requests .* got no usable answer, and 2 did.*context length.*has ended"):
        rag.resume_batch(others, wait=True)
    assert llm_server.chats == []
    with pytest.raises(InputError, match="No batch is under way"):
        rag.resume_batch(others)


def test_a_batch_that_is_given_up_while_it_is_sent_is_not_taken_for_done(
    rag: HippoRAG, open_rag: Open, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rag.index_batch(PASSAGES)
    renew = BatchStore.renew
    other = open_rag()

    def cancelled_before(store: BatchStore, id_: str) -> bool:
        monkeypatch.setattr(BatchStore, "renew", renew)
        other.cancel_batch()
        return renew(store, id_)

    monkeypatch.setattr(BatchStore, "renew", cancelled_before)
    done = rag.resume_batch(PASSAGES)
    assert (done.state, done.report) == ("waiting", None)
    assert sizes(llm_server) == [6]
    assert llm_server.chats == []


def test_the_queue_of_the_endpoint_may_be_small(rag: HippoRAG, llm_server: LLMServer) -> None:
    llm_server.batch_api.most_enqueued = 3
    sent = rag.index_batch(PASSAGES)
    assert sent.left == 0
    done = rag.resume_batch(PASSAGES, wait=True)
    assert done.report is not None
    assert done.report.written == 6
    # Half as much after the refusal, and so on.
    assert sizes(llm_server) == [6, 3, 3, 3, 3]
    assert llm_server.chats == []
    llm_server.batch_api.most_enqueued = 0
    eve = [Passage("Eve met Mallory.", id="eve")]
    rag.index_batch(eve)
    with pytest.raises(LLMError, match=r"queue is full.*Enqueued token limit.*has ended.*--batch"):
        rag.resume_batch(eve)
    llm_server.batch_api.most_enqueued = None
    rag.index_batch(eve)
    assert rag.resume_batch(eve, wait=True).report is not None


def test_large_rounds_go_in_several_batches(
    rag: HippoRAG, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_batch, "MOST_REQUESTS", 4)
    sent = rag.index_batch(PASSAGES)
    assert [batch.requests for batch in sent.latest] == [4, 2]
    done = rag.resume_batch(PASSAGES, wait=True)
    assert done.report is not None
    assert done.report.written == 6
    assert sizes(llm_server) == [4, 2, 4, 2]


@pytest.mark.parametrize(
    ("refuses", "structure"), [({"json_schema"}, "json_object"), ({"max_tokens", "temperature"}, "json_schema")]
)
def test_the_dialect_is_learnt_from_refused_lines(
    rag: HippoRAG, llm_server: LLMServer, refuses: set[str], structure: str
) -> None:
    llm_server.refuses = refuses
    rag.index_batch(PASSAGES)
    done = rag.resume_batch(PASSAGES, wait=True)
    assert done.report is not None
    assert done.report.written == 6
    assert done.batches[-1].dialect.structure == structure
    assert llm_server.refusals == 6 * len(refuses)
    # Learnt once: the next job begins with it.
    rag.index_batch([Passage("Eve met Mallory.", id="eve")])
    assert rag.resume_batch([Passage("Eve met Mallory.", id="eve")], wait=True).report is not None
    assert llm_server.refusals == 6 * len(refuses)
    assert llm_server.chats == []


def test_killed_between_upload_and_creation(rag: HippoRAG, llm_server: LLMServer, clock: Callable[[], None]) -> None:
    def killed(*_: object, **__: object) -> object:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hipporag_neo4j.llm.batch_api.BatchApi.create", killed)
        with pytest.raises(KeyboardInterrupt):
            rag.index_batch(PASSAGES)
    assert len(llm_server.batch_api.files) == 1
    # Its sender may still be at work, for all that others know.
    assert rag.resume_batch(PASSAGES).state == "waiting"
    assert sizes(llm_server) == []
    clock()
    assert rag.resume_batch(PASSAGES).state == "sent"
    assert sizes(llm_server) == [6]
    assert rag.resume_batch(PASSAGES, wait=True).report is not None


def test_killed_between_creation_and_the_note_in_the_graph(rag: HippoRAG, llm_server: LLMServer) -> None:
    llm_server.batch_api.lose_reply = True
    with pytest.raises(UncertainBatchError, match="--resume"):
        rag.index_batch(PASSAGES)
    with pytest.raises(InputError, match="under way"):
        rag.index_batch(PASSAGES)
    assert rag.advance_batch(PASSAGES).state == "sent"
    assert sizes(llm_server) == [6, 6]
    assert rag.resume_batch(PASSAGES, wait=True).report is not None
    assert sizes(llm_server) == [6, 6]


def test_killed_while_answers_are_kept(rag: HippoRAG, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hipporag_neo4j.indexing.collect_batch._KEPT_AT_ONCE", 2)
    rag.index_batch(PASSAGES)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hipporag_neo4j.indexing.batch_store.BatchStore.collect", killed)
        with pytest.raises(KeyboardInterrupt):
            rag.advance_batch(PASSAGES)
    assert [batch.collected for batch in rag.batches()] == [None]
    done = rag.resume_batch(PASSAGES, wait=True)
    assert done.report is not None
    assert sizes(llm_server) == [6, 6]
    assert len(llm_server.batched) == 12


def test_killed_while_the_graph_is_written(rag: HippoRAG, llm_server: LLMServer) -> None:
    rag.index_batch(PASSAGES)
    assert rag.advance_batch(PASSAGES, wait=True).state == "ready"
    done = rag.resume_batch(PASSAGES)
    assert done.report is not None
    assert done.report.written == 6
    assert sizes(llm_server) == [6, 6]


def test_a_download_that_fails_loses_nothing(rag: HippoRAG, open_rag: Open, llm_server: LLMServer) -> None:
    rag.index_batch(PASSAGES)
    llm_server.batch_api.failing_downloads = [500]
    with pytest.raises(LLMError, match="busy or failing"):
        rag.advance_batch(PASSAGES)
    llm_server.batch_api.failing_downloads = [404]
    with pytest.raises(LLMError, match=r"doesn't know 'file-.*batch cancel"):
        rag.advance_batch(PASSAGES)
    llm_server.batch_api.failing_downloads = [503]
    assert open_rag(llm_retries=1).resume_batch(PASSAGES, wait=True).report is not None
    assert sizes(llm_server) == [6, 6]


def test_a_refused_creation_leaves_nothing_behind(rag: HippoRAG, llm_server: LLMServer) -> None:
    for status, said in ((404, "no Batch API"), (429, "busy"), (402, "no credit"), (400, "doesn't take a batch")):
        llm_server.batch_api.refuse_creation = [status]
        with pytest.raises(LLMError, match=said):
            rag.index_batch(PASSAGES)
        assert rag.batches() == ()
    llm_server.api_key = "right"
    with pytest.raises(LLMAccessError, match="refuses the key"):
        rag.index_batch(PASSAGES)
    llm_server.api_key = None
    llm_server.batch_api.absent = True
    with pytest.raises(LLMError, match="seems to have no Batch API: leave --batch out"):
        rag.index_batch(PASSAGES)
    assert rag.batches() == ()
    assert llm_server.chats == []


def test_cancelling_keeps_what_was_answered(rag: HippoRAG, llm_server: LLMServer) -> None:
    llm_server.batch_api.steps = ("in_progress",)
    llm_server.batch_api.answers = 2
    with pytest.raises(InputError, match="No batch"):
        rag.cancel_batch()
    rag.index_batch(PASSAGES)
    assert [batch.status for batch in rag.cancel_batch()] == ["cancelling"]
    with pytest.raises(InputError, match="under way"):
        rag.index_batch(PASSAGES)
    ended = rag.resume_batch(PASSAGES, wait=True)
    assert (ended.state, ended.report, ended.batches[0].kept) == ("cancelled", None, 2)
    assert sizes(llm_server) == [6]
    llm_server.batch_api.steps = ("completed",)
    assert rag.index_batch(PASSAGES).latest[0].requests == 6  # two of them are triples now
    assert rag.resume_batch(PASSAGES, wait=True).report is not None
    assert len(llm_server.batched) == 12


def test_a_batch_that_the_endpoint_forgot_can_be_given_up(rag: HippoRAG, llm_server: LLMServer) -> None:
    rag.index_batch(PASSAGES)
    llm_server.batch_api.batches.clear()
    with pytest.raises(LLMError, match=r"doesn't know 'batch_.*batch cancel"):
        rag.resume_batch(PASSAGES)
    rag.cancel_batch()
    assert rag.index_batch(PASSAGES).state == "sent"


def test_a_batch_whose_answers_are_gone_can_be_given_up(rag: HippoRAG, llm_server: LLMServer) -> None:
    rag.index_batch(PASSAGES)
    llm_server.batch_api.failing_downloads = [404, 404]
    with pytest.raises(LLMError, match=r"doesn't know 'file-.*batch cancel"):
        rag.resume_batch(PASSAGES)
    (given_up,) = rag.cancel_batch()
    assert (given_up.status, given_up.kept) == ("cancelled", 0)
    assert rag.index_batch(PASSAGES).latest[0].requests == 6


def test_cancelling_what_has_ended_keeps_it_and_sends_nothing_more(rag: HippoRAG, llm_server: LLMServer) -> None:
    rag.index_batch(PASSAGES)
    (ended,) = rag.cancel_batch()
    assert (ended.status, ended.kept) == ("completed", 6)
    with pytest.raises(InputError, match="No batch is under way"):
        rag.resume_batch(PASSAGES)
    assert sizes(llm_server) == [6]


def test_another_model_size_or_no_cache_is_refused(rag: HippoRAG, open_rag: Open, llm_server: LLMServer) -> None:
    with pytest.raises(ConfigurationError, match="--no-cache"):
        open_rag(llm_cache=False).index_batch(PASSAGES)
    rag.index_batch(PASSAGES)
    with pytest.raises(ConfigurationError, match=r"'scripted' at .* the settings name 'other' at"):
        open_rag(llm_model="other").resume_batch(PASSAGES)
    with pytest.raises(ConfigurationError, match="HIPPORAG_PASSAGE_SIZE=1500"):
        open_rag(passage_size=800).resume_batch(PASSAGES)
    with pytest.raises(InputError, match="passages in Python: give them again"):
        rag.resume_batch()
    assert sizes(llm_server) == [6]


def test_the_source_is_remembered(rag: HippoRAG, llm_server: LLMServer, tmp_path: Path) -> None:
    source = tmp_path / "notes"
    source.mkdir()
    (source / "a.txt").write_text("Ada met Bob in Lund.")
    rag.index_batch(source)
    moved = source.rename(tmp_path / "moved")
    with pytest.raises(InputError, match="which isn't there on this machine"):
        rag.resume_batch()
    moved.rename(source)
    done = rag.resume_batch(wait=True)
    assert done.report is not None
    assert done.report.written == 1
    assert llm_server.chats == []


def test_a_graph_that_is_dropped_meanwhile_ends_it(rag: HippoRAG, llm_server: LLMServer) -> None:
    rag.index_batch(PASSAGES)
    assert rag.drop(dry_run=True).batches == 1
    rag.drop()
    with pytest.raises(InputError, match="No batch is under way"):
        rag.resume_batch(PASSAGES)
    assert llm_server.chats == []


@pytest.fixture
def clock(rag: HippoRAG, driver: "neo4j.Driver", server: TestServer) -> Callable[[], None]:
    """Lets an hour pass for what the graph remembers of senders."""

    def turn() -> None:
        driver.execute_query(
            "MATCH (b:HippoBatch {namespace: $namespace}) SET b.leased = b.leased - duration('PT1H')",
            namespace=rag.namespace,
            database_=server.database,
        )

    return turn


def test_what_batches_cost_is_counted_once_at_their_price(
    open_rag: Open, llm_server: LLMServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'currency = "EUR"\ndate = 2026-05-04\n'
        '[models."scripted"]\ninput = 1000\noutput = 4000\nbatch_input = 500\nbatch_output = 2000\n'
    )
    one, other = open_rag(prices=prices), open_rag(prices=prices)
    one.index_batch(PASSAGES)
    assert one.spent() == []
    collect = BatchStore.collect

    def overtaken(*arguments: Any) -> None:
        monkeypatch.setattr(BatchStore, "collect", collect)
        assert other.advance_batch(PASSAGES).state == "sent"
        collect(*arguments)

    monkeypatch.setattr(BatchStore, "collect", overtaken)
    assert one.advance_batch(PASSAGES).state == "waiting"
    done = one.resume_batch(PASSAGES, wait=True)
    assert done.report is not None
    batches = one.batches()
    sent, written = (sum(getattr(b, name) for b in batches) for name in ("prompt_tokens", "completion_tokens"))
    cost = (500 * sent + 2000 * written) / 1e6
    assert cost > 0
    assert (done.spent.prompt_tokens, done.spent.completion_tokens, done.spent.currency) == (sent, written, "EUR")
    assert done.spent.cost == pytest.approx(cost)
    (run,) = one.runs()
    assert one.run(run.id).batch == run.batch
    assert run.batch == BatchSpent(2, sent, written, pytest.approx(cost), "EUR", "2026-05-04")  # type: ignore[arg-type]
    assert (run.figures["prompt_tokens"], run.figures["cost"]) == (0, 0.0)
    (total,) = one.spent()
    assert (total.runs, total.batches, total.prompt_tokens, total.completion_tokens) == (0, 2, sent, written)
    assert total.cost == pytest.approx(cost)
    assert total.unpriced_tokens == 0

    more = open_rag()  # its price isn't known: tokens alone
    more.index_batch([*PASSAGES, Passage("Cleo met Dora in Oslo.", id="new")])
    unpriced = more.resume_batch([*PASSAGES, Passage("Cleo met Dora in Oslo.", id="new")], wait=True)
    assert unpriced.spent.cost is None
    latest, first = more.runs()
    assert latest.batch is not None
    assert (latest.batch.batches, latest.batch.cost) == (2, None)
    assert first.batch == run.batch
    without, with_price = sorted(more.spent(), key=lambda spent: spent.cost)
    assert with_price == total
    assert without.unpriced_tokens == latest.batch.prompt_tokens + latest.batch.completion_tokens > 0
