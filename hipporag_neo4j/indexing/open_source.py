"""A source as a run takes it: passages that can be used, each once, long ones in parts."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.indexing.check_passages import OnProblem, check_passages
from hipporag_neo4j.indexing.distinct_passages import DistinctPassages
from hipporag_neo4j.indexing.read_documents import OnSkipped
from hipporag_neo4j.indexing.read_passages import read_passages
from hipporag_neo4j.indexing.split_text import split_passage

Source = Path | str | Iterable[Passage]


def open_source(
    source: Source,
    *,
    size: int,
    on_problem: OnProblem | None = None,
    on_skipped: OnSkipped | None = None,
    may_be_empty: bool = False,
) -> DistinctPassages[Passage]:
    """The passages of a file or folder, or these; texts longer than `size` characters are split.

    Raises InputError as `read_passages` and `DistinctPassages`, or hands it to `on_problem`.
    """
    passages = (
        read_passages(Path(source), on_problem=on_problem, on_skipped=on_skipped, may_be_empty=may_be_empty)
        if isinstance(source, Path | str)
        else check_passages(source, on_problem)
    )
    return DistinctPassages(passages, on_problem, partial(split_passage, size=size))
