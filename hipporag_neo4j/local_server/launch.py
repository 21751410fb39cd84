"""Starts a command that outlives everybody, and prints its process id. Run as a script: LOG COMMAND [ARGUMENT ...]

A script of its own, so that the command is a child of nobody who waits for it or could leave it half dead. It needs
the standard library alone.
"""

import subprocess
import sys
from pathlib import Path


def main() -> None:
    log, *command = sys.argv[1:]
    with Path(log).open("ab") as output:
        if sys.platform == "win32":
            flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, creationflags=flags
            )
        else:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
    print(process.pid)


if __name__ == "__main__":
    main()
