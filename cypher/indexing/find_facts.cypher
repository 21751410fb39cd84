// Which of these facts are there.
// params: keys (list of str)
// returns: key (str)
// mode: read
CYPHER 25
MATCH ()-[fact:RELATES]->() WHERE fact.key IN $keys
RETURN fact.key AS key
