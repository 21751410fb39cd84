// Passages without a fact, which no walk finds. The longest first: they failed, say nothing, or the model wrote
// nothing down.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: title (str), words (int), entities (int), status (str), why (str or null), begins (str), id (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WHERE NOT EXISTS { (passage)-[:MENTIONS]->(:Phrase {namespace: $namespace}) }
RETURN passage.title AS title, size(split(passage.text, ' ')) AS words,
       size(coalesce(passage.entities, [])) AS entities, passage.status AS status,
       coalesce(
         passage.error,
         CASE WHEN passage.malformed IS NOT NULL THEN toString(size(passage.malformed)) + ' malformed' END,
         CASE WHEN passage.dropped > 0 THEN toString(passage.dropped) + ' dropped' END
       ) AS why,
       left(passage.text, 100) AS begins, passage.id AS id
ORDER BY words DESC, id LIMIT $limit
