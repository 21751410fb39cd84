"""Settings of a command: options over the environment, and mistakes told by the variable's name."""

import pytest

from hipporag_neo4j.cli.options import make_settings
from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.settings import Settings

NUMBERS = [name for name, field in Settings.model_fields.items() if field.annotation in (int, float, float | None)]


def test_an_option_stands_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIPPORAG_LLM_MODEL", "from the environment")
    assert make_settings(llm_model=None).llm_model == "from the environment"
    assert make_settings(llm_model="given").llm_model == "given"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("HIPPORAG_LLM_CONCURRENCY", "many"),
        ("HIPPORAG_DAMPING", "1.5"),
        ("HIPPORAG_PROJECTION_WEIGHTS", "none"),
        ("HIPPORAG_LLM_MODEL", ""),
        ("HIPPORAG_EMBEDDING_MODEL", " "),
    ],
)
def test_a_wrong_variable_is_named_with_its_value(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError) as caught:
        make_settings()
    assert f"{variable} is {value!r}" in str(caught.value)
    assert str(caught.value).startswith("The environment variable ")
    assert caught.value.__suppress_context__  # pydantic's own error would repeat the input


@pytest.mark.parametrize("value", ["inf", "nan", "1e308", "100000000000000000000"])
def test_no_number_is_without_limit(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    assert len(NUMBERS) > 30
    for name in NUMBERS:
        with monkeypatch.context() as patch:
            patch.setenv(f"HIPPORAG_{name.upper()}", value)
            with pytest.raises(ConfigurationError, match=f"HIPPORAG_{name.upper()} is"):
                make_settings()


def test_a_wrong_option_is_told_as_one() -> None:
    with pytest.raises(
        ConfigurationError, match=r"^The option for llm_concurrency \(or HIPPORAG_.*\) is 0, .*leave it out"
    ):
        make_settings(llm_concurrency=0)


def test_a_secret_is_never_told() -> None:
    with pytest.raises(ConfigurationError) as caught:
        make_settings(neo4j_password=12345678)
    assert "NEO4J_PASSWORD" in str(caught.value)
    assert "12345678" not in str(caught.value)
