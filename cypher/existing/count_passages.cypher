// Whether a graph of others has a passage.
// params: none
// returns: passages (int)
// mode: read
// names: label
CYPHER 25
MATCH (passage:$label(passage))
WITH count(passage) AS passages WHERE passages > 0
RETURN passages
