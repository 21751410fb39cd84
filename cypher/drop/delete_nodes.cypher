// Delete nodes of a namespace with their relationships, the graph's own node left out; some at a time.
// params: namespace (str), limit (int)
// returns: nodes (int, deleted)
// mode: write
CYPHER 25
MATCH (node:Passage|HippoDeleted|Phrase|HippoRun|HippoAnswer|HippoBatch {namespace: $namespace})
WITH node LIMIT $limit
DETACH DELETE node
RETURN count(*) AS nodes
