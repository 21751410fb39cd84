"""Stages add up, and a stage inside another isn't counted twice."""

import threading
import time

import pytest

from hipporag_neo4j.timing import Stages, repeated


def test_inner_stages_do_not_count_for_outer_ones() -> None:
    stages = Stages()
    with stages.time("write"):
        time.sleep(0.02)
        with stages.time("embed"):
            time.sleep(0.05)
        with stages.time("embed"):
            time.sleep(0.05)
    seconds = stages.seconds()
    assert seconds["embed"] >= 0.1
    assert seconds["write"] >= 0.02
    assert seconds["write"] + seconds["embed"] == pytest.approx(seconds["total"], abs=0.01)
    assert stages.milliseconds()["embed"] == pytest.approx(1000 * seconds["embed"])


def test_a_stage_that_fails_is_counted_and_the_next_ones_are_right() -> None:
    stages = Stages()

    def fail() -> None:
        with stages.time("outer"), stages.time("inner"):
            time.sleep(0.02)
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - raised above
        fail()
    with stages.time("later"):
        time.sleep(0.02)
    seconds = stages.seconds()
    assert seconds["inner"] >= 0.02
    assert seconds["outer"] < 0.015
    assert seconds["later"] >= 0.02


def test_a_function_is_called_now_and_then_until_the_end() -> None:
    called = threading.Semaphore(0)
    with repeated(called.release, 0.001):
        assert called.acquire(timeout=5)
        assert called.acquire(timeout=5)
    while called.acquire(blocking=False):
        pass
    assert not called.acquire(timeout=0.05)


def test_a_call_that_hangs_is_not_waited_for_longer_than_patience_lasts() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        go_on.wait(10)

    with repeated(hang, 0.001, patience=0.01):
        assert begun.wait(5)
        before = time.perf_counter()
    assert time.perf_counter() - before < 5
    go_on.set()
