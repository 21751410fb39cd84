"""The client of the Batch API against the scripted server: what is repeated, what is said, what is never shown."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hipporag_neo4j.errors import LLMAccessError, LLMError
from hipporag_neo4j.llm.batch_api import BatchApi, BatchNotFoundError, UncertainBatchError
from hipporag_neo4j.settings import Settings
from tests.llm_server import LLMServer

Open = Callable[..., BatchApi]
LINE = b'{"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": [1]}}\n'


@pytest.fixture
def open_api(llm_server: LLMServer) -> Iterator[Open]:
    opened: list[BatchApi] = []

    def make(**changes: object) -> BatchApi:
        values = {"openai_base_url": llm_server.url, "llm_retries": 2} | changes
        opened.append(BatchApi(Settings.model_validate(values), "scripted", backoff=0.001))
        return opened[-1]

    yield make
    for api in opened:
        api.close()


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    path = tmp_path / "requests.jsonl"
    path.write_bytes(LINE)
    return path


def test_batches_are_found_again_by_their_tokens(open_api: Open, llm_server: LLMServer, requests: Path) -> None:
    llm_server.batch_api.steps = ("in_progress",)
    api = open_api()
    file = api.upload(requests)
    made = {str(i): api.create(file, token=str(i), namespace="n").id for i in range(205)}
    found = api.find({"0", "150", "204", "none"})
    assert {token: state.id for token, state in found.items()} == {i: made[i] for i in ("0", "150", "204")}
    assert api.find(set()) == {}


def test_creation_is_never_repeated(open_api: Open, llm_server: LLMServer, requests: Path) -> None:
    api = open_api()
    file = api.upload(requests)
    for status in (500, 503):
        llm_server.batch_api.refuse_creation = [status, 200]
        with pytest.raises(UncertainBatchError, match="may have been created"):
            api.create(file, token="t", namespace="n")
        assert llm_server.batch_api.refuse_creation == [200]
    llm_server.batch_api.refuse_creation = [429, 200]
    with pytest.raises(LLMError) as caught:
        api.create(file, token="t", namespace="n")
    assert not isinstance(caught.value, UncertainBatchError)
    llm_server.batch_api.refuse_creation = []
    llm_server.batch_api.lose_reply = True
    with pytest.raises(UncertainBatchError):
        api.create(file, token="t", namespace="n")
    assert len(llm_server.batch_api.batches) == 1


def test_a_download_is_repeated(open_api: Open, llm_server: LLMServer, requests: Path, tmp_path: Path) -> None:
    api = open_api()
    file = api.upload(requests)
    llm_server.batch_api.failing_downloads = [503, 429]
    api.download(file, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == LINE
    llm_server.batch_api.failing_downloads = [503] * 3
    with pytest.raises(LLMError, match="busy or failing"):
        api.download(file, tmp_path / "back")
    with pytest.raises(BatchNotFoundError, match="doesn't know 'file-none'"):
        api.download("file-none", tmp_path / "back")


def test_what_is_no_batch_api_is_named(open_api: Open, llm_server: LLMServer, requests: Path) -> None:
    llm_server.batch_api.absent = True
    with pytest.raises(LLMError, match=r"can't take a file of requests .*no Batch API"):
        open_api().upload(requests)
    with pytest.raises(LLMError, match="can't list its batches"):
        open_api().find({"t"})
    # Some servers answer every path with a page.
    llm_server.batch_api.absent = False
    llm_server.batch_api.handle = lambda *_: (200, "<html>")  # type: ignore[method-assign]
    with pytest.raises(LLMError, match="something that is of no Batch API"):
        open_api(llm_retries=0).upload(requests)


def test_no_message_shows_the_key(open_api: Open, llm_server: LLMServer, requests: Path) -> None:
    key = "sk-secret-0123456789"
    llm_server.api_key = "another"
    with pytest.raises(LLMAccessError, match="refuses the key") as caught:
        open_api(openai_api_key=key).upload(requests)
    shown = "".join(map(str, (caught.value, caught.value.__cause__, caught.value.__context__)))
    assert key not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or key not in shown


def test_a_closed_server_is_named(open_api: Open, llm_server: LLMServer) -> None:
    api = open_api(llm_retries=0)
    llm_server.close()
    with pytest.raises(LLMError, match="can't be reached"):
        api.retrieve("batch_1")
