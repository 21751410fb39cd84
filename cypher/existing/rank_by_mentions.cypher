// HippoRAG 1 over a graph of others: personalized PageRank over phrases from weighted seeds, passages by the
// mention-weighted sum of their phrases. Counts of several ways of mentioning add up.
// params: graph (str), published (int, null for any number of seeds found), seeds (list of {key, weight}, weights sum to 1),
//         damping (float), iterations (int), tolerance (float), concurrency (int), minimum (float), limit (int)
// returns: id (str), title (str), text (str), score (float), row (null), properties (map)
// mode: read
// names: label, path, count, id, title, text, metadata
CYPHER 25
UNWIND $seeds AS seed
MATCH (phrase:$label(phrase)) WHERE elementId(phrase) = seed.key
WITH collect([phrase, seed.weight]) AS sourceNodes
WHERE size(sourceNodes) > 0 AND ($published IS NULL OR size(sourceNodes) = size($seeds))
CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
  tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency,
  logProgress: false})
YIELD nodeId, score
WITH nodeId, score WHERE score > $minimum
WITH gds.util.asNode(nodeId) AS phrase, score WHERE phrase:$label(phrase)
CALL (phrase) {
  /*each mention UNION ALL
  MATCH (passage:$label(passage))$path(mention)(phrase)
  RETURN passage, $count(mention) AS times */
}
WITH passage, sum(times * score) AS score WHERE score > 0
WITH passage, score, $id(passage) AS id ORDER BY score DESC, id LIMIT $limit
RETURN id, $title(passage) AS title, $text(passage) AS text, score, null AS row, $metadata(passage) AS properties
ORDER BY score DESC, id
