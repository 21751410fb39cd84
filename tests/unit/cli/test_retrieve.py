"""What `retrieve` says about the place where a walk started."""

from hipporag_neo4j.cli.retrieve import seeds_line
from hipporag_neo4j.domain import Seed


def test_the_share_of_the_passages_completes_the_seeds() -> None:
    named = Seed("lantern bridge", 0.4, "Lantern Bridge", 1.0)
    kept = Seed("averil stook", 0.25, None, 0.7)
    assert seeds_line((named, kept)).plain == (
        "Walk from lantern bridge 40%, averil stook 25%, passages like the question 35%"
    )


def test_seeds_that_are_all_there_is_leave_no_rest() -> None:
    thirds = tuple(Seed(name, 1 / 3, name, 1.0) for name in ("a", "b", "c"))
    assert seeds_line(thirds).plain == "Walk from a 33%, b 33%, c 33%"
