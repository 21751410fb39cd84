// Vector index over passages; the namespace is filtered inside the index.
// params: dimensions (int)
// returns: nothing
// mode: schema
CYPHER 25
CREATE VECTOR INDEX hipporag_passage_embedding IF NOT EXISTS
FOR (passage:Passage) ON passage.embedding WITH [passage.namespace]
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine',
                       `vector.hnsw.ef_construction`: 64}}
