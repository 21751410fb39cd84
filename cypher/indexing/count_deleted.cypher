// How many passages are marked as deleted, and still there as empty nodes.
// params: namespace (str)
// returns: passages (int)
// mode: read
CYPHER 25
MATCH (passage:HippoDeleted {namespace: $namespace})
RETURN count(*) AS passages
