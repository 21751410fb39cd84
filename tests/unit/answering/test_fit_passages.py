"""How passages are fitted into what a model may be shown."""

from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.answering.fit_passages import LEAST, fit_passages
from hipporag_neo4j.domain import RankedPassage


def ranked(*texts: str) -> list[RankedPassage]:
    return [RankedPassage(str(number), "", text, 1.0) for number, text in enumerate(texts, start=1)]


def test_what_fits_stays_whole_with_its_title() -> None:
    passages = [RankedPassage("a", "Lund", "Ada lived here.", 1.0), RankedPassage("b", "", "Short.", 0.5)]
    fitted = fit_passages(passages, 500)
    assert fitted.texts == ("Lund\nAda lived here.", "Short.")
    assert fitted.read == tuple(passages)
    assert (dict(fitted.shortened), fitted.left_out) == ({}, ())


def test_long_ones_are_shortened_alike_and_short_ones_stay() -> None:
    # 100 characters stay whole; of the 1,900 that are left each of the two long ones gets 950, 4 of them for " […]".
    fitted = fit_passages(ranked("a" * 3000, "b" * 100, "c" * 2000), 2000)
    assert [len(text) for text in fitted.texts] == [950, 100, 950]
    assert fitted.texts[0] == "a" * 946 + " […]"
    assert dict(fitted.shortened) == {"1": 3000 - 946, "3": 2000 - 946}


def test_it_is_cut_between_words() -> None:
    (text,) = fit_passages(ranked("word " * 200), 503).texts
    assert text == ("word " * 100).rstrip()[: text.index(" […]")] + " […]"
    assert text.removesuffix(" […]").endswith("word")


def test_the_last_ones_are_left_out_before_all_get_too_little() -> None:
    passages = ranked(*["x" * 1000] * 5)
    fitted = fit_passages(passages, 1200)
    assert fitted.read == tuple(passages[:2])
    assert [len(text) for text in fitted.texts] == [600, 600]
    assert fitted.left_out == tuple(passages[2:])


def test_nothing_is_nothing() -> None:
    assert fit_passages([], 1000).texts == ()


@given(st.lists(st.text(max_size=3000), max_size=12), st.integers(LEAST, 8000))
def test_it_never_exceeds_the_characters_and_loses_nothing_silently(texts: list[str], characters: int) -> None:
    passages = ranked(*texts)
    fitted = fit_passages(passages, characters)
    assert sum(map(len, fitted.texts)) <= characters
    assert [*fitted.read, *fitted.left_out] == passages
    for passage, shown in zip(fitted.read, fitted.texts, strict=True):
        missing = fitted.shortened.get(passage.id, 0)
        assert (shown == passage.text) == (missing == 0)
        assert len(shown.removesuffix(" […]")) == len(passage.text) - missing or missing == 0
        assert passage.text.startswith(shown.removesuffix(" […]"))
