// Some relationships between phrases, as facts read.
// params: kinds (map: type, or '*' for any other, to {predicate, predicate_property, reversed, fact}), limit (int, of each type)
// returns: subject (str), predicate (str), object (str)
// mode: read
// names: label, types, name
CYPHER 25
MATCH (source:$label(phrase))-[edge$types(edge)]->(target:$label(phrase))
WITH source, edge, target, coalesce($kinds[type(edge)], $kinds['*']) AS kind LIMIT 1000
WITH source, edge, target, kind WHERE kind.fact
WITH type(edge) AS type, kind, collect({source: source, edge: edge, target: target})[..$limit] AS some
UNWIND some AS one
WITH kind, type, one.edge AS edge, CASE WHEN kind.reversed THEN one.target ELSE one.source END AS subject,
     CASE WHEN kind.reversed THEN one.source ELSE one.target END AS object
RETURN $name(subject) AS subject,
       coalesce(toStringOrNull(edge[kind.predicate_property]), kind.predicate, type) AS predicate, $name(object) AS object
