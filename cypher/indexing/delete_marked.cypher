// Delete what is left of passages that were marked as deleted; some at a time.
// params: namespace (str), limit (int)
// returns: passages (int, deleted)
// mode: write
CYPHER 25
MATCH (passage:HippoDeleted {namespace: $namespace})
WITH passage LIMIT $limit
DETACH DELETE passage
RETURN count(*) AS passages
