// Part pairs of phrases that were joined as synonyms; the phrases stay.
// params: rows (list of {source, target})
// returns: synonyms (int)
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (source:Phrase {key: row.source})
CALL (source, row) {
  MATCH (source)-[synonym:SYNONYM]->(target:Phrase {key: row.target})
  DELETE synonym
  RETURN count(*) AS parted
}
RETURN sum(parted) AS synonyms
