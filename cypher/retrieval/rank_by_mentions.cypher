// HippoRAG 1: personalized PageRank over phrases from weighted seeds, passages by the mention-weighted sum of their phrases.
// params: graph (str), namespace (str), published (int, null for any), seeds (list of {key, weight}, not empty, weights sum to 1),
//         damping (float), iterations (int), tolerance (float), concurrency (int), minimum (float), limit (int)
// returns: id (str), title (str), text (str), score (float), row (int or null), properties (map)
// mode: read
// filter: passage
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.published = coalesce($published, graph.published)
UNWIND $seeds AS seed
MATCH (phrase:Phrase {key: seed.key}) WHERE phrase.namespace = $namespace
WITH collect([phrase, seed.weight]) AS sourceNodes
WHERE size(sourceNodes) > 0 AND ($published IS NULL OR size(sourceNodes) = size($seeds))
CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
  tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency,
  logProgress: false})
YIELD nodeId, score
WITH nodeId, score WHERE score > $minimum
WITH gds.util.asNode(nodeId) AS phrase, score WHERE phrase:Phrase AND phrase.namespace = $namespace
MATCH (phrase)<-[mention:MENTIONS]-(passage:Passage)
WITH passage, sum(mention.count * score) AS score
WHERE passage.namespace = $namespace /*filter AND $where(passage) */
ORDER BY score DESC, passage.id LIMIT $limit
RETURN passage.id AS id, passage.title AS title, passage.text AS text, score, passage.row AS row,
       passage {.*, embedding: null, text: null} AS properties
