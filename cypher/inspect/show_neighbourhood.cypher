// What is said of a phrase, and in which passages: a graph to look at.
// params: namespace (str), name (str, normalised)
// returns: paths
// mode: read
MATCH said = (:Phrase {namespace: $namespace, name: $name})-[:RELATES|SYNONYM]-(:Phrase)
MATCH read = (:Passage)-[:MENTIONS]->(:Phrase {namespace: $namespace, name: $name})
RETURN said, read
