// A passage's key is unique; the constraint's index finds it.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE CONSTRAINT hipporag_passage_key IF NOT EXISTS FOR (passage:Passage) REQUIRE passage.key IS UNIQUE
