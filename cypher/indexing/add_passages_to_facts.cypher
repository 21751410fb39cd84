// Add to facts that are there the passages that state them too.
// params: rows (list of {key, passages})
// returns: facts (int)
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH ()-[fact:RELATES {key: row.key}]->()
SET fact.passages = fact.passages + [id IN row.passages WHERE NOT id IN fact.passages]
RETURN count(*) AS facts
