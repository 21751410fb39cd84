// Runs of a namespace whose id begins like this, the shortest id first, and the seconds since each was heard of.
// params: namespace (str), run (str)
// returns: run (map), silent (float, seconds)
// mode: read
CYPHER 25
MATCH (run:HippoRun {namespace: $namespace}) WHERE run.id STARTS WITH $run
RETURN properties(run) AS run, duration.inSeconds(run.recorded, datetime()).milliseconds / 1000.0 AS silent
ORDER BY size(run.id), run.id LIMIT 10
