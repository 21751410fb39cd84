// Phrases of a namespace.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_phrase_namespace IF NOT EXISTS FOR (phrase:Phrase) ON (phrase.namespace)
