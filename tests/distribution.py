"""Which tests run side by side? Files, each as a whole and with a server of its worker's own."""

from pathlib import PurePosixPath

from xdist.scheduler import LoadScopeScheduling

START_SERVERS = (
    "test_server_commands",
    "test_full_disk",
    "test_kills",
    "test_local_server",
    "test_own_server",
    "test_restart",
)
"""Files whose tests start and stop servers: one after the other, since a port that is free may be the next one's."""


class ByFile(LoadScopeScheduling):
    """Gives a free worker the next file, in their order: unit tests, which are short, even out the end."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "servers" if PurePosixPath(file).stem in START_SERVERS else file
