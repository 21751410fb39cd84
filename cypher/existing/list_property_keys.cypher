// All property keys that the database has ever had.
// params: none
// returns: name (str)
// mode: read
CYPHER 25
CALL db.propertyKeys() YIELD propertyKey
RETURN propertyKey AS name
