// How many phrases no passage mentions any more.
// params: namespace (str)
// returns: phrases (int)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WHERE NOT EXISTS { (phrase)<-[:MENTIONS]-(:Passage {namespace: $namespace}) }
RETURN count(*) AS phrases
