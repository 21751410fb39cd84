"""The catalogue of projections, which all clients share: one builds while the others wait, and what is unused goes.

Graph Data Science keeps it in memory, for each user and database: nothing of it outlives the server, and retrieval
need not write to have it.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from hipporag_neo4j.database import Row
from hipporag_neo4j.errors import QueryError

Run = Callable[..., Awaitable[list[Row]]]

DEFAULT_MEGABYTES = 1024
EVERYBODY = "hipporag."
"""What the names of all projections of this product begin with."""
UNORDERED = "~"
"""In what stands for the namespace of a graph of others, whose states have numbers without an order."""
OWN = ".own-"
"""In the name of a projection that one client made for one walk."""
_ANNOUNCED = ".building."
"""In the name of what says that a projection is being built."""
_MEGABYTE = 2**20
_FORGOTTEN = 60.0
"""Seconds after which a client that meant to drop its own projection is taken for dead."""
_NEVER_BUILT = 3600.0
"""Seconds after which nobody can be building any more what was announced. Who waits for it finds out sooner."""
_NAME = re.compile(
    r"hipporag\.(?P<namespace>[^.]+)\.(?P<created>\d+)\.(?P<published>\d+)\.(?P<version>\d+)(?P<weights>\..+)"
)


@dataclass(frozen=True, slots=True)
class Held:
    """A projection in memory; `age` in seconds."""

    name: str
    bytes: int
    age: float


async def begin_building(run: Run, lock: str) -> str | None:
    """Announce that this client builds a projection; None where another one does. The lock's owner otherwise."""
    try:
        return str((await run("projection/begin_building", lock=lock))[0]["builder"])
    except QueryError as error:
        if is_taken(error):
            return None
        raise


async def end_building(run: Run, lock: str, builder: str) -> None:
    """Let others find what was built; one that has taken over meanwhile goes on."""
    await run("projection/end_building", lock=lock, builder=builder)


def is_taken(error: QueryError) -> bool:
    """Whether a projection couldn't be made because one of its name is there."""
    return "already exists" in str(error) or "already loaded" in str(error)


async def clear_abandoned(run: Run, base: str, suffix: str, lock: str, builder: str) -> bool:
    """Make way for another builder where the one who announced itself is gone, with what it left unchecked."""
    if (await run("projection/count_builders", base=base))[0]["builders"]:
        return False
    for row in await run("projection/list_projections", prefix=base):
        if row["graph"].endswith(suffix) and row["graph"] != lock:
            await run("projection/drop_projection", graph=row["graph"])
    await end_building(run, lock, builder)
    return True


async def tidy(run: Run, kept: str, megabytes: int) -> None:
    """Drop what nobody uses any more now that the projection `kept` is there, and what is over the bound."""
    rows = await run("projection/list_projections", prefix=EVERYBODY)
    held = [Held(row["graph"], row["bytes"], row["age"]) for row in rows]
    for name in superfluous(held, kept, megabytes * _MEGABYTE):
        await run("projection/drop_projection", graph=name)


def superfluous(held: Sequence[Held], kept: str, most: int) -> list[str]:
    """Names of what is dropped, of all projections in memory, oldest first.

    Older versions of what `kept` shows; what a client made for itself more than a minute ago, or announced more than an
    hour ago; then the oldest, as long as all of them take more than `most` bytes. `kept` stays, however large it is.
    """
    gone = [one.name for one in held if one.name != kept and (_is_forgotten(one) or _is_older(one.name, kept))]
    rest = [one for one in held if one.name not in gone]
    taken = sum(one.bytes for one in rest)
    for one in rest:
        if taken <= most:
            break
        if one.name != kept and not _passes(one.name):
            gone.append(one.name)
            taken -= one.bytes
    return gone


def _passes(name: str) -> bool:
    """Whether the one who made it drops it again: its own, or the announcement of a build."""
    return OWN in name or _ANNOUNCED in name


def _is_forgotten(one: Held) -> bool:
    return _passes(one.name) and one.age > (_NEVER_BUILT if _ANNOUNCED in one.name else _FORGOTTEN)


def _is_older(name: str, kept: str) -> bool:
    """Whether it shows an older version of the same namespace, published or, with the same weights, written."""
    one, other = _NAME.fullmatch(name), _NAME.fullmatch(kept)
    if one is None or other is None or one["namespace"] != other["namespace"] or _passes(name):
        return False
    if UNORDERED in kept:  # its numbers stand for states that have no order, and the one that was built is the newest
        return (one["created"], one["published"]) != (other["created"], other["published"])
    shown = int(one["created"]), int(one["published"])
    current = int(other["created"]), int(other["published"])
    same_weights = shown == current and one["weights"] == other["weights"]
    return shown < current or (same_weights and int(one["version"]) < int(other["version"]))
