"""Reads the facts of one passage with a language model: named entities first, then triples (HippoRAG 1, OpenIE)."""

from pathlib import Path

from hipporag_neo4j.answers import EntitiesAnswer, TriplesAnswer
from hipporag_neo4j.domain import Extraction, Passage
from hipporag_neo4j.errors import LLMAccessError, LLMError, UnreadableAnswerError
from hipporag_neo4j.llm import LanguageModel, ask
from hipporag_neo4j.prompts import entity_messages, triple_messages
from hipporag_neo4j.text import passage_text


def extract(model: LanguageModel, passage: Passage, prompts_dir: Path | None = None) -> Extraction:
    """What `model` reads in one passage, by two calls, each repeated once when its answer is unreadable.

    A failure of one of them is in `Extraction.error`, so that other passages go on; then there are no entities and no
    triples, whatever was read before. Raises LLMAccessError, since a refused key or an unknown model concerns every
    passage, and ConfigurationError when a prompt can't be used.
    """
    text = passage_text(passage.title, passage.text)
    asked_for = "named entities"
    try:
        named = ask(model, entity_messages(text, prompts_dir), EntitiesAnswer)
        asked_for = "triples"
        entities = named.value.named_entities
        read = ask(model, triple_messages(text, entities, prompts_dir), TriplesAnswer)
    except LLMAccessError:
        raise
    except (LLMError, UnreadableAnswerError) as error:
        return Extraction(error=f"{asked_for}: {error}", unanswered=isinstance(error, LLMError))
    return Extraction(
        entities=entities,
        triples=read.value.facts,
        malformed=read.value.malformed,
        truncated=named.truncated or read.truncated,
    )
