// Take passages, whose facts and mentions were taken back, out of the graph: nothing finds them any more. Their nodes stay,
// empty and under another label, until the next publish: older projections may still walk to them, and no new node may
// get their ids before.
// params: namespace (str), keys (list of str)
// returns: passages (int, marked)
// mode: write
CYPHER 25
MATCH (passage:Passage) WHERE passage.key IN $keys AND passage.namespace = $namespace
SET passage = {namespace: $namespace}
SET passage:HippoDeleted
REMOVE passage:Passage
RETURN count(*) AS passages
