"""What processes of tests find imported; only the process that they are forked off imports it."""

import importlib
import sys

from hipporag_neo4j.cli.quick_start import DriverWithoutPandas

sys.meta_path.insert(0, DriverWithoutPandas())  # as commands have it

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
