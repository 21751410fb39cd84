// What a model wrote as a triple that has not three parts. By the model, where the run that read it names one.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: model (str or null), title (str), triple (str, JSON), id (str, of the passage), run (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.malformed IS NOT NULL
OPTIONAL MATCH (run:HippoRun {namespace: $namespace, id: passage.run})
UNWIND passage.malformed AS triple
RETURN run.model AS model, passage.title AS title, triple, passage.id AS id, passage.run AS run
ORDER BY model, title, id, triple LIMIT $limit
