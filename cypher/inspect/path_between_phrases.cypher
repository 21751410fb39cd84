// How two phrases hang together: a shortest path. Over facts and synonyms, at most 5 long, a step a row.
// params: namespace (str, such as 'demo'), source (str, phrase, such as 'oda merrin'), target (str, phrase, such as
//         'pellick')
// returns: step (int), phrase (str), leads (str, with -> or <- as the fact points, ~ for a synonym), to (str),
//          passages (int, that state it; null for a synonym)
// mode: read
CYPHER 25
MATCH path = ALL SHORTEST (source:Phrase {namespace: $namespace, name: $source})
             (()-[:RELATES|SYNONYM]-(:Phrase {namespace: $namespace})){1,5}
             (target:Phrase {namespace: $namespace, name: $target})
WITH [node IN nodes(path) | node.name] AS names, relationships(path) AS edges, nodes(path) AS phrases
ORDER BY names, [edge IN edges | edge.predicate] LIMIT 1
UNWIND range(0, size(edges) - 1) AS i
RETURN i + 1 AS step, names[i] AS phrase,
       CASE
         WHEN type(edges[i]) = 'SYNONYM' THEN '~ ' + toString(round(edges[i].score, 3)) + ' ~'
         WHEN startNode(edges[i]) = phrases[i] THEN edges[i].predicate + ' ->'
         ELSE '<- ' + edges[i].predicate
       END AS leads,
       names[i + 1] AS to, size(edges[i].passages) AS passages
ORDER BY step
