// Keep the figures of a run. Under the graph's lock: nothing is kept where it was dropped meanwhile.
// params: namespace (str), run (str), figures (map)
// returns: run (str)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
SET graph.version = graph.version
WITH graph WHERE graph.dropping IS NULL
MERGE (run:HippoRun {namespace: $namespace, id: $run})
SET run += $figures
RETURN run.id AS run
