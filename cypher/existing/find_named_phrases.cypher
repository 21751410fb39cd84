// Phrases of a graph of others by name, case apart, those that a passage mentions. Several may have the same.
// params: names (list of str, lower-case)
// returns: key (str), phrase (str), name (str, lower-case), passages (int, that mention the phrase)
// mode: read
// names: label, name, path
CYPHER 25
MATCH (phrase:$label(phrase)) WHERE toLower($name(phrase)) IN $names
WITH phrase, COUNT {
  /*each mention UNION
  MATCH (passage:$label(passage))$path(mention)(phrase) RETURN DISTINCT passage */
} AS passages
WHERE passages > 0
RETURN elementId(phrase) AS key, $name(phrase) AS phrase, toLower($name(phrase)) AS name, passages ORDER BY key
