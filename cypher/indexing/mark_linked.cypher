// Say of phrases that their synonyms were looked for; not of one that was deleted and made again meanwhile.
// params: rows (list of {key, unlinked})
// returns: phrases (int)
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (phrase:Phrase {key: row.key}) WHERE toString(phrase.unlinked) = row.unlinked
REMOVE phrase.unlinked
RETURN count(*) AS phrases
