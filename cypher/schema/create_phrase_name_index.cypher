// Phrases by name, for people and for equal names.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE TEXT INDEX hipporag_phrase_name IF NOT EXISTS FOR (phrase:Phrase) ON (phrase.name)
