// Delete what a benchmark wrote.
// params: namespace (str)
// returns: nothing
// mode: schema
CYPHER 25
MATCH (node:Passage|Phrase|HippoRun|HippoAnswer|HippoGraph {namespace: $namespace})
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 2000 ROWS
