// Drop an index.
// params: name (str)
// returns: nothing
// mode: schema
CYPHER 25
DROP INDEX $name IF EXISTS
