"""HippoRAG: index passages, ask questions, see what is there."""

from hipporag_neo4j.facade.batching import Batching
from hipporag_neo4j.facade.looking import Looking
from hipporag_neo4j.facade.searching import Searching


class HippoRAG(Batching, Searching, Looking):
    """Multi-hop retrieval over passages in Neo4j. A context manager; `close` it otherwise.

    What isn't given is made from the settings: the connection at once, the models when they are first needed. A driver,
    embedder or language model that was handed in stays open. Safe to use from several threads for retrieval.
    """
