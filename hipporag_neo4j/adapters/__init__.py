"""What lets other tools ask this one: retrievers for their interfaces, and an MCP server. Each has its own extra."""
