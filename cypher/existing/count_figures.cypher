// How many nodes and relationships there are of each kind, from the count store: a sign of what was changed. And when the
// database was made.
// params: none
// returns: figures (list of int), created (datetime)
// mode: read
// names: label, types
CYPHER 25
CALL () {
  MATCH (node:$label(passage)) RETURN count(node) AS figure
  UNION ALL
  /*each phrase UNION ALL
  MATCH (node:$label(phrase)) RETURN count(node) AS figure */
  UNION ALL
  /*each type UNION ALL
  MATCH ()-[edge$types(counted)]->() RETURN count(edge) AS figure */
}
WITH collect(figure) AS figures
CALL db.info() YIELD creationDate
RETURN figures, datetime(creationDate) AS created
