// How often the passages that mention a phrase also mention one of the seeds: all that a reader of single passages sees.
// params: namespace (str), phrases (list of keys), seeds (list of keys)
// returns: key (str), mentions (int)
// mode: read
CYPHER 25
MATCH (phrase:Phrase) WHERE phrase.key IN $phrases AND phrase.namespace = $namespace
RETURN phrase.key AS key,
       COUNT { (phrase)<-[:MENTIONS]-(:Passage)-[:MENTIONS]->(seed:Phrase) WHERE seed.key IN $seeds } AS mentions
