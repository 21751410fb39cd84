"""Keys and addresses: refused when they can't be used, never shown with what is secret."""

import pytest
from pydantic import SecretStr

from hipporag_neo4j.access import Secrets, check_address, read_key, without_password
from hipporag_neo4j.errors import ConfigurationError


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://host:8000/v1", "http://host:8000/v1"),
        ("http://user:secret@host/v1", "http://host/v1"),
        ("http://user:sec@ret@host/v1", "http://host/v1"),
        ("http://user:sec/ret@host/v1", "http://host/v1"),
        ("http://user:sec?ret#@host/v1", "http://host/v1"),
        ("http://user:sec\nret@host/v1", "http://host/v1"),
        ("https://host/v1?api-key=secret", "https://host/v1"),
        ("https://host/v1#secret", "https://host/v1"),
        ("bolt+s://neo4j:secret@host:7687", "bolt+s://host:7687"),
        ("neo4j:secret@host:7687", "host:7687"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_what_is_secret(address: str, shown: str) -> None:
    assert without_password(address) == shown


@pytest.mark.parametrize(
    "address", ["host:8000", "ftp://user:secret@host", "http://", "http://u:secret@host:no", "http://user:sec/ret@host"]
)
def test_an_address_that_is_none_is_refused_and_its_password_kept_back(address: str) -> None:
    with pytest.raises(ConfigurationError, match=r"MY_URL is .*no http address") as raised:
        check_address(address, "MY_URL")
    assert "sec" not in str(raised.value)


def test_a_usable_address_passes() -> None:
    check_address(None, "MY_URL")
    check_address("http://user:secret@localhost:11434/v1", "MY_URL")


def test_space_around_a_key_is_no_part_of_it() -> None:
    assert read_key(SecretStr(" sk-1\r\n"), "MY_KEY") == "sk-1"
    assert read_key(None, "MY_KEY") == ""


@pytest.mark.parametrize("key", ["sk-\n1", "sk 1", "sk-schlüssel", "sk-\x7f", "sk-1\u200b"])
def test_a_key_that_no_header_takes_is_refused_unshown(key: str) -> None:
    with pytest.raises(ConfigurationError, match="MY_KEY holds a character") as raised:
        read_key(SecretStr(key), "MY_KEY")
    assert "sk" not in str(raised.value)


def test_secrets_are_hidden_wherever_they_come_back() -> None:
    secrets = Secrets.of("sk-1", "http://user:p%40ss@host/v1")
    assert secrets.hide("sk-1, p%40ss or p@ss?") == "***, *** or ***?"
    assert "sk-1" not in repr(secrets)
    assert Secrets.of("", None).hide("anything") == "anything"


def test_a_cause_that_shows_a_secret_is_left_out_however_deep() -> None:
    secrets = Secrets.of("sk-1", None)
    harmless = ValueError("wrong")
    assert secrets.cause(harmless) is harmless
    telling = ValueError("wrong")
    telling.__cause__ = OSError("Illegal header b'Bearer sk-1'")
    assert secrets.cause(telling) is None
