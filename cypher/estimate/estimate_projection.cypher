// What Graph Data Science says that a projection of so many nodes and weighted relationships takes of its memory.
// params: nodes (int), relationships (int)
// returns: least (int, bytes), most (int, bytes)
// mode: read
CYPHER 25
CALL gds.graph.project.estimate('*', '*', {
  nodeCount: $nodes, relationshipCount: $relationships, relationshipProperties: 'weight'
})
YIELD bytesMin, bytesMax
RETURN bytesMin AS least, bytesMax AS most
