// Take the lock of a run for this transaction: a drop deletes runs first, and waits for it. It changes nothing.
// params: namespace (str), run (str)
// returns: run (str); no row where the run was dropped
// mode: write
CYPHER 25
MATCH (run:HippoRun {namespace: $namespace}) WHERE run.id = $run
SET run.id = run.id
RETURN run.id AS run
