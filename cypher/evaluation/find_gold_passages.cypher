// Passages that may be the gold passages of a test set: by id, by document, or by title.
// params: namespace (str), ids (list of str), titles (list of str)
// returns: id (str), title (str), text (str), document (str or null)
// mode: read
// filter: passage
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WHERE (passage.id IN $ids OR passage.document IN $ids OR passage.title IN $titles) /*filter AND $where(passage) */
RETURN passage.id AS id, passage.title AS title, passage.text AS text, passage.document AS document
ORDER BY id
