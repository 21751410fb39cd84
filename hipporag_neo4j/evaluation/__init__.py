"""How much of what should be found is found, and how long it takes."""

from hipporag_neo4j.evaluation.ask import Entry, Retrieve
from hipporag_neo4j.evaluation.evaluate import Evaluation, run
from hipporag_neo4j.evaluation.find_gold import FoundGold, find_gold
from hipporag_neo4j.evaluation.judge import Outcome
from hipporag_neo4j.evaluation.query_decisions import Decision, Decisions, read_decisions
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question, read_questions
from hipporag_neo4j.evaluation.report import summary, to_json, to_latency_table, to_table
from hipporag_neo4j.evaluation.summarise import ModeResult

__all__ = [
    "Decision",
    "Decisions",
    "Entry",
    "Evaluation",
    "FoundGold",
    "GoldPassage",
    "ModeResult",
    "Outcome",
    "Question",
    "Retrieve",
    "find_gold",
    "read_decisions",
    "read_questions",
    "run",
    "summary",
    "to_json",
    "to_latency_table",
    "to_table",
]
