// Passages by a value of metadata. Compared as text; a list has each of its items as a value.
// params: namespace (str, such as 'demo'), name (str, such as 'island'), value (str, such as 'Kaul'), limit (int,
//         default 25)
// returns: title (str), value (as stored), facts (int), begins (str), id (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WITH passage, passage['meta_' + $name] AS value
WHERE any(item IN CASE WHEN value IS :: LIST<ANY> THEN value ELSE [value] END WHERE toStringOrNull(item) = $value)
WITH passage, value ORDER BY passage.title, passage.id LIMIT $limit
RETURN passage.title AS title, value,
       COUNT {
         (passage)-[:MENTIONS]->(:Phrase {namespace: $namespace})-[fact:RELATES]->(:Phrase {namespace: $namespace})
         WHERE passage.id IN fact.passages
       } AS facts,
       left(passage.text, 100) AS begins,
       passage.id AS id
ORDER BY title, id
