"""The pages lead where they say, show what exists, and leave out nothing."""

import ast
import re
from pathlib import Path

import pytest

from hipporag_neo4j import HippoRAG, errors
from hipporag_neo4j.settings import Settings
from tests import documentation
from tests.documentation import PAGES, Known, anchors, blocks, calls, command_of, links, name_of, read, spans
from tests.scripts import load_script
from tests.servers import ROOT

DOCS = ROOT / "docs"
SCRIPTS = [path for path in (ROOT / "scripts").iterdir() if path.is_file() and "." not in path.name]
OTHERS = {"--version", "--wait"}
"""Options without a command, and docker compose's."""
GENERATED = DOCS / "commands.md"
each_page = pytest.mark.parametrize("page", PAGES, ids=name_of)
each_written_page = pytest.mark.parametrize("page", [page for page in PAGES if page != GENERATED], ids=name_of)


@pytest.fixture(scope="module")
def known() -> Known:
    """The options of each command by its name."""
    return documentation.commands()


def takes(script: str, option: str) -> bool:
    """Whether a script's files spell out an option, or have a parameter that typer makes one of."""
    files = [ROOT / "scripts" / script, *(ROOT / "scripts").glob(f"_{script.removesuffix('_experiment')}*")]
    texts = [read(file) for path in files for file in (path.rglob("*.py") if path.is_dir() else [path])]
    parameter = re.compile(rf"^\s+{option.removeprefix('--').replace('-', '_')}: ", re.MULTILINE)
    return any(option in text or parameter.search(text) for text in texts)


@each_page
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in links(read(page)):
        if re.match(r"https?:", target):
            continue
        path, _, place = target.partition("#")
        led = (page.parent / path).resolve() if path else page
        assert led.is_relative_to(ROOT), target
        assert led.exists(), target
        if place:
            assert place in anchors(read(led)), target


@each_page
def test_every_program_compiles(page: Path) -> None:
    for program in blocks(read(page), "python"):
        ast.parse(program, name_of(page))


@each_written_page
def test_every_call_shown_exists_with_its_options(page: Path, known: Known) -> None:
    for words in calls(read(page)):
        name = command_of(words, known)
        assert name, words
        assert {word.partition("=")[0] for word in words if re.match("--[a-z]", word)} <= known[name], words


@each_page
def test_every_script_called_exists_with_its_options(page: Path) -> None:
    shown = "\n".join([*blocks(read(page), ""), *spans(read(page))])
    for name, rest in re.findall(r"^(?:\./)?scripts/(\w+)\b(.*)$", shown, re.MULTILINE):
        if (ROOT / "scripts" / name).is_dir() or (ROOT / "scripts" / f"{name}.py").is_file():
            continue
        assert name in {script.name for script in SCRIPTS}, name
        for option in re.findall(r"--[a-z][a-z-]+", rest):
            assert takes(name, option), f"{name} {option}"


@each_written_page
def test_every_option_and_setting_named_exists(page: Path, known: Known) -> None:
    text = read(page)
    options = set().union(OTHERS, *known.values())
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+[a-z]", "\n".join(spans(text)))) - options:
        assert any(takes(script.name, option) for script in SCRIPTS), option
    tests_own = {name for name in re.findall(r"HIPPORAG_[A-Z_]+", text) if name.startswith("HIPPORAG_TEST_")}
    named = set(re.findall(r"\b(?:NEO4J|OPENAI|HIPPORAG)_[A-Z_]*[A-Z]\b", text))
    assert named - tests_own - documentation.variables() == set()


@pytest.mark.parametrize("name", ["commands", "settings"])
def test_the_reference_is_what_the_program_says(name: str) -> None:
    written = getattr(load_script("_reference"), name)()
    assert read(DOCS / f"{name}.md") == written, "Run scripts/docs, which writes the reference anew, and commit it."


def test_every_setting_says_what_it_is() -> None:
    assert set(load_script("_reference").documented()) == set(Settings.model_fields)


def test_every_page_has_its_place_in_the_table_of_contents() -> None:
    entries = "".join(blocks(read(DOCS / "index.md"), "{toctree}"))
    listed = [
        name for line in entries.splitlines() for name in re.findall(r"^(?:.* <)?(\w+)>?$", line) if name != "self"
    ]
    pages = [page.stem for page in DOCS.glob("*.md") if page.stem != "index"]
    assert sorted(listed) == sorted(pages), "Give each page a line in docs/index.md."


def test_every_method_is_in_the_reference() -> None:
    listed = re.findall(
        r"^\.\. auto(?:method|property):: hipporag_neo4j\.HippoRAG\.(\w+)$", read(DOCS / "python.md"), re.M
    )
    public = [name for name in dir(HippoRAG) if not name.startswith("_")]
    assert sorted(listed) == sorted(public), "Give each method a line in docs/python.md."


def test_every_public_class_is_in_the_reference() -> None:
    import hipporag_neo4j

    for name in hipporag_neo4j.__all__:
        if name not in ("errors", "Settings"):
            assert f".. autoclass:: hipporag_neo4j.{name}\n" in read(DOCS / "python.md"), (
                f"{name} lacks in docs/python.md."
            )
    assert errors.__name__ in read(DOCS / "python.md")


def test_every_picture_is_shown_and_loads_nothing() -> None:
    made = {path for path in (DOCS / "pictures").iterdir() if path.suffix == ".svg"}
    assert {picture.name for picture in load_script("_screenshots").PICTURES_TO_MAKE} == {path.stem for path in made}
    shown = {
        (page.parent / target).resolve() for page in PAGES for target in links(read(page)) if target.endswith(".svg")
    }
    assert shown == made
    for picture in made:
        assert set(re.findall(r"https?://[^\s\"]+", read(picture))) == {"http://www.w3.org/2000/svg"}
