// Kept answers of a namespace.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_answer_namespace IF NOT EXISTS FOR (answer:HippoAnswer) ON (answer.namespace)
