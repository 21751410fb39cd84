// Delete phrases that nothing mentions any more, with their synonyms; some at a time.
// params: namespace (str), limit (int)
// returns: phrases (int, deleted)
// mode: write
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WHERE NOT EXISTS { (phrase)<-[:MENTIONS]-() }
WITH phrase LIMIT $limit
DETACH DELETE phrase
RETURN count(*) AS phrases
