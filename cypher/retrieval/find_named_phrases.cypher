// Phrases by key, those that a passage mentions.
// params: namespace (str), keys (list of str)
// returns: key (str), phrase (str), passages (int, that mention the phrase)
// mode: read
// filter: passage
CYPHER 25
UNWIND $keys AS key
MATCH (phrase:Phrase {key: key}) WHERE phrase.namespace = $namespace
WITH phrase, COUNT {
  (phrase)<-[:MENTIONS]-(passage:Passage {namespace: $namespace}) /*filter WHERE $where(passage) */
} AS passages
WHERE passages > 0
RETURN phrase.key AS key, phrase.name AS phrase, passages ORDER BY key
