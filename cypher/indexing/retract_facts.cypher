// Take back what these passages said: facts lose the passage, and go with their last one.
// params: keys (list of str)
// returns: facts (int, removed)
// mode: write
CYPHER 25
MATCH (passage:Passage) WHERE passage.key IN $keys
MATCH (passage)-[:MENTIONS]->(:Phrase)-[fact:RELATES]->(:Phrase)
WHERE passage.id IN fact.passages AND fact.namespace = passage.namespace
WITH fact, collect(DISTINCT passage.id) AS leaving
SET fact.passages = [id IN fact.passages WHERE NOT id IN leaving]
WITH fact WHERE size(fact.passages) = 0
DELETE fact
RETURN count(*) AS facts
