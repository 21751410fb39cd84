// A kept answer's key is unique; the constraint's index finds it.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE CONSTRAINT hipporag_answer_key IF NOT EXISTS FOR (answer:HippoAnswer) REQUIRE answer.key IS UNIQUE
