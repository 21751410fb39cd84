// Drop a constraint, and the index that belongs to it.
// params: name (str)
// returns: nothing
// mode: schema
CYPHER 25
DROP CONSTRAINT $name IF EXISTS
