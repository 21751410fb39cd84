"""What is told of an indexing run where no terminal shows bars."""

import io
import threading

import pytest
from rich.console import Console

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.progress import IndexProgress, Lines, index_progress, waiting
from hipporag_neo4j.indexing.index_report import Spent


class Run:
    """Progress on a clock that the test sets, and the lines that it printed."""

    def __init__(self, total: int) -> None:
        self.now = 1000.0
        self._file = io.StringIO()
        self.tell = IndexProgress(Console(file=self._file), None, total, lambda: self.now)

    def at(self, seconds: float, what: str, done: int, total: int | None = None) -> None:
        self.now = 1000.0 + seconds
        self.tell(what, done, total)

    @property
    def lines(self) -> list[str]:
        return self._file.getvalue().splitlines()


def test_a_line_tells_amount_rate_and_time_left() -> None:
    run = Run(total=1890)
    run.at(5, "passages", 60)
    run.at(10, "passages", 120)
    assert run.lines == ["Passages: 120 of 1,890, 12/s, 2 min left, after 10 s"]


def test_what_is_read_by_the_model_tells_tokens_and_money() -> None:
    run = Run(total=100)
    run.tell.spent(Spent(8000, 900, from_cache=1, cost=0.0123, currency="USD"))
    run.at(10, "read by the language model", 20)
    run.tell.spent(Spent(16_000, 1800, from_cache=0))
    run.at(20, "read by the language model", 40)
    assert run.lines == [
        "Read by the language model: 20 of 100, 2.0/s, 40 s left, 8,000 + 900 tokens, 0.0123 USD, 1 answer from cache, "
        "after 10 s",
        "Read by the language model: 40 of 100, 2.0/s, 30 s left, 16,000 + 1,800 tokens, after 20 s",
    ]


def test_lines_come_every_ten_seconds() -> None:
    run = Run(total=100)
    for second in range(1, 41):
        run.at(second, "passages", second)
    assert [line.partition(",")[0] for line in run.lines] == [f"Passages: {n} of 100" for n in (10, 20, 30, 40)]
    assert run.lines[0] == "Passages: 10 of 100, 1.0/s, 90 s left, after 10 s"


def test_the_rate_is_that_of_the_last_two_minutes() -> None:
    run = Run(total=100_000)
    run.at(10, "passages", 9000)  # unchanged ones, passed over quickly
    for second in range(20, 200, 10):
        run.at(second, "passages", 9000 + (second - 10) // 10)
    assert run.lines[-1] == "Passages: 9,018 of 100,000, 6.0/min, 252 h 44 min left, after 190 s"


def test_what_has_no_total_and_what_is_done_have_no_time_left() -> None:
    run = Run(total=100)
    run.at(10, "synonyms", 50)
    run.at(20, "passages", 100)
    run.at(30, "synonyms", 50, 50)
    assert run.lines == [
        "Synonyms: 50, 5.0/s, after 10 s",
        "Passages: 100 of 100, 5.0/s, after 20 s",
        "Synonyms: 50 of 50, 1.7/s, after 30 s",
    ]


def test_what_begins_anew_is_never_told_backwards() -> None:
    run = Run(total=100)
    run.at(10, "texts of this batch", 400, 500)
    run.at(11, "texts of this batch", 500, 500)
    run.at(20, "texts of this batch", 100, 300)
    run.at(30, "texts of this batch", 200, 300)
    assert run.lines[1:] == [
        "Texts of this batch: 100 of 300, after 20 s",
        "Texts of this batch: 200 of 300, 10/s, 10 s left, after 30 s",
    ]


def test_nothing_done_has_no_rate() -> None:
    run = Run(total=100)
    run.at(10, "passages", 0)
    assert run.lines == ["Passages: 0 of 100, after 10 s"]


def test_long_silence_is_broken_now_and_then() -> None:
    """Nothing is reported for 20 minutes but once: a line every ten seconds first, then one a minute."""
    run = Run(total=100)
    for second in range(1, 1201):
        run.now = 1000.0 + second
        if second == 35:
            run.tell("passages", 32, None)
        run.tell.beat()
    assert run.lines[:4] == [
        "Getting ready, after 10 s",
        "Getting ready, after 20 s",
        "Getting ready, after 30 s",
        "Passages: 32 of 100, after 40 s",
    ]
    assert len(run.lines) == 300 / 10 + 900 / 60
    assert run.lines[-1] == "Passages: 32 of 100, after 1200 s"


def test_what_is_waited_for_is_told_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    output.stderr.cache_clear()
    seconds = iter(range(1000))
    lines = Lines("Loading", lambda: float(next(seconds)))
    for _ in range(25):
        lines.beat()
    assert capsys.readouterr().err.splitlines() == ["Loading: 10 s", "Loading: 20 s"]
    output.stderr.cache_clear()


def test_what_is_quick_says_nothing_and_leaves_no_thread(capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    with waiting("Loading"), index_progress(5):
        pass
    assert threading.active_count() == before
    assert capsys.readouterr().err == ""
