"""No number can be set whose effect no test shows."""

import re
import types
import typing

import pytest

from hipporag_neo4j.settings import Settings
from tests.servers import ROOT
from tests.setting_effects import EFFECTS, SHOWN_ELSEWHERE


def numbers() -> set[str]:
    """Settings that are an int or a float, or may be one."""

    def is_number(kind: object) -> bool:
        if typing.get_origin(kind) in (typing.Union, types.UnionType):
            return any(map(is_number, typing.get_args(kind)))
        return kind in (int, float)

    return {name for name, field in Settings.model_fields.items() if is_number(field.annotation)}


def test_the_effect_of_every_number_is_shown() -> None:
    """A new setting needs an Effect, or a test of its own that is named there."""
    assert len(numbers()) > 30
    assert numbers() == EFFECTS.keys() | SHOWN_ELSEWHERE.keys()
    assert not EFFECTS.keys() & SHOWN_ELSEWHERE.keys()


@pytest.mark.parametrize("name", EFFECTS)
def test_two_values_that_can_be_set_are_tried(name: str) -> None:
    low, high = EFFECTS[name].values
    assert low < high
    for value in (low, high):
        Settings.model_validate({**EFFECTS[name].also, name: value})


@pytest.mark.parametrize("name", SHOWN_ELSEWHERE)
def test_the_test_that_is_named_is_there_and_sets_it(name: str) -> None:
    file, _, test = SHOWN_ELSEWHERE[name].partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    found = re.search(rf"^def {test}\(.*?(?=^def |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{test} is not in {file}"
    assert f"{name}=" in found[0] or f'"{name}"' in found[0] or f"HIPPORAG_{name.upper()}" in found[0]
