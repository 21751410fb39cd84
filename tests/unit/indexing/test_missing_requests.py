"""What would be asked about passages is found from kept answers alone, in few look-ups."""

from collections.abc import Mapping, Sequence

from hipporag_neo4j.answers import EntitiesAnswer, TriplesAnswer
from hipporag_neo4j.domain import Passage
from hipporag_neo4j.indexing.missing_requests import Asked, missing_requests
from hipporag_neo4j.llm.cached_model import key_of
from hipporag_neo4j.prompts import entity_messages, triple_messages

IDENTITY = ("m", "http://x", "2048", "0")
PASSAGES = [Passage(f"Ada{i} met Bob.", id=str(i)) for i in range(3)]


class Store:
    """Kept answers, and how often they were looked up."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.look_ups = 0

    def find_all(self, keys: Sequence[str]) -> Mapping[str, str]:
        self.look_ups += 1
        return {key: self.texts[key] for key in keys if key in self.texts}


def missing(store: Store, passages: Sequence[Passage] = PASSAGES) -> list[Asked]:
    return list(missing_requests(passages, name="m", identity=IDENTITY, find_all=store.find_all))


def entities_key(passage: Passage) -> str:
    return key_of(IDENTITY, entity_messages(passage.text), EntitiesAnswer)


def test_entities_come_first_then_triples_then_nothing() -> None:
    store = Store({})
    asked = missing(store)
    assert [one.key for one in asked] == [entities_key(passage) for passage in PASSAGES]
    assert [one.messages for one in asked] == [entity_messages(passage.text) for passage in PASSAGES]
    store.texts = {entities_key(PASSAGES[1]): '{"named_entities": ["Ada1", "Bob"]}'}
    asked = missing(store)
    assert [one.shape for one in asked] == [EntitiesAnswer, EntitiesAnswer, TriplesAnswer]
    triples = next(one for one in asked if one.shape is TriplesAnswer)
    assert triples.messages == triple_messages(PASSAGES[1].text, ["Ada1", "Bob"])
    store.texts[triples.key] = '{"triples": [["Ada1", "met", "Bob"]]}'
    assert [one.key for one in missing(store)] == [entities_key(PASSAGES[0]), entities_key(PASSAGES[2])]


def test_look_ups_are_shared_by_many_passages() -> None:
    store = Store({entities_key(passage): '{"named_entities": ["Bob"]}' for passage in PASSAGES[:2]})
    missing(store)
    assert store.look_ups == 2


def test_the_same_text_twice_asks_the_same() -> None:
    asked = missing(Store({}), [Passage("Ada met Bob.", id="a"), Passage("Ada met Bob.", id="b")])
    assert len(asked) == 2
    assert len({one.key for one in asked}) == 1


def test_a_kept_answer_that_no_version_reads_any_more_is_asked_for_again() -> None:
    asked = missing(Store({entities_key(PASSAGES[0]): "no JSON"}), PASSAGES[:1])
    assert [one.key for one in asked] == [entities_key(PASSAGES[0])]
