// Names in a passage about which it has no fact. The model found the name and wrote no fact about it; those left
// out most often first. Compared as the graph normalises names.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: entity (str, as it is written), passages (int, that name it and say nothing about it), for_example (str,
//          title)
// mode: read
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.entities IS NOT NULL
WITH graph, passage, COLLECT {
  MATCH (passage)-[:MENTIONS]->(phrase:Phrase {namespace: $namespace}) RETURN phrase.name
} AS used
UNWIND passage.entities AS entity
WITH passage, used, entity, CASE graph.normalisation
       WHEN 'paper' THEN
         trim(reduce(kept = '', c IN split(toLower(entity), '') | kept + CASE WHEN c =~ '[a-z0-9]' THEN c ELSE ' ' END))
       ELSE
         trim(reduce(joined = '', word IN [word IN split(
           reduce(kept = '', c IN split(normalize(toLower(normalize(entity, NFKC)), NFKC), '') |
             kept + CASE WHEN c =~ '[\\p{L}\\p{M}\\p{N}\\p{Cs}]' THEN c ELSE ' ' END), ' ')
           WHERE word <> ''] | joined + ' ' + word))
     END AS name
WHERE NOT name IN used
RETURN entity, count(DISTINCT passage) AS passages, min(passage.title) AS for_example
ORDER BY passages DESC, entity LIMIT $limit
