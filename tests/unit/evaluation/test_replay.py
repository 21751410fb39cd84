"""Recorded decisions keep the same facts in any look and under any normalisation."""

import json
from pathlib import Path

import pytest

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.query_decisions import Decision, RecordedLook, read_decisions
from hipporag_neo4j.evaluation.replay import replay
from hipporag_neo4j.text import normalise

RECORDED = Decision(
    "Who?",
    named_entities=("Ada",),
    relevant_facts=(("g  stanley hall", "led", "apa"),),
    looks=(RecordedLook((("apa", "is in", "us"),), (("apa", "is in", "us"),)),),
)


def test_what_any_look_kept_is_kept() -> None:
    filter_ = replay(RECORDED)
    assert filter_ is not None
    shown = [("a", "b", "c"), ("apa", "is in", "us"), ("g stanley hall", "led", "apa")]
    verdict = filter_("Who?", shown, ())
    assert verdict.kept == (1, 2)
    assert verdict.entities == ("Ada",)


def test_a_decision_about_entities_alone_filters_nothing() -> None:
    assert replay(Decision("Who?", named_entities=("Ada",))) is None
    nothing = replay(Decision("Who?", relevant_facts=()))
    assert nothing is not None
    assert nothing("Who?", [("a", "b", "c")], ()).kept == ()


def test_files_with_different_parts_of_a_decision_are_joined(tmp_path: Path) -> None:
    first, second, third = tmp_path / "1.json", tmp_path / "2.json", tmp_path / "3.json"
    first.write_text(json.dumps([{"question": "Who?", "named_entities": ["Ada"], "relevant_facts": [["a", "b", "c"]]}]))
    second.write_text(json.dumps([{"question": "Who?", "looks": [{"relevant_facts": [["d", "e", "f"]]}]}]))
    third.write_text(json.dumps([{"question": "Who?", "looks": []}]))
    decision = read_decisions([first, second]).by_question["Who?"]
    assert decision.named_entities == ("Ada",)
    assert decision.kept == (("a", "b", "c"), ("d", "e", "f"))
    with pytest.raises(InputError, match="another decision"):
        read_decisions([first, second, third])


def test_the_real_decisions(shared_data: Path) -> None:
    folder = shared_data / "musique_train"
    decisions = read_decisions(
        [folder / "recorded_llm_query_decisions.json", folder / "recorded_further_looks.json"]
    ).by_question
    assert sum(len(set(decision.kept or ())) for decision in decisions.values()) == 360
    for decision in decisions.values():
        filter_ = replay(decision)
        assert filter_ is not None
        collapsed = [tuple(normalise(part, "unicode") for part in fact) for fact in decision.kept or ()]
        assert len(filter_("", [(s, p, o) for s, p, o in collapsed], ()).kept) == len(collapsed)
