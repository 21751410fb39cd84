"""`explain`: what it prints, the page that it writes, clicked through in a real browser, and what it refuses."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import neo4j
import pytest

from tests.acceptance.command_line import CommandLine
from tests.browser import open_browser
from tests.servers import TestServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
PASSAGES = [
    ("a", "Oda Merrin", [["Oda Merrin", "taught", "Ilse Corvane"]], "It was spring. Oda Merrin taught Ilse Corvane."),
    ("b", EVIL, [["Ilse Corvane", "lives in", "Pellick"]], f"{EVIL} Ilse Corvane lives in Pellick."),
    ("c", "", [["Joss Averill", "rows on", "Lake Mirr"]], "Joss Averill rows on Lake Mirr."),
]
QUESTION = "Who lives where with a pupil of Oda Merrin?"
WALK = ("--mode", "hipporag1", "--entity", "Oda Merrin", "--entity", "Pellick")


@pytest.fixture
def line(line: CommandLine, tmp_path: Path) -> CommandLine:
    """The command line over a graph of three passages."""
    docs = [
        {"idx": id_, "passage": f"{title}\n{text}", "extracted_entities": [], "extracted_triples": triples}
        for id_, title, triples, text in PASSAGES
    ]
    source = tmp_path / "openie.json"
    source.write_text(json.dumps({"docs": docs}))
    line.run("import-openie", str(source))
    return line


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with open_browser() as opened:
        yield opened


def test_a_tree_says_where_the_score_comes_from(line: CommandLine) -> None:
    shown = " ".join(line.run("explain", QUESTION, *WALK, COLUMNS="200").stdout.split())
    assert "Walk from oda merrin 50%, pellick 50%" in shown
    assert "oda merrin ─taught→ ilse corvane mentioned in" in shown
    assert "“It was spring." not in shown
    assert "“Oda Merrin taught Ilse Corvane.”" in shown


def test_programs_get_all_of_it_and_the_shares_add_up(line: CommandLine) -> None:
    values = line.read("explain", QUESTION, *WALK)
    assert values["reason"] is None
    for passage in values["passages"]:
        assert sum(share["contribution"] for share in passage["shares"]) == pytest.approx(passage["score"], abs=1e-8)
    assert values["cypher"]["parameters"]["phrases"]


def test_the_statement_can_be_pasted(line: CommandLine, driver: neo4j.Driver, server: TestServer) -> None:
    text = line.run("explain", QUESTION, *WALK, "--cypher").stdout
    parameters, _, statement = text.partition("\n\n")
    given = [text.removeprefix(":param ").split(" => ", 1) for text in parameters.splitlines()]
    returns = ", ".join(f"{value} AS {name}" for name, value in given)
    with driver.session(database=server.database) as session:
        values = session.run(f"RETURN {returns}").single(strict=True).data()
        paths = list(session.run(statement.strip().removesuffix(";"), values))
    assert len(paths) > 2


def test_the_page_works_by_itself(line: CommandLine, tmp_path: Path, browser: "Browser") -> None:
    page_file = tmp_path / "why.html"
    said = line.run("explain", QUESTION, *WALK, "--html", str(page_file))
    assert said.stdout == ""
    assert str(page_file) in said.stderr
    for scheme, width in (("light", 1300), ("dark", 420)):
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
        problems, requests = _watched(page)
        page.goto(page_file.as_uri())
        _click_through(page)
        assert problems == []
        assert requests == [page_file.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "something sticks out"
        page.close()


def _watched(page: "Page") -> tuple[list[str], list[str]]:
    """What the page complains of, and what it asks for, as it happens."""
    problems: list[str] = []
    requests: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: requests.append(request.url))
    return problems, requests


def _click_through(page: "Page") -> None:
    assert page.locator("h1").inner_text() == QUESTION
    cards = page.locator("article")
    assert cards.count() >= 2
    drawn = page.evaluate("window.drawn.picture.nodes().map(node => node.data('label'))")
    assert {"oda merrin", "pellick", "ilse corvane"} <= set(drawn)
    evil = page.locator("article", has_text="onerror")
    evil.locator("button").click()
    assert any("oda merrin — taught → ilse corvane" in path for path in evil.locator(".path").all_inner_texts())
    assert "Ilse Corvane lives in Pellick." in evil.locator("blockquote").first.inner_text()
    assert "Oda Merrin" in evil.locator("blockquote cite").all_inner_texts()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    faded = "window.drawn.picture.elements('.faded').length"
    assert page.evaluate(faded) > 0
    evil.locator("button").click()
    assert page.evaluate(faded) == 0
    # A click on a passage in the picture opens it in the list.
    place = page.evaluate(
        "(() => { const node = window.drawn.picture.nodes(\"[kind = 'passage']\")[0];"
        " const box = document.getElementById('graph').getBoundingClientRect(); const at = node.renderedPosition();"
        " return [box.x + at.x, box.y + at.y]; })()"
    )
    page.mouse.click(*place)
    page.wait_for_selector("article.chosen")
    assert page.locator("article.chosen").count() == 1


def test_what_was_not_walked_is_said(line: CommandLine, tmp_path: Path) -> None:
    assert "Mode dense doesn't walk" in line.run("explain", QUESTION, "--mode", "dense").stdout
    fallback = line.run("explain", QUESTION, "--mode", "hipporag1", "--entity", "?!", COLUMNS="200").stdout
    assert "No walk explains these passages." in fallback
    assert "Walk from" not in fallback
    empty = line.read("explain", QUESTION, *WALK, "--namespace", "test_nothing", status=1)
    assert empty["error"]["type"] == "GraphNotFoundError"


def test_what_cannot_be_is_refused(line: CommandLine, tmp_path: Path) -> None:
    decisions = tmp_path / "decisions.json"
    decisions.write_text('[{"question": "Another?", "named_entities": ["x"]}]')
    for file in (tmp_path / "no" / "why.html", tmp_path, Path("-"), decisions):
        given = ("--query-decisions", str(decisions), "--html", str(file))
        refused = line.run("explain", QUESTION, *given, NEO4J_URI="bolt://127.0.0.1:9", status=2)
        assert "'--html'" in refused.stderr
    assert "Another?" in decisions.read_text()
    unknown = line.run("explain", QUESTION, "--query-decisions", str(decisions), status=2)
    assert "No decision about this question is recorded" in unknown.stderr
    assert "Leave it out" in line.run("explain", QUESTION, *WALK, "--json", "--cypher", status=2).stderr
    assert "question is empty" in line.run("explain", " ", *WALK, status=1).stderr


def test_recorded_decisions_take_the_language_models_place(line: CommandLine, tmp_path: Path) -> None:
    kept = [["ilse corvane", "lives in", "pellick"]]
    decisions = tmp_path / "decisions.json"
    decisions.write_text(json.dumps([{"question": QUESTION, "named_entities": ["Oda Merrin"], "relevant_facts": kept}]))
    values = line.read("explain", QUESTION, "--query-decisions", str(decisions))
    assert {seed["phrase"] for seed in values["seeds"]} == {"ilse corvane", "pellick", "oda merrin"}
    (look,) = values["dropped"]
    assert {(fact["subject"], fact["object"]) for fact in look["facts"]} == {
        ("oda merrin", "ilse corvane"),
        ("joss averill", "lake mirr"),
    }
