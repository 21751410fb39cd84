// Passages that mention a phrase. Those with most facts about it first.
// params: namespace (str, such as 'demo'), phrase (str, phrase, such as 'oda merrin'), limit (int, default 25)
// returns: title (str), facts (int, of the passage that contain the phrase), begins (str), id (str)
// mode: read
CYPHER 25
MATCH (:Phrase {namespace: $namespace, name: $phrase})<-[mention:MENTIONS]-(passage:Passage {namespace: $namespace})
RETURN passage.title AS title, mention.count AS facts, left(passage.text, 100) AS begins, passage.id AS id
ORDER BY facts DESC, title, id LIMIT $limit
