// Passages of a namespace by the kind of value that they have under names of metadata.
// params: namespace (str), names (list of str, properties)
// returns: name (str), type (str, as Neo4j calls it; NULL for none), passages (int)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
UNWIND $names AS name
RETURN name, valueType(passage[name]) AS type, count(*) AS passages ORDER BY name, type
