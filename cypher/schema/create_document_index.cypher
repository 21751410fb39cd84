// Parts of a document.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_passage_document IF NOT EXISTS FOR (passage:Passage) ON (passage.namespace, passage.document)
