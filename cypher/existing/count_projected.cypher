// How many nodes the projections hold: phrases, and phrases and passages; a node that is both counts once.
// params: none
// returns: phrases (int), both (int)
// mode: read
// names: label
CYPHER 25
CALL () {
  MATCH (node:$label(phrase)) RETURN count(node) AS phrases
}
CALL () {
  MATCH (node:$label(phrase)|$label(passage)) RETURN count(node) AS both
}
RETURN phrases, both
