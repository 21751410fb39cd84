"""Where does a server keep its things?"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one server: its data, configuration, logs, password and state."""

    folder: Path

    @classmethod
    def of(cls, data_dir: Path) -> "Home":
        """The home below a data folder. The path is absolute: the server is recognised by it."""
        return cls(data_dir.expanduser().resolve() / "server")

    @property
    def configuration(self) -> Path:
        return self.folder / "conf" / "neo4j.conf"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What Neo4j and its Java runtime print."""
        return self.folder / "logs" / "console.log"

    @property
    def older_log(self) -> Path:
        """The log of the start before this one."""
        return self.folder / "logs" / "console.log.1"

    @property
    def password(self) -> Path:
        return self.folder / "password"

    @property
    def initial_user(self) -> Path:
        """Read by Neo4j when it makes its first database."""
        return self.data / "dbms" / "auth.ini"

    @property
    def state(self) -> Path:
        return self.folder / "run" / "server.json"

    @property
    def lock(self) -> Path:
        return self.folder / "run" / "start.lock"

    @property
    def has_data(self) -> bool:
        """Whether a server has run here before."""
        return (self.data / "databases" / "system").is_dir()

    def make(self) -> None:
        """Makes the folders; others on this machine can't look inside."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        for folder in (self.configuration.parent, self.data, self.log.parent, self.state.parent):
            folder.mkdir(exist_ok=True)
