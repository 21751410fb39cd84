"""The inspections there are: found by name, in one group each, with parameters that can be shown."""

import pytest

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.inspection.catalogue import GROUPS, find_inspection, inspections
from hipporag_neo4j.inspection.parameters import convert


def test_there_are_more_than_twenty_in_one_group_each() -> None:
    assert len(inspections()) > 20
    assert sorted(inspections()) == sorted(name for _, names in GROUPS for name in names)


@pytest.mark.parametrize("name", inspections())
def test_each_is_bounded_reads_one_namespace_and_shows_how_to_ask(name: str) -> None:
    inspection = inspections()[name]
    assert inspection.query.mode == "read"
    assert "namespace" in inspection.query.parameters
    one_row_or_few = {"health-measures", "path-between-phrases"}
    assert ("LIMIT $limit" in inspection.query.text) == (name not in one_row_or_few)
    values = {p.name: p.example for p in inspection.parameters if p.example is not None}
    shown = convert(name, inspection.parameters, values, "unicode")
    assert {p.name: shown[p.name] for p in inspection.parameters if p.role == "phrase"} == {
        p.name: p.example for p in inspection.parameters if p.role == "phrase"
    }, "an example is written as the graph writes it"


@pytest.mark.parametrize("name", ["phrase-hubs", "phrase_hubs", " Phrase-Hubs "])
def test_a_name_is_found(name: str) -> None:
    assert find_inspection(name).name == "phrase-hubs"


@pytest.mark.parametrize(
    ("name", "near"), [("phrase-hub", "phrase-hubs"), ("hubs", "phrase-hubs"), ("synonyms", "-synonyms"), ("xyz", "")]
)
def test_the_nearest_names_are_offered(name: str, near: str) -> None:
    with pytest.raises(InputError, match=f"There is no inspection '{name}'.*{near}.* lists all {len(inspections())}"):
        find_inspection(name)
