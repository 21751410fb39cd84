"""Texts of every script and size come back as they were, through the database and its indexes."""

import neo4j
import pytest

from hipporag_neo4j.domain import MODES, Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, keep_all, passage, read_content, write
from tests.llm_server import LLMServer
from tests.servers import TestServer

EMBEDDER = HashEmbedder(DIMENSIONS)
TEXTS = {
    "controls": "".join(map(chr, range(32))) + "x\x7f\x80\x9f\u2028\u2029\ufeff",
    "emoji": "👩‍🚀 lands 🏳️‍🌈 on 🌍",
    "right to left": "שלום עולם \u202bمرحبا بالعالم\u202c",
    "Korean": "세종대왕은 한글을 만들었다.",
    "Korean, decomposed": "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "Chinese": "曹雪芹写了《红楼梦》。",
    "beyond the basic plane": "𠀀𠀁 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
    "not characters": "a\ufffe\uffff\U0010ffff\ufffd",
    "combining": "Z\u0351\u036e\u0343a\u0351lgo",
    "line ends": "a\r\nb\rc\n\n",
    "spaces": "  a  \u00a0\u3000 ",
    "quotes": "'\"`$x {y} \\u0041 \\",
    "a megabyte": "All work and no play makes Jack a dull boy. 한글 🍕\n" * 20_000,
    "a megabyte without a space": "x" * 1_000_000,
}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_comes_back_as_it_was(kind: str, settings: Settings, driver: neo4j.Driver, server: TestServer) -> None:
    text = TEXTS[kind]
    name = text[:200]
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        report = write(rag, [passage(f"id of {kind}", ("Ada", name, f"Bob {name}"), title=name, text=text)])
        assert report.written == 1
        assert (
            write(rag, [passage(f"id of {kind}", ("Ada", name, f"Bob {name}"), title=name, text=text)]).unchanged == 1
        )
        for mode in MODES:
            question = "Ada?" if mode != "bm25" else f"{name} x"
            result = rag.retrieve(question, mode=mode, entities=["Ada"], fact_filter=keep_all)  # type: ignore[arg-type]
            for found in result.passages:
                assert found.text.encode() == text.encode()
                assert found.title.encode() == name.encode()
            assert result.passages or mode == "bm25"
    content = read_content(driver, server, settings.namespace)
    assert content.passages == {f"id of {kind}": text}
    assert len(content.facts) <= 1


@pytest.mark.parametrize(
    ("kind", "words"),
    [("Korean", "한글을"), ("Chinese", "红楼梦"), ("right to left", "עולם"), ("emoji", "LANDS"), ("combining", "x")],
)
def test_words_of_every_script_are_found(kind: str, words: str, settings: Settings) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, [passage("1", text=TEXTS[kind] + " x"), passage("2", text="Something else.")])
        assert [p.id for p in rag.retrieve(words, mode="bm25").passages] == ["1"]


def test_phrases_of_every_script_are_linked_by_name(settings: Settings) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, [passage("1", ("세종대왕", "만들었다", "한글")), passage("2", ("曹雪芹", "写了", "红楼梦"))])
        for entity, id_ in (("세종대왕!", "1"), ("《红楼梦》", "2")):
            result = rag.retrieve("?", mode="hipporag1", entities=[entity])
            assert result.seeds[0].similarity == pytest.approx(1)
            assert result.passages[0].id == id_


def test_half_a_surrogate_pair_in_a_passage_is_refused_and_the_others_go_on(
    settings: Settings, llm_server: LLMServer
) -> None:
    own = settings.model_copy(update={"llm_model": "scripted", "openai_base_url": llm_server.url})
    passages = [Passage("Ada met Bob.", id="1"), Passage("Bad \ud83d.", id="2"), Passage("Cleo met Dora.", id="3")]
    with HippoRAG(own, embedder=EMBEDDER) as rag:
        problems: list[InputError] = []
        report = rag.index(passages, on_problem=problems.append)
        assert report.written == 2
        assert [str(problem)[:9] for problem in problems] == ["Passage 2"]
        with pytest.raises(InputError, match="surrogate"):
            rag.index(passages)
