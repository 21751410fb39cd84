"""How well an answer agrees with those that count as right, as SQuAD measures it.

Source: Rajpurkar et al., SQuAD (EMNLP 2016), section 6.1, and the official evaluation script of version 2.0, which
HotpotQA, 2WikiMultihopQA and MuSiQue follow.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def exact_match(answer: str, right: Sequence[str]) -> float:
    """1 if the answer equals one of the right ones as they are compared, else 0. Raises ValueError for none."""
    _refuse_none(right)
    return float(comparable_answer(answer) in map(comparable_answer, right))


def f1(answer: str, right: Sequence[str]) -> float:
    """The harmonic mean of the words' precision and recall, 0 to 1, against the right answer that fits best.

    A word counts as often as it occurs. Where no word is left on a side, 1 if none is left on both, else 0. Raises
    ValueError for no right answer.
    """
    _refuse_none(right)
    return max(_f1(comparable_answer(answer).split(), comparable_answer(one).split()) for one in right)


def comparable_answer(text: str) -> str:
    """The form in which answers are compared: lower case, without ASCII punctuation and English articles."""
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def _f1(answer: list[str], right: list[str]) -> float:
    if not answer or not right:
        return float(answer == right)
    common = (Counter(answer) & Counter(right)).total()
    return 2 * common / (len(answer) + len(right))  # 2PR / (P + R), with P and R written out


def _refuse_none(right: Sequence[str]) -> None:
    if not right:
        raise ValueError("an answer can't be judged without a right one")
