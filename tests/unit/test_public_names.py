"""What people may import: a new name is a promise, a missing one a break."""

import hipporag_neo4j
from hipporag_neo4j import errors

PUBLIC = {
    "AnswerResult", "AsyncHippoRAG", "ExistingGraph", "Explanation", "HippoRAG", "Passage", "RankedPassage",
    "RetrievalResult", "Seed", "Settings", "Step", "errors",
}  # fmt: skip


def test_the_package_exports_these_names() -> None:
    assert set(hipporag_neo4j.__all__) == PUBLIC
    assert hipporag_neo4j.__all__ == sorted(hipporag_neo4j.__all__)


def test_every_exported_name_exists_and_no_other() -> None:
    for name in PUBLIC:
        assert getattr(hipporag_neo4j, name) is not None
    assert not hasattr(hipporag_neo4j, "Hipporag")


def test_what_is_exported_says_what_it_is() -> None:
    for name in PUBLIC:
        assert (getattr(hipporag_neo4j, name).__doc__ or "").strip(), name


def test_every_error_derives_from_one_and_is_drawn_in_the_tree() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    assert errors.HippoRAGError in classes
    for error in classes:
        assert issubclass(error, errors.HippoRAGError)
        assert error.__name__ in (errors.__doc__ or "")
