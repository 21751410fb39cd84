// The names of metadata and their values. How many passages have them, and what occurs.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: name (str), passages (int), values (int, different ones), for_example (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
UNWIND [key IN keys(passage) WHERE key STARTS WITH 'meta_'] AS key
RETURN substring(key, 5) AS name, count(*) AS passages, count(DISTINCT passage[key]) AS values,
       min(toStringOrNull(passage[key])) AS for_example
ORDER BY name LIMIT $limit
