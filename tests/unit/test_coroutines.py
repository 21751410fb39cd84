"""A coroutine that never waits is run to its end without an event loop; one that waits is refused."""

import asyncio

import pytest

from hipporag_neo4j.coroutines import ON_LOOP, finish


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


def test_what_must_be_whole_ends_though_its_caller_is_cancelled_twice_and_is_undone() -> None:
    said: list[str] = []

    async def work() -> str:
        said.append("began")
        await asyncio.sleep(0.05)
        said.append("ended")
        return "made"

    async def undo(result: str) -> None:
        await asyncio.sleep(0.01)
        said.append(f"undid {result}")

    async def cancel() -> None:
        task = asyncio.ensure_future(ON_LOOP.whole(work(), undo))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(cancel())
    assert said == ["began", "ended", "undid made"]


def test_what_fails_after_its_caller_was_cancelled_is_not_undone() -> None:
    async def work() -> None:
        await asyncio.sleep(0.02)
        raise KeyError("inner")

    async def undo(_: None) -> None:
        raise AssertionError("there is nothing to undo")

    async def cancel() -> None:
        task = asyncio.ensure_future(ON_LOOP.whole(work(), undo))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    asyncio.run(cancel(), debug=True)
