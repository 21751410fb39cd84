// Keep the figures of a run.
// params: namespace (str), run (str), figures (map)
// returns: run (str)
// mode: write
CYPHER 25
MERGE (run:HippoRun {namespace: $namespace, id: $run})
SET run += $figures
RETURN run.id AS run
