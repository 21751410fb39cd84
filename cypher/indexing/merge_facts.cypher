// Add facts with their vectors, or the passages that state them to facts that are there meanwhile.
// params: namespace (str), rows (list of {key, subject, object, predicate, passages, embedding}), run (str), now (datetime)
// returns: facts (int)
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (subject:Phrase {key: row.subject})
MATCH (object:Phrase {key: row.object})
MERGE (subject)-[fact:RELATES {key: row.key}]->(object)
  ON CREATE SET fact.predicate = row.predicate, fact.namespace = $namespace, fact.passages = row.passages,
                fact.run = $run, fact.created = $now
  ON MATCH SET fact.passages = fact.passages + [id IN row.passages WHERE NOT id IN fact.passages]
WITH fact, row
CALL db.create.setRelationshipVectorProperty(fact, 'embedding', row.embedding)
RETURN count(*) AS facts
