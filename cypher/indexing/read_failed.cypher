// Of these passages those that the language model could not read, with all that is known of them.
// params: keys (list of str)
// returns: properties (map)
// mode: read
CYPHER 25
MATCH (passage:Passage) WHERE passage.key IN $keys AND passage.status = 'failed'
RETURN passage {.*, embedding: null} AS properties ORDER BY passage.key
