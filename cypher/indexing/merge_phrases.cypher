// Add phrases with their vectors; their synonyms are still to be looked for.
// params: namespace (str), rows (list of {key, name, embedding})
// returns: phrases (int)
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (phrase:Phrase {key: row.key})
  ON CREATE SET phrase.namespace = $namespace, phrase.name = row.name, phrase.unlinked = randomUUID()
WITH phrase, row
CALL db.create.setNodeVectorProperty(phrase, 'embedding', row.embedding)
RETURN count(*) AS phrases
