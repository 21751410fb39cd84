"""What is dropped of the projections that all clients share."""

from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.projection_catalogue import Held, superfluous

KEPT = "hipporag.a.100.7.9.phrases.aa"
NAMES = st.builds(
    "hipporag.{}.{}.{}.{}.{}{}".format,
    st.sampled_from("ab"),
    st.sampled_from((90, 100)),
    st.integers(5, 8),
    st.sampled_from(("8", "9", "10", "building")),
    st.sampled_from(("phrases.aa", "passages.aa", "passages.bb.cc")),
    st.sampled_from(("", "", ".own-0123")),
)


def names(*held: tuple[str, int, float], most: int = 1000) -> list[str]:
    return superfluous([Held(*one) for one in held], KEPT, most)


def test_older_versions_of_the_namespace_go_whatever_their_weights() -> None:
    assert names(
        ("hipporag.a.100.6.6.phrases.aa", 1, 5),
        ("hipporag.a.100.6.8.passages.bb", 1, 5),
        ("hipporag.a.90.50.50.phrases.aa", 1, 5),  # of a graph that was dropped and made anew
        ("hipporag.a.100.7.8.phrases.aa", 1, 5),  # lacked something that was written since
        ("hipporag.a.100.7.8.phrases.bb", 1, 5),
        ("hipporag.a.100.8.8.phrases.aa", 1, 5),
        ("hipporag.b.100.6.6.phrases.aa", 1, 5),
        ("hipporag.ab.100.6.6.phrases.aa", 1, 5),
        (KEPT, 1, 0),
    ) == [
        "hipporag.a.100.6.6.phrases.aa",
        "hipporag.a.100.6.8.passages.bb",
        "hipporag.a.90.50.50.phrases.aa",
        "hipporag.a.100.7.8.phrases.aa",
    ]


def test_what_a_client_forgot_goes_after_a_minute_what_it_announced_after_an_hour() -> None:
    own, announced = "hipporag.b.100.7.9.phrases.aa.own-1", "hipporag.b.100.7.building.phrases.aa"
    assert names((own, 1, 61.0), (announced, 1, 3601.0), (KEPT, 1, 0)) == [own, announced]
    assert names((own, 1, 59.0), (announced, 1, 3599.0), (KEPT, 1, 0)) == []


def test_the_oldest_go_while_all_take_too_much() -> None:
    held = [("hipporag.b.100.1.1.phrases.aa", 400, 30.0), ("hipporag.c.100.1.1.phrases.aa", 400, 20.0), (KEPT, 300, 0)]
    assert names(*held, most=1100) == []
    assert names(*held, most=1099) == ["hipporag.b.100.1.1.phrases.aa"]
    assert names(*held, most=699) == ["hipporag.b.100.1.1.phrases.aa", "hipporag.c.100.1.1.phrases.aa"]
    assert names(*held, most=1) == ["hipporag.b.100.1.1.phrases.aa", "hipporag.c.100.1.1.phrases.aa"]


@given(
    st.dictionaries(NAMES, st.tuples(st.integers(1, 50), st.floats(0, 100) | st.floats(3500, 3700)), max_size=12),
    st.integers(1, 400),
)
def test_what_is_kept_fits_and_what_goes_had_a_reason(held: dict[str, tuple[int, float]], most: int) -> None:
    everything = {**held, KEPT: (10, 0.0)}
    ordered = sorted((Held(name, *one) for name, one in everything.items()), key=lambda one: -one.age)
    gone = superfluous(ordered, KEPT, most)
    left = [one for one in ordered if one.name not in gone]
    assert KEPT not in gone
    assert len(set(gone)) == len(gone)
    passing = [one for one in left if ".own-" in one.name or ".building." in one.name]
    assert all(one.age <= (3600 if ".building." in one.name else 60) for one in passing)
    if sum(one.bytes for one in left) > most:
        assert {one.name for one in left} - {one.name for one in passing} == {KEPT}
    assert superfluous(left, KEPT, most) == []
