// Phrases whose synonyms were not looked for yet; holds only those.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_phrase_unlinked IF NOT EXISTS FOR (phrase:Phrase) ON (phrase.namespace, phrase.unlinked)
