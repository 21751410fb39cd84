// Passages of a namespace that are marked as deleted.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_deleted_namespace IF NOT EXISTS FOR (passage:HippoDeleted) ON (passage.namespace)
