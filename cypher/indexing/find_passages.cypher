// Which of these passages are there, with what content, in which state, of which document a part, and since which version
// of the graph.
// params: keys (list of str)
// returns: key (str), content_hash (str), status (str), document (str or null), part (int or null),
//          version (int)
// mode: read
CYPHER 25
MATCH (passage:Passage) WHERE passage.key IN $keys
RETURN passage.key AS key, passage.content_hash AS content_hash, passage.status AS status,
       passage.document AS document, passage.part AS part, coalesce(passage.version, 0) AS version
