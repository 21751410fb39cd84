// Version of Neo4j; in the Cypher of old servers too, so that they can be told apart.
// params: none
// returns: neo4j (str), edition (str)
// mode: read
CALL dbms.components() YIELD name, versions, edition
WITH versions, edition WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS neo4j, edition
