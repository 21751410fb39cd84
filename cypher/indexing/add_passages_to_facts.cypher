// Add to facts that are there the passages that state them too.
// params: rows (list of {key, passages})
// returns: facts (int, changed)
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH ()-[fact:RELATES {key: row.key}]->()
WITH fact, [id IN row.passages WHERE NOT id IN fact.passages] AS added
WHERE size(added) > 0
SET fact.passages = fact.passages + added
RETURN count(*) AS facts
