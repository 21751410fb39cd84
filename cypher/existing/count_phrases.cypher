// How many phrases of a label there are, and with a name.
// params: none
// returns: phrases (int), named (int)
// mode: read
// names: label, name
CYPHER 25
MATCH (phrase:$label(phrase))
RETURN count(*) AS phrases, count($name(phrase)) AS named
