// Delete what a benchmark wrote; the graph's own node last, since data without one counts as data of others.
// params: namespace (str)
// returns: nothing
// mode: schema
CYPHER 25
MATCH (node:Passage|HippoDeleted|Phrase|HippoRun|HippoAnswer|HippoBatch|HippoGraph {namespace: $namespace})
WITH node ORDER BY node:HippoGraph
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 2000 ROWS
