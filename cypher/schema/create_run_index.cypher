// Runs of a namespace.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_run_namespace IF NOT EXISTS FOR (run:HippoRun) ON (run.namespace)
