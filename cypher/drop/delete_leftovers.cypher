// Delete what clients wrote into a namespace while its drop ended; some at a time. Only labels that this product alone
// uses: passages and phrases without a graph count as data of others.
// params: namespace (str), limit (int)
// returns: nodes (int, deleted)
// mode: write
CYPHER 25
MATCH (node:HippoDeleted|HippoRun|HippoAnswer|HippoBatch {namespace: $namespace})
WITH node LIMIT $limit
DETACH DELETE node
RETURN count(*) AS nodes
