// Vector index over passages for questions with a filter: as the one without, with the metadata declared as filterable.
// params: dimensions (int)
// returns: nothing
// mode: schema
// filter: passage
CYPHER 25
CREATE VECTOR INDEX hipporag_passage_embedding_filterable IF NOT EXISTS
FOR (passage:Passage) ON passage.embedding WITH [passage.namespace /*filter , $where(passage) */]
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine',
                       `vector.hnsw.ef_construction`: 64}}
