"""What scripts/load does: clients that read and write one graph at once, and an oracle that checks what they saw.

`world` makes up passages and questions, `writing` and `reading` are the clients' processes, `history` replays what the
writers committed, version by version, `oracle` says what each version should have given, `memory` watches the server.
"""
