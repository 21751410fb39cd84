// Passages with the named entities that were found in them.
// params: namespace (str), keys (list of passage keys)
// returns: id (str), title (str), text (str), entities (list of str)
// mode: read
CYPHER 25
MATCH (passage:Passage) WHERE passage.key IN $keys AND passage.namespace = $namespace
RETURN passage.id AS id, passage.title AS title, passage.text AS text, coalesce(passage.entities, []) AS entities
ORDER BY id
