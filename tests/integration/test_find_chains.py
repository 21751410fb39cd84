"""Chains found in small graphs, worked out by hand, and questions made from them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage, Triple
from hipporag_neo4j.errors import InputError, LLMError
from hipporag_neo4j.evaluation.find_chains import MOST_PASSAGES, Chain, ChainFinder
from hipporag_neo4j.evaluation.make_questions import MadeQuestions, make_questions, to_entries, write_entries
from hipporag_neo4j.evaluation.read_questions import GoldPassage, read_questions
from hipporag_neo4j.evaluation.write_question import DECLINED, REPEATED
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.schema import open_graph
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, Fact, write
from tests.llm_server import LLMServer, Reply, Request, error, question_from_prompt


@pytest.fixture
def rag(settings: Settings, llm_server: LLMServer) -> Iterator[HippoRAG]:
    values = {"llm_model": "scripted", "openai_base_url": llm_server.url, "llm_retries": 0, "llm_concurrency": 2}
    changed = Settings.model_validate(settings.model_dump() | values)
    with HippoRAG(changed, embedder=HashEmbedder(DIMENSIONS)) as opened:
        yield opened


def said(
    id_: str, *facts: Fact, title: str = "", more: str = "", entities: tuple[str, ...] | None = None
) -> ExtractedPassage:
    """A passage that says its facts, and in which all their phrases count as named entities unless others are given."""
    names = entities if entities is not None else tuple(dict.fromkeys(name for s, _, o in facts for name in (s, o)))
    triples = tuple(Triple(*fact) for fact in facts)
    text = ". ".join(" ".join(fact) for fact in facts) + more
    return ExtractedPassage(Passage(text, id=id_, title=title or f"Title {id_}"), Extraction(names, triples))


def chains(rag: HippoRAG, *passages: ExtractedPassage, seed: int = 0) -> list[Chain]:
    write(rag, passages)
    return list(ChainFinder(rag.database, open_graph(rag.database, rag.namespace), seed).find())


FOUNDED: Fact = ("Observatory", "was founded by", "Tarnow")
BORN: Fact = ("Tarnow", "was born in", "Lund")
TWO = (said("p1", FOUNDED), said("p2", BORN))


MANY = [
    one
    for i in "abcdefgh"
    for one in (
        said(f"{i}1", (f"Observatory{i}", "was founded by", f"Tarnow{i}")),
        said(f"{i}2", (f"Tarnow{i}", "was born in", f"Lund{i}")),
    )
]


def test_two_facts_of_two_passages_are_a_chain(rag: HippoRAG) -> None:
    (found,) = chains(rag, *TWO)
    assert {fact.passage for fact in found.facts} == {"p1", "p2"}
    assert [passage.id for passage in found.passages] == [fact.passage for fact in found.facts]
    if found.shape == "path-following":
        assert (found.hidden, found.answer) == (("tarnow",), "lund")
        assert found.named == ("observatory",)
    else:
        assert (set(found.named), found.hidden, found.answer) == ({"observatory", "lund"}, (), "tarnow")


def test_both_shapes_are_found_and_a_chain_that_follows_asks_for_an_object(rag: HippoRAG) -> None:
    passages = [
        one
        for i in "abcdefghijklmnop"
        for one in (
            said(f"{i}1", (f"Observatory{i}", "was founded by", f"Tarnow{i}")),
            said(f"{i}2", (f"Tarnow{i}", "was born in", f"Lund{i}")),
        )
    ]
    found = chains(rag, *passages)
    assert {chain.shape for chain in found} == {"path-following", "path-finding"}
    assert len(found) == 16
    for chain in found:
        if chain.shape == "path-following":
            assert chain.answer == chain.facts[-1].object
            assert [fact.passage[1] for fact in chain.facts] == ["1", "2"]


def test_the_same_seed_gives_the_same_chains_and_another_seed_others(rag: HippoRAG) -> None:
    first = chains(rag, *MANY)
    graph = open_graph(rag.database, rag.namespace)
    assert list(ChainFinder(rag.database, graph, 0).find()) == first
    other = list(ChainFinder(rag.database, graph, 1).find())
    assert other != first
    assert len(other) == len(first) == 8


def test_three_facts_in_a_row(rag: HippoRAG) -> None:
    passages = [
        one
        for i in "abcdefgh"
        for one in (
            said(f"{i}1", (f"Observatory{i}", "was founded by", f"Tarnow{i}")),
            said(f"{i}2", (f"Tarnow{i}", "was born in", f"Lund{i}")),
            said(f"{i}3", (f"Lund{i}", "lies in", f"Sweden{i}")),
        )
    ]
    longest = [chain for chain in chains(rag, *passages) if len(chain.facts) == 3]
    assert longest
    for chain in longest:
        assert chain.shape == "path-following"
        assert [fact.passage[1] for fact in chain.facts] == ["1", "2", "3"]
        assert chain.named[0].startswith("observatory")
        assert [phrase[:-1] for phrase in chain.hidden] == ["tarnow", "lund"]
        assert chain.answer.startswith("sweden")


@pytest.mark.parametrize(
    "passages",
    [
        pytest.param([said("p1", FOUNDED, BORN)], id="one passage"),
        pytest.param([TWO[0], said("p2", BORN, ("Observatory", "is near", "Lund"))], id="ends meet"),
        pytest.param([TWO[0], said("p2", BORN, more=". Observatory.")], id="text names both ends"),
        pytest.param([TWO[0], said("p2", BORN, entities=("Lund",))], id="no name"),
        pytest.param([said("p1", ("Ada", "was born in", "1911")), said("p2", ("1911", "was", "Dry"))], id="a year"),
        pytest.param([said("p1", ("Observatory", "is", "Old")), said("p2", ("Lund", "is", "Old"))], id="a quality"),
        pytest.param([said("p1", FOUNDED, title="One"), said("p2", BORN, title="One")], id="parts of one text"),
        pytest.param([said("p1", ("Tarnow House", "was built by", "Tarnow")), TWO[1]], id="a name tells the other"),
        pytest.param([*TWO, said("p3", FOUNDED, BORN)], id="stated elsewhere too"),
    ],
)
def test_what_is_no_chain(rag: HippoRAG, passages: list[ExtractedPassage]) -> None:
    assert chains(rag, *passages) == []


def test_no_chain_meets_in_a_hub(rag: HippoRAG) -> None:
    spokes = [said(f"s{i}", ("Tarnow", f"built{i}", f"Thing{'abcdefghijkl'[i]}")) for i in range(MOST_PASSAGES - 1)]
    assert chains(rag, *spokes)
    more = said("more", ("Tarnow", "sang", "Song"))
    further = said("further", ("Tarnow", "wrote", "Letter"))
    assert chains(rag, *spokes, more, further) == []


def test_what_has_two_answers_is_not_asked_for(rag: HippoRAG) -> None:
    third = said("p3", ("Tarnow", "was born in", "Ystad"))
    for chain in chains(rag, *TWO, third):
        assert chain.shape == "path-finding"


Make = Callable[..., MadeQuestions]


@pytest.fixture
def make(rag: HippoRAG, llm_server: LLMServer) -> Make:
    """Makes questions from MANY, eight chains, by the scripted model."""
    write(rag, MANY)
    llm_server.respond = question_from_prompt
    model = rag.language_model
    assert model is not None
    graph = open_graph(rag.database, rag.namespace)
    return lambda number, **more: make_questions(rag.database, graph, model, number, concurrency=2, **more)


def test_questions_are_made_and_read_back(make: Make, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    made = make(3, progress=lambda done, total: told.append((done, total)))
    assert (len(made.questions), made.chains, made.exhausted) == (3, 3, False)
    assert told == [(1, 3), (2, 3), (3, 3)]
    file = tmp_path / "questions.json"
    write_entries(file, made)
    questions = read_questions(file)
    assert all(question.synthetic for question in questions)
    assert [q.question for q in questions] == [written.question for written in made.questions]
    for question, entry in zip(questions, to_entries(made), strict=True):
        letter = entry["gold"][0][0]
        assert {gold.id for gold in question.gold} == {f"{letter}1", f"{letter}2"}
        assert all(isinstance(gold, GoldPassage) for gold in question.gold)
        assert [fact["passage"] for fact in entry["facts"]] == entry["gold"]
        assert question.entities is None
    with pytest.raises(InputError, match="isn't overwritten"):
        write_entries(file, made)


def test_a_second_run_makes_the_same_and_asks_nothing(make: Make, llm_server: LLMServer) -> None:
    first = make(5, seed=7)
    asked = len(llm_server.chats)
    again = make(5, seed=7)
    assert [w.question for w in again.questions] == [w.question for w in first.questions]
    assert (again.from_cache, again.prompt_tokens) == (5, 0)
    assert len(llm_server.chats) == asked == 5


def test_a_broken_off_run_goes_on(make: Make, llm_server: LLMServer) -> None:
    def until_outage(request: Request) -> str | Reply:
        return error(500, "down") if len(llm_server.chats) > 4 else question_from_prompt(request)

    llm_server.respond = until_outage
    with pytest.raises(LLMError):
        make(8)
    answered, before = 4, len(llm_server.chats)
    llm_server.respond = question_from_prompt
    assert len(make(8).questions) == 8
    assert len(llm_server.chats) - before == 8 - answered


def test_too_few_chains_end_it_with_their_number(make: Make) -> None:
    made = make(20)
    assert (len(made.questions), made.chains, made.exhausted) == (8, 8, True)


def test_what_is_dropped_is_counted_and_another_chain_takes_its_place(make: Make, llm_server: LLMServer) -> None:
    everything = " ".join(f"Observatory{i} Tarnow{i} Lund{i}" for i in "abcdefgh")
    llm_server.script = ['{"question": "", "answer": ""}', json.dumps({"question": f"{everything}?", "answer": "x"})]
    made = make(3)
    assert (len(made.questions), made.chains) == (3, 5)
    assert made.dropped[DECLINED] == 1
    assert made.dropped.total() == 2


def test_a_question_is_taken_once(rag: HippoRAG, llm_server: LLMServer) -> None:
    holds = [said(f"h{i}", ("Observatory", "holds", f"Glass{i}")) for i in "abcdef"]
    breaks = [said(f"b{i}", (f"Glass{i}", "breaks at", f"Lund{i}")) for i in "abcdef"]
    write(rag, [*holds, *breaks])
    llm_server.respond = lambda request: json.dumps(
        {"question": "What of the Observatory?", "answer": json.loads(question_from_prompt(request))["answer"]}
    )
    model = rag.language_model
    assert model is not None
    made = make_questions(rag.database, open_graph(rag.database, rag.namespace), model, 6)
    assert len(made.questions) == 1
    assert made.dropped[REPEATED] >= 1
    assert made.dropped.total() == made.chains - 1


def test_a_model_that_writes_nothing_useful_is_given_up(make: Make, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: '{"question": "", "answer": ""}'
    made = make(1)
    assert (made.questions, made.chains, made.exhausted) == ([], 5, False)


def test_a_graph_without_chains_says_so(rag: HippoRAG) -> None:
    write(rag, [said("p1", ("Observatory", "was founded by", "Tarnow"))])
    model = rag.language_model
    assert model is not None
    with pytest.raises(InputError, match="no two facts of different passages"):
        make_questions(rag.database, open_graph(rag.database, rag.namespace), model, 3)
