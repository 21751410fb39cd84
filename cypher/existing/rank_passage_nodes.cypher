// HippoRAG 2 over a graph of others: personalized PageRank over phrases and passages from weighted seeds of both, passages
// by their own value. Nodes below what the last passage wanted must hold aren't looked up.
// params: graph (str), published (int, null for any number of seeds found), phrases (list of {key, weight}),
//         passages (list of {key, weight}; all weights sum to 1), damping (float), iterations (int), tolerance (float),
//         concurrency (int), limit (int)
// returns: id (str), title (str), text (str), score (float), row (null), properties (map)
// mode: read
// names: label, id, title, text, metadata
CYPHER 25
CALL () {
  UNWIND $phrases AS seed
  MATCH (phrase:$label(phrase)) WHERE elementId(phrase) = seed.key
  RETURN collect([phrase, seed.weight]) AS phraseSeeds
}
CALL () {
  UNWIND $passages AS seed
  MATCH (passage:$label(passage)) WHERE elementId(passage) = seed.key
  WITH passage, seed.weight AS weight ORDER BY weight DESC
  RETURN collect([passage, weight]) AS passageSeeds
}
WITH phraseSeeds, passageSeeds WHERE $published IS NULL OR size(phraseSeeds) = size($phrases)
WITH phraseSeeds, [one IN passageSeeds WHERE NOT one[0] IN [other IN phraseSeeds | other[0]]] AS rest, passageSeeds
WITH [one IN phraseSeeds | [one[0], one[1] + reduce(more = 0.0, other IN passageSeeds |
       more + CASE WHEN other[0] = one[0] THEN other[1] ELSE 0.0 END)]] + rest AS sourceNodes,
     coalesce(passageSeeds[$limit - 1][1], 0.0) * (1 - $damping) * (1 - 1e-9) AS least
WHERE size(sourceNodes) > 0
CALL (sourceNodes, least) {
  CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
    tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency,
    logProgress: false})
  YIELD nodeId, score
  WITH nodeId, score WHERE score > 0 AND score >= least
  WITH gds.util.asNode(nodeId) AS node, score WHERE node:$label(passage)
  WITH node AS passage, score, $id(node) AS id ORDER BY score DESC, id LIMIT $limit
  RETURN passage, score, id
}
RETURN id, $title(passage) AS title, $text(passage) AS text, score, null AS row, $metadata(passage) AS properties
ORDER BY score DESC, id
