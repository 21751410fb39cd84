// Add phrases with their vectors; their synonyms are still to be looked for. One that is there is left alone, also by locks:
// another run may be deleting it.
// params: namespace (str), rows (list of {key, name, embedding})
// returns: phrases (int, added)
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (phrase:Phrase {key: row.key})
  ON CREATE SET phrase.namespace = $namespace, phrase.name = row.name, phrase.unlinked = randomUUID()
WITH phrase, row WHERE phrase.embedding IS NULL
CALL db.create.setNodeVectorProperty(phrase, 'embedding', row.embedding)
RETURN count(*) AS phrases
