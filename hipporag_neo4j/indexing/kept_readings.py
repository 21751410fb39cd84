"""What the language model has read before, as far as its answers are kept; nothing is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hipporag_neo4j.answers import EntitiesAnswer, TriplesAnswer
from hipporag_neo4j.domain import Passage
from hipporag_neo4j.llm.cached_model import CachedModel
from hipporag_neo4j.prompts import entity_messages, triple_messages
from hipporag_neo4j.text import passage_text


@dataclass(frozen=True, slots=True)
class Reading:
    """What is kept of the two calls that a passage takes: the entities, None where they must be asked for, and whether
    the triples are there. Without the entities nobody knows what would be asked for triples."""

    entities: tuple[str, ...] | None = None
    triples: bool = False

    @property
    def calls(self) -> int:
        """How many calls are left to make."""
        return (self.entities is None) + (not self.triples)


def kept_readings(model: CachedModel, passages: Sequence[Passage], prompts_dir: Path | None = None) -> list[Reading]:
    """What is kept of each passage; two statements for all of them."""
    texts = [passage_text(passage.title, passage.text) for passage in passages]
    named = model.kept([entity_messages(text, prompts_dir) for text in texts], EntitiesAnswer)
    entities = {place: answer.named_entities for place, answer in enumerate(named) if answer is not None}
    asked = [triple_messages(texts[place], names, prompts_dir) for place, names in entities.items()]
    triples = dict(zip(entities, model.kept(asked, TriplesAnswer), strict=True))
    return [Reading(entities.get(place), triples.get(place) is not None) for place in range(len(texts))]
