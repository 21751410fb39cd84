"""What was answered comes back as it was; what doesn't belong together is refused, and nothing is overwritten."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hipporag_neo4j.domain import Fact, Look, RankedPassage, RetrievalResult, Seed, Step
from hipporag_neo4j.errors import InputError, ServerUnavailableError
from hipporag_neo4j.evaluation import Entry, FoundGold, GoldPassage, OutcomesFile, Question, Reading, run
from hipporag_neo4j.evaluation.ask import Asked
from tests.servers import ROOT

MADE_WITH = {"namespace": "a", "looks": 1, "language model": None}
DENSE, HYBRID = Entry.of("dense"), Entry.of("hybrid")
FACT = Fact("a", 'says "b"', "c\nd", 0.1 + 0.2)


def question(id_: str) -> Question:
    return Question(id_, f"Question {id_}?", (GoldPassage(id="p"),))


def asked(**changes: Any) -> Asked:
    found = RetrievalResult(
        "Question 1?",
        "hybrid",
        (RankedPassage("p", "제목", "", 1 / 3, row=7),),
        seeds=(Seed("a", 0.5, "A", 0.25, (FACT,)),),
        entities=("A",),
        timings={"total": 12.345678901234567},
        looks=(Look((FACT,), (FACT,), unknown=1),),
        prompt_tokens=5,
    )
    first = Step(retrieval=found, new=("p",))
    values = {"result": RetrievalResult(**{**_fields(found), "steps": (first, Step("Then?", answer="x"))})}
    return Asked(**{**values, "reading": Reading("x", prompt_tokens=3), **changes})


def _fields(result: RetrievalResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in RetrievalResult.__dataclass_fields__}


def kept(path: Path, made_with: Mapping[str, Any] = MADE_WITH) -> OutcomesFile:
    with OutcomesFile(path, made_with) as file:
        return file


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    with OutcomesFile(path, MADE_WITH) as file:
        file.add(HYBRID, question("1"), asked())
        file.add(DENSE, question("é"), asked(reading=None))
        # Each line is on disk when it is added: a killed process loses nothing.
        assert len(path.read_text(encoding="utf-8").splitlines()) == 3
    again = kept(path)
    assert again.kept == 2
    assert again.find(HYBRID, question("1")) == asked()
    assert again.find(DENSE, question("é")) == asked(reading=None)
    assert again.find(DENSE, question("1")) is None
    assert again.find(Entry("hybrid", "hybrid", command=("retrieve", "--no-llm")), question("1")) is None


def test_texts_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    found = RetrievalResult("Q?", "dense", (RankedPassage("p", "", "A secret.", 1.0, {"meta": "x"}),))
    nested = RetrievalResult("Q?", "dense", found.passages, steps=(Step(retrieval=found),))
    with OutcomesFile(path, MADE_WITH) as file:
        file.add(DENSE, question("1"), Asked(nested))
    assert "secret" not in path.read_text(encoding="utf-8")


def test_what_had_no_usable_answer_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    failed = Look((FACT,), (FACT,), problem="Nobody answered.")
    with OutcomesFile(path, MADE_WITH) as file:
        file.add(HYBRID, question("1"), Asked(RetrievalResult("Q?", "hybrid", (), looks=(failed,))))
        file.add(HYBRID, question("2"), asked(reading=Reading(None, problem="Unreadable.")))
        file.add(HYBRID, question("3"), asked(reading=Reading(None)))  # the passages don't hold it: an answer
        assert (file.kept, file.left_out) == (1, 2)
    assert kept(path).find(HYBRID, question("2")) is None


def test_a_thought_that_cannot_be_read_is_asked_for_again_one_that_repeats_another_is_not(tmp_path: Path) -> None:
    def ended_by(step: Step) -> Asked:
        return Asked(RetrievalResult("Q?", "hybrid", (), steps=(step,)))

    with OutcomesFile(tmp_path / "o.jsonl", MADE_WITH) as file:
        file.add(HYBRID, question("1"), ended_by(Step(problem="The next thought could not be read.")))
        file.add(HYBRID, question("2"), ended_by(Step("Who?", problem="The thought repeats an earlier one.")))
        assert (file.kept, file.left_out) == (1, 1)
        assert file.find(HYBRID, question("1")) is None


def test_a_line_that_was_cut_off_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    with OutcomesFile(path, MADE_WITH) as file:
        file.add(HYBRID, question("1"), asked())
        file.add(HYBRID, question("2"), asked())
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with OutcomesFile(path, MADE_WITH) as file:
        assert file.kept == 1
        file.add(HYBRID, question("2"), asked())
    assert path.read_bytes() == whole


def test_another_setting_is_refused_and_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    with OutcomesFile(path, MADE_WITH) as file:
        file.add(HYBRID, question("1"), asked())
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"looks: 1 there, 2 now; language model: none there, gpt now\.") as said:
        kept(path, {**MADE_WITH, "looks": 2, "language model": "gpt"})
    assert "namespace" not in str(said.value)
    assert "name another file to start anew" in str(said.value)
    with pytest.raises(InputError, match="new: none there, 1 now"):
        kept(path, {**MADE_WITH, "new": 1})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    ['[{"id": "1", "question": "Who?", "gold": ["a"]}]', '{"docs": []}\n', "Dear diary\n\n", '{"format": "x"'],
)
def test_a_file_of_something_else_is_refused_and_stays(tmp_path: Path, content: str) -> None:
    path = tmp_path / "questions.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"questions\.json holds something else .* stays as it is"):
        kept(path)
    assert path.read_text() == content


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    kept(path)
    path.write_text(path.read_text() + "nonsense\n")
    with pytest.raises(InputError, match=r"o\.jsonl, line 2: this is no outcome .* Remove the line"):
        kept(path)


def test_an_empty_file_and_a_place_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    path.touch()
    assert kept(path).kept == 0
    assert json.loads(path.read_text())["made_with"] == MADE_WITH
    with pytest.raises(InputError, match=r"can't be used for outcomes"):
        kept(tmp_path / "no" / "o.jsonl")
    with pytest.raises(InputError, match=r"can't be used for outcomes"):
        kept(tmp_path)


def test_a_run_that_broke_off_goes_on_with_the_same_figures(tmp_path: Path) -> None:
    questions = [question(str(number)) for number in range(6)]
    calls: list[str] = []
    broken = True

    def retrieve(question: str, **options: Any) -> RetrievalResult:
        calls.append(question)
        if broken and "4" in question:
            raise ServerUnavailableError("Nothing answers.")
        rank = int(question[9]) * 2
        passages = [RankedPassage(str(i), "", "", 1.0) for i in range(rank)] + [RankedPassage("p", "", "", 0.5)]
        return RetrievalResult(question, options["mode"], tuple(passages), timings={"total": rank + 0.1})

    def find_gold(some: Any) -> FoundGold:
        return FoundGold({GoldPassage(id="p"): frozenset({"p"})})

    with OutcomesFile(tmp_path / "o.jsonl", MADE_WITH) as file, pytest.raises(ServerUnavailableError):
        run(retrieve, find_gold, questions, ["dense"], outcomes=file)
    broken = False
    calls.clear()
    with OutcomesFile(tmp_path / "o.jsonl", MADE_WITH) as file:
        assert file.kept == 4
        resumed = run(retrieve, find_gold, questions, ["dense"], outcomes=file)
    assert calls == ["Question 4?", "Question 4?", "Question 5?"]  # once to warm up, whose answer doesn't count
    whole = run(retrieve, find_gold, questions, ["dense"])
    assert resumed.modes["dense"].means == whole.modes["dense"].means
    assert resumed.modes["dense"].intervals == whole.modes["dense"].intervals
    assert resumed.modes["dense"].latency == whole.modes["dense"].latency


def test_two_evaluations_do_not_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    with OutcomesFile(path, MADE_WITH) as first:
        first.add(DENSE, question("1"), asked())
        with pytest.raises(InputError, match="in use by another evaluation"):
            OutcomesFile(path, MADE_WITH)
        first.add(DENSE, question("2"), asked())
    with pytest.raises(InputError, match="made with something else"):
        OutcomesFile(path, {**MADE_WITH, "looks": 2})
    assert kept(path).kept == 2  # a refusal holds nothing


def test_a_killed_evaluation_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    program = (
        "import os, pathlib, signal, sys\n"
        "from hipporag_neo4j.evaluation import OutcomesFile\n"
        "file = OutcomesFile(pathlib.Path(sys.argv[1]), {'namespace': 'a'})\n"
        "os.kill(os.getpid(), getattr(signal, 'SIGKILL', signal.SIGTERM))\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(path)], cwd=ROOT, check=False)
    assert killed.returncode != 0
    assert kept(path, {"namespace": "a"}).kept == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_a_device_that_never_ends_is_no_file(tmp_path: Path) -> None:
    link = tmp_path / "o.jsonl"
    link.symlink_to("/dev/full")
    with pytest.raises(InputError, match="no regular file"):
        OutcomesFile(link, MADE_WITH)
