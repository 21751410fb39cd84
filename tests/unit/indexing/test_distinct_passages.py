"""Each passage once."""

import tracemalloc

import pytest

from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.distinct_passages import DistinctPassages


def test_repeats_are_skipped_and_counted() -> None:
    passages = DistinctPassages([Passage(text="a"), Passage(text="b", id="1"), Passage(text="a"), Passage("b", "1")])
    assert [passage.text for passage in passages] == ["a", "b"]
    assert passages.repeated == 2


@pytest.mark.parametrize(
    "other", [Passage(text="c", id="1"), Passage(text="b", id="1", title="t"), Passage("b", "1", metadata={"a": 1})]
)
def test_two_texts_with_one_id_are_an_error_that_names_both(other: Passage) -> None:
    passages = [Passage(text="a"), Passage(text="b", id="1"), Passage(text="d"), other]
    with pytest.raises(InputError, match=r"Passages 2 and 4, .* same id '1'"):
        list(DistinctPassages(passages))
    problems: list[InputError] = []
    assert list(DistinctPassages(passages, problems.append)) == passages[:3]
    assert len(problems) == 1


def test_read_passages_count_too() -> None:
    one = ExtractedPassage(Passage(text="a"), Extraction(), row=0)
    passages = DistinctPassages([one, ExtractedPassage(Passage(text="a"), Extraction(), row=1)])
    assert list(passages) == [one]
    assert passages.repeated == 1


def test_memory_does_not_grow_with_ids_and_texts() -> None:
    count = 10_000
    tracemalloc.start()
    try:
        passages = DistinctPassages(Passage(text="x" * 1000, id=f"{number:0500}") for number in range(count))
        assert sum(1 for _ in passages) == count
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held / count < 220
