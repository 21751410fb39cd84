// Join pairs of phrases, one relationship a pair, from the smaller key to the larger.
// params: rows (list of {source, target, score})
// returns: synonyms (int)
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (source:Phrase {key: row.source})
MATCH (target:Phrase {key: row.target})
MERGE (source)-[synonym:SYNONYM]->(target)
SET synonym.score = row.score
RETURN count(*) AS synonyms
