// Delete the runs of a namespace; waits for those that write, which stop then.
// params: namespace (str)
// returns: runs (int, deleted)
// mode: write
CYPHER 25
MATCH (run:HippoRun {namespace: $namespace})
DETACH DELETE run
RETURN count(*) AS runs
