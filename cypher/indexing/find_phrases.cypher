// Which of these phrases are there.
// params: keys (list of str)
// returns: key (str)
// mode: read
CYPHER 25
MATCH (phrase:Phrase) WHERE phrase.key IN $keys
RETURN phrase.key AS key
