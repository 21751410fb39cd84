// Names of phrases that hold a text, or begin with one: among them is the one that somebody meant.
// params: namespace (str), part (str, normalised), start (str, normalised), limit (int, of each)
// returns: name (str)
// mode: read
CYPHER 25
CALL () {
  MATCH (phrase:Phrase) WHERE phrase.name CONTAINS $part AND phrase.namespace = $namespace
  RETURN phrase.name AS name ORDER BY size(name), name LIMIT $limit
  UNION
  MATCH (phrase:Phrase) WHERE phrase.name STARTS WITH $start AND phrase.namespace = $namespace
  RETURN phrase.name AS name ORDER BY size(name), name LIMIT $limit
}
RETURN name ORDER BY name
