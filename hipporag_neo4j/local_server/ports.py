"""Which port can the server have?"""

import os
import socket

from hipporag_neo4j.errors import ConfigurationError, LocalServerError

HOST = "127.0.0.1"
BOLT_PORT = 7687
_NEIGHBOURS = 100


def is_free(port: int) -> bool:
    """Whether a server can listen on this port of the loopback interface right now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if os.name == "posix":  # as Java does: connections of a server just stopped don't count
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen(1)
        except OSError:
            return False
    return True


def choose_port(wanted: int | None, remembered: int | None) -> int:
    """A free port: `wanted` or none; else the one of last time, 7687, one of the hundred above it, or any.

    Raises LocalServerError when the wanted port is taken, ConfigurationError when it is none.
    """
    if wanted is not None:
        if not 1 <= wanted <= 65535:
            raise ConfigurationError(
                f"{wanted} is no port: take one from 1 to 65535, or none to have a free one found."
            )
        if is_free(wanted):
            return wanted
        raise LocalServerError(
            f"Port {wanted} on {HOST} is taken by another program. Give another port, or none to have a free one found."
        )
    candidates: list[int] = [] if remembered is None else [remembered]
    candidates.extend(range(BOLT_PORT, BOLT_PORT + _NEIGHBOURS))
    for port in candidates:
        if is_free(port):
            return port
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        address: tuple[str, int] = probe.getsockname()
    return address[1]
