// Facts of a namespace.
// params: namespace (str)
// returns: facts (int)
// mode: read
CYPHER 25
MATCH ()-[fact:RELATES {namespace: $namespace}]->()
RETURN count(*) AS facts
