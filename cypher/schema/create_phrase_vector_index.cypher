// Vector index over phrases; the namespace is filtered inside the index.
// params: dimensions (int)
// returns: nothing
// mode: schema
CYPHER 25
CREATE VECTOR INDEX hipporag_phrase_embedding IF NOT EXISTS
FOR (phrase:Phrase) ON phrase.embedding WITH [phrase.namespace]
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine',
                       `vector.hnsw.ef_construction`: 64}}
