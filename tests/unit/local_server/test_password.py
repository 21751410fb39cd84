"""The password: where it is kept, and what the server is told."""

import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from hipporag_neo4j.errors import ConfigurationError, LocalServerError
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.password import forget_users, initial_user, read_password, settle_password


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.of(tmp_path)
    made.make()
    return made


def with_data(home: Home) -> Home:
    (home.data / "databases" / "system").mkdir(parents=True)
    return home


def test_the_line_is_what_neo4j_writes() -> None:
    """The expected line was written by `neo4j-admin dbms set-initial-password` of Neo4j 2026.01.4."""
    salt = bytes.fromhex("f3e1ebb619ca3961300d456f22916e64f6f39e9bd1c3d1b11165d4e6982138e7")
    assert initial_user(SecretStr("abcdefgh12"), salt) == (
        "neo4j:SHA-256,2b2c26301c92a75539c36e3492bbe1c80e4aa917425547b05884e35ff380dedc,"
        "f3e1ebb619ca3961300d456f22916e64f6f39e9bd1c3d1b11165d4e6982138e7,1024:\n"
    )


def test_a_random_password_is_kept_and_only_its_owner_reads_it(home: Home, tmp_path: Path) -> None:
    password = settle_password(home, None)
    assert len(password.get_secret_value()) >= 20
    assert read_password(home) == password == settle_password(home, None)
    for path in (home.password, home.initial_user):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700
    other = Home.of(tmp_path / "other")
    other.make()
    assert settle_password(other, None) != password


def test_the_wanted_password_is_taken(home: Home) -> None:
    settle_password(home, None)
    wanted = SecretStr("open sesame")
    assert settle_password(home, wanted) == wanted
    salt = bytes.fromhex(home.initial_user.read_text().split(",")[2])
    assert home.initial_user.read_text() == initial_user(wanted, salt)


def test_data_keep_their_password(home: Home) -> None:
    first = settle_password(home, None)
    told = home.initial_user.read_text()
    assert settle_password(with_data(home), SecretStr("another one")) == first
    assert home.initial_user.read_text() == told


def test_data_whose_password_is_lost(home: Home) -> None:
    settle_password(home, None)
    with_data(home)
    home.password.unlink()
    with pytest.raises(LocalServerError, match="HIPPORAG_SERVER_PASSWORD"):
        settle_password(home, None)
    assert settle_password(home, SecretStr("found again")) == SecretStr("found again")


def test_forgotten_users_are_set_aside_and_the_graphs_stay(home: Home) -> None:
    old = settle_password(home, None)
    for name in ("system", "neo4j"):
        for kind in ("databases", "transactions"):
            (home.data / kind / name).mkdir(parents=True)
            (home.data / kind / name / "store").write_text(name)
    for _ in range(2):  # the second time nothing is left to do
        forget_users(home)
        assert not home.has_data
        assert (home.data / "databases" / "neo4j" / "store").exists()
        assert (home.data / "transactions" / "neo4j" / "store").exists()
        assert (home.data / "system-set-aside" / "databases" / "store").read_text() == "system"
    assert settle_password(home, None) != old
    assert settle_password(home, SecretStr("a new one")) == SecretStr("a new one")


def test_a_password_file_that_cannot_be_read_is_named(home: Home) -> None:
    home.password.mkdir()
    with pytest.raises(LocalServerError, match=r"can't be read from .*password: .*--reset-password"):
        read_password(home)


@pytest.mark.parametrize("text", ["", "short", " begins with space", "two\nlines are too many"])
def test_an_unusable_password_is_refused_and_not_shown(home: Home, text: str) -> None:
    with pytest.raises(ConfigurationError, match="at least 8 characters") as caught:
        settle_password(home, SecretStr(text))
    assert not text or text not in str(caught.value)
