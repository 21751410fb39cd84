// What each of several walks over phrases and passages gives to passages: their own PageRank.
// params: graph (str), namespace (str), published (int, null for any), walks (list of {number, phrases and passages: lists of
//         {key, weight}}, a ranking's seeds in parts), passages (list of ids), damping (float), iterations (int), tolerance (float),
//         concurrency (int)
// returns: walk (int), passage (str, id), contribution (float); no row where a walk gives a passage nothing
// mode: read
// filter: passage
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.published = coalesce($published, graph.published)
UNWIND $walks AS walk
CALL (walk) {
  UNWIND walk.phrases AS seed
  MATCH (phrase:Phrase {key: seed.key}) WHERE phrase.namespace = $namespace
  RETURN collect([phrase, seed.weight]) AS phraseSeeds
}
CALL (walk) {
  UNWIND walk.passages AS seed
  MATCH (passage:Passage {key: seed.key}) WHERE passage.namespace = $namespace
  RETURN collect([passage, seed.weight]) AS passageSeeds
}
WITH walk, phraseSeeds + passageSeeds AS sourceNodes
WHERE size(sourceNodes) > 0
CALL (sourceNodes) {
  CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
    tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency, logProgress: false})
  YIELD nodeId, score
  WITH nodeId, score WHERE score > 0
  WITH gds.util.asNode(nodeId) AS passage, score
  WHERE passage:Passage AND passage.namespace = $namespace AND passage.id IN $passages /*filter AND $where(passage) */
  RETURN passage.id AS passage, score AS contribution
}
RETURN walk.number AS walk, passage, contribution
