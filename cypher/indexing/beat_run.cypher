// A run goes on: keep the figures it has by now. Does nothing where it has ended or was dropped.
// params: namespace (str), run (str), figures (map)
// returns: run (str); no row where it has ended
// mode: write
CYPHER 25
MATCH (run:HippoRun {namespace: $namespace}) WHERE run.id = $run AND run.state = 'running'
SET run += $figures, run.recorded = datetime()
RETURN run.id AS run
