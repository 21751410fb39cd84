"""How is the server set up: memory, addresses, what procedures may do?"""

import re
from dataclasses import dataclass
from pathlib import Path

from hipporag_neo4j.errors import ConfigurationError

MEGABYTE = 1024 * 1024
_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


@dataclass(frozen=True, slots=True)
class Memory:
    """Java heap and page cache, in megabytes. The process takes about 300 more."""

    heap: int
    page_cache: int


def parse_size(text: str) -> int:
    """Megabytes in a size as Neo4j and Java write it: `512m`, `2g`."""
    match = re.fullmatch(r"(\d+)([mMgG])", text.strip())
    if match is None or int(match[1]) == 0:
        raise ConfigurationError(f"The memory size {text!r} can't be read: write it like 512m or 2g.")
    return int(match[1]) * (1024 if match[2] in "gG" else 1)


def suggest_memory(total: int) -> Memory:
    """Memory for a machine with `total` bytes.

    A quarter for the heap, at most 3 GB: the walk over a graph of 100,000 phrases was measured with that. A twentieth
    for the page cache, at most 1 GB, which holds such a graph whole; Lucene's vectors live in the system's own cache.
    """
    megabytes = total // MEGABYTE
    return Memory(heap=min(3072, max(512, megabytes // 4)), page_cache=min(1024, max(128, megabytes // 20)))


def memory_here() -> int:
    """Bytes this process may use: the machine's, or less where a container sets a limit."""
    import psutil

    total = int(psutil.virtual_memory().total)
    for path in _CGROUP_LIMITS:
        if path.is_file():
            limit = path.read_text(encoding="ascii").strip()
            if limit.isdigit():
                total = min(total, int(limit))
    return total


def configure(*, port: int, memory: Memory, plugins: Path) -> str:
    """The text of neo4j.conf. Everything listens on the loopback interface, and there is no HTTP."""
    return f"""# Written by every start of the local server: changes made here are lost.
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
server.directories.plugins={plugins.as_posix()}
dbms.security.procedures.unrestricted=gds.*
dbms.usage_report.enabled=false
client.allow_telemetry=false
server.memory.heap.initial_size={min(512, memory.heap)}m
server.memory.heap.max_size={memory.heap}m
server.memory.pagecache.size={memory.page_cache}m
# A trial server: no 256 MB per database set aside before anything is written, no copy of texts and vectors in a log.
db.tx_log.preallocate=false
db.tx_log.rotation.retention_policy=256M size
db.logs.query.enabled=OFF
# With nobody left to answer, a stop would wait twice five seconds for more requests.
internal.dbms.bolt.netty_server_shutdown_quiet_period=0
internal.server.bolt.thread_pool_shutdown_wait_time=1s
"""
