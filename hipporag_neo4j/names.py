"""Names that people give and that become part of a statement: the one place where they are quoted.

Values are parameters; labels, types, properties and indexes can't be.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

from hipporag_neo4j.errors import InputError

_LONGEST = 500


def quoted(name: str) -> str:
    """A name between back-quotes, ready for a statement. Raises InputError for one that no back-quotes can hold.

    A back-quote inside is doubled. A backslash may begin a Unicode escape, which Neo4j reads before it reads quotes.
    """
    if not name or len(name) > _LONGEST or "\\" in name or not name.isprintable():
        shown = name if len(name) <= 80 else name[:80] + "…"
        raise InputError(
            f"The name {shown!r} can't be used in a statement: take 1 to {_LONGEST} printable characters, without a "
            "backslash. Rename it in the database, or leave it out."
        )
    return f"`{name.replace('`', '``')}`"


class Names(ABC):
    """What fills the gaps of a statement that is written for labels, types and properties of others."""

    @abstractmethod
    def text(self, word: str, argument: str) -> str:
        """What stands for `$word(argument)`."""

    @abstractmethod
    def each(self, kind: str) -> Sequence[Self]:
        """Names for each of several things, for which a section `/*each kind … */` is repeated."""

    @property
    def parameters(self) -> dict[str, str]:
        """None: what can be a value is a parameter of the statement already."""
        return {}
