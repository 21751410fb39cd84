"""Rules that no linter knows: no Cypher in Python, one importer of neo4j, no file bound to a machine or a registry.

Prints a line for each finding and exits with 1 if there is one.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "hipporag_neo4j"

# Statements, not words: an error message may say "RETURN" or "match".
CYPHER = re.compile(
    r"\bMATCH\s*\(|\bMERGE\s*\(|\bCREATE\s+(?:\(|CONSTRAINT\b|(?:\w+\s+)?INDEX\b)|\bUNWIND\s+\S+\s+AS\b"
    r"|\bDETACH\s+DELETE\b|\bCALL\s*(?:\(|\{|[a-z]\w*\.)|\bLOAD\s+CSV\b|\bALTER\s+(?:CURRENT\s+)?USER\b"
    r"|^\s*(?:RETURN\s+\S|CYPHER\s+\d|(?:SHOW|DROP)\s+[A-Z]{4,})",
    re.MULTILINE,
)
# A home, a temporary folder, a workplace: right on one machine only. Relative paths and `$HOME/…` don't count.
MACHINE_PATH = re.compile(r"(?<![\w.$}~*-])(?:/(?:home|Users|root|tmp|work)/\w|[A-Z]:\\Users\\)")
# Whoever installs decides where packages come from.
REGISTRY = re.compile(
    r"\b(?:[\w-]+\.)*(?:pypi|pythonhosted|maven(?:\.apache)?|npmjs|conda|anaconda|debian|ubuntu|pytorch)"
    r"\.(?:org|com|io)\b"
)
BINARY = {".png", ".jpg", ".gif", ".ico", ".gz", ".zip", ".jar", ".whl", ".npy", ".npz"}


def cypher_in(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every string with a Cypher statement in Python source; docstrings may show one."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found = CYPHER.search(node.value)
            if found:
                yield node.lineno, found.group().strip()


def neo4j_imports_in(source: str) -> Iterator[int]:
    """Lines that import neo4j when the program runs; an import for type checkers alone doesn't count."""

    def walk(node: ast.AST) -> Iterator[int]:
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            children: list[ast.AST] = list(node.orelse)
        else:
            children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if any(name.partition(".")[0] == "neo4j" for name in names):
                yield node.lineno
        for child in children:
            yield from walk(child)

    return walk(ast.parse(source))


def places_in(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of every path of one machine and every registry's host."""
    for number, line in enumerate(text.splitlines(), 1):
        for pattern in (MACHINE_PATH, REGISTRY):
            found = pattern.search(line)
            if found:
                yield number, found.group()


def files() -> list[Path]:
    """Every file that is or would be committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return sorted({ROOT / name for name in listed.stdout.decode().split("\0") if name})


def findings() -> Iterator[str]:
    """A sentence for each breach of a rule in the project."""
    for path in files():
        if not path.is_file() or path.suffix in BINARY:
            continue
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8", errors="replace")
        for line, found in places_in(text):
            yield f"{name}:{line}: {found!r} holds on one machine or names a registry; leave it out."
        if path.suffix != ".py" or not name.startswith(f"{PACKAGE}/"):
            continue
        for line, found in cypher_in(text):
            yield f"{name}:{line}: Cypher in Python ({found!r}); a statement is a file under cypher/."
        if not name.startswith(f"{PACKAGE}/database/"):
            for line in neo4j_imports_in(text):
                yield f"{name}:{line}: only {PACKAGE}/database/ imports neo4j; others do so under TYPE_CHECKING."


if __name__ == "__main__":
    found = list(findings())
    print("\n".join(found or [f"{len(files())} files keep the rules."]))
    sys.exit(bool(found))
