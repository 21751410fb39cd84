// How two phrases hang together: a shortest path over facts and synonyms, with what each step says.
// params: namespace (str), source (str, normalised name), target (str, normalised name)
// returns: names (list of str), steps (list of {predicate (str, null for a synonym), forward (bool)}, one fewer)
// mode: read
CYPHER 25
MATCH path = ALL SHORTEST (source:Phrase {namespace: $namespace, name: $source})
             (()-[:RELATES|SYNONYM]-()){1,5}
             (target:Phrase {namespace: $namespace, name: $target})
WITH [phrase IN nodes(path) | phrase.name] AS names,
     [i IN range(0, length(path) - 1) |
       {predicate: relationships(path)[i].predicate, forward: startNode(relationships(path)[i]) = nodes(path)[i]}] AS steps
ORDER BY names DESC, [step IN steps | step.predicate] DESC LIMIT 1
RETURN names, steps
