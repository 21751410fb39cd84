"""`migrate`: a graph of an older version, made one of this version."""

from dataclasses import asdict

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.options import AsJson, Namespace, make_settings
from hipporag_neo4j.cli.progress import waiting


def migrate(namespace: Namespace = None, as_json: AsJson = False) -> None:
    """Bring a graph that an older version of this package made to this version's schema.

    Back the database up and stop what writes to the graph before. What broke off goes on when the command is run again.
    """
    from hipporag_neo4j.hipporag import HippoRAG

    with HippoRAG(make_settings(namespace=namespace)) as rag, waiting("Migrating"):
        migrated = rag.migrate()
    if as_json:
        output.print_json(asdict(migrated))
        return
    for step in migrated.steps:
        output.tell(step)
    was = f" (before: {migrated.before})" if migrated.steps else " already; there is nothing to do"
    output.tell(f"The graph {migrated.namespace!r} has schema version {migrated.now}{was}.")
