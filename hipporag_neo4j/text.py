"""Normalisation of phrases, and the texts that are embedded."""

import hashlib
import re
import unicodedata
from typing import Literal, get_args

from hipporag_neo4j.errors import InputError

Normalisation = Literal["unicode", "paper"]
NORMALISATIONS: tuple[str, ...] = get_args(Normalisation)

_PAPER_DROPPED = re.compile("[^A-Za-z0-9 ]")


def normalise(text: str, rule: Normalisation) -> str:
    """The form in which a phrase or predicate is compared and stored.

    `unicode`: NFKC, lower-case, everything that is no letter, mark or number becomes a space, spaces collapse.
    `paper`: the official code's ASCII rule; inner spaces stay, so other scripts become the empty phrase.
    """
    if rule == "paper":
        return _PAPER_DROPPED.sub(" ", text.lower()).strip()
    # Composed again, since lower-case letters have composed forms that capitals lack.
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in composed)
    return " ".join(kept.split())


def is_short(phrase: str) -> bool:
    """Whether a normalised phrase is too short to look for synonyms: at most 2 letters or digits, in any script."""
    return len(phrase.replace(" ", "")) <= 2


def fact_text(subject: str, predicate: str, object_: str) -> str:
    """The text that is embedded for a fact: the Python string of the tuple, as in the official code."""
    return str((subject, predicate, object_))


def passage_text(title: str, text: str) -> str:
    """The text that is embedded and read by the LLM for a passage: title and text, a line each."""
    return f"{title}\n{text}" if title else text


def content_key(*parts: str) -> str:
    """A key made from content: 32 hexadecimal digits that are the same in every process.

    Each part is preceded by its length, so ("a", "bc") and ("ab", "c") differ. Raises InputError for half a surrogate
    pair.
    """
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    try:
        content = joined.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{parts[-1][:60]!r} holds half a surrogate pair, which is no Unicode text. Repair or drop that character."
        ) from error
    return hashlib.blake2b(content, digest_size=16).hexdigest()
