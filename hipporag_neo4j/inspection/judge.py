"""What each measure of health should be, why, and what to do where it isn't. Pure: counts in, words out."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["fine", "look", "repair"]
MEASURED_ON = "the 1,890 passages of the official code's sample, read by gpt-3.5-turbo-1106"
"""What is called MuSiQue in the rules."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its verdict.

    `says` tells in a sentence what was found, `usual` what is fine and why, `advice` what to do: None where all is
    well. `see` is the inspection that names what was counted.
    """

    name: str
    count: int
    of: int
    verdict: Verdict
    says: str
    usual: str
    advice: str | None
    see: str | None = None

    @property
    def share(self) -> float | None:
        """`count` / `of`, None of nothing."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Rule:
    """When a measure is fine: a share from `lowest` to `highest`; `low` and `high` say what to do elsewhere.

    `says` is filled with count, of, percent (the share as a percentage) and per_100.
    """

    says: str
    usual: str
    lowest: float = 0.0
    highest: float = 1.0
    low: str = ""
    high: str = ""
    otherwise: Verdict = "look"
    see: str | None = None

    def judge(self, name: str, count: int, of: int) -> Measure:
        """The measure with its verdict; of nothing there is nothing to say against."""
        share = count / of if of else None
        advice = None
        if share is not None and share < self.lowest:
            advice = self.low
        elif share is not None and share > self.highest:
            advice = self.high
        percent = "-" if share is None else percentage(share)
        per_100 = "-" if share is None else f"{100 * share:.1f}"
        says = self.says.format(count=f"{count:,}", of=f"{of:,}", percent=percent, per_100=per_100)
        verdict = "fine" if advice is None else self.otherwise
        return Measure(name, count, of, verdict, says, self.usual, advice, self.see)


def percentage(share: float) -> str:
    """`1.6 %`; more digits where a share is small, but never a false 0 or 100."""
    percent = 100 * share
    if share in (0.0, 1.0):
        return f"{percent:.0f} %"
    for digits in range(percent < 10, 3):
        if float(text := f"{percent:.{digits}f}") not in (0.0, 100.0):
            return f"{text} %"
    return "less than 0.01 %" if percent < 1 else "more than 99.99 %"


RULES: dict[str, Rule] = {
    "passages without facts": Rule(
        "{count} of {of} passages have no fact ({percent})",
        "Fine to 3 % (MuSiQue: .1 %): no walk finds a passage without facts.",
        highest=0.03,
        high="Read some: where they say something, the model missed it. `retry-failed` tries those again that failed; "
        "for the others take a larger model.",
        see="passages-without-facts",
    ),
    "passages that failed": Rule(
        "{count} of {of} passages could not be read",
        "Fine at none: a failed passage is found by dense and bm25 alone.",
        highest=0.0,
        high="Look why they failed, then run `retry-failed`.",
        otherwise="repair",
        see="failed-passages",
    ),
    "facts stated, of words": Rule(
        "{per_100} facts per 100 words ({count} facts in {of} words)",
        "Fine from 6 to 25 (MuSiQue: 12): less loses what passages say, more is repeated or invented.",
        lowest=0.06,
        highest=0.25,
        low="The model skips much. Take a larger model, or shorter passages (HIPPORAG_PASSAGE_SIZE).",
        high="The model writes more than there can be: read `inspect facts-of-passage` beside `passage-details`.",
        see="thin-passages",
    ),
    "malformed triples": Rule(
        "{count} of {of} triples have not three parts ({percent})",
        "Fine to 5 % (MuSiQue: 1.1 %): they are kept aside, so their facts are missing.",
        highest=0.05,
        high="The model doesn't keep to the form. Take a larger model, or one whose server forces JSON.",
        see="malformed-answers",
    ),
    "named entities without a fact": Rule(
        "{count} of {of} named entities are in no fact of their passage ({percent})",
        "Fine to 50 % (MuSiQue: 33 %): a walk from such a name doesn't reach the passage by it.",
        highest=0.5,
        high="Read some passages: the model names things and writes no fact "
        "about them. Take a larger model, or shorter passages.",
        see="entities-without-facts",
    ),
    "phrases of one passage only": Rule(
        "{count} of {of} phrases are in one passage only ({percent})",
        "Fine to 96 % (MuSiQue: 91 %): walks go from passage to passage over what these share.",
        highest=0.96,
        high="Passages hardly share a phrase. Look for names written in several ways, "
        "and `tune-synonyms` for a threshold that joins them. Passages on unrelated things are like that.",
        see="phrases-of-one-passage",
    ),
    "phrases without a synonym": Rule(
        "{count} of {of} phrases have no synonym ({percent})",
        "Fine from 45 to 90 % (MuSiQue: 70 % at the threshold .8; from .7 to .9, where recall hardly changed, 45 to "
        "90 %).",
        lowest=0.45,
        highest=0.9,
        low="The threshold joins much: look at `inspect suspicious-synonyms`, then `tune-synonyms` for a higher one.",
        high="The threshold joins little: see what `tune-synonyms` would join at a lower one.",
        see="phrases-without-synonyms",
    ),
    "phrases of no passage": Rule(
        "{count} of {of} phrases are mentioned by no passage",
        "Fine at none, unless a run is under way.",
        highest=0.0,
        high="If no run is under way, run `index` or `import-openie` once more: the end of a run deletes them.",
        otherwise="repair",
        see="orphaned-parts",
    ),
    "nodes in the largest component": Rule(
        "{count} of {of} passages and phrases hang together in one component ({percent})",
        "Fine from 80 % (MuSiQue: 95 %): a walk never leaves the component in which it starts.",
        lowest=0.8,
        low="Parts of the graph can't be reached from others. Passages on unrelated things are like that; else see "
        "`inspect phrases-of-one-passage`, and `tune-synonyms` for a lower threshold.",
    ),
}
"""By the names of health_measures.cypher. The thresholds stand around what was measured on MEASURED_ON ("MuSiQue")."""
