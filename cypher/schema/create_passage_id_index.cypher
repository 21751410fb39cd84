// Passages of a namespace by id, which facts name: to see whether a filter allows one that states a fact.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_passage_id IF NOT EXISTS FOR (passage:Passage) ON (passage.namespace, passage.id)
