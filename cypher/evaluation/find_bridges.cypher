// Phrases that several passages mention, but few: where facts of different passages meet. Looks at all phrases, once a run.
// params: namespace (str), most (int, passages)
// returns: key (str), name (str)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WITH phrase, COUNT { (phrase)<-[:MENTIONS]-(:Passage) } AS passages
WHERE passages >= 2 AND passages <= $most
RETURN phrase.key AS key, phrase.name AS name
ORDER BY name
