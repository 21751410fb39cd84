// Vector index over facts; the namespace is filtered inside the index.
// params: dimensions (int)
// returns: nothing
// mode: schema
CYPHER 25
CREATE VECTOR INDEX hipporag_fact_embedding IF NOT EXISTS
FOR ()-[fact:RELATES]-() ON fact.embedding WITH [fact.namespace]
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine',
                       `vector.hnsw.ef_construction`: 64}}
