// Phrases by key, those that a passage mentions.
// params: namespace (str), entities (list of {key, name (normalised), said (as it was given)})
// returns: key (str), phrase (str), entity (str, as it was said), passages (int, that mention the phrase)
// mode: read
// filter: passage
CYPHER 25
UNWIND $entities AS named
MATCH (phrase:Phrase {key: named.key}) WHERE phrase.namespace = $namespace
WITH named, phrase, COUNT {
  (phrase)<-[:MENTIONS]-(passage:Passage {namespace: $namespace}) /*filter WHERE $where(passage) */
} AS passages
WHERE passages > 0
RETURN phrase.key AS key, phrase.name AS phrase, named.said AS entity, passages ORDER BY key
