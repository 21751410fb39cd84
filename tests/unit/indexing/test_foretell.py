"""How long a run will take and what it will leave, from measures or defaults, by hand."""

from datetime import UTC, datetime

import pytest

from hipporag_neo4j.indexing.foretell import Content, Figure, foretell_content, foretell_seconds
from hipporag_neo4j.indexing.store_size import foretell_heap, foretell_store
from hipporag_neo4j.llm.usage import CallUsage
from hipporag_neo4j.runs import Run
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.status import Status

GRAPH = Graph("n", "m", 384, "unicode", 0.8, 1, 1, 1)


def status(passages: int) -> Status:
    return Status(
        GRAPH, passages, phrases=400, facts=300, mentions=500, synonyms=100, malformed_triples=0, dropped_triples=0,
        truncated_passages=0, passages_without_facts=0, unlinked=0, unmentioned=0, emptied=0, states={}, reasons=(),
        runs=(),
    )  # fmt: skip


def run(model: str, written: int, answered: int, **seconds: float) -> Run:
    now = datetime.now(UTC)
    calls = (CallUsage(model, "triples", calls=answered, answered=answered),) if answered else ()
    return Run("r", "index", "finished", now, now, 0.0, seconds, calls, {"model": model, "written": written})


def test_a_graph_is_the_measure_of_what_comes_when_it_holds_enough() -> None:
    content = foretell_content(status(100), 50, 999_999)
    assert (content.passages, content.phrases, content.facts, content.mentions) == (150, 600, 450, 750)
    assert content.synonyms == round(100 * 1.5**1.85)
    assert content.basis == "measured in this graph, 100 passages"
    assert content.nodes == 750
    assert content.relationships == 2 * (450 + 750 + content.synonyms)


def test_musique_is_the_measure_else() -> None:
    content = foretell_content(None, 1890, round(1890 * 484.2))
    assert content.facts == pytest.approx(17_036, rel=0.01)
    assert content.phrases == pytest.approx(16_235, rel=0.01)
    assert content.synonyms == pytest.approx(7121, rel=0.01)
    assert content.basis.startswith("default")
    assert foretell_content(status(10), 1, 4842).facts == 300 + 90


def test_time_by_what_runs_took() -> None:
    runs = [
        run("m", 60, 60, read=120.0, embed=30.0, write=6.0, link=3.0, publish=0.6),
        run("other", 40, 40, read=1.0, embed=20.0, write=4.0, link=2.0, publish=0.4),
        run("m", 0, 0, read=5.0, write=50.0),
    ]
    seconds = foretell_seconds(runs, "m", passages=10, asked=5, calls=10, completion_tokens=700, concurrency=8)
    assert {stage: figure.value for stage, figure in seconds.items()} == pytest.approx(
        {"read": 5 * 120 / 60, "embed": 5.0, "write": 1.0, "link": 0.5, "publish": 0.1}
    )
    assert seconds["read"].basis == "measured in this graph, 60 passages"
    assert seconds["embed"].basis == "measured in this graph, 100 passages"


def test_time_without_runs() -> None:
    seconds = foretell_seconds([], "m", passages=10, asked=5, calls=10, completion_tokens=700, concurrency=4)
    assert seconds["read"].value == pytest.approx((10 * 0.6 + 700 / 70) / 4)
    assert all(figure.basis.startswith("default") for figure in seconds.values())
    nothing = foretell_seconds([], "m", passages=0, asked=0, calls=0, completion_tokens=0, concurrency=4)
    assert sum(figure.value for figure in nothing.values()) == 0


def test_room_grows_with_what_is_new_and_with_dimensions() -> None:
    there = status(100)
    same = Content(100, 400, 300, 500, 100, "")
    assert foretell_store(there, same, 0, 384).value == 0
    small = foretell_store(None, same, 0, 384).value
    large = foretell_store(None, same, 0, 1536).value
    assert small < large < 4 * small
    assert foretell_store(None, same, 1000, 384).value > small


def test_room_is_what_musique_took() -> None:
    """Its database was 1.6 MB before and 153.5 MB after, with the server stopped."""
    content = Content(1890, 16_235, 17_036, 19_755, 7121, "")
    assert foretell_store(None, content, round(1890 * 484.2), 384).value == pytest.approx(151.9e6, rel=0.01)


def test_the_heap_holds_two_projections_and_a_walk() -> None:
    few = foretell_heap(Content(1, 1, 1, 1, 0, ""), Figure(1e8, ""), Figure(1e7, ""))
    assert few.value == pytest.approx(1e9 + 2e8 + 1e7)
    many = foretell_heap(Content(1890, 16_235, 17_016, 19_755, 7121, ""), Figure(4e6, ""), Figure(1e6, ""))
    assert many.value == pytest.approx(1e9 + 2 * 39.7e6 + 1e6, rel=0.01)
