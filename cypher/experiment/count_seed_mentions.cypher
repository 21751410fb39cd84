// For each instance, how often the passages that mention one of its phrases also mention one of its seeds: all that a
// reader of single passages sees.
// params: namespace (str), instances (list of {number, phrases: list of keys, seeds: list of {key, weight}})
// returns: instance (int, its number), key (str), score (int)
// mode: read
CYPHER 25
UNWIND $instances AS instance
UNWIND instance.phrases AS key
MATCH (phrase:Phrase {key: key}) WHERE phrase.namespace = $namespace
RETURN instance.number AS instance, key, COUNT {
  (phrase)<-[:MENTIONS]-(:Passage)-[:MENTIONS]->(seed:Phrase) WHERE any(one IN instance.seeds WHERE one.key = seed.key)
} AS score
