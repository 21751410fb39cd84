"""Each passage once."""

import tracemalloc
from functools import partial

import pytest

from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.distinct_passages import DistinctPassages
from hipporag_neo4j.indexing.split_text import split_passage


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


LONG = Passage(text="One lamp. " * 30, id="a")
split = partial(split_passage, size=100)
"""LONG has the parts a#1, a#2 and a#3."""


def test_a_long_passage_whose_part_has_the_id_of_another_is_left_out_whole() -> None:
    problems: list[InputError] = []
    passages = [Passage(text="mine", id="a#2"), LONG, Passage(text="after", id="z")]
    given = DistinctPassages(passages, problems.append, split)
    assert [passage.id for passage in given] == ["a#2", "z"]
    (problem,) = problems
    assert "Passage 2, in the order they were read, is long, and its part 2 would have the id 'a#2'" in str(problem)
    assert "which passage 1 has. None of its parts is taken" in str(problem)


def test_an_id_that_a_part_has_already_is_an_error_of_the_later_passage() -> None:
    problems: list[InputError] = []
    given = DistinctPassages([LONG, Passage(text="mine", id="a#2")], problems.append, split)
    assert [passage.id for passage in given] == ["a#1", "a#2", "a#3"]
    assert "Passages 1 and 2" in str(problems[0])
    assert "Parts of a long text have such ids" in str(problems[0])


@pytest.mark.parametrize("other", [Passage(text="short", id="a"), Passage(text="One lamp. " * 29 + "Two.", id="a")])
def test_two_long_texts_with_one_id_are_not_mixed(other: Passage) -> None:
    for first, second in ((LONG, other), (other, LONG)):
        problems: list[InputError] = []
        given = list(DistinctPassages([first, second], problems.append, split))
        assert given == list(split(first))
        assert "Passages 1 and 2" in str(problems[0])
        assert len(problems) == 1


def test_a_long_passage_that_is_repeated_counts_with_its_parts() -> None:
    given = DistinctPassages([LONG, LONG], split=split)
    assert [passage.id for passage in given] == ["a#1", "a#2", "a#3"]
    assert given.repeated == 3
