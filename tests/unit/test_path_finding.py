"""The made-up questions of scripts/path_finding_experiment are what they should be, and ranks are counted right."""

import random
from types import ModuleType

import pytest

from tests.scripts import load_script


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """scripts/_path_finding.py as a module."""
    return load_script("_path_finding")


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_an_instance_is_two_seeds_with_nine_chains_each(hops: int, script: ModuleType) -> None:
    instance = script.make_instance(7, hops, random.Random(0))
    assert len(instance.ends) == len(set(instance.ends)) == 17
    assert len(instance.facts) == len(set(instance.facts)) == 18 * hops
    neighbours: dict[str, set[str]] = {}
    for subject, _, object_ in instance.facts:
        neighbours.setdefault(subject, set()).add(object_)
        neighbours.setdefault(object_, set()).add(subject)
    one, other = instance.seeds
    reached = [{seed} for seed in instance.seeds]
    for _ in range(hops):
        assert not reached[0] & reached[1]
        reached = [some | {n for node in some for n in neighbours[node]} for some in reached]
    answer, *dead_ends = instance.ends
    assert reached[0] & reached[1] == {answer}
    assert len(reached[0] & set(dead_ends)) == len(reached[1] & set(dead_ends)) == 8
    assert len(neighbours[one]) == len(neighbours[other]) == 9
    texts = [passage.passage.text.lower() for passage in script.passages_of([instance])]
    assert len(set(texts)) == len(instance.facts)
    assert not [text for text in texts if one in text and other in text]


def test_another_number_seed_is_another_instance(script: ModuleType) -> None:
    assert script.make_instance(0, 2, random.Random(1)) == script.make_instance(0, 2, random.Random(1))
    assert script.make_instance(0, 2, random.Random(1)) != script.make_instance(0, 2, random.Random(2))
    names = [
        {part for fact in script.make_instance(n, 3, random.Random(1)).facts for part in fact[::2]} for n in (1, 11)
    ]
    assert not names[0] & names[1]


@pytest.mark.parametrize(
    ("scores", "rank"),
    [
        ({"x": 3.0, "a": 2.0, "b": 1.0}, 1.0),
        ({"x": 1.0, "a": 2.0, "b": 3.0}, 3.0),
        ({"x": 2.0, "a": 2.0, "b": 1.0}, 1.5),
        ({"x": 2.0, "a": 2.0 + 1e-9, "b": 3.0}, 2.5),
        ({"x": 0.0} | {str(number): 0.0 for number in range(16)}, 9.0),
    ],
)
def test_equal_scores_share_the_mean_of_their_ranks(scores: dict[str, float], rank: float, script: ModuleType) -> None:
    assert script.mean_rank(scores, "x") == rank


def test_no_text_is_near_another(script: ModuleType) -> None:
    embedder = script.RandomEmbedder(384)
    vectors = embedder.embed([f"stop {number} a 1" for number in range(200)])
    assert (vectors == embedder.embed([f"stop {number} a 1" for number in range(200)])).all()
    cosines = vectors @ vectors.T / (vectors**2).sum(axis=1)
    cosines[range(200), range(200)] = 0
    assert abs(cosines).max() < 0.5
