// Passages that state a fact. The fact is given as facts-of-phrase shows it.
// params: namespace (str, such as 'demo'), subject (str, phrase, such as 'ilse corvane'), says (str, normalised, such
//         as 'lives in'), object (str, phrase, such as 'pellick'), limit (int, default 25)
// returns: title (str), text (str), id (str)
// mode: read
CYPHER 25
MATCH (subject:Phrase {namespace: $namespace, name: $subject})
      -[fact:RELATES]->(:Phrase {namespace: $namespace, name: $object})
WHERE fact.predicate = $says
MATCH (subject)<-[:MENTIONS]-(passage:Passage {namespace: $namespace}) WHERE passage.id IN fact.passages
RETURN passage.title AS title, passage.text AS text, passage.id AS id
ORDER BY title, id LIMIT $limit
