"""What a batch adds, counted by hand under both normalisations."""

from collections.abc import Sequence

import pytest

from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage, Triple
from hipporag_neo4j.indexing.gather_batch import Batch, IdentifiedPassage, distinct_facts, gather_batch
from hipporag_neo4j.keys import fact_key, passage_key, phrase_key
from hipporag_neo4j.text import NORMALISATIONS, Normalisation

TRIPLES = (
    Triple("Ada", "knows", "Bob"),
    Triple("ada", "KNOWS", " Bob!"),  # the same fact
    Triple("Ada", "met", "Bob"),
    Triple("Ada", "is", "ada"),  # a self-loop
    Triple("Ada", "speaks", "한국어"),  # the empty phrase under `paper`
    Triple("?", "is", "…"),  # a self-loop of the empty phrase
    Triple("Bob", "…", "Ada"),  # no predicate
)


def gather(
    *passages: tuple[str, Sequence[Triple]], normalisation: Normalisation = "unicode", namespace: str = "n"
) -> Batch:
    return gather_batch(
        [
            IdentifiedPassage(id_, f"hash of {id_}", ExtractedPassage(Passage(f"text of {id_}"), Extraction(triples=t)))
            for id_, t in ((id_, tuple(triples)) for id_, triples in passages)
        ],
        namespace=namespace,
        normalisation=normalisation,
        run="run",
    )


def counts(batch: Batch, passage: int = 0) -> dict[str, int]:
    return {batch.phrases[key]: count for key, count in batch.passages[passage].phrases.items()}


def facts(batch: Batch) -> dict[tuple[str, str, str], list[str]]:
    names = batch.phrases
    return {(names[f.subject], f.predicate, names[f.object]): f.passages for f in batch.facts.values()}


def test_unicode_drops_and_counts_what_is_no_fact() -> None:
    batch = gather(("1", TRIPLES))
    assert facts(batch) == {
        ("ada", "knows", "bob"): ["1"],
        ("ada", "met", "bob"): ["1"],
        ("ada", "speaks", "한국어"): ["1"],
    }
    assert counts(batch) == {"ada": 3, "bob": 2, "한국어": 1}
    assert batch.passages[0].properties["dropped"] == 3


def test_paper_keeps_self_loops_and_the_empty_phrase() -> None:
    batch = gather(("1", TRIPLES), normalisation="paper")
    assert facts(batch) == {
        ("ada", "knows", "bob"): ["1"],
        ("ada", "met", "bob"): ["1"],
        ("ada", "is", "ada"): ["1"],
        ("ada", "speaks", ""): ["1"],
        ("", "is", ""): ["1"],
        ("bob", "", "ada"): ["1"],
    }
    # A self-loop contains its phrase once.
    assert counts(batch) == {"ada": 5, "bob": 3, "": 2}
    assert "dropped" not in batch.passages[0].properties


def test_inner_spaces_tell_phrases_apart_under_paper_alone() -> None:
    triples = (Triple("G. Hall", "is", "x"), Triple("G Hall", "is", "x"))
    assert set(gather(("1", triples)).phrases.values()) == {"g hall", "x"}
    assert set(gather(("1", triples), normalisation="paper").phrases.values()) == {"g  hall", "g hall", "x"}


def test_a_fact_of_two_passages_names_both_and_is_embedded_once() -> None:
    batch = gather(("1", [Triple("a", "r", "b")]), ("2", [Triple("A", "R", "B"), Triple("b", "r", "a")]), ("3", []))
    assert facts(batch) == {("a", "r", "b"): ["1", "2"], ("b", "r", "a"): ["2"]}
    assert counts(batch, 0) == {"a": 1, "b": 1}
    assert counts(batch, 1) == {"a": 2, "b": 2}
    assert counts(batch, 2) == {}
    assert batch.facts[fact_key("n", "a", "r", "b")].text == "('a', 'r', 'b')"


def test_keys_are_those_of_the_namespace() -> None:
    batch = gather(("1", [Triple("a", "r", "b")]), namespace="team")
    assert batch.passages[0].key == passage_key("team", "1")
    assert batch.phrases == {phrase_key("team", name): name for name in ("a", "b")}
    assert set(batch.facts) == {fact_key("team", "a", "r", "b")}


def test_properties_say_where_a_passage_comes_from_and_hold_no_null() -> None:
    source = Passage("text", id="1", title="Title", metadata={"year": 1999, "id": "theirs"}, document="d", part=2)
    extraction = Extraction(entities=("Ada",), malformed=('["a"]',))
    passage = IdentifiedPassage("1", "hash", ExtractedPassage(source, extraction, row=7))
    row = gather_batch([passage], namespace="n", normalisation="unicode", run="run").passages[0]
    assert row.text == "Title\ntext"
    assert None not in row.properties.values()
    assert {name: row.properties[name] for name in ("id", "meta_id", "meta_year", "document", "part", "row")} == {
        "id": "1", "meta_id": "theirs", "meta_year": 1999, "document": "d", "part": 2, "row": 7
    }  # fmt: skip
    assert row.properties["malformed"] == ['["a"]']
    assert row.properties["entities"] == ["Ada"]
    assert row.properties["status"] == "written"


def test_a_failed_passage_says_why() -> None:
    passage = IdentifiedPassage("1", "hash", ExtractedPassage(Passage("text"), Extraction(error="triples: busy")))
    row = gather_batch([passage], namespace="n", normalisation="unicode", run="run").passages[0]
    assert (row.properties["status"], row.properties["error"]) == ("failed", "triples: busy")


def test_distinct_facts_keep_their_order() -> None:
    found, dropped = distinct_facts([Triple("b", "r", "a"), Triple("a", "r", "b"), Triple("B", "r", "a")], "unicode")
    assert list(found) == [("b", "r", "a"), ("a", "r", "b")]
    assert dropped == 0


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_an_endless_phrase_is_dropped_and_counted(normalisation: Normalisation) -> None:
    triples = [Triple("a", "r", "b" * 2001), Triple("a", "r" * 2001, "b"), Triple("a", "r", "b" * 2000)]
    found, dropped = distinct_facts(triples, normalisation)
    assert list(found) == [("a", "r", "b" * 2000)]
    assert dropped == 2
