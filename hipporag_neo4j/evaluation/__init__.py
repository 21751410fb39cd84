"""How much of what should be found is found, and how long it takes."""

from hipporag_neo4j.evaluation.ask import Entry, Reading, Retrieve
from hipporag_neo4j.evaluation.compare import pairs_of
from hipporag_neo4j.evaluation.evaluate import Evaluation, run
from hipporag_neo4j.evaluation.find_gold import FoundGold, find_gold
from hipporag_neo4j.evaluation.judge import Outcome
from hipporag_neo4j.evaluation.markdown import to_markdown
from hipporag_neo4j.evaluation.outcomes_file import OutcomesFile
from hipporag_neo4j.evaluation.query_decisions import Decision, Decisions, read_decisions
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question, read_questions
from hipporag_neo4j.evaluation.report import to_json
from hipporag_neo4j.evaluation.sampling import Sampling
from hipporag_neo4j.evaluation.setting import Setting, read_setting
from hipporag_neo4j.evaluation.summarise import ModeResult
from hipporag_neo4j.evaluation.tables import (
    compared_questions,
    summary,
    to_answer_table,
    to_comparison_table,
    to_latency_table,
    to_table,
)

__all__ = [
    "Decision",
    "Decisions",
    "Entry",
    "Evaluation",
    "FoundGold",
    "GoldPassage",
    "ModeResult",
    "Outcome",
    "OutcomesFile",
    "Question",
    "Reading",
    "Retrieve",
    "Sampling",
    "Setting",
    "compared_questions",
    "find_gold",
    "pairs_of",
    "read_decisions",
    "read_questions",
    "read_setting",
    "run",
    "summary",
    "to_answer_table",
    "to_comparison_table",
    "to_json",
    "to_latency_table",
    "to_markdown",
    "to_table",
]
