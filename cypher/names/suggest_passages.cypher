// Titles of passages, or ids where there is no title: among them is the one that somebody meant.
// params: namespace (str), part (str, lower-case), limit (int)
// returns: name (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WITH CASE passage.title WHEN '' THEN passage.id ELSE passage.title END AS name WHERE toLower(name) CONTAINS $part
RETURN DISTINCT name ORDER BY size(name), name LIMIT $limit
