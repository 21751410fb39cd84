// Drop the vector index for questions with a filter, to make one with more metadata.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
DROP INDEX hipporag_passage_embedding_filterable IF EXISTS
