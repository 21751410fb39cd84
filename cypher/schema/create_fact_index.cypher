// Facts of a namespace.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_fact_namespace IF NOT EXISTS FOR ()-[fact:RELATES]-() ON (fact.namespace)
