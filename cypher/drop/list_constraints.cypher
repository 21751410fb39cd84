// Every constraint this product made.
// params: none
// returns: name (str)
// mode: read
CYPHER 25
SHOW CONSTRAINTS YIELD name
WHERE name STARTS WITH 'hipporag_'
RETURN name ORDER BY name
