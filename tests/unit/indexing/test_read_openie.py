"""OpenIE files of the official HippoRAG code."""

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hipporag_neo4j.domain import Passage, Triple
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.check_passages import passage_id
from hipporag_neo4j.indexing.read_openie import read_openie
from hipporag_neo4j.text import normalise


def _file(folder: Path, content: Any) -> Path:
    path = folder / "openie.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_the_legacy_generation(shared_data: Path) -> None:
    passages = list(read_openie(shared_data / "musique_train" / "openie_gpt-3.5-turbo-1106.json"))
    corpus = json.loads((shared_data / "musique_train" / "corpus.json").read_text(encoding="utf-8"))
    assert [(each.passage.title, each.passage.text) for each in passages] == [(p["title"], p["text"]) for p in corpus]
    assert [each.row for each in passages] == list(range(1890))
    assert len({passage_id(each.passage) for each in passages}) == 1890
    malformed = [json.loads(text) for each in passages for text in each.extraction.malformed]
    assert Counter(map(len, malformed)) == {4: 112, 2: 70, 5: 2, 6: 1}

    facts, mentions = set(), set()
    for each in passages:
        for triple in each.extraction.triples:
            parts = (triple.subject, triple.predicate, triple.object)
            subject, predicate, object_ = (normalise(part, "paper") for part in parts)
            facts.add((subject, predicate, object_))
            mentions |= {(each.row, subject), (each.row, object_)}
    assert len({phrase for _, phrase in mentions}) == 16_235
    assert len(facts) == 17_036
    assert len(mentions) == 19_755


def test_the_main_generation(shared_data: Path) -> None:
    passages = list(read_openie(shared_data / "hipporag2_sample_run" / "openie_results_ner_gpt-4o-mini.json"))
    assert passages[0].passage.id == "chunk-2aa47410274741a948cf8a94b0e3d88e"
    assert [each.passage.title for each in passages][:2] == ["Thomas C. Sudhof", "David Eagleman"]
    assert passages[0].passage.text.startswith("Introduction\nThomas Christian")
    assert [len(each.extraction.triples) for each in passages] == [8, 11, 12]
    assert passages[0].extraction.triples[0] == Triple("Thomas C. Sudhof", "is", "German-American biochemist")


def test_the_case_study(shared_data: Path) -> None:
    passages = list(read_openie(shared_data / "case_study_university" / "openie.json"))
    assert [each.passage.id for each in passages] == [str(row) for row in range(43)]
    assert sum(len(each.extraction.triples) for each in passages) == 389


def test_parts_of_triples(tmp_path: Path) -> None:
    triples = '[["a", "born in", 1912], ["b", 1.50, true], ["a", "b"], ["a", "b", ["c"]], ["a", null, "c"], "abc", {}]'
    path = _file(
        tmp_path,
        '{"avg": NaN, "docs": [{"passage": "T\\nx", "extracted_entities": ["a", 5, null, ["n"]], '
        f'"extracted_triples": {triples}}}], "more": -Infinity}}',
    )
    (read,) = read_openie(path)
    assert read.extraction.entities == ("a", "5")
    assert read.extraction.triples == (Triple("a", "born in", "1912"), Triple("b", "1.5", "True"))
    assert read.extraction.malformed == ('["a", "b"]', '["a", "b", ["c"]]', '["a", null, "c"]', '"abc"', "{}")


@pytest.mark.parametrize(
    ("entry", "title", "text"),
    [
        ({"title": "T", "text": "x", "passage": "T\nx"}, "T", "x"),
        ({"title": "A\nB", "text": "x", "passage": "A\nB\nx"}, "A\nB", "x"),
        ({"title": "T", "text": "x", "passage": "Other\ny\nz"}, "Other", "y\nz"),
        ({"title": 5, "text": None, "passage": "T\nx"}, "T", "x"),
        ({"passage": "no title"}, "", "no title"),
        ({"passage": "only a title\n"}, "", "only a title\n"),
        ({"title": "T", "text": "x"}, "T", "x"),
        ({"text": "x"}, "", "x"),
    ],
)
def test_title_and_text(tmp_path: Path, entry: dict[str, Any], title: str, text: str) -> None:
    path = _file(tmp_path, [{**entry, "extracted_entities": [], "extracted_triples": None}])
    assert [each.passage for each in read_openie(path)] == [Passage(text, title=title)]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"passage": " ", "extracted_triples": []}, r"entry 2 \(line 1\): the text is empty"),
        ({"passage": 5, "extracted_triples": []}, "entry 2 .*: 'passage' is 5, not a text"),
        ({"extracted_triples": []}, "entry 2 .*: 'passage' is None"),
        ({"passage": "a", "extracted_triples": "none"}, "'extracted_triples' is 'none', not a list"),
        ({"passage": "a", "idx": 1.5, "extracted_triples": []}, "the id is a number"),
        ({"passage": "a", "extracted_triples": [["a", "b", "\ud800"]]}, "half of a surrogate pair"),
        (5, "an entry is an object with 'passage'"),
    ],
)
def test_a_bad_entry_is_named_and_stops_nothing_when_reported(tmp_path: Path, entry: Any, said: str) -> None:
    good = {"passage": "T\nx", "extracted_triples": []}
    path = _file(tmp_path, {"docs": [good, entry, good]})
    with pytest.raises(InputError, match=said):
        list(read_openie(path))
    problems: list[InputError] = []
    assert [each.row for each in read_openie(path, on_problem=problems.append)] == [0, 2]
    assert len(problems) == 1


@pytest.mark.parametrize(
    "content",
    [
        [{"title": "T", "text": "x"}],
        {"docs": [{"text": "x"}]},
        {"passages": [{"text": "x"}]},
        '{"text": "x"}\n{"text": "y"}',
    ],
)
def test_passages_are_for_the_other_command(tmp_path: Path, content: Any) -> None:
    path = _file(tmp_path, content)
    with pytest.raises(InputError, match="Use: hipporag-neo4j index"):
        list(read_openie(path, on_problem=lambda problem: None))


def test_other_files(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "a.jsonl"):
        with pytest.raises(InputError, match="To read passages: hipporag-neo4j index"):
            list(read_openie(path))
    with pytest.raises(InputError, match="doesn't exist"):
        list(read_openie(tmp_path / "none.json"))
    with pytest.raises(InputError, match="It holds 'a'"):
        list(read_openie(_file(tmp_path, {"a": 1})))
    with pytest.raises(InputError, match="holds no passage"):
        list(read_openie(_file(tmp_path, {"docs": []})))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
@pytest.mark.parametrize("name", ["pipe.json", "pipe"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises(InputError, match=r"is a pipe, which can't be read twice.*into a file first"):
        list(read_openie(path))
    link = tmp_path / f"device{path.suffix}"
    link.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="is a device"):
        list(read_openie(link))
