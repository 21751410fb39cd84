// How seeds and passages hang together: of the shortest paths over facts, synonyms and mentions the one that a walker takes
// most likely, the product of weight / all weight at each node on the way. With a filter a path counts only if it
// leads over nothing that allowed passages don't say; probabilities are those without it.
// params: namespace (str), pairs (list of {seed: key of a phrase, passage: id}), through_passages (bool, whether a walk goes
//         through passages), fact_weight (float), synonym_weight (float), synonym_from (float), mention_weight (float, 0 where
//         a walk is over phrases alone: then a mention costs nothing)
// returns: seed (str, key), passage (str, id), probability (float), edges (list of {kind, says, reversed, passage, title,
//          text: of a passage that states a fact, this one where it does, or that mentions}), nodes (list of {kind, id, name}, one more)
// mode: read
// filter: other, b
CYPHER 25
UNWIND $pairs AS pair
MATCH (seed:Phrase {key: pair.seed}) WHERE seed.namespace = $namespace
MATCH (passage:Passage {namespace: $namespace, id: pair.passage})
CALL (seed, passage) {
  MATCH path = ALL SHORTEST (seed)(
    (a)-[edge:RELATES|SYNONYM|MENTIONS WHERE edge.score IS NULL OR edge.score >= $synonym_from]-(b
      WHERE b.namespace = $namespace
        AND (b:Phrase OR b = passage OR ($through_passages AND b:Passage /*filter AND $where(b) */)))
  ){1,5}(passage)
  /*filter WITH path, edge WHERE all(e IN edge WHERE type(e) <> 'RELATES' OR EXISTS { UNWIND e.passages AS id
                     MATCH (other:Passage {namespace: $namespace, id: id}) WHERE $where(other) })
                   AND all(node IN nodes(path) WHERE node:Passage OR EXISTS {
                     MATCH (node)<-[:MENTIONS]-(other:Passage {namespace: $namespace}) WHERE $where(other) }) */
  // All weight at a node is added up once, however many of the paths lead over it.
  UNWIND range(0, length(path) - 1) AS i
  WITH nodes(path)[i] AS node, collect({path: path, i: i, edge: relationships(path)[i]}) AS steps
  WITH steps, reduce(total = 0.0, weight IN
      [(node)-[e:RELATES]-() | $fact_weight * size(e.passages)] + [(node)-[e:SYNONYM]-() | $synonym_weight * e.score] +
      [(node)-[e:MENTIONS]-() | $mention_weight] | total + weight) AS total
  UNWIND steps AS step
  WITH step.path AS path, step.i AS i, CASE
      WHEN step.edge:RELATES THEN $fact_weight * size(step.edge.passages) / total
      WHEN step.edge:SYNONYM THEN $synonym_weight * step.edge.score / total
      WHEN $through_passages THEN $mention_weight / total
      ELSE 1.0 END AS share
  ORDER BY i
  WITH path, reduce(product = 1.0, share IN collect(share) | product * share) AS probability
  WITH path, relationships(path) AS edge, probability
  RETURN path, edge, probability
  ORDER BY probability DESC, [node IN nodes(path) | coalesce(node.name, node.id)], [e IN edge | coalesce(e.predicate, '')]
  LIMIT 1
}
UNWIND range(0, size(edge) - 1) AS i
WITH pair, passage, probability, path, i, edge[i] AS e
CALL (passage, e) {
  UNWIND CASE type(e) WHEN 'RELATES' THEN e.passages WHEN 'MENTIONS' THEN [startNode(e).id] ELSE [] END AS id
  MATCH (other:Passage {namespace: $namespace, id: id}) /*filter WHERE $where(other) */
  WITH other ORDER BY other <> passage, other.id LIMIT 1
  RETURN collect(other)[0] AS stating
}
WITH pair, probability, path, i, {
  kind: CASE type(e) WHEN 'RELATES' THEN 'fact' WHEN 'SYNONYM' THEN 'synonym' ELSE 'mention' END,
  says: CASE type(e) WHEN 'RELATES' THEN e.predicate WHEN 'SYNONYM' THEN toString(e.score) ELSE toString(e.count) END,
  reversed: startNode(e) <> nodes(path)[i], passage: stating.id, title: stating.title, text: stating.text
} AS step ORDER BY i
RETURN pair.seed AS seed, pair.passage AS passage, probability, collect(step) AS edges, [node IN nodes(path) |
  {kind: CASE WHEN node:Phrase THEN 'phrase' ELSE 'passage' END, id: coalesce(node.name, node.id),
   name: coalesce(node.name, nullIf(node.title, ''), node.id)}] AS nodes
