"""What the file of a graph of others may say, and what is said where it is wrong."""

import re
from pathlib import Path

import pytest

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.existing.graph_file import read_graph_file
from hipporag_neo4j.existing.layout import Layout
from hipporag_neo4j.queries import load
from tests.servers import ROOT

TOML = """
[passages]
label = "Chunk"
text = ["head", "text"]

[[phrases]]
label = "A `thing`"
name = "name"

[[mentions]]
steps = [{type = "FROM_CHUNK", direction = "in"}]

[[relationships]]
type = "*"
weight = 2
"""
YAML = """
passages: {label: Chunk, text: [head, text]}
phrases: [{label: A `thing`, name: name}]
mentions: [{steps: [{type: FROM_CHUNK, direction: in}]}]
relationships: [{type: "*", weight: 2}]
"""


def written(folder: Path, text: str, name: str = "graph.toml") -> Path:
    """A file with this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_toml_and_yaml_say_the_same(tmp_path: Path) -> None:
    one = read_graph_file(written(tmp_path, TOML))
    other = read_graph_file(written(tmp_path, YAML, "graph.yml"))
    assert one == other
    assert one.digest == other.digest
    assert one.passages.texts == ["head", "text"]
    assert one.relationships[0].weight == 2.0


def test_other_content_has_another_digest(tmp_path: Path) -> None:
    one = read_graph_file(written(tmp_path, TOML))
    other = read_graph_file(written(tmp_path, TOML.replace("weight = 2", "weight = 3")))
    assert one.digest != other.digest


def test_names_are_quoted_in_what_fills_the_gaps(tmp_path: Path) -> None:
    layout = Layout.of(read_graph_file(written(tmp_path, TOML)))
    assert layout.text("label", "phrase") == "`A ``thing```"
    assert layout.text("path", "edge") == "<-[edge:`FROM_CHUNK`]-"
    assert layout.text("types", "edge") == ""
    assert layout.text("text", "n") == (
        "coalesce(toStringOrNull(n.`head`), '') + '\\n' + coalesce(toStringOrNull(n.`text`), '')"
    )


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("[passages]", "[passages", r"graph\.toml is no TOML: .*line 2"),
        ('name = "name"', 'nmae = "name"', r"phrases\.0\.nmae: Extra inputs"),
        ('label = "Chunk"', "label = 3", r"passages\.label: Input should be a valid string"),
        ('label = "Chunk"', 'label = ""', r"passages\.label: String should have at least 1 character"),
        ('direction = "in"', 'direction = "up"', r"mentions\.0\.steps\.0\.direction: Input should be 'out', 'in' or"),
        ("weight = 2", "weight = 0", r"relationships\.0\.weight: Input should be greater than 0"),
        ("weight = 2", "weight = nan", r"relationships\.0\.weight: "),
        ("weight = 2", 'vector = "v"', "a vector index is over a type that has a name"),
        ("weight = 2", "fact = false\nreversed = true", "fact is false, so that"),
        ('direction = "in"}', 'direction = "in", label = "A"}', "step 1 leads to the phrase"),
        ('[{type = "FROM_CHUNK", direction = "in"}]', '[]\ncount = "n"', "there is no step"),
        ('[[relationships]]\ntype = "*"', '[[relationships]]\ntype = "A"\n[[relationships]]\ntype = "A"', "'A' twice"),
        ('text = ["head", "text"]', "text = []", r"passages\.text.*: List should have at least 1 item"),
        ('label = "Chunk"', 'label = "a\\u0000b"', r"passages\.label"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, was: str, becomes: str, said: str) -> None:
    assert was in TOML
    with pytest.raises(InputError, match=said):
        read_graph_file(written(tmp_path, TOML.replace(was, becomes)))


def test_a_file_that_cannot_be_read_or_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read_graph_file(tmp_path / "none.toml")
    with pytest.raises(InputError, match="holds no tables"):
        read_graph_file(written(tmp_path, "- a list", "graph.yaml"))
    with pytest.raises(InputError, match="is no YAML"):
        read_graph_file(written(tmp_path, "a: [", "graph.yaml"))
    (tmp_path / "other.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="can't be read"):
        read_graph_file(tmp_path / "other.toml")


def test_the_examples_of_the_guide_can_be_read(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "existing_graph.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```toml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    labels = []
    for example in examples:
        file = tmp_path / "graph.toml"
        file.write_text(example)
        labels.append(read_graph_file(file).passages.label)
    assert labels == ["Chunk", "Movie"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("graph.yaml", "passages: 2020-13-45"),
        ("graph.yaml", "passages: !!timestamp 'x'"),
        ("graph.yaml", "passages: !!int 'abc'"),
        ("graph.yaml", "passages: !!bool x"),
        ("graph.yaml", f"passages: {'9' * 5000}"),
        ("graph.yaml", "[" * 5000),
        ("graph.toml", f"passages = {'9' * 5000}"),
        ("graph.toml", f"passages = {'[' * 5000}"),
    ],
)
def test_what_the_parsers_stumble_over_is_told(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(InputError, match=r"is no (YAML|TOML): .*docs/existing_graph\.md"):
        read_graph_file(written(tmp_path, text, name))


def test_a_path_that_is_none_is_told() -> None:
    with pytest.raises(InputError, match="can't be read"):
        read_graph_file(Path("a\0b"))


def test_a_name_that_reads_like_a_gap_is_left_as_it_is(tmp_path: Path) -> None:
    file = TOML.replace("FROM_CHUNK", "A$label(phrase)").replace('label = "Chunk"', 'label = "B$path(mention)"')
    layout = Layout.of(read_graph_file(written(tmp_path, file)))
    text = load("existing/rank_by_mentions").with_names(layout).text
    assert "(passage:`B$path(mention)`)<-[mention:`A$label(phrase)`]-(phrase)" in text
    assert text.count("A$label(phrase)") == text.count("B$path(mention)") == 1
