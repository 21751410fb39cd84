// Wait until every index is online.
// params: seconds (int)
// returns: nothing
// mode: schema
CYPHER 25
CALL db.awaitIndexes($seconds)
