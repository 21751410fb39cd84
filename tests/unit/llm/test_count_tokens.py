"""Tokens of a text, by a rule, and by tiktoken where it is there."""

import subprocess
import sys
from pathlib import Path

import pytest

from hipporag_neo4j.llm.count_tokens import rule_of_thumb, token_counter
from tests.servers import ROOT


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("  \n", 0),
        ("in 1911.", 2 * 0.23 + 4 * 0.75 + 0.58),
        ("конец", 5 * 0.38),
        ("天文台", 3 * 0.88),
        ("ƣ", 1),
    ],
)
def test_the_rule_by_hand(text: str, tokens: float) -> None:
    assert rule_of_thumb(text) == pytest.approx(tokens)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # As `o200k_base` counts them.
        ("The Brindle Harbour Observatory opened in 1911 on Cape Wend, and its founder gave it a refractor.", 22),
        ("Обсерватория открылась в 1911 году на мысе Венд. Её основательница подарила ей рефрактор.", 28),
        ("该天文台于一九一一年在文德角启用。它的创办人是钟表匠，她赠送了一台四十厘米的折射望远镜。", 40),
    ],
)
def test_the_rule_is_near_a_tokenizer(text: str, tokens: int) -> None:
    assert rule_of_thumb(text) == pytest.approx(tokens, rel=0.25)


def test_a_model_that_tiktoken_does_not_know_is_counted_by_the_rule_and_it_says_so() -> None:
    counter = token_counter("llama3.1")
    assert counter.count is rule_of_thumb
    assert "tiktoken doesn't know the model" in counter.basis


def test_a_vocabulary_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    program = (
        "from hipporag_neo4j.llm.count_tokens import token_counter, rule_of_thumb\n"
        "counter = token_counter('gpt-4o-mini')\n"
        "print(counter.count is rule_of_thumb, counter.basis)"
    )
    nowhere = {"TIKTOKEN_CACHE_DIR": str(tmp_path), "HTTPS_PROXY": "http://127.0.0.1:9", "PATH": ""}
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=nowhere, capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("True ")
    assert "vocabulary can't be had" in run.stdout
