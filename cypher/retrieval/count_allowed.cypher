// Passages of a namespace, and those of them that a filter allows.
// params: namespace (str)
// returns: allowed (int), total (int)
// mode: read
// filter: passage
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
RETURN count(CASE WHEN passage.key IS NOT NULL /*filter AND $where(passage) */ THEN 1 END) AS allowed, count(*) AS total
