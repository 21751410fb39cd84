// Say of phrases that their synonyms were looked for.
// params: keys (list of str)
// returns: phrases (int)
// mode: write
CYPHER 25
MATCH (phrase:Phrase) WHERE phrase.key IN $keys
REMOVE phrase.unlinked
RETURN count(*) AS phrases
