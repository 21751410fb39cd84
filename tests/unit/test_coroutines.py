"""A coroutine that never waits is run to its end without an event loop; one that waits is refused."""

import asyncio

import pytest

from hipporag_neo4j.coroutines import finish


async def _double(number: int) -> int:
    return 2 * number


async def _sum() -> int:
    return await _double(1) + await _double(2)


async def _fail() -> None:
    await _double(1)
    raise KeyError("inner")


async def _wait() -> None:
    await asyncio.sleep(0)


def test_the_value_comes_back() -> None:
    assert finish(_sum()) == 6


def test_its_error_comes_through() -> None:
    with pytest.raises(KeyError, match="inner"):
        finish(_fail())


def test_one_that_waits_is_refused() -> None:
    with pytest.raises(RuntimeError, match="waited"):
        finish(_wait())
