"""What processes of tests find imported; only the process that they are forked off imports it."""

import importlib

for _name in (
    "hipporag_neo4j.cli.app",
    "hipporag_neo4j.hipporag",
    "hipporag_neo4j.llm.openai_model",
    "hipporag_neo4j.embedding.endpoint",
    "neo4j",
    "openai",
    "tests.clients",
    "tests.kill_client",
):
    importlib.import_module(_name)
