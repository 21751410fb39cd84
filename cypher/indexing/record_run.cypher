// Keep the figures of a run; nothing is kept where the graph was dropped meanwhile.
// params: namespace (str), run (str), figures (map)
// returns: run (str)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.dropping IS NULL
MERGE (run:HippoRun {namespace: $namespace, id: $run})
ON CREATE SET run.started = datetime(), run.version_before = graph.version
SET run += $figures, run.recorded = datetime(), run.version_after = graph.version
RETURN run.id AS run
