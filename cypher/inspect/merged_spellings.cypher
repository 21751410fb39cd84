// Names written differently that the graph takes for one. In more than capitals and spaces; look for those that
// mean different things, such as C++ and C#.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: phrase (str), spellings (list of str), passages (int, that name it)
// mode: read
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.entities IS NOT NULL
UNWIND passage.entities AS entity
WITH graph, entity, count(DISTINCT passage) AS passages
WITH entity, passages, CASE graph.normalisation
       WHEN 'paper' THEN
         trim(reduce(kept = '', c IN split(toLower(entity), '') | kept + CASE WHEN c =~ '[a-z0-9]' THEN c ELSE ' ' END))
       ELSE
         trim(reduce(joined = '', word IN [word IN split(
           reduce(kept = '', c IN split(normalize(toLower(normalize(entity, NFKC)), NFKC), '') |
             kept + CASE WHEN c =~ '[\\p{L}\\p{M}\\p{N}\\p{Cs}]' THEN c ELSE ' ' END), ' ')
           WHERE word <> ''] | joined + ' ' + word))
     END AS phrase
ORDER BY entity
WITH phrase, collect(entity) AS spellings, sum(passages) AS passages,
     count(DISTINCT toLower(replace(entity, ' ', ''))) AS different
WHERE different > 1
RETURN phrase, spellings, passages
ORDER BY size(spellings) DESC, passages DESC, phrase LIMIT $limit
