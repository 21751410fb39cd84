"""Clients that are killed, connections that are cut, at any message they send: nothing is twice, nothing half.

A run of many pieces of work, each broken off, with the graph read after each; every few of them the work is finished,
and the whole graph and a ranking compared with what its passages alone would make.
"""

import os
import random
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, LiteralString

import neo4j
import pytest

from hipporag_neo4j.domain import ExtractedPassage, Passage
from hipporag_neo4j.errors import GraphNotFoundError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.schema import DEFAULT_SYNONYM_THRESHOLD
from hipporag_neo4j.settings import Settings
from tests import kill_client
from tests.bolt_proxy import WHENS, BoltProxy, Fault, proxied
from tests.embedders import HashEmbedder
from tests.graphs import (
    DIMENSIONS,
    Content,
    Fact,
    assert_same,
    edges_of,
    expected_content,
    link,
    page_rank,
    passage,
    passage_scores,
    read_content,
    specificity,
    write,
)
from tests.kill_client import Kind, Task
from tests.llm_server import LLMServer, Request, extract_from_prompt, names_in
from tests.own_server import OwnServer
from tests.servers import TestServer, open_driver

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")

NAMES = (
    *("Old Mill", "Old Mills", "The Old Mill", "Grand River Bridge", "Grand River Bridges", "Us", "Us Us"),
    *("Harbour", "Harbours", "Lake Town", "Lake Towns", "Gull"),
)
THRESHOLDS = (DEFAULT_SYNONYM_THRESHOLD, 0.65)
"""No two of the names have a cosine near one of them; at the second one pair more is joined."""
EMBEDDER = HashEmbedder(DIMENSIONS)
KINDS: tuple[Kind, ...] = ("import", "prune", "delete", "index", "retry", "relink", "init", "drop")
MUTE = "mute"
"""A passage with this word in it can't be read by the language model, until it may."""
How = Literal["killed", "cut once", "cut for good", "server killed"]
HOWS: tuple[How, ...] = ("killed", "killed", "cut once", "cut for good")
MINUTES = 13
"""In which a machine with nothing else to do tries all messages, some 350, once."""
ENDS_IN = 120.0
"""Seconds in which a client whose connection is cut must end by itself."""


@dataclass(frozen=True)
class Version:
    """A passage as it stands in the graph at some time; `failed`: the language model could not read it."""

    text: str
    facts: tuple[Fact, ...]
    failed: bool = False

    def extracted(self, id_: str) -> ExtractedPassage:
        """With what was read in it."""
        return passage(id_, *(() if self.failed else self.facts), text=self.text)


State = dict[str, Version]


@dataclass(frozen=True)
class Found:
    """What stands in the graph, besides its content."""

    states: Mapping[str, tuple[str, str]]
    """Text and status by id."""
    unlinked: frozenset[str]
    without_vector: int
    left_over: int
    graph: Mapping[str, Any] | None


class World:
    """A graph that clients work on, and what it should hold."""

    def __init__(self, settings: Settings, driver: neo4j.Driver, server: TestServer, llm: LLMServer, seed: int) -> None:
        self.settings = settings
        self.state: State = {}
        self.threshold: float = DEFAULT_SYNONYM_THRESHOLD
        self.random = random.Random(seed)
        self.driver = driver
        self._server = server
        self._muted = True
        self._versions = 0
        llm.respond = self._answer

    def _answer(self, request: Request) -> str:
        return "I'd rather not." if self._muted and MUTE in request.prompt else extract_from_prompt(request)

    def plan(self, kind: Kind) -> tuple[Task, State, float]:
        """Something to do of a kind, and what it leaves."""
        self._muted = kind != "retry"
        task = Task(kind, self.settings, self._server.uri)
        if kind in ("import", "prune"):
            named = {id_: self._imported() for id_ in self._some_ids()}
            kept = {} if kind == "prune" else self.state
            extracted = tuple(version.extracted(id_) for id_, version in named.items())
            return replace(task, extracted=extracted), {**kept, **named}, self.threshold
        if kind == "index":
            named = {id_: self._spoken() for id_ in self._some_ids()}
            passages = tuple(Passage(version.text, id=id_) for id_, version in named.items())
            return replace(task, passages=passages), {**self.state, **named}, self.threshold
        if kind == "delete":
            ids = self.random.sample(sorted(self.state), len(self.state) // 2)
            left = {id_: version for id_, version in self.state.items() if id_ not in ids}
            return replace(task, ids=ids), left, self.threshold
        if kind == "retry":
            return task, {id_: replace(version, failed=False) for id_, version in self.state.items()}, self.threshold
        if kind == "relink":
            other = next(threshold for threshold in THRESHOLDS if threshold != self.threshold)
            return replace(task, threshold=other), self.state, other
        return task, ({} if kind == "drop" else self.state), self.threshold

    def _some_ids(self) -> list[str]:
        return sorted(self.random.sample([f"p{number}" for number in range(8)], self.random.randint(2, 5)))

    def _imported(self) -> Version:
        facts = tuple((*self.random.sample(NAMES, 2), "near") for _ in range(self.random.randint(0, 3)))
        return Version(self._text("imported"), tuple((one, near, other) for one, other, near in facts))

    def _spoken(self) -> Version:
        names = self.random.sample(NAMES, self.random.randint(2, 4))
        failed = self.random.random() < 0.3
        text = " and ".join(names) + self._text(f", {MUTE}" if failed else ", spoken")
        first, *others = names_in(text)
        return Version(text, tuple((first, "goes with", other) for other in others), failed)

    def _text(self, what: str) -> str:
        self._versions += 1
        return f"{what} number {self._versions}."

    def settle(self, before: State, after: State, threshold_after: float) -> Found:
        """Read the graph after something was broken off: each passage is as it was, or as it should be.

        Takes the graph's lock first, so that a transaction that was under way has ended.
        """
        self._wait()
        found = self._read()
        stands: State = {}
        for id_, (text, status) in found.states.items():
            versions = [state[id_] for state in (before, after) if id_ in state]
            fitting = [v for v in versions if (v.text, "failed" if v.failed else "written") == (text, status)]
            assert fitting, f"{id_} is neither as it was nor as it should be: {text!r} {status}"
            stands[id_] = fitting[0]
        for id_, version in before.items():
            assert id_ in stands or after.get(id_) != version, f"{id_} is gone"
        self.state = stands
        if found.graph is not None:
            assert found.graph["synonym_threshold"] in (self.threshold, threshold_after)
            self.threshold = found.graph["synonym_threshold"]
        return found

    def check_parts(self, found: Found) -> None:
        """Of an unfinished graph: each passage is there with all that it says, and nothing else is said."""
        content = read_content(self.driver, self._server, self.settings.namespace)
        expected = self.expected()
        assert found.without_vector == 0
        assert content.passages == expected.passages
        assert content.facts == expected.facts
        assert content.mentions == expected.mentions
        assert content.phrases >= expected.phrases
        wanted = synonyms_among(content.phrases, self.threshold)
        assert content.synonyms.keys() <= wanted.keys()
        linked = {pair for pair in wanted if not found.unlinked.intersection(pair)}
        assert content.synonyms.keys() >= linked

    def check_whole(self) -> None:
        """Of a graph that a run has ended: it is the one its passages make, and finds what that one finds."""
        found = self._read()
        content = read_content(self.driver, self._server, self.settings.namespace)
        assert_same(content, self.expected())
        assert (found.unlinked, found.without_vector, found.left_over) == (frozenset(), 0, 0)
        assert found.graph is not None
        assert found.graph["version"] == found.graph["published"]
        if not content.phrases:
            return
        entities = self.random.sample(sorted(content.phrases), min(2, len(content.phrases)))
        exact = self.settings.model_copy(update={"iterations": 100, "tolerance": 1e-12, "minimum": 0.0})
        with HippoRAG(exact, driver=self.driver, embedder=EMBEDDER) as rag:
            result = rag.retrieve("Where?", mode="hipporag1", entities=entities, limit=50)
        seeds = specificity(content, link(content, entities, EMBEDDER.embed))
        scores = passage_scores(content, page_rank(content, edges_of(content, "sum"), seeds))
        total = sum(p.score for p in result.passages)
        whole = sum(scores.values())
        ranking = {p.id: p.score / total for p in result.passages}
        assert ranking == pytest.approx({id_: s / whole for id_, s in scores.items() if s > 1e-12}, abs=1e-8)

    def expected(self) -> Content:
        """What the passages that stand make."""
        passages = [version.extracted(id_) for id_, version in self.state.items()]
        return expected_content(passages, EMBEDDER, normalisation="unicode", threshold=self.threshold)

    def _read(self) -> Found:
        passages = self._rows("MATCH (p:Passage {namespace: $namespace}) RETURN p.id, p.text, p.status")
        return Found(
            states={id_: (text, status) for id_, text, status in passages},
            unlinked=frozenset(
                row[0]
                for row in self._rows(
                    "MATCH (p:Phrase {namespace: $namespace}) WHERE p.unlinked IS NOT NULL RETURN p.name"
                )
            ),
            without_vector=self._rows(
                "MATCH (p:Passage|Phrase {namespace: $namespace}) WHERE p.embedding IS NULL RETURN count(*)"
            )[0][0],
            left_over=self._rows("MATCH (p:HippoDeleted {namespace: $namespace}) RETURN count(*)")[0][0],
            graph=next(
                (row[0] for row in self._rows("MATCH (g:HippoGraph {namespace: $namespace}) RETURN properties(g)")),
                None,
            ),
        )

    def _rows(self, statement: LiteralString) -> list[list[Any]]:
        with self.driver.session(database=self._server.database) as session:
            return session.run(statement, namespace=self.settings.namespace).values()

    def _wait(self) -> None:
        with self.driver.session(database=self._server.database) as session, session.begin_transaction() as tx:
            tx.run(
                "MATCH (g:HippoGraph {namespace: $namespace}) SET g.version = g.version",
                namespace=self.settings.namespace,
            )
            tx.rollback()


def synonyms_among(phrases: frozenset[str], threshold: float) -> Mapping[tuple[str, str], float]:
    """Every pair that should be joined."""
    all_of_them = [passage(name, (name, "is", "?"), text=name) for name in phrases]
    content = expected_content(all_of_them, EMBEDDER, normalisation="paper", threshold=threshold)
    return {pair: score for pair, score in content.synonyms.items() if "" not in pair}


class Chaos:
    """Breaks work off in a world, each kind at each message that it sends, least tried first.

    `own` is the server, where it may be killed; it is started again, and the world's driver with it.
    """

    def __init__(self, world: World, proxy: BoltProxy, own: OwnServer | None = None) -> None:
        self.world = world
        self.hits: Counter[tuple[Kind, How, str]] = Counter()
        self.finished = 0
        self._proxy = proxy
        self._own = own
        self._address = f"bolt://127.0.0.1:{proxy.port}"
        self._seen: dict[Kind, Counter[str]] = {}

    @property
    def places(self) -> set[tuple[Kind, str]]:
        """The kinds of work and messages at which something was broken off."""
        return {(kind, label) for kind, _, label in self.hits}

    @property
    def untried(self) -> set[tuple[Kind, str]]:
        """Those seen at which nothing was broken off yet; what all kinds begin with counts once, as `init`."""
        seen = {(kind, label) for kind, labels in self._seen.items() for label in labels}
        return {(k, label) for k, label in seen if k == "init" or not label.startswith("schema/")} - self.places

    def learn(self, kinds: Sequence[Kind]) -> None:
        """Do work of each kind once, whole, to see which messages it takes."""
        for kind in kinds:
            self._finish(*self._plan(kind))

    def step(self, kind: Kind, how: How, *, finish: bool) -> None:
        """Break off some work of a kind; then look at the graph; then, if wanted, finish the work and compare all."""
        if not self.world.state:
            self.learn(["import", "index"])
        task, after, threshold = self._plan(kind)
        before = self.world.state
        label = self._least_tried(kind)
        outcome = self._break_off(task, label, how)
        found = self.world.settle(before, after, threshold)
        dropping = found.graph is not None and found.graph.get("dropping") is not None
        if outcome == "done":
            assert self.world.state == after
        if found.graph is None:
            assert kind == "drop"
            assert not self.world.state
            self.world.threshold = DEFAULT_SYNONYM_THRESHOLD
        elif dropping:
            assert kind == "drop"
            self._finish(task, {}, threshold)
        else:
            self.world.check_parts(found)
            if finish:
                self._finish(task, after, threshold)

    def _plan(self, kind: Kind) -> tuple[Task, State, float]:
        task, after, threshold = self.world.plan(kind)
        return replace(task, address=self._address), after, threshold

    def _least_tried(self, kind: Kind) -> str:
        tried = Counter(label for (k, _, label), times in self.hits.items() for _ in range(times) if k == kind)
        labels = sorted(label for k, label in self.untried if k == kind) or sorted(self._seen[kind])
        self.world.random.shuffle(labels)
        return min(labels, key=lambda label: tried[label])

    def _break_off(self, task: Task, label: str, how: How) -> Literal["done", "broken off"]:
        chance = self.world.random
        victim: list[int] = []
        when = chance.choice(WHENS)
        passed = chance.randrange(self._seen[task.kind][label])

        def harm() -> None:
            if how == "killed":
                os.kill(victim[0], signal.SIGKILL)
            elif how == "server killed" and self._own is not None:
                self._own.kill()

        fault = Fault(label, when, passed, harm, for_good=how != "cut once", delay=chance.uniform(0, 0.02))
        self._proxy.arm(fault)
        process, pipe = kill_client.start(task)
        assert process.pid is not None
        victim.append(process.pid)
        process.join(ENDS_IN)
        assert process.exitcode is not None, f"{task.kind} hangs after {label} was {how} {when} it"
        said = kill_client.hear(process, pipe)
        self._seen[task.kind] |= Counter(self._proxy.messages)
        if self._proxy.has_struck():
            self.hits[task.kind, how, label] += 1
            if how == "killed":
                assert process.exitcode == -signal.SIGKILL
            elif how == "cut once":
                assert said is None or said.startswith("ServerUnavailableError"), said
            else:
                assert said is not None
                assert said.startswith("ServerUnavailableError"), said
            if how == "server killed" and self._own is not None:
                self._own.start()
                self.world.driver.close()
                self.world.driver = open_driver(self._own.address)
        else:  # the message didn't come this time
            assert said is None, said
        self._proxy.arm(None)
        return "done" if said is None else "broken off"

    def _finish(self, task: Task, after: State, threshold: float) -> None:
        """The same work again, undisturbed; and what other work has left undone, where this one doesn't do that."""
        self._proxy.arm(None)
        said = self._do(task)
        gone = said is not None and said.startswith(GraphNotFoundError.__name__)
        assert said is None or (gone and task.kind == "drop"), said
        self._seen[task.kind] = self._seen.get(task.kind, Counter()) | Counter(self._proxy.messages)
        if task.kind in ("init", "relink"):
            assert self._do(replace(task, kind="import")) is None
        self.finished += 1
        self.world.state = after
        self.world.threshold = threshold
        if task.kind == "drop":
            assert count_nodes(self.world.driver, self.world.settings.namespace) == 0
            self.world.threshold = DEFAULT_SYNONYM_THRESHOLD
        else:
            self.world.check_whole()

    @staticmethod
    def _do(task: Task) -> str | None:
        process, pipe = kill_client.start(task)
        return kill_client.hear(process, pipe)

    def told(self) -> str:
        """How many of what, and where."""
        by_how = Counter(how for _, how, _ in self.hits.elements())
        by_kind = Counter(kind for kind, _, _ in self.hits.elements())
        lines = [f"{self.hits.total()} broken off at {len(self.places)} places: {dict(by_how)}, in {dict(by_kind)}"]
        lines.append(f"{self.finished} runs to the end, each compared as a whole; {len(self.untried)} places not tried")
        return "\n".join(lines)


def scripted(settings: Settings, llm: LLMServer, **changes: object) -> Settings:
    """The settings, with the scripted language model."""
    model = {"llm_model": "scripted", "openai_base_url": llm.url, "llm_retries": 0, "llm_concurrency": 2}
    return settings.model_copy(update={**model, **changes})


def count_nodes(driver: neo4j.Driver, namespace: str) -> int:
    with driver.session() as session:
        record = session.run("MATCH (n {namespace: $namespace}) RETURN count(n) AS n", namespace=namespace).single(
            strict=True
        )
        return int(record["n"])


@pytest.fixture
def proxy(server: TestServer) -> Iterator[BoltProxy]:
    """A proxy before the server, which knows what clients send."""
    with proxied(server.uri) as opened:
        yield opened


@pytest.fixture
def chaos(
    settings: Settings, driver: neo4j.Driver, server: TestServer, llm_server: LLMServer, proxy: BoltProxy
) -> Chaos:
    return Chaos(World(scripted(settings, llm_server), driver, server, llm_server, seed=20), proxy)


def test_clients_are_broken_off_anywhere(chaos: Chaos) -> None:
    """A sample of what the long test does."""
    kinds: tuple[Kind, ...] = ("import", "index", "retry", "delete", "relink", "prune")
    chaos.learn(kinds)
    for number in range(12):
        chaos.step(kinds[number % len(kinds)], HOWS[number % len(HOWS)], finish=number % 3 == 2)
    chaos.learn(["import"])
    assert chaos.hits.total() >= 8, chaos.told()


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_clients_are_broken_off_at_every_message(
    chaos: Chaos,
    settings: Settings,
    make_namespace: Callable[[], str],
    driver: neo4j.Driver,
    server: TestServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """At each message of each kind of work, as far as time allows; another namespace isn't touched."""
    neighbour = make_namespace()
    with HippoRAG(settings.model_copy(update={"namespace": neighbour}), embedder=EMBEDDER) as rag:
        write(rag, [passage(f"p{number}", ("Old Mill", "near", NAMES[number])) for number in range(1, 5)])
    before = read_content(driver, server, neighbour)
    chaos.learn([*KINDS, "import", "index"])
    number, until = 0, time.monotonic() + MINUTES * 60
    while (chaos.untried or number < 60) and time.monotonic() < until:
        todo = sorted({kind for kind, _ in chaos.untried}) or KINDS
        chaos.step(todo[number % len(todo)], HOWS[number % len(HOWS)], finish=number % 4 == 3)
        number += 1
    chaos.learn(["import"])
    with capsys.disabled():
        print(f"\n{chaos.told()}")
    assert chaos.hits.total() >= 50
    assert read_content(driver, server, neighbour) == before


@pytest.mark.parametrize("asked", [3, 14])
def test_a_reader_that_is_killed_has_paid_for_what_was_answered(
    asked: int, settings: Settings, llm_server: LLMServer, server: TestServer
) -> None:
    """The next run asks what had no answer: no more than was under way is asked twice, and `compare` says so before."""
    at_once = 3
    settings = scripted(settings, llm_server, llm_concurrency=at_once)
    passages = tuple(Passage(f"Ada met Bob{number} in Lund.", id=str(number)) for number in range(8))
    task = Task("index", settings, server.uri, passages=passages)
    victim: list[int] = []
    begun = threading.Event()

    def answer(request: Request) -> str:
        begun.wait()
        if len(llm_server.chats) == asked:
            os.kill(victim[0], signal.SIGKILL)
        return extract_from_prompt(request)

    llm_server.respond = answer
    process, pipe = kill_client.start(task)
    assert process.pid is not None
    victim.append(process.pid)
    begun.set()
    assert kill_client.hear(process, pipe) == "killed"
    before = len(llm_server.chats)
    assert asked <= before <= asked + at_once

    llm_server.respond = extract_from_prompt
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        foretold = rag.compare(passages)
        report = rag.index(passages)
    assert (report.written, report.unchanged) == (foretold.to_write, foretold.unchanged)
    assert len(llm_server.chats) - before == foretold.calls
    asked_for = Counter(request.prompt for request in llm_server.chats)
    assert len(asked_for) == 2 * len(passages)
    assert sum(times - 1 for times in asked_for.values()) <= at_once


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_connection_that_stalls_ends_the_run(settings: Settings, server: TestServer, proxy: BoltProxy) -> None:
    """Nothing comes back any more, and nobody says so: the driver gives up when the server's promised sign of life is
    missing, after two minutes."""
    task = Task(
        "import", settings, f"bolt://127.0.0.1:{proxy.port}", extracted=[passage("p", ("Old Mill", "near", "Gull"))]
    )
    proxy.arm(Fault("indexing/write_batch statement 2", "before", stall=True))
    process, pipe = kill_client.start(task)
    said = kill_client.hear(process, pipe)
    assert said is not None
    assert said.startswith("ServerUnavailableError"), said
    proxy.arm(None)
    process, pipe = kill_client.start(replace(task, address=server.uri))
    assert kill_client.hear(process, pipe) is None


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnServer]:
    """A server that may be killed."""
    folder = tmp_path_factory.mktemp("own")
    own = OwnServer(folder, data_science=True)
    try:
        own.start()
        yield own
    finally:
        own.stop()
    shutil.rmtree(folder)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_server_is_killed_anywhere(own: OwnServer, llm_server: LLMServer, capsys: pytest.CaptureFixture[str]) -> None:
    kinds: tuple[Kind, ...] = ("import", "index", "delete", "relink", "prune", "init", "retry", "drop")
    settings = scripted(own.settings("test_kills"), llm_server)
    with proxied(own.address.uri) as proxy:
        world = World(settings, open_driver(own.address), own.address, llm_server, seed=7)
        chaos = Chaos(world, proxy, own)
        try:
            chaos.learn(["import", "index", *kinds])
            for kind in kinds:
                chaos.step(kind, "server killed", finish=kind in ("index", "relink", "init"))
            chaos.learn(["import"])
        finally:
            world.driver.close()
    with capsys.disabled():
        print(f"\n{chaos.told()}")
    assert chaos.hits.total() >= 5
