"""The pinned list, and how a list is read."""

from collections import Counter
from pathlib import Path

import pytest

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server.jars import Jar, pinned_jars, read_jar_list

DIGEST = "ab" * 32


def test_the_pinned_list_is_a_whole_server() -> None:
    pinned = pinned_jars()
    coordinates = {f"{jar.group}:{jar.artifact}:{jar.version}" for jar in pinned.jars}
    assert {"org.neo4j:neo4j:2026.01.4", "org.neo4j.app:neo4j-server:2026.01.4"} <= coordinates
    assert "org.neo4j.gds:proc-centrality:2.26.0" in coordinates
    assert (pinned.neo4j, pinned.gds) == ("2026.01.4", "2.26.0")
    assert pinned.size == sum(jar.size for jar in pinned.jars) > 150_000_000


def test_no_two_pinned_jars_have_one_place() -> None:
    places = Counter(jar.place for jar in pinned_jars().jars)
    assert [place for place, count in places.items() if count > 1] == []


def test_every_checksum_is_one() -> None:
    for jar in pinned_jars().jars:
        assert len(bytes.fromhex(jar.sha256)) == 32, jar.coordinate
        assert jar.size > 0, jar.coordinate


def test_versions_of_one_server_agree() -> None:
    for group, version in (("org.neo4j", "2026.01.4"), ("org.neo4j.gds", "2.26.0")):
        assert {jar.version for jar in pinned_jars().jars if jar.group == group} == {version}


def test_a_line_is_read() -> None:
    listed = read_jar_list(f"# comment\n\ng.h:a:1:linux 12 {DIGEST}\norg.neo4j.gds:b:2 3 {DIGEST}\n")
    assert listed.jars == (Jar("g.h", "a", "1", "linux", 12, DIGEST), Jar("org.neo4j.gds", "b", "2", "", 3, DIGEST))
    assert [jar.place for jar in listed.jars] == ["lib/a-1-linux.jar", "plugins/b-2.jar"]
    assert listed.jars[0].coordinate == "g.h:a:1:linux"


@pytest.mark.parametrize("line", ["g:a:1 12", f"g:a 12 {DIGEST}", f"g:a:1 twelve {DIGEST}", f"g:a:1:c:d 1 {DIGEST}"])
def test_an_unreadable_line_is_named(line: str) -> None:
    with pytest.raises(LocalServerError, match="Line 2 of the jar list"):
        read_jar_list(f"# comment\n{line}\n")


def test_another_list_has_another_folder() -> None:
    one, other = (read_jar_list(f"g:a:{version} 1 {DIGEST}").folder(Path("cache")) for version in (1, 2))
    assert one != other


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CONTRIBUTING.md",
        "hipporag_neo4j/cli/demo.py",
        "hipporag_neo4j/cli/server.py",
        "hipporag_neo4j/local_server/fetch.py",
    ],
)
def test_the_size_told_is_that_of_the_list(name: str) -> None:
    size = sum(jar.size for jar in pinned_jars().jars) / 1e6
    text = (Path(__file__).resolve().parents[3] / name).read_text(encoding="utf-8")
    assert f"{size:.0f} MB" in text
