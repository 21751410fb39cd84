// Which of these passages are there, with what content and in which state.
// params: keys (list of str)
// returns: key (str), content_hash (str), status (str)
// mode: read
CYPHER 25
MATCH (passage:Passage) WHERE passage.key IN $keys
RETURN passage.key AS key, passage.content_hash AS content_hash, passage.status AS status
