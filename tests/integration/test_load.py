"""Many clients on one graph: processes that read and write it at once, and an oracle for all they were answered."""

from typing import Any

import pytest

from hipporag_neo4j.settings import Settings
from scripts._load.__main__ import faults, put_load
from scripts._load.history import History, HistoryError
from scripts._load.memory import growth
from scripts._load.oracle import Oracle, Vectors
from scripts._load.world import QUESTIONS


def test_some_clients_for_a_moment(settings: Settings) -> None:
    figures = put_load(settings, seconds=12, readers=4, processes=2, writers=2, pause=0.5)
    assert faults(figures) == [], figures["examples"]
    assert figures["runs"] > 2


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_many_clients_for_minutes(settings: Settings) -> None:
    figures = put_load(settings, seconds=240, readers=8, processes=4, writers=2, pause=1.0)
    assert faults(figures) == [], figures["examples"]
    assert figures["runs"] > 20


COMMITS: list[dict[str, Any]] = [
    {"version": 1, "written": [["a", [["amber harbour", "lies near", "brindle meadow"]]]]},
    {"version": 2, "written": [["b", [["brindle meadow", "trades with", "copper lantern"]]]]},
]


def complaint(history: History, version: int, passages: list[list[Any]]) -> str | None:
    history.go_to(version)
    answer = {"mode": "dense", "question": 0, "seeds": {}, "shown": [], "passages": passages}
    return Oracle(history.content(), Vectors(384)).complain(answer)


def test_the_oracle_finds_what_is_wrong() -> None:
    vectors = Vectors(384)
    question = QUESTIONS[0].text
    texts = {"a": "amber harbour lies near brindle meadow", "b": "brindle meadow trades with copper lantern"}
    near = {id_: float(vectors.of([text])[0] @ vectors.of([question])[0]) for id_, text in texts.items()}
    ranked: list[list[Any]] = [[id_, near[id_]] for id_ in sorted(near, key=lambda id_: -near[id_])]
    assert complaint(History("n", COMMITS), 2, ranked) is None
    assert "in place 1" in str(complaint(History("n", COMMITS), 2, ranked[::-1]))
    assert "is not there" in str(complaint(History("n", COMMITS), 1, ranked))
    assert "at 9.0" in str(complaint(History("n", COMMITS), 2, [[ranked[0][0], 9.0]]))
    assert complaint(History("n", COMMITS), 2, []) == "it has no passages"


def test_a_history_with_a_hole_is_refused() -> None:
    with pytest.raises(HistoryError, match="Version 1 was made by 0"):
        History("n", COMMITS[1:])
    with pytest.raises(HistoryError, match="Version 2 was made by 2"):
        History("n", [*COMMITS, COMMITS[1]])


def test_growth_is_told_from_garbage() -> None:
    assert growth([50, 400, 100, 300, 110, 500, 105, 400, 104]).flat
    assert not growth([50, 400, 100, 300, 110, 500, 160, 400, 161]).flat
    assert growth([50.0, 100.0, 101.0, None, None]).end == 101.0
