"""Indexing through the Batch API: a job of rounds, each of which fills the kept answers, until a run can read them all.

First the entities of all passages that changed, then the triples, then what has to be asked once more. When nothing is
left to ask, an ordinary run writes the graph from the kept answers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import ConfigurationError, InputError, LLMError
from hipporag_neo4j.indexing.batch_store import BatchStore, SentBatch, Troubles
from hipporag_neo4j.indexing.changed_passages import Changes, identify
from hipporag_neo4j.indexing.collect_batch import collect_batch
from hipporag_neo4j.indexing.index_report import IndexReport, Spent
from hipporag_neo4j.indexing.missing_requests import Asked, missing_requests
from hipporag_neo4j.indexing.record_run import new_run
from hipporag_neo4j.indexing.send_batch import Round, Sent, send_round
from hipporag_neo4j.llm.batch_api import BatchApi, BatchNotFoundError, BatchState
from hipporag_neo4j.llm.dialect import Dialect
from hipporag_neo4j.llm.openai_model import OpenAIModel
from hipporag_neo4j.prices import load_prices
from hipporag_neo4j.settings import Settings

_HOPELESS = 20
"""Requests of a round none of which was answered, after which the job ends."""
_MOST_ALONE = 0.1
"""Share of the requests that may be left to calls of their own, if they are more than the number above: these cost the
full price, which isn't what a batch was sent for."""

State = Literal["sent", "waiting", "ready", "cancelled"]
"""`sent`: a round was sent just now; `waiting`: one is at the endpoint; `ready`: nothing is left to ask but what no
batch could answer; `cancelled`: the job has ended, and what was answered before is kept."""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a job is. `batches` are those of all its rounds; empty where nothing had to be asked.

    `left` requests wait for a later round, since the endpoint queues only so many tokens; `alone` ones had no usable
    answer in batches, and are asked by calls of their own. `report`: what the run did that ended the job.
    """

    state: State
    batches: tuple[SentBatch, ...] = ()
    left: int = 0
    alone: int = 0
    report: IndexReport | None = None

    @property
    def round(self) -> int:
        """The number of the latest round, from 1; 0 where there was none."""
        return max((batch.round for batch in self.batches), default=0)

    @property
    def latest(self) -> tuple[SentBatch, ...]:
        """The batches of the latest round."""
        return latest(self.batches)

    @property
    def spent(self) -> Spent:
        """What the batches have cost, at the price of batches; no money unless all that were paid for had a price."""
        paid = [batch for batch in self.batches if batch.prompt_tokens + batch.completion_tokens]
        tokens = sum(batch.prompt_tokens for batch in paid), sum(batch.completion_tokens for batch in paid)
        costs = [batch.cost for batch in paid if batch.cost is not None]
        currencies = {batch.currency for batch in paid}
        if not paid or len(costs) < len(paid) or len(currencies) > 1:
            return Spent(*tokens, from_cache=0)
        return Spent(*tokens, from_cache=0, cost=sum(costs), currency=currencies.pop())


def latest(batches: Sequence[SentBatch]) -> tuple[SentBatch, ...]:
    """The batches of the latest round among these."""
    number = max((batch.round for batch in batches), default=0)
    return tuple(batch for batch in batches if batch.round == number)


@dataclass(frozen=True, slots=True)
class BatchJob:
    """The jobs of one namespace, which has a graph, with the model of the settings.

    Raises LLMError for what goes wrong at the endpoint, and DatabaseError.
    """

    store: BatchStore
    api: BatchApi
    settings: Settings
    identity: tuple[str, ...]

    @classmethod
    def of(cls, store: BatchStore, api: BatchApi, settings: Settings) -> "BatchJob":
        """With the identity of the model that the settings name."""
        model = OpenAIModel(settings, name=settings.llm_model or "")
        return cls(store, api, settings, model.identity)

    def begin(self, passages: Iterable[Passage], source: str | None) -> BatchProgress:
        """Send the first round for the passages that changed.

        `source`: where they are from, for who resumes. Raises InputError while another job is under way.
        """
        if there := self.store.open_job():
            raise _under_way(self.store.namespace, there)
        before = [batch for batch in self.store.read() if batch.identity == self.identity]
        this = self._round(new_run(), 1, before[-1].dialect if before else Dialect(), source, None)
        sent = send_round(self.store, self.api, this, self._asked(passages), Troubles({}, {}, frozenset()))
        if sent.faster:
            raise _under_way(self.store.namespace, self.store.open_job())
        return self._after(sent)

    def advance(self, passages: Iterable[Passage]) -> BatchProgress:
        """Collect what has ended; where nothing is at the endpoint any more, send the next round.

        Raises InputError where no job is under way, ConfigurationError where the job's model or passage size is another
        one, and LLMError where a round came to nothing, which ends the job.
        """
        job = self._job()
        if [batch for batch in job if batch.collected is None and self._still_away(batch)]:
            return BatchProgress("waiting", self.store.open_job())
        source, job = job[0].source, self.store.open_job()
        if not job:  # what was announced had never been sent
            return self.begin(passages, source)
        done = latest(job)
        if any(batch.status == "cancelled" for batch in done):
            self.store.finish(job[0].job)
            return BatchProgress("cancelled", job)
        if trouble := _hopeless(done):
            self.store.finish(job[0].job)
            raise LLMError(
                f"The batch in namespace {self.store.namespace!r} came to nothing: {trouble} The job has ended; "
                "answers of earlier batches are kept. Put the cause right, then send the rest with `hipporag-neo4j "
                "index SOURCE --batch`, or have it read by single calls without --batch."
            )
        this = self._round(job[0].job, done[0].round + 1, done[-1].dialect, job[0].source, _at_once(done))
        troubles = self.store.troubles(this.job)
        sent = send_round(self.store, self.api, this, self._asked(passages), troubles)
        if sent.faster:
            return BatchProgress("waiting", self.store.open_job())
        kept = sum(batch.kept for batch in job)
        if not sent.requests and sent.alone > max(_HOPELESS, _MOST_ALONE * kept):
            self.store.finish(job[0].job)
            raise LLMError(
                f"{sent.alone:,} requests of the batch in namespace {self.store.namespace!r} got no usable answer, and "
                f"{kept:,} did; the latest complaint: {_complaint(job)}. The job has ended, and the answers are kept. "
                "Put the cause right and send the rest with `hipporag-neo4j index SOURCE --batch`, or have it asked by "
                "single calls, at the full price, without --batch."
            )
        return self._after(sent)

    def look(self) -> None:
        """Note how the batches are that the endpoint is at work on; nothing is collected."""
        for batch in self.store.open_job():
            if batch.collected is None and batch.batch is not None:
                self.store.note(batch.id, self.api.retrieve(batch.batch))

    def finish(self, progress: BatchProgress, run: str) -> None:
        """The run that read the kept answers is over, and the job with it, unless another client has sent more for it.

        What another client has begun meanwhile goes on.
        """
        now = self.store.open_job()
        for job in {batch.job for batch in progress.batches}:
            if not any(batch.job == job and batch.collected is None for batch in now):
                self.store.finish(job, run)

    def cancel(self) -> tuple[SentBatch, ...]:
        """Stop the job: cancel what is at the endpoint, which `advance` collects; collect what has ended.

        A batch that the endpoint doesn't know, or whose answers it doesn't have any more, is given up. Raises
        InputError where no job is under way.
        """
        job = self._job(check=False)
        for batch in (batch for batch in job if batch.collected is None):
            known = batch.batch or self._find(batch)
            try:
                state = self.api.retrieve(known) if known else None
                if state is None:
                    self.store.forget(batch.id)
                elif state.ended:
                    self._collect(batch, state)
                else:
                    self.store.note(batch.id, self.api.cancel(state.id))
            except BatchNotFoundError:
                self.store.collect(batch.id, {"status": "cancelled", "error": "unknown to the endpoint"})
        job = self.store.open_job()
        if job and all(batch.collected is not None for batch in job):
            self.store.finish(job[0].job)
        return job

    def source(self) -> str | None:
        """Where the passages of the job under way are from; None where they were given as objects."""
        return self._job(check=False)[0].source

    def _job(self, *, check: bool = True) -> tuple[SentBatch, ...]:
        job = self.store.open_job()
        if not job:
            raise InputError(
                f"No batch is under way in namespace {self.store.namespace!r}. `hipporag-neo4j index SOURCE --batch` "
                "sends one; `hipporag-neo4j batch status` lists those before."
            )
        if check and job[0].identity != self.identity:
            raise ConfigurationError(
                f"The batch under way was sent to {_shown(job[0].identity)}; the settings name "
                f"{_shown(self.identity)}. Set HIPPORAG_LLM_MODEL, OPENAI_BASE_URL and HIPPORAG_LLM_MAX_TOKENS as they "
                "were, or give the batch up with `hipporag-neo4j batch cancel`."
            )
        if check and job[0].passage_size != self.settings.passage_size:
            raise ConfigurationError(
                f"The batch under way was made from passages of at most {job[0].passage_size} characters; the settings "
                f"say {self.settings.passage_size}. Set HIPPORAG_PASSAGE_SIZE={job[0].passage_size}, or give the batch "
                "up with `hipporag-neo4j batch cancel`."
            )
        return job

    def _still_away(self, batch: SentBatch) -> bool:
        """Whether there is something to wait for; a batch that has ended is collected."""
        known = batch.batch or self._find(batch)
        if known is None:
            if batch.age < batch.patience:
                return True  # its sender may be at work
            self.store.forget(batch.id)
            return False
        state = self.api.retrieve(known)
        if state.ended:
            self._collect(batch, state)
        else:
            self.store.note(batch.id, state)
        return not state.ended

    def _collect(self, batch: SentBatch, state: BatchState) -> None:
        self.store.note(batch.id, state)
        price = load_prices(self.settings.prices).price(batch.identity[0])
        collect_batch(self.store, self.api, batch, state, max_tokens=self.settings.llm_max_tokens, price=price)

    def _find(self, batch: SentBatch) -> str | None:
        """The endpoint's id of a batch that was announced, and maybe created before its sender was cut off."""
        found: BatchState | None = self.api.find({batch.id}).get(batch.id)
        return found.id if found else None

    def _asked(self, passages: Iterable[Passage]) -> Iterable[Asked]:
        changes = Changes(self.store.database, self.store.namespace, IndexReport(run=""), lambda error: None)
        changed = changes.find(identify(passage) for passage in passages)
        return missing_requests(
            (passage.extracted.passage for passage in changed),
            name=self.identity[0],
            identity=self.identity,
            find_all=self.store.answers.find_all,
            prompts_dir=self.settings.prompts_dir,
        )

    def _round(self, job: str, number: int, dialect: Dialect, source: str | None, at_once: int | None) -> Round:
        return Round(
            job=job,
            number=number,
            name=self.identity[0],
            identity=self.identity,
            max_tokens=self.settings.llm_max_tokens,
            dialect=dialect,
            source=source,
            passage_size=self.settings.passage_size,
            patience=self.settings.llm_timeout + 60,
            at_once=at_once,
        )

    def _after(self, sent: Sent) -> BatchProgress:
        return BatchProgress("sent" if sent.requests else "ready", self.store.open_job(), sent.left, sent.alone)


def source_name(source: Path | str | Iterable[Passage]) -> str | None:
    """What a job remembers of its source, for who resumes it."""
    return str(Path(source).resolve()) if isinstance(source, Path | str) else None


def _at_once(done: Sequence[SentBatch]) -> int | None:
    """The most requests for a batch of the next round: fewer after one that was too much for the endpoint's queue."""
    limited = [batch.requests for batch in done if batch.over_limit]
    if not limited:
        return done[0].at_once
    return max([min(limited) // 2, *(batch.requests for batch in done if not batch.over_limit)])


def _hopeless(done: Sequence[SentBatch]) -> str | None:
    """Why it makes no sense to go on after a round; None where it does."""
    for batch in done:
        if batch.status == "failed" and not batch.over_limit:
            return f"the endpoint refused it: {batch.error or 'it gives no reason'}."
        if batch.over_limit and batch.requests == 1:
            return f"the endpoint's queue is full, even for one request: {batch.error}. Other batches may be in it."
    asked = sum(batch.requests - batch.undone for batch in done)
    if asked >= _HOPELESS and not any(batch.kept for batch in done):
        return f"none of {asked:,} requests got a usable answer, most of them since: {_complaint(done)}."
    return None


def _complaint(job: Sequence[SentBatch]) -> str:
    return next((batch.complaint for batch in reversed(job) if batch.complaint), "none")


def _under_way(namespace: str, job: Sequence[SentBatch]) -> InputError:
    sent = f", sent {job[0].created:%Y-%m-%d %H:%M} UTC from {job[0].source or 'passages in Python'}" if job else ""
    return InputError(
        f"A batch is under way in namespace {namespace!r}{sent}. Collect it with `hipporag-neo4j index --resume`, or "
        "stop it with `hipporag-neo4j batch cancel`; another one would ask, and cost, the same again."
    )


def _shown(identity: Sequence[str]) -> str:
    return f"{identity[0]!r} at {identity[1]} (answers of at most {identity[2]} tokens)"
