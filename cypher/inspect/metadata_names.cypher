// The names of metadata and their values. How many passages have them, and what occurs.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: name (str), passages (int), values (int, different ones), for_example (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
UNWIND [key IN keys(passage) WHERE key STARTS WITH 'meta_'] AS key
WITH substring(key, 5) AS name, passage[key] AS value
RETURN name, count(*) AS passages, count(DISTINCT value) AS values,
       min(toStringOrNull(CASE WHEN value IS :: LIST<ANY> THEN value[0] ELSE value END)) AS for_example
ORDER BY name LIMIT $limit
