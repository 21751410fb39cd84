// A fact's key is unique; the constraint's index finds it.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE CONSTRAINT hipporag_fact_key IF NOT EXISTS FOR ()-[fact:RELATES]-() REQUIRE fact.key IS UNIQUE
