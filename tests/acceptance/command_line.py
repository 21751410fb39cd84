"""Runs `hipporag-neo4j` as a user does: another process, a whole environment, what it printed and how it ended."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.llm_server import LLMServer
from tests.processes import run_command

no_ctrl_c = pytest.mark.skipif(sys.platform == "win32", reason="there is no Ctrl-C for one process on Windows")


@dataclass(frozen=True)
class CommandLine:
    """`environment` is all that the command sees; a run that shows a stack trace fails."""

    environment: Mapping[str, str]

    @property
    def command(self) -> list[str]:
        """How the command is started."""
        return [sys.executable, "-m", "hipporag_neo4j.cli"]

    def run(self, *arguments: str, status: int = 0, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run to the end; `status` is the exit status it must have, `environment` comes on top."""
        run = run_command(arguments, {**self.environment, **environment})
        assert run.returncode == status, run.stdout + run.stderr
        assert "Traceback" not in run.stderr, run.stderr
        return run

    def read(self, *arguments: str, status: int = 0, **environment: str) -> dict[str, Any]:
        """What a command prints with --json: standard output must hold that alone."""
        read: dict[str, Any] = json.loads(self.run(*arguments, "--json", status=status, **environment).stdout)
        return read


def scripted(models: LLMServer) -> dict[str, str]:
    """The environment of a command that has scripted models in place of real ones."""
    return {
        "HIPPORAG_EMBEDDING_PROVIDER": "openai",
        "HIPPORAG_EMBEDDING_MODEL": "scripted-embeddings",
        "HIPPORAG_EMBEDDING_BASE_URL": models.url,
        "OPENAI_BASE_URL": models.url,
    }
