// Relationships between phrases by type: how many, and how they weigh; those that weigh nothing or less, too much, or no
// number aren't walked.
// params: kinds (map: type, or '*' for any other, to {weight, weight_property})
// returns: type (str), relationships (int), unweighted (int, without the property), weightless (int), least (float), most (float)
// mode: read
// names: label, types
CYPHER 25
MATCH (source:$label(phrase))-[edge$types(edge)]->(target:$label(phrase))
WITH type(edge) AS type, edge, coalesce($kinds[type(edge)], $kinds['*']) AS kind
WITH type, kind, edge[kind.weight_property] AS own
WITH type, kind, own, kind.weight * CASE WHEN own IS NULL THEN 1.0 ELSE toFloatOrNull(own) END AS weight
WITH type, kind, own, CASE WHEN weight > 0 AND weight <= 1e12 THEN weight END AS weight
RETURN type, count(*) AS relationships,
       count(CASE WHEN kind.weight_property <> '' AND own IS NULL THEN 1 END) AS unweighted,
       count(CASE WHEN weight IS NULL THEN 1 END) AS weightless, min(weight) AS least, max(weight) AS most
ORDER BY relationships DESC, type
