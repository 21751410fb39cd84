"""What a graph holds, and what was done to it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from hipporag_neo4j import schema
from hipporag_neo4j.answer_cache import KeptAnswers, clear_answers, count_answers
from hipporag_neo4j.database import Row
from hipporag_neo4j.domain import Mode
from hipporag_neo4j.inspection.health import Health, read_health
from hipporag_neo4j.inspection.inspect import inspect
from hipporag_neo4j.resources import Resources
from hipporag_neo4j.retrieval.retrieve import options_of
from hipporag_neo4j.runs import Run, TotalSpent, list_runs, read_run, total_spent
from hipporag_neo4j.status import Status, read_status

if TYPE_CHECKING:
    from hipporag_neo4j.evaluation import Decisions, Question
    from hipporag_neo4j.evaluation.tune_synonyms import Tuning


class Looking(Resources):
    """What a graph holds, and what was done to it."""

    def status(self) -> Status:
        """What the namespace's graph holds. Raises GraphNotFoundError where there is none."""
        return read_status(self.database, schema.open_graph(self.database, self.namespace))

    def runs(self, limit: int = 20) -> Sequence[Run]:
        """The latest `limit` runs that wrote, the last one first. Raises GraphNotFoundError, and InputError for a
        limit that is none."""
        schema.open_graph(self.database, self.namespace)
        return list_runs(self.database, self.namespace, limit)

    def run(self, run: str) -> Run:
        """The report of one run, by its id or the beginning of it. Raises InputError unless there is exactly one."""
        return read_run(self.database, self.namespace, run)

    def spent(self) -> Sequence[TotalSpent]:
        """What all runs together have spent, by language model and currency."""
        return total_spent(self.database, self.namespace)

    def health(self) -> Health:
        """How well the passages became a graph, without gold answers: measures with verdicts, and what each run gave.

        Raises GraphNotFoundError where there is no graph, or no passage.
        """
        graph = schema.open_graph(self.database, self.namespace)
        return read_health(self.database, graph, options_of(self.settings).weights)

    def inspect(self, name: str, /, **parameters: object) -> list[Row]:
        """The rows of an inspection: `inspect("facts-of-phrase", phrase="Oda Merrin")`; docs/cypher.md has them all.

        Names of phrases are normalised as the graph's are; paths come as `inspection.plain.Path`. Only reads. Raises
        InputError for a name that is none, parameters that it doesn't take or that are missing, and a phrase or passage
        that isn't there, with the nearest ones; GraphNotFoundError.
        """
        return inspect(self.database, self.namespace, name, parameters)

    def graphs(self) -> Sequence[schema.Listed]:
        """Every namespace's graph in the database, by name; also those that this version can't open."""
        return schema.list_graphs(self.database)

    def kept_answers(self) -> Sequence[KeptAnswers]:
        """How many of the language model's answers are kept, by model and kind. Raises GraphNotFoundError."""
        schema.open_graph(self.database, self.namespace)
        return count_answers(self.database, self.namespace)

    def clear_answers(self, before: datetime) -> int:
        """Forget the answers that have been kept since before a time (with a time zone); how many they were."""
        return clear_answers(self.database, self.namespace, before)

    def tune_synonyms(
        self,
        thresholds: Sequence[float],
        *,
        samples: int = 5,
        questions: "Sequence[Question]" = (),
        modes: Sequence[Mode] = ("hybrid",),
        decisions: "Decisions | None" = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> "Tuning":
        """What each synonym threshold would join, and with questions what would be found in each mode.

        Nothing is embedded anew but the questions, and nothing is written. Raises InputError for thresholds that are
        none, GraphNotFoundError for a graph without phrases, and with questions what `evaluation.run` raises.
        """
        from hipporag_neo4j.evaluation.tune_synonyms import RecallTest, tune_synonyms

        test = None
        if questions:
            test = RecallTest(questions, modes, decisions, self._graph, self._sources, options_of(self.settings))
        return tune_synonyms(self.database, self.namespace, thresholds, samples=samples, test=test, progress=progress)
