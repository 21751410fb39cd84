"""The error for an adapter whose library isn't installed."""

from hipporag_neo4j.errors import MissingExtraError


def missing_extra(extra: str, library: str, error: ImportError) -> MissingExtraError:
    """The error to raise where a library of an extra can't be imported."""
    return MissingExtraError(
        f'This needs {library}, which can\'t be imported ({error}). Install it: pip install "hipporag-neo4j[{extra}]".'
    )
