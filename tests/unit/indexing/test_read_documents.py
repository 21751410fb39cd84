"""Text and Markdown files of a folder."""

import os
import sys
from pathlib import Path

import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.read_passages import read_passages


def _make(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    return folder


def test_a_folder(tmp_path: Path) -> None:
    folder = _make(
        tmp_path / "docs",
        {
            "b.txt": "Plain text.",
            "a/two.md": "---\ntitle: Two\ndate: 2024-05-01\ntags: [x, y]\nid: second\n---\n\nText two.\n",
            "a/one.MD": "\ufeffIntro\n\n## First heading ##\r\nText one.",
            "a/c/deep.markdown": "No heading here.",
            "z.pdf": "%PDF",
            ".hidden.md": "hidden",
            ".git/note.md": "hidden",
        },
    )
    skipped: list[tuple[str, str]] = []
    passages = list(
        read_passages(folder, on_skipped=lambda path, why: skipped.append((path.relative_to(folder).as_posix(), why)))
    )
    assert passages == [
        Passage("No heading here.", "a/c/deep.markdown", "deep"),
        Passage("Intro\n\n## First heading ##\nText one.", "a/one.MD", "First heading"),
        Passage("Text two.\n", "second", "Two", {"date": "2024-05-01", "tags": ["x", "y"]}),
        Passage("Plain text.", "b.txt", "b"),
    ]
    assert skipped == [(".git", "hidden"), (".hidden.md", "hidden"), ("z.pdf", "neither .txt nor .md")]


def test_a_single_file(tmp_path: Path) -> None:
    folder = _make(tmp_path, {"note.md": "# A note\n\nText."})
    assert list(read_passages(folder / "note.md")) == [Passage("# A note\n\nText.", "note.md", "A note")]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\ntext", "One"),
        ("text\n\n###   Three  \n", "Three"),
        ("```\n# comment\n```\n# Real\n", "Real"),
        ("Underlined\n==========\ntext", "Underlined"),
        ("Underlined\n---\ntext", "Underlined"),
        ("#hashtag\ntext", "note"),
        ("text\n\n---\n\nmore", "note"),
        ("---\ntitle: 1984\n---\n# Heading", "1984"),
        ("---\nnot closed\n\n# Heading", "Heading"),
        ("---\nprose between rules\n---\n# Heading", "prose between rules"),
        ("---\n---\n# Heading", "Heading"),
    ],
)
def test_titles(tmp_path: Path, text: str, title: str) -> None:
    _make(tmp_path, {"note.md": text})
    assert [passage.title for passage in read_passages(tmp_path)] == [title]


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege on Windows")
def test_links(tmp_path: Path) -> None:
    folder = _make(tmp_path / "docs", {"real.md": "Real.", "sub/other.md": "Other."})
    _make(tmp_path, {"outside.md": "Secret.", "away/far.md": "Secret."})
    (folder / "link-in.md").symlink_to(folder / "real.md")
    (folder / "link-out.md").symlink_to(tmp_path / "outside.md")
    (folder / "broken.md").symlink_to(tmp_path / "nothing.md")
    (folder / "away").symlink_to(tmp_path / "away")
    (folder / "sub" / "loop").symlink_to(folder)
    skipped: dict[str, str] = {}
    passages = list(read_passages(folder, on_skipped=lambda path, why: skipped.update({path.name: why})))
    assert [passage.id for passage in passages] == ["link-in.md", "real.md", "sub/other.md"]
    assert skipped == {
        "away": "a link to a folder",
        "broken.md": "a broken link",
        "link-out.md": "a link out of the folder",
        "loop": "a link to a folder",
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"---\nauthor:\n  name: Ada\n---\ntext", r"bad\.md: metadata.author is an object"),
        (b"---\na: b: c\n---\ntext", r"bad\.md, line 2: the front matter isn't YAML"),
        (b"---\na: [1\n---\ntext", r"bad\.md, line \d: the front matter isn't YAML"),
        (b"---\ntitle: only\n---\n", "the text is empty"),
        (b"caf\xe9", r"bad\.md is not UTF-8: the byte at offset 3"),
        (b"\xef\xbb\xbfcaf\xe9", r"bad\.md is not UTF-8: the byte at offset 6"),
        (b" \n", "the text is empty"),
    ],
)
def test_a_bad_file_is_named_and_stops_nothing_when_reported(tmp_path: Path, content: bytes, said: str) -> None:
    _make(tmp_path, {"good.md": "Good."})
    (tmp_path / "bad.md").write_bytes(content)
    with pytest.raises(InputError, match=said):
        list(read_passages(tmp_path))
    problems: list[InputError] = []
    assert [passage.id for passage in read_passages(tmp_path, on_problem=problems.append)] == ["good.md"]
    assert len(problems) == 1


def test_a_folder_without_passages(tmp_path: Path) -> None:
    _make(tmp_path, {"a.pdf": "x"})
    with pytest.raises(InputError, match=r"holds no passage that can be used\. Give a \.jsonl"):
        list(read_passages(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has file names that aren't Unicode")
def test_a_name_that_is_not_unicode(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "w") as file:  # noqa: PTH123
        file.write("text")
    with pytest.raises(InputError, match="the file's name isn't Unicode"):
        list(read_passages(tmp_path))
