// How many phrases nothing mentions any more. Their degree is enough: a mention leads from a passage of the namespace, and
// who attached one of their own keeps the phrase. Reading each passage takes four times as long.
// params: namespace (str)
// returns: phrases (int)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WHERE NOT EXISTS { (phrase)<-[:MENTIONS]-() }
RETURN count(*) AS phrases
