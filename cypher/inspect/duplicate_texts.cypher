// Texts that stand in several passages. They have the same facts, and take each other's place in an answer.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: begins (str), passages (int), titles (list of str, the first 5), ids (list of str, the first 5)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WITH passage ORDER BY passage.title, passage.id
WITH trim(passage.text) AS text, collect(passage.title) AS titles, collect(passage.id) AS ids
WHERE size(ids) > 1
RETURN left(text, 100) AS begins, size(ids) AS passages, titles[..5] AS titles, ids[..5] AS ids
ORDER BY passages DESC, begins LIMIT $limit
