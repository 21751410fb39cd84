// Passages with the fewest facts for their length. Of those that have any: what a model skipped.
// params: namespace (str, such as 'demo'), words (int, default 40, that a passage must have), limit (int, default 25)
// returns: title (str), facts (int), words (int), per_100_words (float), id (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WITH passage, size(split(passage.text, ' ')) AS words WHERE words >= $words
WITH passage, words, COUNT {
  (passage)-[:MENTIONS]->(:Phrase {namespace: $namespace})-[fact:RELATES]->(:Phrase {namespace: $namespace})
  WHERE passage.id IN fact.passages
} AS facts
WHERE facts > 0
RETURN passage.title AS title, facts, words, round(100.0 * facts / words, 1) AS per_100_words, passage.id AS id
ORDER BY per_100_words, words DESC, id LIMIT $limit
