"""Keys of nodes and relationships: made from namespace and content, the same in every process."""

from hipporag_neo4j.text import content_key


def passage_key(namespace: str, passage_id: str) -> str:
    """The key of a passage: from namespace and id."""
    return content_key(namespace, passage_id)


def phrase_key(namespace: str, name: str) -> str:
    """The key of a phrase: from namespace and normalised name."""
    return content_key(namespace, name)


def fact_key(namespace: str, subject: str, predicate: str, object_: str) -> str:
    """The key of a fact: from namespace and its normalised parts."""
    return content_key(namespace, subject, predicate, object_)


def answer_key(namespace: str, key: str) -> str:
    """The key of a language model's kept answer: from namespace and the key of what was asked."""
    return content_key(namespace, key)


def search_scope(namespace: str) -> str:
    """The namespace as one term of the full-text index, whose analyser ignores case and splits at hyphens."""
    return f"hipporagscope{namespace.encode().hex()}"
