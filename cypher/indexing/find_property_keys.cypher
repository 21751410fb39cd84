// Which of these names are, or were, names of properties in this database.
// params: names (list of str)
// returns: name (str)
// mode: read
CYPHER 25
CALL db.propertyKeys() YIELD propertyKey
WITH propertyKey AS name WHERE name IN $names
RETURN name
