// Write passages as they are now, whatever stood there before; their vectors with them.
// params: rows (list of {key, properties, embedding}), now (datetime),
//         version (int, of the graph)
// returns: passages (int)
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (passage:Passage {key: row.key})
WITH passage, row, coalesce(passage.created, $now) AS created
SET passage = row.properties, passage.key = row.key, passage.created = created, passage.version = $version
WITH passage, row
CALL db.create.setNodeVectorProperty(passage, 'embedding', row.embedding)
RETURN count(*) AS passages
