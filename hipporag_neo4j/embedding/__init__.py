"""Vectors of texts: one small protocol, two providers, chosen by an explicit setting."""

from hipporag_neo4j.embedding.endpoint import make_endpoint_embedder
from hipporag_neo4j.embedding.foreign import ForeignEmbedder, QueryEmbedder, as_embedder
from hipporag_neo4j.embedding.local import LocalEmbedder
from hipporag_neo4j.embedding.protocol import Embedder
from hipporag_neo4j.settings import Settings

__all__ = ["Embedder", "ForeignEmbedder", "QueryEmbedder", "as_embedder", "make_embedder"]


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name. Nothing is loaded or asked until `dimensions` or `embed` is first used.

    Raises ConfigurationError when the `openai` provider has neither a key nor an address.
    """
    if settings.embedding_provider == "openai":
        return make_endpoint_embedder(settings)
    return LocalEmbedder(settings.embedding_model, batch_size=settings.embedding_batch_size)
