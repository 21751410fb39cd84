"""Stages add up, and a stage inside another isn't counted twice."""

import time

import pytest

from hipporag_neo4j.timing import Stages


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
