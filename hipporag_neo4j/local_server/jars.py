"""Which jars make up the local server?"""

from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from hipporag_neo4j.errors import LocalServerError

PLUGIN_GROUP = "org.neo4j.gds"


@dataclass(frozen=True, slots=True)
class Jar:
    """A pinned Maven artifact. `size` in bytes; `sha256` in hexadecimal."""

    group: str
    artifact: str
    version: str
    classifier: str
    size: int
    sha256: str

    @property
    def coordinate(self) -> str:
        """`group:artifact:version[:classifier]`."""
        return ":".join(part for part in (self.group, self.artifact, self.version, self.classifier) if part)

    @property
    def filename(self) -> str:
        """The artifact's name in every Maven repository."""
        return "-".join(part for part in (self.artifact, self.version, self.classifier) if part) + ".jar"

    @property
    def place(self) -> str:
        """Path below the jar folder: Neo4j looks for procedures in `plugins` alone."""
        return f"{'plugins' if self.group == PLUGIN_GROUP else 'lib'}/{self.filename}"


@dataclass(frozen=True, slots=True)
class JarList:
    """All jars of one server, with the versions they add up to."""

    jars: tuple[Jar, ...]
    neo4j: str
    gds: str
    digest: str

    @property
    def size(self) -> int:
        """Bytes of all jars together."""
        return sum(jar.size for jar in self.jars)

    def folder(self, cache_dir: Path) -> Path:
        """Where this list's jars are kept. Another list gets another folder, so no jar of an older one is loaded."""
        return cache_dir / f"neo4j-{self.neo4j}-gds-{self.gds}-{self.digest[:8]}"


def read_jar_list(text: str) -> JarList:
    """Reads a list of lines `group:artifact:version[:classifier] size sha256`; `#` starts a comment line."""
    jars: list[Jar] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            coordinate, size, digest = line.split()
            group, artifact, version, *rest = coordinate.split(":")
            (classifier,) = rest or ("",)
            jars.append(Jar(group, artifact, version, classifier, int(size), digest))
        except ValueError as error:
            raise LocalServerError(
                f"Line {number} of the jar list can't be read: {line!r}. "
                "It should say group:artifact:version[:classifier] size sha256."
            ) from error
    versions = {f"{jar.group}:{jar.artifact}": jar.version for jar in jars}
    return JarList(
        jars=tuple(jars),
        neo4j=versions.get("org.neo4j:neo4j", "unknown"),
        gds=versions.get("org.neo4j.gds:proc-catalog", "unknown"),
        digest=sha256(text.encode()).hexdigest(),
    )


def pinned_jars() -> JarList:
    """The list that belongs to this version of the package."""
    return read_jar_list(files(__package__).joinpath("jars.txt").read_text(encoding="utf-8"))
