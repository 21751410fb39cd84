// Passages of a namespace.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_passage_namespace IF NOT EXISTS FOR (passage:Passage) ON (passage.namespace)
