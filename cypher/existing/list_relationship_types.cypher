// All relationship types in use.
// params: none
// returns: name (str)
// mode: read
CYPHER 25
CALL db.relationshipTypes() YIELD relationshipType
RETURN relationshipType AS name
