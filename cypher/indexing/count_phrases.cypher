// How many phrases a namespace has.
// params: namespace (str)
// returns: phrases (int)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
RETURN count(*) AS phrases
