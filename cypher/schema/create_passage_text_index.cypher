// Full-text index for BM25; `scope` is the namespace as one search term.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE FULLTEXT INDEX hipporag_passage_text IF NOT EXISTS
FOR (passage:Passage) ON EACH [passage.title, passage.text, passage.scope]
