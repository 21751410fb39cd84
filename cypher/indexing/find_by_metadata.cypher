// Passages whose metadata has all these values. A name is looked up on the passage as a value, never as a piece of Cypher.
// params: namespace (str), conditions (list of {property (str), value})
// returns: key (str), id (str), document (str, the passage's id where it is no part)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WHERE all(condition IN $conditions WHERE passage[condition.property] = condition.value)
RETURN passage.key AS key, passage.id AS id, coalesce(passage.document, passage.id) AS document
