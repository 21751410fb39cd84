"""A file of what was answered, written as it comes: a run that breaks off goes on from there and asks nothing twice.

JSON lines: first what the outcomes were made with, then one for each question and entry.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pydantic import BaseModel, TypeAdapter, ValidationError

from hipporag_neo4j.domain import RetrievalResult
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.ask import Asked, Entry, Reading
from hipporag_neo4j.evaluation.read_questions import Question

_FORMAT = "hipporag-neo4j evaluation outcomes, 1"
_RESULT = TypeAdapter(RetrievalResult)


class _Head(BaseModel):
    format: str
    made_with: dict[str, Any]


class _Line(BaseModel):
    entry: str
    command: list[str]
    id: str
    result: RetrievalResult
    reading: Reading | None = None

    @property
    def key(self) -> tuple[str, ...]:
        return (self.id, self.entry, *self.command)


class OutcomesFile:
    """The outcomes of one evaluation on disk. A context manager; made at once where there is none.

    `kept` is how many outcomes it holds. An outcome where a language model gave no usable answer isn't kept, so that
    the next run asks again; `left_out` counts these. While it is open no other process takes the file (a file beside
    it, with `.lock` at the end of its name, says so; it stays, and means nothing once nobody holds it).
    """

    def __init__(self, path: Path, made_with: Mapping[str, Any]) -> None:
        """`made_with`: what all outcomes in a file have in common, as plain values under names that people read.

        Raises InputError for a file that is something else, was made with something else, is in use, or can't be
        written.
        """
        self.path = path
        self.left_out = 0
        self._found: dict[tuple[str, ...], Asked] = {}
        if path.exists() and not path.is_file():  # a folder, or a device that may never end
            raise InputError(f"{path} can't be used for outcomes: it is no regular file. Name another one.")
        with ExitStack() as opened:
            try:
                opened.enter_context(_alone(path))
                whole = self._read(json.loads(json.dumps(made_with)))
                self._file: IO[str] = opened.enter_context(
                    path.open("r+" if whole else "w", encoding="utf-8", newline="\n")
                )
                if whole:
                    self._file.seek(whole)
                    self._file.truncate()  # the line that was being written when the run ended
                else:
                    self._write({"format": _FORMAT, "made_with": dict(made_with)})
            except OSError as error:
                raise InputError(f"{path} can't be used for outcomes: {error.strerror}. Name another file.") from error
            self._opened = opened.pop_all()

    @property
    def kept(self) -> int:
        """How many outcomes the file holds."""
        return len(self._found)

    def find(self, entry: Entry, question: Question) -> Asked | None:
        """What was answered, None where the question is still to be asked."""
        return self._found.get((question.id, entry.name, *entry.command))

    def add(self, entry: Entry, question: Question, asked: Asked) -> None:
        """Keep an answer. Texts and metadata of passages are in the graph and aren't kept."""
        if asked.problem:
            self.left_out += 1
            return
        line = {
            "entry": entry.name,
            "command": entry.command,
            "id": question.id,
            "result": _RESULT.dump_python(_without_texts(asked.result), mode="json"),
            "reading": None if asked.reading is None else TypeAdapter(Reading).dump_python(asked.reading, mode="json"),
        }
        self._write(line)
        self._found[(question.id, entry.name, *entry.command)] = asked

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def _write(self, values: Mapping[str, Any]) -> None:
        try:
            self._file.write(json.dumps(values) + "\n")
            self._file.flush()
        except OSError as error:
            raise InputError(
                f"{self.path} can't be written: {error.strerror}. What is in it stays; the same command goes on from "
                "there."
            ) from error

    def _read(self, made_with: dict[str, Any]) -> int:
        """Take what the file holds; the bytes of its whole lines, 0 for no file and an empty one."""
        if not self.path.exists():
            return 0
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if not content:
            return 0
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            if number == 1:
                self._check(line, made_with)
                continue
            try:
                read = _Line.model_validate_json(line)
            except ValidationError as error:
                raise InputError(
                    f"{self.path}, line {number}: this is no outcome ({error.errors()[0]['msg']}). Remove the line, "
                    "and the question is asked again."
                ) from error
            self._found[read.key] = Asked(read.result, read.reading)
        if not whole:
            self._check(content, made_with)
        return whole

    def _check(self, line: bytes, made_with: dict[str, Any]) -> None:
        try:
            head = _Head.model_validate_json(line)
        except ValidationError:
            head = None
        if head is None or head.format != _FORMAT:
            raise InputError(
                f"{self.path} holds something else than outcomes of an evaluation by this version, and stays as it is. "
                "Name a file that doesn't exist yet."
            )
        differences = [
            f"{name}: {_shown(head.made_with.get(name))} there, {_shown(made_with.get(name))} now"
            for name in dict.fromkeys((*head.made_with, *made_with))
            if head.made_with.get(name) != made_with.get(name)
        ]
        if differences:
            raise InputError(
                f"The outcomes in {self.path} were made with something else, so the two can't be put together. "
                f"{'; '.join(differences)}. Take what was there before, or name another file to start anew."
            )


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Two runs would each ask what the other has asked, and write over each other's lines."""
    from filelock import FileLock, Timeout

    path.parent.stat()  # FileLock would make the folder of a name that was mistyped
    lock = FileLock(path.with_name(f"{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError(
            f"{path} is in use by another evaluation. Wait until it has ended, or name another file."
        ) from error
    try:
        yield
    finally:
        lock.release()


def _without_texts(result: RetrievalResult) -> RetrievalResult:
    """With the steps' searches too."""
    passages = tuple(replace(passage, text="", metadata={}) for passage in result.passages)
    steps = tuple(
        step if step.retrieval is None else replace(step, retrieval=_without_texts(step.retrieval))
        for step in result.steps
    )
    return replace(result, passages=passages, steps=steps)


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
