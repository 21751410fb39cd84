// All labels in use.
// params: none
// returns: name (str)
// mode: read
CYPHER 25
CALL db.labels() YIELD label
RETURN label AS name
