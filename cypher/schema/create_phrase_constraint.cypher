// A phrase's key is unique; the constraint's index finds it.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE CONSTRAINT hipporag_phrase_key IF NOT EXISTS FOR (phrase:Phrase) REQUIRE phrase.key IS UNIQUE
