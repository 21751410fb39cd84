// Version of Neo4j.
// params: none
// returns: neo4j (str), edition (str)
// mode: read
CYPHER 25
CALL dbms.components() YIELD name, versions, edition
WITH versions, edition WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS neo4j, edition
