// Components of a projection: how many, and how many nodes the largest holds. One thread, as the walk.
// params: graph (str)
// returns: components (int), largest (int, nodes), nodes (int)
// mode: read
CYPHER 25
CALL gds.wcc.stream($graph, {concurrency: 1}) YIELD componentId
WITH componentId, count(*) AS size
RETURN count(*) AS components, coalesce(max(size), 0) AS largest, coalesce(sum(size), 0) AS nodes
