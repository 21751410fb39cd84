// Delete phrases that no passage mentions any more, with their synonyms.
// params: namespace (str)
// returns: phrases (int, deleted)
// mode: write
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WHERE NOT EXISTS { (phrase)<-[:MENTIONS]-(:Passage) }
DETACH DELETE phrase
RETURN count(*) AS phrases
