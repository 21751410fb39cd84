"""Paths as people read them: an edge as it points, whatever way it is walked."""

from hipporag_neo4j.inspection.plain import Edge, Path


def test_a_path_on_one_line() -> None:
    path = Path(
        ("Ada", "ada", "bob", "rob"),
        (
            Edge("MENTIONS", "Ada", "mentions 1x", "ada"),
            Edge("RELATES", "bob", "taught", "ada"),
            Edge("SYNONYM", "rob", "0.900", "bob"),
        ),
    )
    assert str(path) == "Ada -[mentions 1x]-> ada <-[taught]- bob ~ rob"
