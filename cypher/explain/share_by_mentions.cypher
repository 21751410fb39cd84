// What each of several walks over phrases gives to passages: the mention-weighted sum of their phrases' PageRank.
// params: graph (str), namespace (str), published (int, null for any), walks (list of {number, phrases: list of {key, weight}}, a
//         ranking's seeds in parts), passages (list of ids), damping (float), iterations (int), tolerance (float),
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
  RETURN collect([phrase, seed.weight]) AS sourceNodes
}
WITH walk, sourceNodes WHERE size(sourceNodes) > 0
CALL (sourceNodes) {
  CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
    tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency, logProgress: false})
  YIELD nodeId, score
  WITH nodeId, score WHERE score > 0
  WITH gds.util.asNode(nodeId) AS phrase, score
  MATCH (phrase)<-[mention:MENTIONS]-(passage:Passage {namespace: $namespace}) WHERE passage.id IN $passages /*filter AND $where(passage) */
  RETURN passage.id AS passage, sum(mention.count * score) AS contribution
}
RETURN walk.number AS walk, passage, contribution
